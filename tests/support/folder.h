/* SPDX-License-Identifier: Apache-2.0 */
/* A folder for the files of one test run, which is removed afterwards. */
#ifndef CUSHIM_TESTS_SUPPORT_FOLDER_H
#define CUSHIM_TESTS_SUPPORT_FOLDER_H

#include <stddef.h>

enum { FOLDER_PATH_BYTES = 512 };

/* Create the folder in $TMPDIR or /tmp, readable for all users. */
int folder_create(void **state);

/*
 * Remove the folder and its contents. Both functions have the signature of cmocka's group fixtures.
 */
int folder_remove(void **state);

/*
 * The absolute path of `name` in the folder, in a static buffer that the eighth call after this one
 * overwrites.
 */
const char *folder_path(const char *name);

/*
 * Each of these creates one file in the folder and returns folder_path(name). They abort the
 * program on failure.
 */
const char *folder_write(const char *name, const void *bytes, size_t size);
const char *folder_link(const char *name, const char *target);
const char *folder_subfolder(const char *name);
const char *folder_pipe(const char *name);

/* The contents of a file; the caller frees them. */
unsigned char *folder_read(const char *path, size_t *size);

#endif
