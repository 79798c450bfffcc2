/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names that a library exports, read from its file: exports_elf.c, exports_pe.c.
 *
 * The library is not loaded: nothing of it runs, and what it needs may be missing.
 */
#ifndef CUSHIM_TOOL_EXPORTS_H
#define CUSHIM_TOOL_EXPORTS_H

#include <stdbool.h>
#include <stddef.h>

#include "src/tool/failure.h"

struct exports {
    const char **names; /* to be freed; the names themselves stay until the command ends */
    size_t count;
};

/*
 * Read the exports of a file, in its order, some perhaps twice. False: it cannot be read, or is no
 * library for this system.
 */
bool exports_read(struct exports *exports, const char *path, struct failure *failure);

/* Why a file cannot be read, in the words of the system or of the loader. For exports_*.c. */
void exports_refuse(struct failure *failure, const char *path, const char *why);

#endif
