/* SPDX-License-Identifier: Apache-2.0 */
/* How a case in a process of its own ends, and what it says before. */
#ifndef CUSHIM_TESTS_SUPPORT_VERDICT_H
#define CUSHIM_TESTS_SUPPORT_VERDICT_H

enum { CASE_PASSED = 0, CASE_FAILED = 1, CASE_SKIPPED = 77 };

/* Say something, on stderr and at once: what comes next may be the end. */
__attribute__((format(__printf__, 1, 2))) void detail(const char *format, ...);

/* End the process: the case cannot be done here, or has failed. */
__attribute__((format(__printf__, 1, 2))) _Noreturn void skip(const char *format, ...);
__attribute__((format(__printf__, 1, 2))) _Noreturn void fail(const char *format, ...);

/* End the process in success, without the exit handlers of driver or program. */
_Noreturn void pass(void);

#endif
