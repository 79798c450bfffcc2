/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char fuzz_place[256];

_Noreturn void fuzz_fail(const char *file, int line, const char *claim, const char *place)
{
    fprintf(stderr, "%s:%d: it does not hold that %s%s%s\n", file, line, claim,
            place[0] ? ", at " : "", place);
    fflush(NULL);
    abort();
}

uint8_t fuzz_byte(struct fuzz_input *input)
{
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->at++;
}

unsigned fuzz_below(struct fuzz_input *input, unsigned below)
{
    return fuzz_byte(input) % below;
}

uint64_t fuzz_number(struct fuzz_input *input, unsigned bytes)
{
    uint64_t number = 0;

    for (unsigned i = 0; i < bytes; i++)
        number |= (uint64_t)fuzz_byte(input) << 8 * i;
    return number;
}

char *fuzz_text(struct fuzz_input *input)
{
    const uint8_t *end = input->left ? memchr(input->at, '\0', input->left) : NULL;
    const size_t length = end ? (size_t)(end - input->at) : input->left;
    char *text = fuzz_memory(length + 1);

    if (length)
        memcpy(text, input->at, length);
    text[length] = '\0';
    input->at += length + (end != NULL);
    input->left -= length + (end != NULL);
    return text;
}

void *fuzz_memory(size_t size)
{
    void *memory = malloc(size ? size : 1);

    if (!memory) {
        fputs("the target is out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

bool fuzz_is_closed(const char *text, size_t size)
{
    return size == 0 || memchr(text, '\0', size) != NULL;
}

bool fuzz_names_device(const char *text)
{
    return strstr(text, "dev/") || strstr(text, "proc/") || strstr(text, "sys/") ||
           strstr(text, "run/");
}
