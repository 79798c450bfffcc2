/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangling by c++filt, if it is installed. It is started once, without a shell, and reads all
 * names from a file and writes them into another.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/tool/base/output.h"
#include "src/tool/symbolize/symbolizer.h"
#include "src/tool/trace/trace.h"

/* Returns false if the tool is missing or fails. */
static bool demangle(int from, int to)
{
    const char *const words[] = {"c++filt", NULL};
    int error, status = -1;
    pid_t child;

    error = symbolizer_spawn(words, from, to, &child);
    while (!error && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status == 0;
}

/* The contents of a file, to be freed; NULL if they are not text. */
static char *read_text(FILE *file)
{
    const long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    const size_t size = end > 0 ? (size_t)end : 0;
    char *text = output_memory(size + 1);

    rewind(file);
    text[fread(text, 1, size, file)] = '\0';
    if (strlen(text) == size)
        return text;
    free(text);
    return NULL;
}

char *trace_demangle_lines(const char *lines, size_t size)
{
    FILE *names = tmpfile(), *answer = tmpfile();
    char *text = NULL;

    if (names && answer && fwrite(lines, 1, size, names) == size && fflush(names) == 0 &&
        lseek(fileno(names), 0, SEEK_SET) == 0 && demangle(fileno(names), fileno(answer)))
        text = read_text(answer);
    if (names)
        fclose(names);
    if (answer)
        fclose(answer);
    return text;
}
