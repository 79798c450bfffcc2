/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/tool/base/system.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/system.h"

bool system_begin(int *count, char ***words)
{
    (void)count;
    (void)words;
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        /*
         * open() takes the lowest free number: this one. A closed standard output is opened only
         * for reading, so that writing to it still fails.
         */
        if (fcntl(stream, F_GETFD) == -1 && errno == EBADF &&
            open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY) != stream)
            exit(EXIT_FAILURE);
    }
    if (cushim__system_ignores_environment(NULL))
        fputs("cushim: this command does not run with more rights than its user has "
              "(set-user-ID, set-group-ID, capabilities of its file)\n",
              stderr);
    return !cushim__system_ignores_environment(NULL);
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

    /* An update may have removed the file, but this link still leads to it. */
    return path ? path : strdup("/proc/self/exe");
}

bool system_file_exists(const char *path)
{
    return access(path, R_OK) == 0;
}

/* Whether all users may write to the folder of a file that is to be created. */
static bool is_in_shared_folder(const char *path)
{
    char *copy = strdup(path);
    struct stat status;
    const bool is_shared =
        copy && stat(dirname(copy), &status) == 0 && (status.st_mode & S_IWOTH) != 0;

    free(copy);
    return is_shared;
}

/* In a shared folder, links are not followed, and opening a pipe does not wait. */
FILE *system_new_file(const char *path, const char **why)
{
    const bool is_shared = is_in_shared_folder(path);
    const int file =
        open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (is_shared ? O_NOFOLLOW | O_NONBLOCK : O_TRUNC),
             0666);
    const int reason = errno;
    struct stat status;

    if (file < 0) {
        *why = is_shared && reason == ELOOP ? "it is a link, in a folder that everybody may write"
                                            : strerror(reason);
        errno = is_shared && lstat(path, &status) == 0 ? EEXIST : reason;
        return NULL;
    }
    if (!is_shared ||
        (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
         status.st_nlink == 1 && ftruncate(file, 0) == 0))
        return fdopen(file, "w");
    close(file);
    *why = "it is not this user's own file, in a folder that everybody may write";
    errno = EEXIST;
    return NULL;
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
/* glibc replaces what begins with a dollar, and musl begins a new folder at a newline. */
const char system_search_forbidden[] = ":;$\n";
const bool system_loads_kernels = true;

const char *system_search_obstacle(void)
{
    return NULL;
}

void system_execute(char **words, struct failure *failure)
{
    execvp(words[0], words);
    failure_set_program(failure, words[0], errno == ENOENT, strerror(errno));
}

/* Devices and pipes are not replaced, nor are links, which have to stay. */
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

bool system_is_terminal(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}
