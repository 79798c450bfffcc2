/* SPDX-License-Identifier: Apache-2.0 */
/* A page that holds the data of a trace, and shows nothing of it. */
#include "src/trace/viewer/viewer.h"

const char cushim__trace_viewer_before[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<title>cushim trace</title></head>\n<body>\n";
const char cushim__trace_viewer_behind[] = "</body></html>\n";
