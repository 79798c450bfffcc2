/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process is made by posix_spawn(), which runs no fork handlers and is allowed with other
 * threads around. It leads a group, whose number nobody else gets as long as it has not been waited
 * for: so its end is looked at first (WNOWAIT), then the group is killed, then it is waited for.
 */
#define _GNU_SOURCE
#include "src/tool/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loader/system.h"

enum { LONGEST_NAP_MS = 20, STREAMS = STDERR_FILENO + 1 };

static CUresult cannot(struct subprocess *process, CUresult code, const char *what, int error)
{
    snprintf(process->problem, sizeof process->problem, "%s: %s", what, strerror(error));
    return code;
}

static void close_both(const int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

/*
 * Streams that are closed here lead nowhere for the moment, so that no pipe gets one of their
 * numbers, not that of musl's posix_spawn() either: another thread may print. Returns how many.
 */
static int hold_streams(int held[STREAMS])
{
    for (int count = 0; count < STREAMS; count++) {
        held[count] = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (held[count] > STDERR_FILENO)
            close(held[count]);
        if (held[count] < 0 || held[count] > STDERR_FILENO)
            return count;
    }
    return STREAMS;
}

static void let_go_streams(const int held[STREAMS], int count)
{
    while (count > 0)
        close(held[--count]);
}

/* Of which the process gets the second end. */
static bool open_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    if (fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
        return true;
    close_both(ends);
    return false;
}

static int set_streams(posix_spawn_file_actions_t *actions, int to)
{
    int error = posix_spawn_file_actions_adddup2(actions, to, STDOUT_FILENO);

#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 34)
    /* Elsewhere the command closes them, as soon as it runs. */
    if (!error)
        error = posix_spawn_file_actions_addclosefrom_np(actions, STREAMS);
#endif
#endif
    if (!error)
        error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    return error;
}

/* A group of its own, and no signal blocked or ignored, whatever is so here. */
static int set_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    int error;

    sigemptyset(&none);
    sigfillset(&all);
    error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error)
        error = posix_spawnattr_setsigdefault(attributes, &all);
    if (!error)
        error = posix_spawnattr_setpgroup(attributes, 0);
    if (!error)
        error = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    return error;
}

static int start(const struct subprocess *process, int to, pid_t *child)
{
    enum { MOST_WORDS = 8 };
    const char *words[MOST_WORDS + 2] = {process->command};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);

    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        for (int i = 0; i < MOST_WORDS && process->words[i]; i++)
            words[i + 1] = process->words[i];
        error = set_streams(&actions, to);
        if (!error)
            error = set_signals(&attributes);
        if (!error)
            error = posix_spawn(child, process->command, &actions, &attributes,
                                (char *const *)words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Take what there is. False: there will be no more, or no room for more. */
static bool take(struct subprocess *process, int from)
{
    while (process->length + 1 < process->size) {
        const ssize_t got =
            read(from, process->text + process->length, process->size - 1 - process->length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 && errno == EAGAIN;
        process->length += (size_t)got;
    }
    process->is_full = true;
    return false;
}

/* Whether it has ended. It stays to be waited for; who ignores SIGCHLD finds it gone. */
static bool has_ended(pid_t child)
{
    siginfo_t seen;

    memset(&seen, 0, sizeof seen);
    return waitid(P_PID, (id_t)child, &seen, WEXITED | WNOHANG | WNOWAIT) != 0 || seen.si_pid != 0;
}

/* Until it has ended or may not go on. Its end is no end of the pipe: others may hold that. */
static void watch(struct subprocess *process, pid_t child, int from, uint64_t begin)
{
    struct pollfd pipe_end = {.fd = from, .events = POLLIN};

    for (int nap_ms = 1;; nap_ms = nap_ms < LONGEST_NAP_MS ? 2 * nap_ms : LONGEST_NAP_MS) {
        const bool is_over = has_ended(child);
        const bool is_open = take(process, from);

        if (is_over || process->is_full)
            return;
        if (cushim__clock_ns() - begin >= process->timeout_ns) {
            process->is_late = true;
            return;
        }
        poll(&pipe_end, is_open, nap_ms);
    }
}

/* Wait for the end of what was killed. */
static void reap(struct subprocess *process, pid_t child)
{
    const uint64_t begin = cushim__clock_ns();
    const bool is_ours = process->is_late || process->is_full;
    int status = 0;

    for (;;) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child)
            break;
        if (ended < 0 && errno != EINTR)
            return; /* somebody else has waited for it */
        if (cushim__clock_ns() - begin >= SUBPROCESS_GRACE_NS) {
            process->unreaped_pid = child;
            return;
        }
        cushim__sleep_ns(1000000);
    }
    if (WIFEXITED(status))
        process->exit_status = WEXITSTATUS(status);
    else if (!(is_ours && WTERMSIG(status) == SIGKILL))
        process->signal = (unsigned)WTERMSIG(status);
}

