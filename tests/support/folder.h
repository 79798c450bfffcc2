/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of files for one test run, gone after it. */
#ifndef CUSHIM_TESTS_SUPPORT_FOLDER_H
#define CUSHIM_TESTS_SUPPORT_FOLDER_H

#include <stddef.h>

enum { FOLDER_PATH_BYTES = 512 };

/* Make it, readable for everybody, in $TMPDIR or /tmp. */
int folder_create(void **state);

/* Remove it with all that is in it. Both have the signature of cmocka's group fixtures. */
int folder_remove(void **state);

/* Absolute path of `name` in the folder. Static: good until the eighth call after this one. */
const char *folder_path(const char *name);

/*
 * Each of these makes one file in the folder and returns folder_path(name). They abort the program
 * if the system refuses.
 */
const char *folder_write(const char *name, const void *bytes, size_t size);
const char *folder_link(const char *name, const char *target);
const char *folder_subfolder(const char *name);
const char *folder_pipe(const char *name);

/* The bytes of a file; the caller frees them. */
unsigned char *folder_read(const char *path, size_t *size);

#endif
