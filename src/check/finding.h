/* SPDX-License-Identifier: Apache-2.0 */
/* What check has found: once for each id, function and place of the program, with a count. */
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
    struct cushim__maker made, ended; /* the object; of call 0: not known */
    struct cushim__maker earlier;     /* the other call that it takes; of call 0: none */
    char object[CUSHIM_TAG_SIZE];     /* its name; empty: it is about none */
    char what[768];                   /* is wrong */
    char call[512];                   /* with its arguments; empty: at the end of the program */
};

/* Keep one. Under the layer's lock. */
void cushim__finding_add(const struct cushim__call *call, enum cushim__check_id id,
                         const struct cushim__handle *object, const struct cushim__maker *earlier,
                         const char *format, va_list list);

/* Print those that are new, and write them to the report. Any thread, not under the lock: it asks the dynamic linker. */
void cushim__findings_print(void);

/* Write the report once more, with the counts. The same. */
void cushim__findings_finish(void);

/* Write to a report that the check of this process has not begun, and why. */
void cushim__findings_write_refusal(const char *report, const char *why);

/* The one after `previous` that is reported; NULL: the first. The same. */
const struct cushim__finding *cushim__finding_next(const struct cushim__finding *previous);

/* Print it in several lines for people; or in one, without the id, and with its count. The same. */
void cushim__finding_print(struct cushim__text *text, const struct cushim__finding *finding,
                           bool has_lines);

void cushim__findings_clear(void);

#endif
