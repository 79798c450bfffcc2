/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/tool/probe_child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int channel = -1;
static struct stat identity;

/* What the caller's system could not close as it started this process. */
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

/* A caller that has ended before prctl() has closed the other end of the pipe. */
static bool caller_is_gone(void)
{
    struct pollfd end = {.fd = channel};

    return poll(&end, 1, 0) == 1 && (end.revents & POLLERR);
}

bool probe_channel_open(void)
{
    const struct rlimit no_core = {0, 0};
    int nothing;

    channel = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (channel < 0 || nothing < 0 || fstat(channel, &identity) != 0 ||
        dup2(nothing, STDOUT_FILENO) < 0)
        return false;
    close(nothing);
    close_others();
    setrlimit(RLIMIT_CORE, &no_core);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return !caller_is_gone();
}

bool probe_channel_write(const char *text, size_t length)
{
    struct stat found;

    /* What the driver may have opened under this number is not to be written to. */
    if (fstat(channel, &found) != 0 || found.st_dev != identity.st_dev ||
        found.st_ino != identity.st_ino)
        return false;
    while (length > 0) {
        const ssize_t written = write(channel, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        length -= (size_t)written;
    }
    return true;
}
