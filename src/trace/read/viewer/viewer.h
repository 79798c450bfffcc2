/* SPDX-License-Identifier: Apache-2.0 */
/* The two parts of the HTML page that shows a trace. The data between them: see trace.js. */
#ifndef CUSHIM_TRACE_READ_VIEWER_VIEWER_H
#define CUSHIM_TRACE_READ_VIEWER_VIEWER_H

extern const char cushim__trace_viewer_before[];
extern const char cushim__trace_viewer_behind[];

#endif
