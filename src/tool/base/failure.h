/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A failure: what the command prints instead of a result, and its exit status.
 *
 * A function that can fail takes a pointer to one, and returns false if it has failed. It leaves an
 * earlier failure unchanged: the first one is the cause, later ones are consequences.
 */
#ifndef CUSHIM_TOOL_BASE_FAILURE_H
#define CUSHIM_TOOL_BASE_FAILURE_H

#include <stdbool.h>

#include "loader/report.h"
#include "src/tool/base/output.h"

/* Exit statuses. The man page explains them. */
enum status {
    STATUS_DONE = 0,
    STATUS_FAILED = 1,
    STATUS_NO_DRIVER = 2,
    STATUS_NO_DEVICE = 3,
    STATUS_HUNG = 4,
    STATUS_CRASHED = 5,
    STATUS_SIMULATED = 6,
    STATUS_USAGE = 64,
    STATUS_NO_LIBRARY = 125,
    STATUS_NOT_EXECUTABLE = 126,
    STATUS_NOT_FOUND = 127,
    STATUS_INTERRUPTED = 130,
};

struct failure {
    enum status status; /* STATUS_DONE if there is no failure */
    const char *call;   /* name of the function that failed, or NULL; static */
    CUresult code;      /* what it returned */
    char message[CUSHIM_REPORT_REASON_BYTES]; /* one line */
    char advice[CUSHIM_REPORT_MESSAGE_BYTES]; /* a sentence or two */
};

/*
 * Check `code`, which a function of cushim, or one of the driver by its exported symbol, returned:
 * true if it is success. `call` is the name of the function, static.
 */
bool failure_check(struct failure *failure, const char *call, CUresult code);

/* The same, with better advice than the general advice for the code. */
bool failure_check_advised(struct failure *failure, const char *call, CUresult code,
                           const char *advice);

/* Call a function of cushim and check what it returns. */
#define CALLED(failure, function, ...) failure_check(failure, #function, function(__VA_ARGS__))

/* Call a function of the driver, named like its slot, and check what it returns. */
#define DRIVER_CALLED(failure, slot, ...) \
    failure_check(failure, "cu" #slot, cushim_driver()->slot(__VA_ARGS__))

/* Set the failure of a driver that is not ready, with the reason in its report. */
void failure_from_report(struct failure *failure, const struct cushim_report *report);

/* Set any other failure. */
#if defined(__GNUC__)
__attribute__((format(__printf__, 4, 5)))
#endif
void failure_set(struct failure *failure, enum status status, const char *advice,
                 const char *format, ...);

/* Set the failure of a program that was not found, or cannot be executed for this reason. */
void failure_set_program(struct failure *failure, const char *program, bool is_missing,
                         const char *why);

/* Print a failure on standard error. */
void failure_print(const struct failure *failure);

/* Print a failure as the member "error". */
void failure_json(const struct failure *failure, struct json *json);

/* Print a failure that is the whole result: on standard error, or as a document with one member. */
void failure_report(const struct failure *failure, bool as_json);

#endif
