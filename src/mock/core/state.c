/* SPDX-License-Identifier: Apache-2.0 */
/* The one mock of this process: its log, misuses, trace and lock, and the current calls. */
#include "src/mock/core/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/symbols.h"
#include "src/base/print.h"

struct cushim_mock *cushim__mock;
CUresult cushim__mock_absent = CUDA_ERROR_DEINITIALIZED;

enum { LINE = 1024, OLDEST_DRIVER = 10000 };

/* Format a text as one line: control characters become question marks. */
static void say(const char *format, va_list arguments, char *line, size_t size)
{
    vsnprintf(line, size, format, arguments);
    for (char *at = line; *at; at++) {
        if ((unsigned char)*at < ' ')
            *at = '?';
    }
}

static void log_line(const char *line)
{
    if (cushim__mock->log)
        cushim__mock->log(cushim__mock->log_data, line);
}

void cushim__mock_log(const char *format, ...)
{
    char line[LINE];
    va_list arguments;

    if (!cushim__mock->log)
        return;
    va_start(arguments, format);
    say(format, arguments, line, sizeof line);
    va_end(arguments);
    log_line(line);
}

void cushim__mock_kernel_failed(const char *format, ...)
{
    char *line = cushim__mock->fault;
    va_list arguments;

    va_start(arguments, format);
    say(format, arguments, line, sizeof cushim__mock->fault);
    va_end(arguments);
    log_line(line);
}

static void keep(struct mock_lines *lines, const char *line)
{
    if (lines->count < MOCK_LINES_KEPT)
        snprintf(lines->line[lines->count], MOCK_LINE, "%s", line);
    lines->count++;
}

static void report(const struct cushim__mock_finding *finding, bool is_misuse)
{
    struct cushim_mock *mock = cushim__mock;
    char line[MOCK_LINE];

    if (!mock->report(finding, line, sizeof line))
        log_line(line);
    if (finding->found >= CUSHIM__MOCK_FOUND_RACE)
        keep(&mock->races, line);
    if (!is_misuse)
        return;
    keep(&mock->misuses, line);
    if (mock->settings.abort_on_misuse) {
        cushim__print_format("cushim mock: %s\n", line);
        abort();
    }
}

void cushim__mock_misuse(enum cushim__mock_found found, const char *format, ...)
{
    char text[LINE], what[LINE + 64];
    struct cushim__mock_finding finding = {
        .found = found, .what = what, .misuse.name = cushim__mock_call_name()};
    va_list arguments;

    va_start(arguments, format);
    say(format, arguments, text, sizeof text);
    va_end(arguments);
    snprintf(what, sizeof what, "%s%s%s", finding.misuse.name, finding.misuse.name[0] ? ": " : "",
             text);
    if (finding.misuse.name[0])
        cushim__mock_call_place(&finding.misuse.place);
    report(&finding, true);
}

void cushim__mock_race(const struct cushim__mock_finding *race)
{
    report(race, cushim__mock->settings.races == MOCK_RACES_MISUSE);
}

void cushim__mock_trace(const char *what, const char *name, uint64_t stream, uint64_t operation,
                        CUresult code)
{
    struct cushim_mock *mock = cushim__mock;

    if (!mock->trace)
        return;
    mock->trace(mock->trace_data, &(struct cushim_mock_trace){
                                      .size = sizeof(struct cushim_mock_trace),
                                      .now_ns = mock->executing_at_ns,
                                      .what = what,
                                      .name = name,
                                      .stream = stream,
                                      .operation = operation,
                                      .code = code,
                                  });
}

/* A thread holds the lock in a host function in place of a kernel, and in the fork handlers. */
static bool has_lock(const struct cushim_mock *mock)
{
    return cushim__in_kernel || cushim__mock_call.held_for_fork == mock;
}

void cushim__mock_lock(struct cushim_mock *mock)
{
    if (!has_lock(mock))
        cushim__lock_take(&mock->lock);
}

void cushim__mock_unlock(struct cushim_mock *mock)
{
    if (!has_lock(mock))
        cushim__lock_release(&mock->lock);
}

_Thread_local struct mock_call cushim__mock_call;

const char *cushim__mock_call_name(void)
{
    return cushim__mock_call.mock ? cushim__slot_name(cushim__mock_call.slot) : "";
}

void cushim__mock_call_place(struct cushim__call_place *place)
{
    const struct cushim_table *own = cushim__mock->own;
    uintptr_t function = cushim__caller.function, outer = cushim__caller.outer;

    place->call = cushim__caller.number ? cushim__caller.number : cushim__mock_call.number;
    place->thread = cushim__caller.number ? cushim__caller.thread : cushim__mock_call.thread;
    if (!cushim__caller.number && own) {
        memcpy(&function, cushim__table_slot(own, cushim__mock_call.slot), sizeof function);
        outer = 0;
    }
    cushim__call_site_capture(&place->site, function, outer);
}

const char *cushim__mock_call_doubt(void)
{
    static _Thread_local char text[128];
    const struct cushim__symbol *called = &cushim__symbols[cushim__mock_call.slot];
    const char *name = cushim__slot_name(cushim__mock_call.slot);
    const int major = called->since / 1000, minor = called->since % 1000 / 10;
    /* The last minor version of the previous major one. */
    const int last = major == 11 ? 2 : major == 12 ? 8 : 9;

    text[0] = '\0';
    if (!cushim__mock_call.mock || called->since <= OLDEST_DRIVER)
        return text;
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        const struct cushim__symbol *other = &cushim__symbols[slot];

        if (other->since < called->since && other->base_length == called->base_length &&
            strncmp(cushim__slot_name(slot), name, called->base_length) == 0)
            snprintf(text, sizeof text,
                     "; if the program means %s, it wants a driver before CUDA %d.%d: "
                     "driver_version = %d.%d",
                     cushim__slot_name(slot), major, minor, minor ? major : major - 1,
                     minor ? minor - 1 : last);
    }
    return text;
}
