/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a case in a process of its own, and its messages. */
#ifndef CUSHIM_TESTS_SUPPORT_VERDICT_H
#define CUSHIM_TESTS_SUPPORT_VERDICT_H

enum { CASE_PASSED = 0, CASE_FAILED = 1, CASE_SKIPPED = 77 };

/* Print a message to stderr without buffering, because the process may end at any time. */
__attribute__((format(__printf__, 1, 2))) void detail(const char *format, ...);

/* End the process: the case is skipped, or has failed. */
__attribute__((format(__printf__, 1, 2))) _Noreturn void skip(const char *format, ...);
__attribute__((format(__printf__, 1, 2))) _Noreturn void fail(const char *format, ...);

/* End the process with success, without the exit handlers of the driver and the program. */
_Noreturn void pass(void);

#endif
