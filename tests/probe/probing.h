/* SPDX-License-Identifier: Apache-2.0 */
/* Probes of fake drivers, which may leave nothing behind. */
#ifndef CUSHIM_TESTS_PROBING_H
#define CUSHIM_TESTS_PROBING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/tool/probe/probe.h"

/* A timeout that only a hung process reaches. */
#define PROBING_LONG_NS UINT64_C(240000000000)

/* The arguments of main(): the command, and the folder of the fake drivers. */
extern const char *probing_command, *probing_folder;

/* Read the arguments; if the result is not 0, main() returns it. */
int probing_begin(int count, char **words);

/* The path of a fake driver, in this buffer. */
const char *probing_driver(const char *name, char *path, size_t size);

/* The same in a static buffer, which the next call on any thread overwrites. */
const char *probing_path(const char *name);

/*
 * Probe a path, or the search. If the probe cannot start, the result has the verdict `unknown` and
 * the code. On a slow machine, a killed process may take longer to end than a probe waits.
 * probing_probe() then waits for its end and probes again; probing_probe_once() does not.
 */
struct probe_result probing_probe_once(const char *library, uint64_t timeout_ns);
struct probe_result probing_probe(const char *library, uint64_t timeout_ns);

/* Set the action of the driver `misbehaving`, and its time: see actions.h. NULL: no action. */
void probing_set_action(const char *action, const char *when);

/*
 * Probe that driver when it hangs. The timeout is doubled until the process has reached the driver,
 * which takes longer on a busy machine.
 */
struct probe_result probing_probe_hung(enum probe_stage stage);

/* Print a line at the end of a test: a number, and what it counts. */
void probing_count(const char *what, int number);

/* Setup and teardown: create a folder, and assert that nothing is left. */
int probing_open(void **state);
int probing_close(void **state);

#define PROBING_TEST(name) TEST_BETWEEN(name, probing_open, probing_close)

/* --- probing_posix.c, probing_windows.c --- */

/* Setup: record the present processes and descriptors. */
int left_begin(void **state);

/* Teardown: there is no process, zombie or descriptor more than before. */
int left_check(void **state);

/* Wait for the end of a killed process. */
void left_await(long process);

/* How many orphans left_check() has found that SIGKILL had ended. */
extern int left_orphans;

/* An action of a driver, and the expected result of a probe. */
struct misbehaviour {
    const char *name;
    enum probe_verdict verdict;
    int exit_status;
    unsigned signal;
    const char *reason; /* a part of it */
    bool is_uncertain;  /* a sanitizer changes the signal to another one, or to an exit status */
    bool is_caught;     /* if it occurs when the library is opened, the system reports an error */
};

/* A NULL name ends the array. */
extern const struct misbehaviour misbehaviours[];

#endif
