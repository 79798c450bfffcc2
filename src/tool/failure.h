/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A failure: what the command prints instead of a result, and the status that it exits with.
 *
 * Functions that can fail take one, return false when they have, and leave an earlier failure
 * unchanged: the first one is the cause, what follows are consequences.
 */
#ifndef CUSHIM_TOOL_FAILURE_H
#define CUSHIM_TOOL_FAILURE_H

#include <stdbool.h>

#include "loader/report.h"
#include "src/tool/output.h"

/* Exit statuses. The man page explains them. */
enum status {
    STATUS_DONE = 0,
    STATUS_FAILED = 1,
    STATUS_NO_DRIVER = 2,
    STATUS_NO_DEVICE = 3,
    STATUS_HUNG = 4,
    STATUS_CRASHED = 5,
    STATUS_USAGE = 64,
    STATUS_NO_LIBRARY = 125,
    STATUS_NOT_EXECUTABLE = 126,
    STATUS_NOT_FOUND = 127,
    STATUS_INTERRUPTED = 130,
};

struct failure {
    enum status status; /* STATUS_DONE: there is no failure */
    const char *call;   /* name of the function that failed, or NULL; static */
    CUresult code;      /* what it returned */
    char message[CUSHIM_REPORT_REASON_BYTES]; /* one line */
    char advice[CUSHIM_REPORT_MESSAGE_BYTES]; /* a sentence or two */
};

/*
 * A function of cushim, or one of the driver by its exported symbol, returned `code`: true if that
 * is success. `call` is its name, static.
 */
bool failure_check(struct failure *failure, const char *call, CUresult code);

/* The same, with better advice than the general one for the code. */
bool failure_check_advised(struct failure *failure, const char *call, CUresult code,
                           const char *advice);

/* Call a function of cushim and check what it returns. */
#define CALLED(failure, function, ...) failure_check(failure, #function, function(__VA_ARGS__))

/* Call a function of the driver, named as its slot is, and check what it returns. */
#define DRIVER_CALLED(failure, slot, ...) \
    failure_check(failure, "cu" #slot, cushim_driver()->slot(__VA_ARGS__))

/* The driver is not ready, for the reason that its report gives. */
void failure_from_report(struct failure *failure, const struct cushim_report *report);

/* Anything else. */
#if defined(__GNUC__)
__attribute__((format(__printf__, 4, 5)))
#endif
void failure_set(struct failure *failure, enum status status, const char *advice,
                 const char *format, ...);

/* A program was not found, or cannot be executed for this reason. */
void failure_set_program(struct failure *failure, const char *program, bool is_missing,
                         const char *why);

/* Print it on standard error. */
void failure_print(const struct failure *failure);

/* Print it as the member "error". */
void failure_json(const struct failure *failure, struct json *json);

/*
 * Print it where it is the whole result: on standard error, or as a document with that one member.
 */
void failure_report(const struct failure *failure, bool as_json);

#endif
