/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/tool/program.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Its number; 0: it does not run. */
static volatile sig_atomic_t running;

static void pass_on(int signal)
{
    const int error = errno;

    if (running > 0)
        kill((pid_t)running, signal);
    errno = error;
}

/* What this process ignores while it waits is not ignored there, unless it was before. */
static int spawn(char **words, const sigset_t *defaults, const sigset_t *mask, pid_t *child)
{
    posix_spawnattr_t attributes;
    int error = posix_spawnattr_init(&attributes);

    if (error)
        return error;
    posix_spawnattr_setsigdefault(&attributes, defaults);
    posix_spawnattr_setsigmask(&attributes, mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    error = posix_spawnp(child, words[0], NULL, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* Ignore a signal here; it is the program's, unless it is ignored already, as under nohup. */
static void leave_to_program(int signal, sigset_t *defaults)
{
    const struct sigaction ignoring = {.sa_handler = SIG_IGN};
    struct sigaction before;

    if (sigaction(signal, &ignoring, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaddset(defaults, signal);
}

static void pass_on_signal(int signal)
{
    const struct sigaction passing = {.sa_handler = pass_on};
    struct sigaction before;

    if (sigaction(signal, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(signal, &passing, NULL);
}

static int wait_for(pid_t child)
{
    int end = 0;

    while (waitpid(child, &end, 0) < 0 && errno == EINTR)
        continue;
    running = 0;
    return WIFSIGNALED(end) ? 128 + WTERMSIG(end) : WEXITSTATUS(end);
}

int spawn_and_wait(char **words, struct failure *failure)
{
    sigset_t defaults, passed, mask;
    pid_t started;
    int error;

    /* One that comes before it is known to whom waits until it is. */
    sigemptyset(&passed);
    sigaddset(&passed, SIGTERM);
    sigaddset(&passed, SIGHUP);
    sigprocmask(SIG_BLOCK, &passed, &mask);
    sigemptyset(&defaults);
    leave_to_program(SIGINT, &defaults);
    leave_to_program(SIGQUIT, &defaults);
    error = spawn(words, &defaults, &mask, &started);
    if (!error) {
        running = (sig_atomic_t)started;
        pass_on_signal(SIGTERM);
        pass_on_signal(SIGHUP);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (!error)
        return wait_for(started);
    failure_set_program(failure, words[0], error == ENOENT, strerror(error));
    return (int)failure->status;
}
