/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process of a probe: how it is started, watched and ended, and its end of the pipe.
 *
 * posix_spawn() starts the process, because the driver may have started threads in this one, and
 * fork() would run their handlers. The process leads a group, whose number is not reused before the
 * process is waited for. So the functions first detect that it has ended (WNOWAIT), then kill the
 * group, then wait for it.
 */
#define _GNU_SOURCE
#include "src/tool/probe/probe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/system.h"

enum { LONGEST_NAP_MS = 20 };

/* Start the process with no signal blocked or ignored, even if it is here. Returns an errno. */
static int spawn(const struct probe_process *process, int to, pid_t *child)
{
    const char *const words[] = {process->command, PROBE_WORD, process->library, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int error;

    sigemptyset(&none);
    sigfillset(&all);
    if (posix_spawnattr_init(&attributes) != 0 || posix_spawn_file_actions_init(&actions) != 0)
        return ENOMEM;
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    error = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error)
        error = posix_spawn(child, process->command, &actions, &attributes, (char *const *)words,
                            environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* Start the process on a new pipe. Returns our end, or -1. */
static int start(struct probe_process *process, pid_t *child)
{
    int ends[2], error;

    if (pipe2(ends, O_CLOEXEC) != 0) {
        snprintf(process->problem, sizeof process->problem, "no pipe can be opened: %s",
                 strerror(errno));
        return -1;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    error = spawn(process, ends[1], child);
    close(ends[1]);
    if (!error)
        return ends[0];
    close(ends[0]);
    snprintf(process->problem, sizeof process->problem, "%s: %s", process->command,
             strerror(error));
    return -1;
}

/* Read what is there. Returns false if the pipe is closed or the answer is too long. */
static bool read_answer(struct probe_process *process, int from)
{
    while (!probe_answer_is_full(process)) {
        const ssize_t got =
            read(from, process->answer + process->length, sizeof process->answer - process->length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 && errno == EAGAIN;
        process->length += (size_t)got;
    }
    return false;
}

/* Whether it has ended, or a thread of the driver has waited for it. This does not reap it. */
static bool has_ended(pid_t child)
{
    siginfo_t end = {.si_pid = 0};

    return waitid(P_PID, (id_t)child, &end, WEXITED | WNOHANG | WNOWAIT) != 0 || end.si_pid != 0;
}

/*
 * Wait until the process has ended or must be ended. The end of the pipe is not its end: a child of
 * the driver may hold the other end, and the driver may have closed it.
 */
static void watch(struct probe_process *process, pid_t child, int from, uint64_t begin)
{
    struct pollfd pipe_end = {.fd = from, .events = POLLIN};

    for (int nap_ms = 1;; nap_ms = nap_ms < LONGEST_NAP_MS ? 2 * nap_ms : LONGEST_NAP_MS) {
        const bool is_over = has_ended(child);
        const bool is_open = read_answer(process, from);

        if (is_over || probe_answer_is_full(process))
            return;
        if (cushim__system_clock_ns() - begin >= process->timeout_ns) {
            process->is_late = true;
            return;
        }
        poll(&pipe_end, is_open, nap_ms);
    }
}

/* Kill the group, and the process itself, which may have left it; then wait for its end. */
static void end_group(struct probe_process *process, pid_t child)
{
    const uint64_t begin = cushim__system_clock_ns();
    int status = 0;

    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    for (pid_t ended; (ended = waitpid(child, &status, WNOHANG)) != child;) {
        if (ended < 0 || cushim__system_clock_ns() - begin >= PROBE_GRACE_NS) {
            process->unreaped_pid = ended < 0 ? 0 : child;
            return;
        }
        cushim__system_sleep_ns(1000000);
    }
    if (WIFEXITED(status))
        process->exit_status = WEXITSTATUS(status);
    else if (WTERMSIG(status) != SIGKILL || !(process->is_late || probe_answer_is_full(process)))
        process->signal = (unsigned)WTERMSIG(status);
}

bool probe_process_run(struct probe_process *process)
{
    const uint64_t begin = cushim__system_clock_ns();
    pid_t child = 0;
    int from;

    /* If the command inherits SIGCHLD as ignored, the end of the process would remain unknown. */
    signal(SIGCHLD, SIG_DFL);
    from = start(process, &child);
    if (from < 0)
        return false;
    watch(process, child, from, begin);
    end_group(process, child);
    close(from);
    return true;
}

const char *probe_signal_name(unsigned number)
{
    static const struct {
        unsigned number;
        const char *name;
    } names[] = {
        {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},
        {SIGKILL, "SIGKILL"}, {SIGSEGV, "SIGSEGV"}, {SIGSYS, "SIGSYS"},   {SIGTERM, "SIGTERM"},
        {SIGTRAP, "SIGTRAP"}, {SIGXCPU, "SIGXCPU"}, {SIGALRM, "SIGALRM"}, {SIGPIPE, "SIGPIPE"},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].number == number)
            return names[i].name;
    }
    return NULL;
}

/* --- In the child --- */

static int channel = -1;
static struct stat identity; /* of the channel */

static void close_others(void)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        const int number = atoi(entry->d_name);
        if (number > STDERR_FILENO && number != channel && number != dirfd(folder))
            close(number);
    }
    if (folder)
        closedir(folder);
}

/* If the caller ended before prctl(), the other end of the pipe is closed. */
static bool caller_is_gone(void)
{
    struct pollfd end = {.fd = channel};

    return poll(&end, 1, 0) == 1 && (end.revents & POLLERR);
}

bool probe_channel_open(void)
{
    const struct rlimit no_core = {0, 0};

    channel = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (channel < 0 || fstat(channel, &identity) != 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return false;
    close_others();
    setrlimit(RLIMIT_CORE, &no_core);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return !caller_is_gone();
}

bool probe_channel_write(const void *bytes, size_t length)
{
    const char *next = bytes;
    struct stat found;

    /* If the driver has opened a file under this number, it must not be written to. */
    if (fstat(channel, &found) != 0 || found.st_dev != identity.st_dev ||
        found.st_ino != identity.st_ino)
        return false;
    while (length > 0) {
        const ssize_t written = write(channel, next, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        next += written;
        length -= (size_t)written;
    }
    return true;
}
