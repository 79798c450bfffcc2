/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "src/base/name.h"

void cushim__system_command_line(char *text, size_t size)
{
    const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? 0 : read(file, text, size - 1);

    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = '\0';
    for (ssize_t i = 0; i + 1 < length; i++) {
        if (text[i] == '\0')
            text[i] = ' ';
    }
}

void cushim__system_program_name(char *text, size_t size)
{
    char line[4096];
    const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? 0 : read(file, line, sizeof line - 1);
    const char *name;

    if (file >= 0)
        close(file);
    line[length > 0 ? length : 0] = '\0';
    name = strrchr(line, '/');
    snprintf(text, size, "%s", name ? name + 1 : line);
}

uint64_t cushim__system_thread_id(void)
{
    return (uint64_t)syscall(SYS_gettid);
}

/* Returns false if the system does not permit the question. */
bool cushim__system_thread_ended(uint64_t id)
{
    const int error = errno;
    const bool ended = syscall(SYS_tgkill, getpid(), (pid_t)id, 0) != 0 && errno == ESRCH;

    errno = error;
    return ended;
}

uint64_t cushim__system_unix_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The system's own value needs no buffer. */
static const char *value_of(const char *name)
{
    return cushim__system_variable(name, NULL, 0);
}

static bool copy(const char *text, char **value)
{
    *value = text ? cushim__name_copy(text, strlen(text)) : NULL;
    return !text || *value;
}

bool cushim__system_variable_copy(const char *name, char **value)
{
    return copy(value_of(name), value);
}

bool cushim__system_variable_nonempty(const char *name, char **value)
{
    const char *text = value_of(name);

    return copy(text && text[0] ? text : NULL, value);
}
