/* SPDX-License-Identifier: Apache-2.0 */
/* The one mock of this process, and what it says: log, violations, trace, identity. */
#include "src/mock/core/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cushim/version.h>

#include "src/mock/call.h"
#include "src/mock/sim/sim.h"

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
    if (mock->violations < MOCK_MISUSES_KEPT)
        snprintf(mock->violation[mock->violations], MOCK_MISUSE_TEXT, "%.*s", MOCK_MISUSE_TEXT - 1,
                 line);
    mock->violations++;
    log_line(line);
    if (mock->settings.abort_on_violation) {
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
                                      .now_ns = cushim__mock_sim_now(),
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

const char *cushim_mock_violation(struct cushim_mock *mock, size_t index)
{
    const char *text = NULL;

    if (!mock)
        return NULL;
    cushim__mock_lock(mock);
    if (index < mock->violations && index < MOCK_MISUSES_KEPT)
        text = mock->violation[index];
    cushim__mock_unlock(mock);
    return text;
}

void cushim_mock_log_set(struct cushim_mock *mock, void (*log)(void *data, const char *line),
                         void *data)
{
    if (!mock)
        return;
    cushim__mock_lock(mock);
    mock->log = log;
    mock->log_data = data;
    cushim__mock_unlock(mock);
}

void cushim_mock_trace_set(struct cushim_mock *mock,
                           void (*trace)(void *data, const struct cushim_mock_trace *entry),
                           void *data)
{
    if (!mock)
        return;
    cushim__mock_lock(mock);
    mock->trace = trace;
    mock->trace_data = data;
    cushim__mock_unlock(mock);
}

const char *cushim_mock_identity(void)
{
    static _Thread_local char line[LINE];
    const struct cushim_mock *mock = __atomic_load_n(&cushim__mock, __ATOMIC_ACQUIRE);
    char settings[LINE - 64] = "no mock exists";

    if (mock)
        cushim__mock_settings_describe(&mock->settings, settings, sizeof settings);
    snprintf(line, sizeof line, "cushim mock %s: %s; this is not a GPU", CUSHIM_VERSION_TEXT,
             settings);
    return line;
}
