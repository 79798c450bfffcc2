/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counters of a coverage build. exit() writes them, and _exit() does not, so a test process
 * writes them before it calls _exit(). tests/coverage/coverage.py defines CUSHIM_COVERAGE.
 */
#ifndef CUSHIM_TESTS_SUPPORT_COUNTERS_H
#define CUSHIM_TESTS_SUPPORT_COUNTERS_H

#ifdef CUSHIM_COVERAGE
/* A function of the compiler's runtime. */
void __gcov_dump(void);

static inline void counters_write(void)
{
    __gcov_dump();
}
#else
static inline void counters_write(void)
{
}
#endif

#endif
