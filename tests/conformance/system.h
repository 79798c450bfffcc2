/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between systems: files of libraries, and where they are. fork_cases stands there too. */
#ifndef CUSHIM_TESTS_CONFORMANCE_SYSTEM_H
#define CUSHIM_TESTS_CONFORMANCE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

enum { FILE_PATH_BYTES = 4096 };

/* How the driver is called on this system. */
extern const char file_of_the_driver[];

/* The absolute path of a file, so that nobody searches for it elsewhere. False: it is not there. */
bool file_absolute(const char *path, char absolute[FILE_PATH_BYTES]);

/* The absolute path of the file that a function or variable came from. False: none is known. */
bool file_of(const void *symbol, char absolute[FILE_PATH_BYTES]);

/* Whether there is a file. */
bool file_exists(const char *path);

/* Write a file of those that do not stay; its path is good until the next. And their folder. */
const char *file_write(const void *bytes, size_t size);
const char *file_folder(void);

/* Behind the last folder of a path. */
const char *file_name(const char *path);

#endif
