/* SPDX-License-Identifier: Apache-2.0 */
/* A set-user-ID program is refused. This one makes itself such a program of another user. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/probe/probing.h"
#include "tests/support/folder.h"

enum { NOBODY = 65534, SKIPPED = 77 };

static int skip(const char *why)
{
    printf("skipped: %s\n", why);
    return SKIPPED;
}

/* In the process with other rights. */
static int probe_here(void)
{
    const struct probe_options options = {.timeout_ns = PROBING_LONG_NS,
                                          .command = probing_command};
    struct probe_result probe = {0};
    CUresult code;

    if (!getauxval(AT_SECURE))
        return skip("this file system, or the process, ignores set-user-ID");
    code = probe_run(&options, &probe);
    printf("%d: %s %s\n", (int)code, probe.reason, probe.advice);
    return code == CUDA_ERROR_NOT_PERMITTED && probe.verdict == PROBE_UNKNOWN &&
                   strstr(probe.reason, "more rights than its user") &&
                   strstr(probe.advice, "without these rights")
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}

static int run_copy(const char *path, char **words)
{
    static char here[] = "here";
    char *const arguments[] = {words[0], words[1], words[2], here, NULL};
    int status = 0;
    const pid_t child = fork();

    if (child == 0) {
        execv(path, arguments);
        _exit(SKIPPED + 1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return EXIT_FAILURE;
    return WEXITSTATUS(status);
}

int main(int count, char **words)
{
    const int refused = probing_begin(count, words);
    void *state = NULL;
    unsigned char *bytes;
    const char *copy;
    size_t size;
    int result = EXIT_FAILURE;

    if (refused)
        return refused;
    if (count > 3) {
        const int here = probe_here();
        /* At once: a leak detector cannot look at a process with other rights. */
        fflush(NULL);
        _exit(here);
    }
    if (geteuid() != 0)
        return skip("only root can make a set-user-ID program of another user");
    if (folder_create(&state) != 0)
        return EXIT_FAILURE;
    bytes = folder_read("/proc/self/exe", &size);
    copy = folder_write("other-rights", bytes, size);
    free(bytes);
    if (chown(copy, NOBODY, NOBODY) == 0 && chmod(copy, 04755) == 0)
        result = run_copy(copy, words);
    folder_remove(&state);
    return result;
}
