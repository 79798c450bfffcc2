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

#endif
