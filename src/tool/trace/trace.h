/* SPDX-License-Identifier: Apache-2.0 */
/* `cushim trace`: trace_run_posix.c runs the program, trace.c converts what it wrote. */
#ifndef CUSHIM_TOOL_TRACE_TRACE_H
#define CUSHIM_TOOL_TRACE_TRACE_H

#include "src/tool/base/arguments.h"

enum status command_trace(const struct arguments *arguments);

/* Convert a file of a traced process; unless quiet, print a summary on standard error. */
void trace_convert(const char *path, const char *output, bool is_quiet, struct failure *failure);

/*
 * Demangle C++ names, one on each line; returns the same number of lines, to be freed, or NULL if
 * c++filt is not installed or fails.
 */
char *trace_demangle_lines(const char *lines, size_t size);

/* Run the program of the command line and convert what it has written. Returns its exit status. */
enum status trace_run(const struct arguments *arguments, struct failure *failure);

#endif
