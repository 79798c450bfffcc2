/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/base/failure.h"
#include "loader/symbols.h"

#include <stdarg.h>
#include <stdio.h>

#include <cushim/error.h>
#include <cushim/table.h>

#include "src/base/text.h"

static const char *kind(enum status status)
{
    switch (status) {
    case STATUS_NO_DRIVER:
        return "no-driver";
    case STATUS_NO_DEVICE:
        return "no-device";
    case STATUS_HUNG:
        return "hung";
    case STATUS_CRASHED:
        return "crashed";
    case STATUS_USAGE:
        return "usage";
    case STATUS_INTERRUPTED:
        return "interrupted";
    default:
        return "failed";
    }
}

void failure_set(struct failure *failure, enum status status, const char *advice,
                 const char *format, ...)
{
    va_list arguments;

    if (failure->status != STATUS_DONE)
        return;
    failure->status = status;
    va_start(arguments, format);
    vsnprintf(failure->message, sizeof failure->message, format, arguments);
    va_end(arguments);
    snprintf(failure->advice, sizeof failure->advice, "%s", advice);
}

void failure_set_program(struct failure *failure, const char *program, bool is_missing,
                         const char *why)
{
    if (is_missing)
        failure_set(failure, STATUS_NOT_FOUND,
                    "Name a program of your PATH, or a file by its path.",
                    "The program '%.160s' was not found.", program);
    else
        failure_set(failure, STATUS_NOT_EXECUTABLE, "",
                    "The program '%.160s' cannot be executed: %s", program, why);
}

/* Describe a symbol that was called but that the driver lacks. Returns false if there is none. */
static bool describe_missed(char *text, size_t size)
{
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        const int since = cushim__symbol_since(i);
        if (!cushim__symbol_missed(i))
            continue;
        snprintf(text, size, "this driver lacks %s, which came with CUDA %d.%d",
                 cushim__symbol_name(i), since / 1000, since % 1000 / 10);
        return true;
    }
    return false;
}

bool failure_check_advised(struct failure *failure, const char *call, CUresult code,
                           const char *advice)
{
    const char *meaning = cushim_error_string(code);
    char missed[CUSHIM_REPORT_MESSAGE_BYTES];

    if (code == CUDA_SUCCESS)
        return true;
    if (failure->status != STATUS_DONE)
        return false;
    if (code == CUSHIM__REQUIRES_NEWER_DRIVER && describe_missed(missed, sizeof missed)) {
        meaning = missed;
        advice = "Update the NVIDIA driver.";
    }
    failure->call = call;
    failure->code = code;
    failure_set(failure, STATUS_FAILED, advice, "%s returned %d %s: %s", call, (int)code,
                cushim_error_name(code), meaning);
    return false;
}

bool failure_check(struct failure *failure, const char *call, CUresult code)
{
    return failure_check_advised(failure, call, code, cushim_error_advice(code));
}

void failure_from_report(struct failure *failure, const struct cushim_report *report)
{
    const bool loaded = report->state == CUSHIM_STATE_NO_DEVICE ||
                        report->state == CUSHIM_STATE_KERNEL_MISMATCH ||
                        report->state == CUSHIM_STATE_INIT_FAILED;

    if (failure->status != STATUS_DONE)
        return;
    failure->call = loaded ? "cuInit" : NULL;
    failure->code = report->code;
    failure_set(failure, loaded ? STATUS_NO_DEVICE : STATUS_NO_DRIVER, report->advice, "%s",
                report->reason);
}

/* A message may quote text of any origin: words of a script, lines of a file. */
static void print(const char *what, const char *colour, const char *line)
{
    char plain[sizeof((struct failure *)0)->message];
    struct cushim__text text;

    cushim__text_begin(&text, plain, sizeof plain);
    cushim__text_plain(&text, line);
    if (output_is_coloured(stderr))
        fprintf(stderr, "%s%s:%s %s\n", colour, what, OUTPUT_PLAIN, plain);
    else
        fprintf(stderr, "%s: %s\n", what, plain);
}

void failure_print(const struct failure *failure)
{
    print("cushim", OUTPUT_RED, failure->message);
    if (failure->advice[0])
        print("advice", OUTPUT_BOLD, failure->advice);
}

void failure_json(const struct failure *failure, struct json *json)
{
    json_open(json, "error", '{');
    json_string(json, "kind", kind(failure->status));
    json_string(json, "message", failure->message);
    json_string(json, "advice", failure->advice);
    json_string(json, "call", failure->call);
    if (failure->code != CUDA_SUCCESS)
        json_integer(json, "code", (int)failure->code);
    else
        json_null(json, "code");
    json_string(json, "code_name",
                failure->code != CUDA_SUCCESS ? cushim_error_name(failure->code) : NULL);
    json_close(json, '}');
}

void failure_report(const struct failure *failure, bool as_json)
{
    struct json json = {0};

    if (!as_json) {
        failure_print(failure);
        return;
    }
    json_open(&json, NULL, '{');
    failure_json(failure, &json);
    json_close(&json, '}');
}
