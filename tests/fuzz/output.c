/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors are moved, for a stream of the C library cannot be exchanged everywhere. */
#define _POSIX_C_SOURCE 200809L
#include "tests/fuzz/output.h"

#include <unistd.h>

#include "tests/fuzz/fuzz.h"

/* One for each stream, as a message on the one may come within the other. */
static FILE *file_of(const FILE *stream)
{
    static FILE *files[2];
    FILE **file = &files[stream == stderr];

    if (!*file)
        *file = tmpfile();
    CLAIM(*file != NULL);
    return *file;
}

void fuzz_output_begin(struct fuzz_output *output, FILE *stream)
{
    const int file = fileno(file_of(stream));

    fflush(stream);
    CLAIM(lseek(file, 0, SEEK_SET) == 0 && ftruncate(file, 0) == 0);
    output->stream = stream;
    output->before = dup(fileno(stream));
    CLAIM(output->before >= 0 && dup2(file, fileno(stream)) >= 0);
    if (stream == stderr)
        fuzz_error = output->before;
}

char *fuzz_output_end(struct fuzz_output *output)
{
    const int file = fileno(file_of(output->stream));
    char *text;
    size_t size, length = 0;

    fflush(output->stream);
    dup2(output->before, fileno(output->stream));
    close(output->before);
    if (output->stream == stderr)
        fuzz_error = -1;
    size = (size_t)lseek(file, 0, SEEK_END);
    CLAIM(lseek(file, 0, SEEK_SET) == 0);
    text = fuzz_memory(size + 1);
    while (length < size) {
        const long taken = (long)read(file, text + length, (unsigned)(size - length));

        CLAIM(taken > 0);
        length += (size_t)taken;
    }
    text[size] = '\0';
    return text;
}
