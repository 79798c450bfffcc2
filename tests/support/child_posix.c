/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes, their environment, and a folder for files, on POSIX. */
#define _GNU_SOURCE
#include "tests/support/child.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/counters.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"

enum { MOST_ARGUMENTS = 8, MOST_TEXT = 8192 };

void environment_set(const char *name, const char *value)
{
    if ((value ? setenv(name, value, 1) : unsetenv(name)) != 0)
        abort();
}

void child__become(const char *const *arguments)
{
    char path[4096];
    /*
     * Executes the target of the link, because under valgrind the link itself refers to valgrind.
     */
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length < 0)
        return;
    path[length] = '\0';
    execv(path, (char *const *)arguments);
}

/*
 * Read all output of the child, and keep its beginning. Returns when every writer has closed the
 * pipe.
 */
static size_t read_all(int from, char *text, size_t size)
{
    size_t length = 0;

    for (;;) {
        char piece[1024];
        const ssize_t got = read(from, piece, sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        for (ssize_t i = 0; i < got && length < size - 1; i++)
            text[length++] = piece[i];
    }
    text[length] = '\0';
    return length;
}

static void say_how(const char *title, int status, const char *text)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        fprintf(stderr, "%s: no end after %d s\n", title, CHILD_SECONDS);
    else if (WIFSIGNALED(status))
        fprintf(stderr, "%s: killed by signal %d, %s\n", title, WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    else
        fprintf(stderr, "%s: exit status %d\n", title, WEXITSTATUS(status));
    if (text[0])
        fprintf(stderr, "%s: it printed: %s\n", title, text);
}

bool child_passes(const char *title, child_body body, const void *data)
{
    char text[MOST_TEXT];
    int ends[2], status = 0;
    size_t length;
    pid_t child;

    fflush(NULL);
    if (pipe(ends) != 0 || (child = fork()) < 0) {
        perror(title);
        return false;
    }
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        alarm(CHILD_SECONDS);
        body(data);
        child_end();
    }
    close(ends[1]);
    length = read_all(ends[0], text, sizeof text);
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && length == 0)
        return true;
    say_how(title, status, text);
    return false;
}

void child_restart(const char *const *arguments)
{
    const char *all[MOST_ARGUMENTS + 2] = {"test"};

    for (size_t i = 0; i < MOST_ARGUMENTS && arguments[i]; i++)
        all[i + 1] = arguments[i];
    counters_write();
    child__become(all);
    child_fail("the program cannot be started again: %s\n", strerror(errno));
}

/* --- folder.h --- */

static char folder[FOLDER_PATH_BYTES / 2];

static void must(int ok, const char *what)
{
    if (!ok) {
        perror(what);
        abort();
    }
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

int folder_create(void **state)
{
    const char *base = getenv("TMPDIR");

    (void)state;
    snprintf(folder, sizeof folder, "%s/cushim-test-XXXXXX",
             base && base[0] == '/' ? base : "/tmp");
    must(mkdtemp(folder) != NULL, folder);
    must(chmod(folder, 0755) == 0, folder);
    return 0;
}

int folder_remove(void **state)
{
    (void)state;
    return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *folder_path(const char *name)
{
    static char paths[8][FOLDER_PATH_BYTES];
    static unsigned next;
    char *path = paths[next++ % 8];

    snprintf(path, FOLDER_PATH_BYTES, "%s/%s", folder, name);
    return path;
}

const char *folder_write(const char *name, const void *bytes, size_t size)
{
    const char *path = folder_path(name);
    FILE *file = fopen(path, "wb");

    must(file != NULL, path);
    must(size == 0 || fwrite(bytes, size, 1, file) == 1, path);
    must(fclose(file) == 0, path);
    return path;
}

const char *folder_link(const char *name, const char *target)
{
    const char *path = folder_path(name);

    must(symlink(target, path) == 0, path);
    return path;
}

const char *folder_subfolder(const char *name)
{
    const char *path = folder_path(name);

    must(mkdir(path, 0755) == 0, path);
    return path;
}

const char *folder_pipe(const char *name)
{
    const char *path = folder_path(name);

    must(mkfifo(path, 0644) == 0, path);
    return path;
}

unsigned char *folder_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes;
    long length;

    must(file != NULL, path);
    must(fseek(file, 0, SEEK_END) == 0, path);
    length = ftell(file);
    must(length > 0, path);
    rewind(file);
    bytes = malloc((size_t)length);
    must(bytes != NULL && fread(bytes, (size_t)length, 1, file) == 1, path);
    must(fclose(file) == 0, path);
    *size = (size_t)length;
    return bytes;
}
