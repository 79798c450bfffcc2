/* SPDX-License-Identifier: Apache-2.0 */
/* Option structs that begin with their size, for callers of other versions. */
#ifndef CUSHIM_BASE_OPTIONS_H
#define CUSHIM_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The size of options in any version is at most this, and a multiple of a pointer's size. Any other
 * value means that the size was never set.
 */
enum { CUSHIM__LARGEST_OPTIONS = 4096 };

/*
 * Copy the options that a caller gave over `known`, which holds the defaults and its own size.
 *
 * NULL leaves the defaults. A shorter struct (an older caller's) leaves the members that it lacks;
 * a longer one (a newer caller's) must be zero in members that are unknown here. Returns false if
 * the options are not valid. A new member must enlarge its struct, since padding is copied, and new
 * members must fill it, since a compiler leaves padding as it was.
 */
bool cushim__options_read(void *known, size_t known_size, const void *given);

/*
 * Fill a struct of the caller's from `known`, except for its size and only as far as it reaches.
 * Members of the caller's that are unknown here become zero. Returns false and writes nothing if
 * the struct is NULL or its size is not valid.
 */
bool cushim__options_write(void *given, const void *known);

#endif
