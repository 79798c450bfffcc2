/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangling by c++filt, if it is installed. It is started once, without a shell, and reads all
 * names from a file and writes them into another.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/tool/output.h"
#include "src/tool/trace.h"

/* Whether the tool is there and does it. */
static bool demangle(int from, int to)
{
    static char name[] = "c++filt";
    char *words[] = {name, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions), status = -1;
    pid_t child;

    if (error)
        return false;
    error = posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error)
        error = posix_spawnp(&child, name, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (!error && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status == 0;
}

/* What is in a file; free it. NULL: it is no text. */
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
