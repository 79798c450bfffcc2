/* SPDX-License-Identifier: Apache-2.0 */
/* Files that commands write. */
#ifndef CUSHIM_TOOL_NEW_FILE_H
#define CUSHIM_TOOL_NEW_FILE_H

#include <stdio.h>

#include "src/tool/failure.h"

/*
 * Let `put` write a file. One that ends early may look like a whole one, so where that is possible
 * a file is written beside the one that is meant, which it replaces once it is whole. `what` is the
 * subject of the message: "The profile".
 */
void new_file_write(const char *path, const char *what, void (*put)(FILE *file, const void *data),
                    const void *data, struct failure *failure);

#endif
