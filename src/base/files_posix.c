/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/base/name.h"

const bool cushim__host_is_windows = false;
const char cushim__host_separators[] = "/";

uint64_t cushim__host_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A folder counts too: it can be opened, and has errors of its own. */
static bool is_file(const struct stat *status)
{
    return S_ISREG(status->st_mode) || S_ISDIR(status->st_mode);
}

/* The type is checked before open(), which may affect a device, and after, since it may change. */
FILE *cushim__host_file(const char *path)
{
    struct stat status;
    FILE *file = NULL;
    int descriptor = -1;

    if (stat(path, &status) != 0)
        return NULL;
    if (is_file(&status))
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    else
        errno = ENOTSUP;
    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &status) != 0 || !is_file(&status))
        errno = ENOTSUP;
    else
        file = fdopen(descriptor, "rb");
    if (!file)
        close(descriptor);
    return file;
}

/* A pipe that nobody reads is refused, since it would block the whole driver. */
FILE *cushim__host_new_file(const char *path)
{
    const int descriptor =
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    FILE *file = NULL;

    if (descriptor >= 0 && fcntl(descriptor, F_SETFL, 0) == 0)
        file = fdopen(descriptor, "w");
    if (!file && descriptor >= 0)
        close(descriptor);
    return file;
}

bool cushim__host_path_is_rooted(const char *path, size_t length)
{
    return length > 0 && path[0] == '/';
}

void *cushim__host_memory(size_t alignment, size_t bytes)
{
    return aligned_alloc(alignment, bytes);
}

void cushim__host_memory_free(void *memory)
{
    free(memory);
}

static bool copy(const char *text, char **value)
{
    *value = text ? cushim__name_copy(text, strlen(text)) : NULL;
    return !text || *value;
}

bool cushim__variable(const char *name, char **value)
{
    return copy(secure_getenv(name), value);
}

bool cushim__variable_said(const char *name, char **value)
{
    const char *text = secure_getenv(name);

    return copy(text && text[0] ? text : NULL, value);
}

static const struct cushim__fork_handlers *parts[CUSHIM__FORK_PARTS];

static const struct cushim__fork_handlers *handlers_of(unsigned part)
{
    return __atomic_load_n(&parts[part], __ATOMIC_ACQUIRE);
}

static void prepare(void)
{
    for (unsigned part = 0; part < CUSHIM__FORK_PARTS; part++) {
        if (handlers_of(part))
            handlers_of(part)->prepare();
    }
}

static void parent(void)
{
    for (unsigned part = CUSHIM__FORK_PARTS; part-- > 0;) {
        if (handlers_of(part))
            handlers_of(part)->parent();
    }
}

static void child(void)
{
    for (unsigned part = CUSHIM__FORK_PARTS; part-- > 0;) {
        if (handlers_of(part))
            handlers_of(part)->child();
    }
}

static void register_all(void)
{
    pthread_atfork(prepare, parent, child);
}

void cushim__set_fork_handlers(enum cushim__fork_part part,
                               const struct cushim__fork_handlers *handlers)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    __atomic_store_n(&parts[part], handlers, __ATOMIC_RELEASE);
    pthread_once(&once, register_all);
}
