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

/* What is worth knowing first, in about thirty lines of at most a hundred columns. */
void trace_write_summary(const struct trace_timeline *timeline, FILE *file);

/* A string of JSON that may stand in HTML: `<` is escaped, and bytes that are no UTF-8 replaced. */
void trace_put_string(FILE *file, const char *text);

#endif
