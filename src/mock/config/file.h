/* SPDX-License-Identifier: Apache-2.0 */
/* A file of settings or of a profile, as one text. */
#ifndef CUSHIM_MOCK_SETTINGS_FILE_H
#define CUSHIM_MOCK_SETTINGS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

/*
 * Read a file whole. `*text` is closed by NUL, and to be freed. FILE_NOT_FOUND if it cannot be
 * read, INVALID_VALUE if it is no text: `message` says why.
 */
CUresult cushim__mock_file_read(char **text, const char *path, char *message, size_t message_size);

/* A path beside a file: as it is if absolute, else in the file's folder. False: it is too long. */
bool cushim__mock_file_beside(char *path, size_t size, const char *file, const char *name,
                              size_t name_length);

#endif
