/* SPDX-License-Identifier: Apache-2.0 */
/* Standard output: text for people, and the proof at the end that it has arrived. */
#ifndef CUSHIM_TOOL_OUTPUT_H
#define CUSHIM_TOOL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "loader/report.h"

/* Memory for output. Does not return if there is none: hold nothing of the driver's meanwhile. */
void *output_memory(size_t size);

/* One line, `label` in the column of the report's labels. */
#if defined(__GNUC__)
__attribute__((format(__printf__, 2, 3)))
#endif
void output_line(const char *label, const char *format, ...);

/* The report as the library writes it. */
void output_report(const struct cushim_report *report);

/* A number of bytes, exactly and, from a KiB on, in the largest fitting unit. */
void output_bytes(const char *label, size_t bytes, const char *remark);

/* Close standard output. False, and said on standard error, if some of it was lost. */
bool output_finish(void);

#endif
