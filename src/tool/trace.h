/* SPDX-License-Identifier: Apache-2.0 */
/* `cushim trace`: a program that is traced (trace_run_posix.c), and its trace converted (trace.c). */
#ifndef CUSHIM_TOOL_TRACE_H
#define CUSHIM_TOOL_TRACE_H

#include "src/tool/commands.h"

/* Convert a file that a traced process has written, and print a summary on standard error. */
void trace_convert(const char *path, const char *output, struct failure *failure);

/*
 * Names of the linker, a line each, as C++ writes them, a line each; free it. NULL: there is no
 * tool here that can tell.
 */
char *trace_demangle_lines(const char *lines, size_t size);

/* Run the program of the command line and convert what it has written. Returns its exit status. */
enum status trace_run(const struct arguments *arguments, struct failure *failure);

#endif
