/* SPDX-License-Identifier: Apache-2.0 */
/* What function, file and line an address of a module is: by a tool that is installed. */
#ifndef CUSHIM_TOOL_SYMBOLIZER_H
#define CUSHIM_TOOL_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * `name` is that of a file without a folder: it is looked for in `folder`, unless NULL, in the
 * current one, and where programs and libraries are. Writes `function (file:line)`. False: nothing
 * is known, and nothing is written. The tool is started once for each module.
 */
bool symbolizer_find(const char *folder, const char *name, uint64_t offset, char *text,
                     size_t size);

/* Why nothing can be found on this machine; NULL: something can. */
const char *symbolizer_obstacle(void);

/* End the tools. */
void symbolizer_end(void);

#endif
