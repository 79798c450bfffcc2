/* SPDX-License-Identifier: Apache-2.0 */
/* What check has found, once for each id, function and place in the program, with a count. */
#ifndef CUSHIM_CHECK_FINDING_H
#define CUSHIM_CHECK_FINDING_H

#include <stdarg.h>

#include "src/check/check.h"
#include "src/layer/leak_tracker.h"

struct cushim__finding {
    struct cushim__finding *next;
    enum cushim__check_id id;
    uint64_t count;
    bool is_printed, is_suppressed;
    struct cushim__maker misuse;      /* the call that is reported */
    struct cushim__maker made, ended; /* of the object; call 0 if not known */
    struct cushim__maker earlier;     /* the other call that may be the mistake; call 0 if none */
    char object[CUSHIM_RECORDING_TAG_SIZE]; /* its name; empty if it is about none */
    char what[768];                         /* what is wrong */
    char call[512];                         /* with arguments; empty at the end of the program */
};

/* Add a finding, or count it again. Under the layer's lock. */
void cushim__finding_add(const struct cushim__call *call, enum cushim__check_id id,
                         const struct cushim__handle *object, const struct cushim__maker *earlier,
                         const char *format, va_list list);

/*
 * The same for one that is filled but for its count; of a call whose arguments are printed, if that
 * is `call`.
 */
void cushim__finding_keep(const struct cushim__finding *finding, const struct cushim__call *call);

/* Fill in the object that a finding is about, and the call that made it. */
void cushim__finding_set_object(struct cushim__finding *finding,
                                const struct cushim__handle *object);

/* What this thread has found last in a call of this number; NULL if nothing. */
const struct cushim__finding *cushim__finding_of_call(uint64_t call);

/*
 * Print new findings and write them to the report. Not under the lock, here and below, because the
 * places are looked up in the dynamic linker.
 */
void cushim__findings_print(void);

/* Write the report again, with the final counts. */
void cushim__findings_finish(void);

/* Write to a report why the check of this process has not begun. */
void cushim__findings_write_refusal(const char *report, const char *why);

/* The next finding that is not suppressed; the first if `previous` is NULL. */
const struct cushim__finding *cushim__finding_next(const struct cushim__finding *previous);

/* Print a finding on several lines for people, or on one line without its id and with its count. */
void cushim__finding_print(struct cushim__text *text, const struct cushim__finding *finding,
                           bool has_lines);

void cushim__findings_clear(void);

#endif
