/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_LOADER_IMPORTS_WINDOWS_H
#define CUSHIM_LOADER_IMPORTS_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The first library that one at `path` needs and that is found neither beside it nor in the
 * system's folder: Windows says only that there is one. False if there is none, as where one of
 * these needs another.
 */
bool cushim__imports_lacking(const wchar_t *path, char *name, size_t size);

/*
 * Call `visit` with the name of each library that an image needs, until it returns false. The image
 * is as Windows maps it; nothing that it says is believed beyond its size.
 */
void cushim__imports_visit(const unsigned char *bytes, size_t size,
                           bool (*visit)(const char *name, void *data), void *data);

#endif
