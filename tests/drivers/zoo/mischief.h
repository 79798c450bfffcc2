/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver may do to the process that it is in. */
#ifndef CUSHIM_TESTS_ZOO_MISCHIEF_H
#define CUSHIM_TESTS_ZOO_MISCHIEF_H

/*
 * Do what the variable ZOO_MISCHIEF names, if ZOO_WHEN is `when`: `open`, `init` or `count`. Comes
 * back, or not.
 */
void zoo_mischief(const char *when);

/* --- mischief_posix.c, mischief_windows.c --- */

struct zoo_mischief_row {
    const char *name;
    void (*function)(void);
};

/* Ends with a NULL name. */
extern const struct zoo_mischief_row zoo_mischiefs[];

#endif
