/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are not drivers, in the format of the system: fake_files_elf.c, fake_files_pe.c. */
#ifndef CUSHIM_TESTS_DRIVERS_FAKE_FILES_H
#define CUSHIM_TESTS_DRIVERS_FAKE_FILES_H

#include <stddef.h>

#include "loader/report.h"

struct file {
    const char *name; /* in the test's folder, or an absolute path */
    enum cushim_outcome outcome;
    const char *words, *advice; /* parts of the report */
    /* The outcome of a search, where only the dynamic linker reads the file; LOADED: not tested. */
    enum cushim_outcome searched;
};

/* A NULL name ends the array. */
extern const struct file files[];

/* The contents of a library. */
struct image {
    unsigned char *bytes;
    size_t size;
};

/* Create those of `files` that are made from a driver; `folder` contains the fake drivers. */
void files_make(const struct image *driver, const char *folder);

enum { MOST_CUTS = 256 };

/* Lengths at which to cut a driver, at the boundaries of its parts. Returns their number. */
size_t files_cuts(const struct image *driver, size_t *lengths);

/* The size of the bytes that identify the format; the size of the part that a process maps. */
size_t files_magic_size(void);
size_t files_mapped_size(const struct image *driver);

#endif
