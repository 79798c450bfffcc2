/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/support/child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/counters.h"
#include "tests/support/program.h"

enum { MOST_ARGUMENTS = 8, MOST_TEXT = 8192 };

/* Read all that the child prints, and keep the beginning. Returns once nobody can write more. */
static size_t read_all(int from, char *text, size_t size)
{
    size_t length = 0;

    for (;;) {
        char piece[1024];
        const ssize_t got = read(from, piece, sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        for (ssize_t i = 0; i < got && length < size - 1; i++)
            text[length++] = piece[i];
    }
    text[length] = '\0';
    return length;
}

static void say_how(const char *title, int status, const char *text)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        fprintf(stderr, "%s: no end after %d s\n", title, CHILD_SECONDS);
    else if (WIFSIGNALED(status))
        fprintf(stderr, "%s: killed by signal %d, %s\n", title, WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    else
        fprintf(stderr, "%s: exit status %d\n", title, WEXITSTATUS(status));
    if (text[0])
        fprintf(stderr, "%s: it printed: %s\n", title, text);
}

bool child_passes(const char *title, child_body body, const void *data)
{
    char text[MOST_TEXT];
    int ends[2], status = 0;
    size_t length;
    pid_t child;

    fflush(NULL);
    if (pipe(ends) != 0 || (child = fork()) < 0) {
        perror(title);
        return false;
    }
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        alarm(CHILD_SECONDS);
        body(data);
        child_end();
    }
    close(ends[1]);
    length = read_all(ends[0], text, sizeof text);
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && length == 0)
        return true;
    say_how(title, status, text);
    return false;
}

void child_restart(const char *const *arguments)
{
    const char *all[MOST_ARGUMENTS + 2] = {"test"};

    for (size_t i = 0; i < MOST_ARGUMENTS && arguments[i]; i++)
        all[i + 1] = arguments[i];
    counters_write();
    program_restart(all);
    child_fail("cannot start anew: %s\n", strerror(errno));
}
