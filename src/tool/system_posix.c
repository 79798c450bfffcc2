/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/tool/system.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

bool system_begin(int *count, char ***words)
{
    (void)count;
    (void)words;
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        /*
         * Opening takes the lowest number that is free: this one. For reading only, so that what
         * is written to a standard output that is closed still fails.
         */
        if (fcntl(stream, F_GETFD) == -1 && errno == EBADF &&
            open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY) != stream)
            exit(EXIT_FAILURE);
    }
    if (getauxval(AT_SECURE))
        fputs("cushim: this command does not run with more rights than its user has "
              "(set-user-ID, set-group-ID, capabilities of its file)\n",
              stderr);
    return !getauxval(AT_SECURE);
}

char *system_absolute_path(const char *path)
{
    char *resolved = realpath(path, NULL);
    char *folder, *joined;
    size_t size;

    if (resolved)
        return resolved;
    if (path[0] == '/')
        return strdup(path);
    folder = realpath(".", NULL);
    if (!folder)
        return NULL;
    size = strlen(folder) + strlen(path) + 2;
    joined = malloc(size);
    if (joined)
        snprintf(joined, size, "%s/%s", folder, path);
    free(folder);
    return joined;
}

char *system_own_path(void)
{
    char *path = realpath("/proc/self/exe", NULL);

    /* The file may be gone, as after an update, and this still leads to it. */
    return path ? path : strdup("/proc/self/exe");
}

bool system_file_exists(const char *path)
{
    return access(path, R_OK) == 0;
}

/* The folder that a file is to be in; close it. Negative: there is none. */
static int open_folder(const char *path, const char **name)
{
    const char *end = strrchr(path, '/');
    char *folder = end ? strndup(path, (size_t)(end - path) + 1) : strdup(".");
    const int opened = folder ? open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

    *name = end ? end + 1 : path;
    free(folder);
    return opened;
}

/* Links are not followed, and nobody is waited for. */
static int open_in_shared(int folder, const char *name, const char **why)
{
    const int file =
        openat(folder, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    struct stat status;

    if (file < 0) {
        const int reason = errno;
        const bool is_there = fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
        *why = reason == ELOOP ? "it is a link, in a folder that everybody may write"
                               : strerror(reason);
        errno = is_there ? EEXIST : reason;
        return -1;
    }
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        status.st_nlink == 1 && ftruncate(file, 0) == 0)
        return file;
    close(file);
    *why = "it is not this user's own file, in a folder that everybody may write";
    errno = EEXIST;
    return -1;
}

FILE *system_new_file(const char *path, const char **why)
{
    const char *name;
    const int folder = open_folder(path, &name);
    struct stat status;
    FILE *file;
    int opened;

    if (folder < 0 || fstat(folder, &status) != 0 || !(status.st_mode & S_IWOTH)) {
        if (folder >= 0)
            close(folder);
        file = fopen(path, "w");
        *why = file ? "" : strerror(errno);
        return file;
    }
    opened = open_in_shared(folder, name, why);
    close(folder);
    file = opened >= 0 ? fdopen(opened, "w") : NULL;
    if (opened >= 0 && !file) {
        *why = strerror(errno);
        close(opened);
    }
    return file;
}

system_function system_library_function(const char *path, const char *name)
{
    void *library = path[0] ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *symbol = library ? dlsym(library, name) : NULL;
    system_function function = NULL;

    if (library)
        dlclose(library);
    memcpy(&function, &symbol, sizeof function);
    return function;
}

const char *system_get(const char *name)
{
    return getenv(name);
}

bool system_set(const char *name, const char *value, struct failure *failure)
{
    if (setenv(name, value, 1) == 0)
        return true;
    failure_set(failure, STATUS_FAILED, "", "%s cannot be set: %s", name, strerror(errno));
    return false;
}

const char system_mock_library[] = "libcuda.so.1";
const char system_search_variable[] = "LD_LIBRARY_PATH";
const char system_search_separator[] = ":";
/* glibc puts other text for what begins with a dollar, and musl begins a folder at a new line. */
const char system_search_forbidden[] = ":;$\n";

const char *system_search_obstacle(void)
{
    return NULL;
}

void system_execute(char **words, struct failure *failure)
{
    execvp(words[0], words);
    if (errno == ENOENT)
        failure_set(failure, STATUS_NOT_FOUND,
                    "Name a program of your PATH, or a file by its path.",
                    "The program '%.160s' was not found.", words[0]);
    else
        failure_set(failure, STATUS_NOT_EXECUTABLE, "",
                    "The program '%.160s' cannot be executed: %s", words[0], strerror(errno));
}

/* Not a device or a pipe; nor a link, which is to stay. */
bool system_is_replaceable(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0 ? S_ISREG(status.st_mode) : errno == ENOENT;
}

bool system_replace(const char *from, const char *path)
{
    return rename(from, path) == 0;
}

void system_end(int status)
{
    _exit(status);
}

bool system_error_is_terminal(void)
{
    return isatty(STDERR_FILENO) == 1;
}
