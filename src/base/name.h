/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of names. */
#ifndef CUSHIM_SRC_BASE_NAME_H
#define CUSHIM_SRC_BASE_NAME_H

#include <stddef.h>

/* A name of `length` characters, with a NUL after it; free it. NULL: out of memory. */
char *cushim__name_copy(const char *name, size_t length);

#endif
