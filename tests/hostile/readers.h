/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_TESTS_HOSTILE_READERS_H
#define CUSHIM_TESTS_HOSTILE_READERS_H

#include "tests/hostile/reader.h"

extern const struct reader reader_elf;    /* the look at a library's file */
extern const struct reader reader_cache;  /* the linker's cache */
extern const struct reader reader_mapped; /* what the process has mapped */

#endif
