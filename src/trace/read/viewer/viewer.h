/* SPDX-License-Identifier: Apache-2.0 */
/* The page that shows a trace; head of trace.js says what stands between its two parts. */
#ifndef CUSHIM_TRACE_READ_VIEWER_VIEWER_H
#define CUSHIM_TRACE_READ_VIEWER_VIEWER_H

extern const char cushim__trace_viewer_before[];
extern const char cushim__trace_viewer_behind[];

#endif
