/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangling by c++filt, if it is installed. It is started once, without a shell, and reads all
 * names from a file. A hostile name may take very long or become very long, so both have a limit.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loader/system.h"
#include "src/tool/output.h"
#include "src/tool/trace.h"

enum { MOST_BYTES = 64 << 20, MOST_MS = 10000 };

struct answer {
    char *text;
    size_t size, room;
};

/* Start c++filt. Returns 0 or an error of errno. */
static int spawn(int from, int to, pid_t *child)
{
    static char name[] = "c++filt";
    char *words[] = {name, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error)
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error)
        error = posix_spawnp(child, name, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void make_room(struct answer *answer)
{
    char *text;

    if (answer->room - answer->size > 1)
        return;
    answer->room = answer->room ? 2 * answer->room : 65536;
    text = output_memory(answer->room);
    if (answer->size)
        memcpy(text, answer->text, answer->size);
    free(answer->text);
    answer->text = text;
}

/* Read until the end. False: the tool takes too long, writes too much, or writes a NUL. */
static bool read_answer(int from, struct answer *answer)
{
    const uint64_t begin = cushim__clock_ns();
    struct pollfd pipe_end = {.fd = from, .events = POLLIN};

    for (;;) {
        const uint64_t past_ms = (cushim__clock_ns() - begin) / 1000000;
        ssize_t got;

        if (past_ms >= MOST_MS || answer->size >= MOST_BYTES)
            return false;
        if (poll(&pipe_end, 1, (int)(MOST_MS - past_ms)) <= 0)
            continue;
        make_room(answer);
        got = read(from, answer->text + answer->size, answer->room - answer->size - 1);
        if (got < 0 && errno != EINTR)
            return false;
        if (got == 0)
            break;
        answer->size += got > 0 ? (size_t)got : 0;
    }
    make_room(answer);
    answer->text[answer->size] = '\0';
    return strlen(answer->text) == answer->size;
}

static char *ask(int names)
{
    struct answer answer = {0};
    int ends[2], status = -1;
    pid_t child = 0;
    bool is_whole = false;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    if (spawn(names, ends[1], &child) != 0)
        child = 0;
    close(ends[1]);
    if (child) {
        is_whole = read_answer(ends[0], &answer);
        if (!is_whole)
            kill(child, SIGKILL);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    close(ends[0]);
    if (is_whole && status == 0)
        return answer.text;
    free(answer.text);
    return NULL;
}

char *trace_demangle_lines(const char *lines, size_t size)
{
    FILE *file = tmpfile();
    char *text = NULL;

    if (!file)
        return NULL;
    if (fwrite(lines, 1, size, file) == size && fflush(file) == 0 &&
        lseek(fileno(file), 0, SEEK_SET) == 0)
        text = ask(fileno(file));
    fclose(file);
    return text;
}
