/* SPDX-License-Identifier: Apache-2.0 */
/* The one mock of this process, and what it says: log, violations, trace, identity. */
#include "src/mock/core/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cushim/version.h>

#include "src/mock/call.h"
#include "src/mock/sim/sim.h"

struct cushim_mock *cushim__world;
CUresult cushim__no_world = CUDA_ERROR_DEINITIALIZED;

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
    if (cushim__world->log)
        cushim__world->log(cushim__world->log_data, line);
}

void cushim__mock_log(const char *format, ...)
{
    char line[LINE];
    va_list arguments;

    if (!cushim__world->log)
        return;
    va_start(arguments, format);
    say(format, arguments, line, sizeof line);
    va_end(arguments);
    log_line(line);
}

void cushim__violation(const char *format, ...)
{
    struct cushim_mock *mock = cushim__world;
    const char *name = cushim__call_name();
    char text[LINE], line[LINE + 64];
    va_list arguments;

    va_start(arguments, format);
    say(format, arguments, text, sizeof text);
    va_end(arguments);
    snprintf(line, sizeof line, "%s%s%s", name, name[0] ? ": " : "", text);
    if (mock->violations < CUSHIM__VIOLATIONS_KEPT)
        snprintf(mock->violation[mock->violations], CUSHIM__VIOLATION_TEXT, "%.*s",
                 CUSHIM__VIOLATION_TEXT - 1, line);
    mock->violations++;
    log_line(line);
    if (mock->settings.abort_on_violation) {
        fprintf(stderr, "cushim mock: %s\n", line);
        abort();
    }
}

void cushim__trace(const char *what, const char *name, uint64_t stream, uint64_t operation,
                   CUresult code)
{
    struct cushim_mock *mock = cushim__world;

    if (!mock->trace)
        return;
    mock->trace(mock->trace_data, &(struct cushim_mock_trace){
                                      .size = sizeof(struct cushim_mock_trace),
                                      .now_ns = cushim__engine_now(),
                                      .what = what,
                                      .name = name,
                                      .stream = stream,
                                      .operation = operation,
                                      .code = code,
                                  });
}

void cushim__world_take(struct cushim_mock *mock)
{
    if (!cushim__in_kernel)
        cushim__lock_take(&mock->lock);
}

void cushim__world_give_back(struct cushim_mock *mock)
{
    if (!cushim__in_kernel)
        cushim__lock_release(&mock->lock);
}

const char *cushim_mock_violation(struct cushim_mock *mock, size_t index)
{
    const char *text = NULL;

    if (!mock)
        return NULL;
    cushim__world_take(mock);
    if (index < mock->violations && index < CUSHIM__VIOLATIONS_KEPT)
        text = mock->violation[index];
    cushim__world_give_back(mock);
    return text;
}

void cushim_mock_log_set(struct cushim_mock *mock, void (*log)(void *data, const char *line),
                         void *data)
{
    if (!mock)
        return;
    cushim__world_take(mock);
    mock->log = log;
    mock->log_data = data;
    cushim__world_give_back(mock);
}

void cushim_mock_trace_set(struct cushim_mock *mock,
                           void (*trace)(void *data, const struct cushim_mock_trace *entry),
                           void *data)
{
    if (!mock)
        return;
    cushim__world_take(mock);
    mock->trace = trace;
    mock->trace_data = data;
    cushim__world_give_back(mock);
}

const char *cushim_mock_identity(void)
{
    static _Thread_local char line[LINE];
    const struct cushim_mock *mock = __atomic_load_n(&cushim__world, __ATOMIC_ACQUIRE);
    char settings[LINE - 64] = "no mock exists";

    if (mock)
        cushim__settings_describe(&mock->settings, settings, sizeof settings);
    snprintf(line, sizeof line, "cushim mock %s: %s; this is not a GPU", CUSHIM_VERSION_TEXT,
             settings);
    return line;
}
