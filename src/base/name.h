/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of names. */
#ifndef CUSHIM_SRC_BASE_NAME_H
#define CUSHIM_SRC_BASE_NAME_H

#include <stddef.h>

/* A copy of `length` characters with a NUL after it, to be freed. NULL if memory runs out. */
char *cushim__name_copy(const char *name, size_t length);

#endif