/*
 * Where somebody else has waited for it, its number is not given out again within one look: numbers
 * go round.
 */
static void end_group(struct subprocess *process, pid_t child)
{
    kill(-child, SIGKILL);
    if (!has_ended(child))
        kill(child, SIGKILL);
    reap(process, child);
}

/* Start it on a new pipe, of which `from` is our end. */
static CUresult start_on_pipe(struct subprocess *process, int *from, pid_t *child)
{
    int ends[2], error;

    if (!open_pipe(ends))
        return cannot(process, CUDA_ERROR_OPERATING_SYSTEM, "no pipe can be opened", errno);
    error = start(process, ends[1], child);
    if (error) {
        close_both(ends);
        return cannot(process, CUDA_ERROR_OPERATING_SYSTEM, process->command, error);
    }
    close(ends[1]);
    *from = ends[0];
    return CUDA_SUCCESS;
}

static CUresult run(struct subprocess *process)
{
    const uint64_t begin = cushim__clock_ns();
    int held[STREAMS], count, from = -1;
    pid_t child = 0;
    CUresult code;

    if (getauxval(AT_SECURE)) {
        snprintf(process->problem, sizeof process->problem,
                 "this process runs with more rights than its user");
        return CUDA_ERROR_NOT_PERMITTED;
    }
    /* An emulator's posix_spawn() does not tell. */
    if (faccessat(AT_FDCWD, process->command, X_OK, AT_EACCESS) != 0)
        return cannot(process,
                      errno == ENOENT || errno == ENOTDIR ? CUDA_ERROR_FILE_NOT_FOUND
                                                          : CUDA_ERROR_OPERATING_SYSTEM,
                      process->command, errno);
    count = hold_streams(held);
    code = start_on_pipe(process, &from, &child);
    let_go_streams(held, count);
    if (code != CUDA_SUCCESS)
        return code;
    watch(process, child, from, begin);
    end_group(process, child);
    close(from);
    process->text[process->length] = '\0';
    return CUDA_SUCCESS;
}

CUresult subprocess_run(struct subprocess *process)
{
    int former;
    CUresult code;

    /* A thread that is cancelled in between would leave the process behind. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &former);
    code = run(process);
    pthread_setcancelstate(former, &former);
    return code;
}

const struct subprocess_signal subprocess_signals[] = {
    {SIGABRT, "SIGABRT"},
    {SIGBUS, "SIGBUS"},
    {SIGFPE, "SIGFPE"},
    {SIGILL, "SIGILL"},
    {SIGKILL, "SIGKILL"},
    {SIGSEGV, "SIGSEGV"},
    {SIGSYS, "SIGSYS"},
    {SIGTERM, "SIGTERM"},
    {SIGTRAP, "SIGTRAP"},
    {SIGXCPU, "SIGXCPU"},
    {SIGALRM, "SIGALRM"},
    {SIGPIPE, "SIGPIPE"},
    {0, NULL},
};
