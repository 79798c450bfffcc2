/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries as a program opens them by itself, without cushim. */
#ifndef CUSHIM_TESTS_SUPPORT_LIBRARY_H
#define CUSHIM_TESTS_SUPPORT_LIBRARY_H

/* Open the library at a path, or one that the process has mapped; NULL if that fails. */
void *library_open(const char *path);
void *library_mapped(const char *path);

/* Address of an exported function or variable; NULL if there is none. */
void *library_symbol(void *library, const char *name);

void library_close(void *library);

/* Why the last one failed. */
const char *library_error(void);

#endif
