/* SPDX-License-Identifier: Apache-2.0 */
/* The report, for the parts that write it out. */
#ifndef CUSHIM_LOADER_REPORT_H
#define CUSHIM_LOADER_REPORT_H

#include <cushim/report.h>

/* A report of this version's size: `given`, or `whole` with zeros for what an older caller lacks. */
const struct cushim_report *cushim__report_whole(struct cushim_report *whole,
                                                 const struct cushim_report *given);

#endif
