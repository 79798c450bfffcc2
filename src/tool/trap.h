/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traps: what is known to keep CUDA from working, and can be told for certain from files, the
 * environment and the report. The report tells what failed; a trap tells why.
 *
 * Each is a row in trap.c: a name for programs, the states of the driver in which it matters, a
 * detector, what it means and what to do.
 */
#ifndef CUSHIM_TOOL_TRAP_H
#define CUSHIM_TOOL_TRAP_H

#include "src/tool/json.h"
#include "src/tool/trap_scene.h"

struct trap_row {
    const char *name; /* for programs: it keeps its meaning */
    unsigned when;    /* what became of the driver, as bits */
    bool (*sees)(const struct trap_scene *scene, struct trap_evidence *evidence);
    const char *message;
    const char *advice; /* NULL: the evidence has it */
};

extern const struct trap_row trap_rows[]; /* ends with a NULL name */

/* Look for all, and say those that are seen: each as a paragraph, or all as the member "traps". */
void trap_print(const struct trap_scene *scene);
void trap_json(const struct trap_scene *scene, struct json *json);

#endif
