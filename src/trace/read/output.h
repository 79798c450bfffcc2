/* SPDX-License-Identifier: Apache-2.0 */
/* Write a timeline in several formats. The caller checks the file for errors with ferror(). */
#ifndef CUSHIM_TRACE_READ_OUTPUT_H
#define CUSHIM_TRACE_READ_OUTPUT_H

#include <stdio.h>

#include "src/trace/read/timeline.h"

/* The trace event format that Perfetto and chrome://tracing read. */
void trace_write_json(const struct trace_timeline *timeline, FILE *file);

/* An HTML page with the viewer and the data, which src/trace/read/viewer/trace.js describes. */
void trace_write_html(const struct trace_timeline *timeline, FILE *file);

/*
 * Give kernels their C++ names. `demangle` gets mangled names, one on each line, and returns a text
 * with the same number of lines, which is freed here. If it returns NULL, no name changes.
 */
void trace_demangle(struct trace_timeline *timeline,
                    char *(*demangle)(const char *lines, size_t size));

/* The summary: about thirty lines of at most a hundred columns. */
void trace_write_summary(const struct trace_timeline *timeline, FILE *file);

/* A JSON string that may be part of HTML: `<` is escaped, and invalid UTF-8 is replaced. */
void trace_put_string(FILE *file, const char *text);

/* A JSON array of strings of a set: those with these numbers, or the first if that is NULL. */
void trace_put_strings(FILE *file, const struct trace_set *set, const uint32_t *numbers,
                       size_t count);

/* JSON members: the header of the trace, the damage and the unknown functions. */
void trace_put_header(const struct trace_timeline *timeline, FILE *file);

#endif
