/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are no driver, in the format of the system: fake_files_elf.c, fake_files_pe.c. */
#ifndef CUSHIM_TESTS_DRIVERS_FAKE_FILES_H
#define CUSHIM_TESTS_DRIVERS_FAKE_FILES_H

#include <stddef.h>

#include "loader/report.h"

struct file {
    const char *name; /* in the folder of the test, or an absolute path */
    enum cushim_outcome outcome;
    const char *words, *advice; /* of the report */
    /* By search, where the linker alone looks; LOADED: it is not tried. */
    enum cushim_outcome searched;
};

/* Ends with a NULL name. */
extern const struct file files[];

/* The bytes of a library. */
struct image {
    unsigned char *bytes;
    size_t size;
};

/* Make those of `files` that take a driver to make; `folder` is that of the fake drivers. */
void files_make(const struct image *driver, const char *folder);

enum { MOST_CUTS = 256 };

/* Lengths at which a driver is cut: at the edges of what is in it. Returns how many. */
size_t files_cuts(const struct image *driver, size_t *lengths);

/* The first bytes, by which the format is known, and all that a process maps. */
size_t files_magic_size(void);
size_t files_mapped_size(const struct image *driver);

#endif
