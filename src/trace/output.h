/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs that are made of a timeline. The caller looks for errors of the file: ferror(). */
#ifndef CUSHIM_TRACE_OUTPUT_H
#define CUSHIM_TRACE_OUTPUT_H

#include <stdio.h>

#include "src/trace/timeline.h"

/* The trace event format that Perfetto and chrome://tracing read. */
void trace_write_json(const struct trace_timeline *timeline, FILE *file);

/* A page with the viewer and the data: src/trace/viewer/trace.js describes them. */
void trace_write_html(const struct trace_timeline *timeline, FILE *file);

/*
 * Give kernels their C++ names. `demangle` gets mangled names, one on each line, and returns a text
 * of as many lines, which is freed here. If it returns NULL, no name changes.
 */
void trace_demangle(struct trace_timeline *timeline,
                    char *(*demangle)(const char *lines, size_t size));

/* The summary: about thirty lines of at most a hundred columns. */
void trace_write_summary(const struct trace_timeline *timeline, FILE *file);

/* A JSON string that may stand in HTML: `<` is escaped, and invalid UTF-8 is replaced. */
void trace_put_string(FILE *file, const char *text);

/* A list of strings: those of a set that have these numbers, or all if `numbers` is NULL. */
void trace_put_strings(FILE *file, const struct trace_set *set, const uint32_t *numbers,
                       size_t count);

/* Members of JSON: what the header of the trace says, the damage and the unknown functions. */
void trace_put_header(const struct trace_timeline *timeline, FILE *file);

#endif
