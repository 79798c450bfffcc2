/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that a test opens itself, without cushim. */
#ifndef CUSHIM_TESTS_SUPPORT_LIBRARY_H
#define CUSHIM_TESTS_SUPPORT_LIBRARY_H

/* Open the library at a path, or return one that the process has mapped; NULL on failure. */
void *library_open(const char *path);
void *library_mapped(const char *path);

/* Address of an exported function or variable; NULL if there is none. */
void *library_symbol(void *library, const char *name);

void library_close(void *library);

/* Why the last call failed. */
const char *library_error(void);

#endif
