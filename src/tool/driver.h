/* SPDX-License-Identifier: Apache-2.0 */
/* The driver as the commands need it: initialised, or a failure that says why not. */
#ifndef CUSHIM_TOOL_DRIVER_H
#define CUSHIM_TOOL_DRIVER_H

#include <stdbool.h>

#include "loader/report.h"

#include "src/tool/arguments.h"
#include "src/tool/failure.h"
#include "src/tool/json.h"

/* Which driver answers, and what became of it. */
struct driver {
    struct cushim_report report;
    bool is_mock;         /* it is a mock driver: of this process, or a library like cushim's */
    bool is_own;          /* it is the mock driver of this process */
    const char *identity; /* what a mock driver says that it is; NULL: it is none, or not open */
    char why_mock[CUSHIM_REPORT_REASON_BYTES + 1]; /* why no other, and a blank; empty: asked for */
};

/*
 * Open the driver that the command line asks for. `is_fallback_allowed`: where there is none and
 * none was named, open the mock driver.
 */
bool driver_choose(struct driver *driver, const struct arguments *arguments,
                   bool is_fallback_allowed, struct failure *failure);

/* Close it again if it is the mock driver; what that has to say stands on standard error. */
void driver_close(const struct driver *driver, struct failure *failure);

/* The first lines of a result that is simulated; nothing if it is not. */
void driver_print_mock(const struct driver *driver);

/* The same as members. */
void driver_json_mock(const struct driver *driver, struct json *json);

#endif
