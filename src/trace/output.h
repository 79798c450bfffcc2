/* SPDX-License-Identifier: Apache-2.0 */
/* What is made of a timeline. Errors of the file are the caller's to look for: ferror(). */
#ifndef CUSHIM_TRACE_OUTPUT_H
#define CUSHIM_TRACE_OUTPUT_H

#include <stdio.h>

#include "src/trace/timeline.h"

/* The trace event format that Perfetto and chrome://tracing read. */
void trace_write_json(const struct trace_timeline *timeline, FILE *file);

/* A page with the viewer and the data: src/trace/viewer/trace.js describes them. */
void trace_write_html(const struct trace_timeline *timeline, FILE *file);

/*
 * Show kernels by their names of C++. `demangle` gets names of the linker, a line each, and returns
 * as many lines, to be freed; NULL: all names stay as they are.
 */
void trace_demangle(struct trace_timeline *timeline,
                    char *(*demangle)(const char *lines, size_t size));

/* What is worth knowing first, in about thirty lines of at most a hundred columns. */
void trace_write_summary(const struct trace_timeline *timeline, FILE *file);

/* A string of JSON that may stand in HTML: `<` is escaped, and bytes that are no UTF-8 replaced. */
void trace_put_string(FILE *file, const char *text);

/* How many of the functions that the registry does not have are named. */
enum { TRACE_UNKNOWN_SHOWN = 10 };

/* Members of JSON: what the header of the trace says, the damage and the unknown functions. */
void trace_put_header(const struct trace_timeline *timeline, FILE *file);

#endif
