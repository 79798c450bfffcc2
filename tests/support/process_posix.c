/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/support/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/child.h"
#include "tests/support/verdict.h"

enum { MOST_ARGUMENTS = 12, DEFAULT_SECONDS = 120 };

const struct peer peer_parent = {0, STDOUT_FILENO, STDIN_FILENO};

static const char *all[MOST_ARGUMENTS + 3];
static size_t count;
static unsigned patience = DEFAULT_SECONDS;

void process_arguments(const char *const *arguments)
{
    for (count = 0; count < MOST_ARGUMENTS && arguments[count]; count++)
        all[count] = arguments[count];
}

void process_patience(unsigned seconds)
{
    patience = seconds > 0 ? seconds : DEFAULT_SECONDS;
}

/* In the new process: execute this program for one case. */
static _Noreturn void restart(const char *name)
{
    all[count] = "--run";
    all[count + 1] = name;
    all[count + 2] = NULL;
    alarm(patience);
    child__become(all);
    fprintf(stderr, "cannot start anew: %s\n", strerror(errno));
    _exit(CASE_FAILED);
}

static int wait_for(pid_t process)
{
    int status = 0;

    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

static struct process_end end_of(pid_t process)
{
    const int status = wait_for(process);
    struct process_end end = {.exited = WIFEXITED(status)};

    if (end.exited) {
        end.status = WEXITSTATUS(status);
        return end;
    }
    end.crashed = WTERMSIG(status) == SIGSEGV;
    snprintf(end.death, sizeof end.death, "died of signal %d%s", WTERMSIG(status),
             WTERMSIG(status) == SIGALRM ? ": it took too long" : "");
    return end;
}

void process_begin(void)
{
}

struct process_end process_run(const char *name, char *output, size_t size)
{
    size_t length = 0;
    int ends[2];
    pid_t process;

    fflush(NULL);
    if (pipe(ends) != 0 || (process = fork()) < 0) {
        perror(all[0]);
        exit(CASE_FAILED);
    }
    if (process == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        restart(name);
    }
    close(ends[1]);
    for (;;) {
        char bytes[512];
        ssize_t got = read(ends[0], bytes, sizeof bytes);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        for (ssize_t i = 0; i < got && length + 1 < size; i++)
            output[length++] = bytes[i] == '\n' ? ' ' : bytes[i];
    }
    while (length > 0 && output[length - 1] == ' ')
        length--;
    output[length] = '\0';
    close(ends[0]);
    return end_of(process);
}

void peer_start(struct peer *peer, const char *name)
{
    int to[2], from[2];

    fflush(NULL);
    if (pipe(to) != 0 || pipe(from) != 0 || (peer->process = fork()) < 0)
        fail("a second process cannot be started: %s", strerror(errno));
    if (peer->process == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[0]), close(to[1]), close(from[0]), close(from[1]);
        restart(name);
    }
    close(to[0]);
    close(from[1]);
    peer->to = to[1];
    peer->from = from[0];
}

void peer_send(const struct peer *peer, const void *bytes, size_t size)
{
    if (write(peer->to, bytes, size) != (ssize_t)size)
        fail("the other process cannot be written to");
}

void peer_receive(const struct peer *peer, void *bytes, size_t size)
{
    size_t length = 0;

    while (length < size) {
        ssize_t got = read(peer->from, (char *)bytes + length, size - length);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            fail("the other process sends nothing");
        length += (size_t)got;
    }
}

void peer_kill(const struct peer *peer)
{
    kill(peer->process, SIGKILL);
}

void peer_forget(struct peer *peer)
{
    close(peer->to);
    close(peer->from);
    end_of(peer->process);
}

void peer_end(struct peer *peer)
{
    struct process_end end;

    close(peer->to);
    end = end_of(peer->process);
    close(peer->from);
    if (end.exited && end.status == CASE_SKIPPED)
        skip("the other process skips the case");
    if (!end.exited)
        fail("the other process %s", end.death);
    if (end.status != 0)
        fail("the other process ended with status %d", end.status);
}
