/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/tool/run/program.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The number of the program's process; 0 if it is not running. */
static volatile sig_atomic_t running;

static void pass_on(int signal)
{
    const int error = errno;

    if (running > 0)
        kill((pid_t)running, signal);
    errno = error;
}

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

/* How signals are handled while the program runs, unless they are ignored, as under nohup. */
static const struct {
    int signal;
    void (*handler)(int);
} handled[] = {
    {SIGINT, SIG_IGN}, /* the terminal sends these to the program as well */
    {SIGQUIT, SIG_IGN},
    {SIGTERM, pass_on},
    {SIGHUP, pass_on},
};
enum { HANDLED = sizeof handled / sizeof *handled };

static void handle_signals(struct sigaction before[HANDLED], sigset_t *defaults)
{
    for (unsigned i = 0; i < HANDLED; i++) {
        const struct sigaction handling = {.sa_handler = handled[i].handler};

        sigaction(handled[i].signal, NULL, &before[i]);
        if (before[i].sa_handler == SIG_IGN)
            continue;
        sigaddset(defaults, handled[i].signal);
        sigaction(handled[i].signal, &handling, NULL);
    }
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
    struct sigaction before[HANDLED];
    sigset_t defaults, passed, mask;
    int status = 0, error;
    pid_t started;

    /* A signal that arrives before the program's number is known is held until then. */
    sigemptyset(&passed);
    sigaddset(&passed, SIGTERM);
    sigaddset(&passed, SIGHUP);
    sigprocmask(SIG_BLOCK, &passed, &mask);
    sigemptyset(&defaults);
    handle_signals(before, &defaults);
    error = spawn(words, &defaults, &mask, &started);
    if (!error)
        running = (sig_atomic_t)started;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (!error)
        status = wait_for(started);
    for (unsigned i = 0; i < HANDLED; i++)
        sigaction(handled[i].signal, &before[i], NULL);
    if (!error)
        return status;
    failure_set_program(failure, words[0], error == ENOENT, strerror(error));
    return (int)failure->status;
}
