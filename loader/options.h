/* SPDX-License-Identifier: Apache-2.0 */
/* Option structs that begin with their size: how a caller of another version is understood. */
#ifndef CUSHIM_LOADER_OPTIONS_H
#define CUSHIM_LOADER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * No version of any options is larger, nor of a size that is no multiple of a pointer's: such a
 * size was never set.
 */
enum { CUSHIM__LARGEST_OPTIONS = 4096 };

/*
 * A new field must make its struct larger: one in the padding at the end could not be told from it.
 *
 * Copy the options that a caller gave over `known`, which holds the defaults and its own size.
 *
 * NULL leaves the defaults. A shorter struct (an older caller's) leaves what it does not have; a
 * longer one (a newer caller's) must be zero in what is not known here. Returns false if the
 * options cannot be understood.
 */
bool cushim__options_read(void *known, size_t known_size, const void *given);

#endif
