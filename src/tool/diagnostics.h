/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnostics: causes that keep CUDA from working and that files, the environment and the report
 * prove. The report says what failed; a diagnostic says why.
 *
 * Each is a row in diagnostics.c: a name for programs, the states of the driver in which it matters, a
 * detector, what it means and what to do.
 */
#ifndef CUSHIM_TOOL_DIAGNOSTICS_H
#define CUSHIM_TOOL_DIAGNOSTICS_H

#include "src/tool/json.h"
#include "src/tool/system_info.h"

struct diagnostic {
    const char *name; /* for programs: it keeps its meaning */
    unsigned when;    /* what became of the driver, as bits */
    bool (*sees)(const struct system_info *info, struct evidence *evidence);
    const char *message;
    const char *advice; /* NULL: the evidence has it */
};

extern const struct diagnostic diagnostics[]; /* ends with a NULL name */

/* Look for all, and print those that are found: each as a paragraph, or all as the member "diagnostics". */
void diagnostics_print(const struct system_info *info);
void diagnostics_json(const struct system_info *info, struct json *json);

#endif
