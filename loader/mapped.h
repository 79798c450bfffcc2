/* SPDX-License-Identifier: Apache-2.0 */
/* What the process has mapped already, as the dynamic linker tells of it: no file is looked at. */
#ifndef CUSHIM_LOADER_MAPPED_H
#define CUSHIM_LOADER_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Path of the first object whose file has this name, or that has it as its inner name. A path that
 * does not fit is cut with dots. False: there is none, and `path` is left alone.
 */
bool cushim__mapped_find(const char *name, char *path, size_t size);

/* Path of the object that an address lies in. False: none has it, or none that is a file. */
bool cushim__mapped_holding(uintptr_t address, char *path, size_t size);

/* Whether the program's own dynamic section has an entry; its value in `*value`. */
bool cushim__mapped_program_entry(intptr_t tag, uintptr_t *value);

#endif
