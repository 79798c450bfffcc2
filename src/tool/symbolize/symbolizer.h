/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the function, file and line of an address in a module, with addr2line or a similar tool. */
#ifndef CUSHIM_TOOL_SYMBOLIZE_SYMBOLIZER_H
#define CUSHIM_TOOL_SYMBOLIZE_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/tool/base/arguments.h"

/* `cushim symbolize` */
enum status command_symbolize(const struct arguments *arguments);

/*
 * Look up an address and write `function (file:line)`; an inlined function is followed by its
 * callers in the same form. `name` is the name of a file without its folder; it is looked for in
 * `folder`, unless NULL, in the current folder, and where programs and libraries are. Returns
 * false, and writes nothing, if nothing is known. The tool is started once for each module.
 */
bool symbolizer_find(const char *folder, const char *name, uint64_t offset, char *text,
                     size_t size);

/* Why no address can be looked up on this machine; NULL if a tool is installed. */
const char *symbolizer_obstacle(void);

/*
 * POSIX: start a tool that reads from one file and writes to another; its error messages are
 * dropped. Returns 0 or an error of errno.
 */
int symbolizer_spawn(const char *const *words, int from, int to, pid_t *child);

/* End the tools. */
void symbolizer_end(void);

#endif
