/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children: a piece of a test in a process of its own.
 *
 * A driver is loaded once per process and for good, so each case of a test that loads one needs a
 * process that has not loaded any. A crash in it fails that case and no other.
 */
#ifndef CUSHIM_TESTS_SUPPORT_CHILD_H
#define CUSHIM_TESTS_SUPPORT_CHILD_H

#include <stdbool.h>
#include <string.h>

/* The time after which a child is killed. */
enum { CHILD_SECONDS = 240 };

typedef void (*child_body)(const void *data);

/*
 * Run `body` in a child. True if it came to its end and printed nothing. Otherwise prints `title`,
 * how the child ended (status, signal, time) and what it had printed, to stderr.
 *
 * cmocka's assertions do not work in `body`: use the checks below.
 */
bool child_passes(const char *title, child_body body, const void *data);

/*
 * In a child: start this program anew with these arguments (the last is NULL, the program's name is
 * not among them). What reads the environment at its start, like the dynamic linker, sees the
 * present one. Does not return.
 */
void child_restart(const char *const *arguments);

/* POSIX: begin this program anew in this process. Returns if that fails; errno says why. */
void child__become(const char *const *arguments);

/* In a child: end it here, in success. */
void child_end(void);

/* In a child: print the words and end it in failure. */
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
