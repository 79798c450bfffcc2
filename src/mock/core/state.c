/* SPDX-License-Identifier: Apache-2.0 */
/* The one mock of this process, and what it says: log, misuses, trace, identity. */
#include "src/mock/core/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "loader/symbols.h"

struct cushim_mock *cushim__mock;
CUresult cushim__mock_absent = CUDA_ERROR_DEINITIALIZED;

enum { LINE = 1024 };

/* One line of it, whatever the text holds. */
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

void cushim__mock_misuse(const char *format, ...)
{
    struct cushim_mock *mock = cushim__mock;
    const char *name = cushim__mock_call_name();
    char text[LINE], line[LINE + 64];
    va_list arguments;

    va_start(arguments, format);
    say(format, arguments, text, sizeof text);
    va_end(arguments);
    snprintf(line, sizeof line, "%s%s%s", name, name[0] ? ": " : "", text);
    if (mock->misuses < MOCK_MISUSES_KEPT)
        snprintf(mock->misuse[mock->misuses], MOCK_MISUSE_TEXT, "%.*s", MOCK_MISUSE_TEXT - 1, line);
    mock->misuses++;
    log_line(line);
    if (mock->settings.abort_on_misuse) {
        fprintf(stderr, "cushim mock: %s\n", line);
        abort();
    }
}

void cushim__mock_trace(const char *what, const char *name, uint64_t stream, uint64_t operation,
                        CUresult code)
{
    struct cushim_mock *mock = cushim__mock;

    if (!mock->trace)
        return;
    mock->trace(mock->trace_data, &(struct cushim_mock_trace){
                                      .size = sizeof(struct cushim_mock_trace),
                                      .now_ns = mock->time_ns,
                                      .what = what,
                                      .name = name,
                                      .stream = stream,
                                      .operation = operation,
                                      .code = code,
                                  });
}

void cushim__mock_lock(struct cushim_mock *mock)
{
    if (!cushim__in_kernel)
        cushim__lock_take(&mock->lock);
}

void cushim__mock_unlock(struct cushim_mock *mock)
{
    if (!cushim__in_kernel)
        cushim__lock_release(&mock->lock);
}

_Thread_local struct mock_call cushim__mock_call;

const char *cushim__mock_call_name(void)
{
    return cushim__mock_call.mock ? cushim__slot_name(cushim__mock_call.slot) : "";
}
