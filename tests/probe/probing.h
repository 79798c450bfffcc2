/* SPDX-License-Identifier: Apache-2.0 */
/* Probes of fake drivers, and what they may leave behind: nothing. */
#ifndef CUSHIM_TESTS_PROBING_H
#define CUSHIM_TESTS_PROBING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/tool/probe/probe.h"

/* A limit that nothing reaches which does not hang. */
#define PROBING_LONG_NS UINT64_C(240000000000)

/* What main() was given: the command, and the folder of the fake drivers. */
extern const char *probing_command, *probing_folder;

/* Take them; the result is that of main() if it is not 0. */
int probing_begin(int count, char **words);

/* The path of a fake driver; good until the next call in this thread of that number. */
const char *probing_driver(const char *name, char *path, size_t size);

/* The same; good until the next call in any thread. */
const char *probing_path(const char *name);

/*
 * A probe of a path, or of what is searched. `unknown` and the code stands in it after a failure.
 * On a slow machine a process that was killed may be there a while longer than a probe waits for
 * its end: that end is awaited then, and the probe made anew, unless it is to be made once.
 */
struct probe_result probing_probe_once(const char *library, uint64_t timeout_ns);
struct probe_result probing_probe(const char *library, uint64_t timeout_ns);

/* What the driver `misbehaving` is to do, and when: see actions.h. NULL: nothing. */
void probing_set_action(const char *action, const char *when);

/*
 * A probe of that driver, which hangs: with a time that is doubled until the driver is reached,
 * which takes its time on a busy machine.
 */
struct probe_result probing_probe_hung(enum probe_stage stage);

/* A line at the end of a test: how many of what. */
void probing_count(const char *what, int number);

/* Setup and teardown: a folder, and nothing is left but that. */
int probing_open(void **state);
int probing_close(void **state);

#define PROBING_TEST(function) \
    cmocka_unit_test_setup_teardown(function, probing_open, probing_close)

/* --- probing_posix.c, probing_windows.c --- */

/* Setup: how things are. */
int left_begin(void **state);

/* Teardown: no process, no zombie, no descriptor more than before. */
int left_check(void **state);

/* Wait for the end of a process that was killed. */
void left_await(long process);

/* How many orphans of dead children left_check() has found ended by SIGKILL. */
extern int left_orphans;

/* An action of a driver, and what a probe of it is to report. */
struct misbehaviour {
    const char *name;
    enum probe_verdict verdict;
    int exit_status;
    unsigned signal;
    const char *reason; /* words of it */
    bool is_uncertain;  /* a sanitizer makes another signal, or an exit status, of the signal */
    bool is_caught;     /* as the library is opened, the system makes an error of it */
};

/* Ends with a NULL name. */
extern const struct misbehaviour misbehaviours[];

#endif
