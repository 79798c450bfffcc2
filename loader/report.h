/* SPDX-License-Identifier: Apache-2.0 */
/* The report, for the parts that write it out. */
#ifndef CUSHIM_LOADER_REPORT_H
#define CUSHIM_LOADER_REPORT_H

#include <cushim/report.h>

#include "loader/text.h"

/*
 * Write a report that a caller gave, which may be one of an older version and shorter: what it
 * lacks is zero to `writer`, and what is not closed by NUL ends with its field. Returns the length
 * of the text. NULL is an empty one.
 */
size_t cushim__report_write(void (*writer)(struct cushim__text *text,
                                           const struct cushim_report *report),
                            const struct cushim_report *given, char *buffer, size_t size);

/* Number of candidates, whatever the report says. */
unsigned cushim__report_candidates(const struct cushim_report *report);

#endif
