/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Child processes: part of a test runs in a process of its own.
 *
 * A process loads a driver once and never unloads it, so each case that loads one needs a new
 * process. If it crashes, only that case fails.
 */
#ifndef CUSHIM_TESTS_SUPPORT_CHILD_H
#define CUSHIM_TESTS_SUPPORT_CHILD_H

#include <stdbool.h>
#include <string.h>

/* A child that takes longer is killed. */
enum { CHILD_SECONDS = 240 };

typedef void (*child_body)(const void *data);

/*
 * Run `body` in a child. Returns true if the child ended normally and printed nothing. Otherwise
 * this prints `title`, how the child ended (status, signal, timeout) and its output to stderr.
 *
 * cmocka's assertions do not work in `body`: use the functions below.
 */
bool child_passes(const char *title, child_body body, const void *data);

/*
 * In a child: start this program again with these arguments, which end with NULL and do not include
 * the program's name. Code that reads the environment at startup, such as the dynamic linker, sees
 * the present environment. Does not return.
 */
void child_restart(const char *const *arguments);

/*
 * POSIX: replace this process by a new run of this program. Returns only on failure, with errno
 * set.
 */
void child__become(const char *const *arguments);

/* In a child: end the process with success. */
void child_end(void);

/* In a child: print a message and end the process with failure. */
void child_fail(const char *format, ...) __attribute__((format(__printf__, 1, 2)));

#define check(claim) \
    ((claim) ? (void)0 : child_fail("%s:%d: not so: %s\n", __FILE__, __LINE__, #claim))

#define check_int(actual, expected) \
    child__check_int((long)(actual), (long)(expected), #actual, __FILE__, __LINE__)

#define check_text(actual, expected)                                                              \
    child__check_text((actual), (expected), strcmp((actual), (expected)) == 0, #actual, __FILE__, \
                      __LINE__)

#define check_contains(actual, words)                                                          \
    child__check_text((actual), (words), strstr((actual), (words)) != NULL, #actual, __FILE__, \
                      __LINE__)

void child__check_int(long actual, long expected, const char *what, const char *file, int line);
void child__check_text(const char *actual, const char *expected, bool ok, const char *what,
                       const char *file, int line);

#endif
