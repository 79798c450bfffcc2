/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "forked.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/counters.h"

/* Longer than any test takes under a sanitizer or memcheck. A child that takes longer has hung. */
enum { WATCHDOG_SECONDS = 240 };

static int end_of(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) != child)
        continue;
    return status;
}

/* A cmocka group of one test, which prints only failures. */
static void run_alone(const struct forked_body *body)
{
    const struct CMUnitTest tests[] = {{body->name, body->run, NULL, NULL, NULL}};

    alarm(WATCHDOG_SECONDS);
    if (!freopen("/dev/null", "w", stdout))
        abort();
    exit(cmocka_run_group_tests(tests, NULL, NULL));
}

void forked_test_run(void **state)
{
    const struct forked_body *body = *state;
    pid_t child;
    int status;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        run_alone(body);
    status = end_of(child);
    if (WIFSIGNALED(status))
        fail_msg("the child died of signal %d", WTERMSIG(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int forked_answer(int (*function)(void))
{
    int ends[2], answer = FORKED_DIED, status;
    pid_t child;

    if (pipe(ends) != 0 || (child = fork()) < 0)
        abort();
    if (child == 0) {
        alarm(WATCHDOG_SECONDS);
        answer = function();
        counters_write();
        _exit(write(ends[1], &answer, sizeof answer) != sizeof answer);
    }
    close(ends[1]);
    if (read(ends[0], &answer, sizeof answer) != sizeof answer)
        answer = FORKED_DIED;
    close(ends[0]);
    status = end_of(child);
    return WIFSIGNALED(status) ? FORKED_DIED - WTERMSIG(status) : answer;
}

bool forked_is_told_by_the_system(void)
{
    FILE *file = fopen("/proc/self/stat", "r");
    unsigned long size = 0;
    char text[512] = "";
    const char *fields;

    if (file) {
        fields = fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
        for (int i = 0; fields && i < 21; i++)
            fields = strchr(fields + 1, ' ');
        size = fields ? strtoul(fields, NULL, 10) : 0; /* a field about memory, which is never 0 */
        fclose(file);
    }
    return size != 0;
}
