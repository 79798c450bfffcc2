/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that depends on the operating system: the files of libraries; system_posix.c also has
 * the cases about fork().
 */
#ifndef CUSHIM_TESTS_CONFORMANCE_SYSTEM_H
#define CUSHIM_TESTS_CONFORMANCE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

enum { FILE_PATH_BYTES = 4096 };

/* The file name of the driver on this system. */
extern const char file_of_the_driver[];

/*
 * The absolute path of a file, so that the loader does not search for it. False: the file does not
 * exist.
 */
bool file_absolute(const char *path, char absolute[FILE_PATH_BYTES]);

/* The absolute path of the file that contains a function or variable. False: it is unknown. */
bool file_of(const void *symbol, char absolute[FILE_PATH_BYTES]);

/* Whether a file exists. */
bool file_exists(const char *path);

/* Write a temporary file; the path is valid until the next call. And the folder of these files. */
const char *file_write(const void *bytes, size_t size);
const char *file_folder(void);

/* The last component of a path. */
const char *file_name(const char *path);

#endif
