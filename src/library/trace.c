/* SPDX-License-Identifier: Apache-2.0 */
/* The trace that the environment asks for. */
#include <stdio.h>
#include <stdlib.h>

#include "src/base/system.h"
#include "src/driver_api/lines.h"
#include "src/layer/trace.h"
#include "src/library/library.h"

static CUresult read_flag(const struct cushim__lines *lines, bool *flag)
{
    if (!cushim__word_is(&lines->value, "on") && !cushim__word_is(&lines->value, "off"))
        return cushim__lines_refuse(lines, lines->value.start, "%.*s is on or off",
                                    cushim__word_shown(&lines->key), lines->key.start);
    *flag = cushim__word_is(&lines->value, "on");
    return CUDA_SUCCESS;
}

static CUresult read_duration(const struct cushim__lines *lines, uint64_t *ns)
{
    if (cushim__value_duration(&lines->value, ns))
        return CUDA_SUCCESS;
    return cushim__lines_refuse(lines, lines->value.start,
                                "%.*s is a duration, such as 250 ms or 10 s",
                                cushim__word_shown(&lines->key), lines->key.start);
}

static CUresult read_buffer(const struct cushim__lines *lines, uint64_t *bytes)
{
    if (cushim__value_size(&lines->value, bytes) && *bytes > 0)
        return CUDA_SUCCESS;
    return cushim__lines_refuse(lines, lines->value.start, "buffer is a size, such as 256 MiB");
}

/* `calls` is valid until the next text is read. */
static CUresult read_calls(const struct cushim__lines *lines, const char **calls)
{
    static char patterns[1024];

    if (lines->value.length >= sizeof patterns)
        return cushim__lines_refuse(lines, lines->value.start, "calls has at most %zu characters",
                                    sizeof patterns - 1);
    snprintf(patterns, sizeof patterns, "%.*s", (int)lines->value.length, lines->value.start);
    *calls = patterns;
    return CUDA_SUCCESS;
}

static CUresult read_setting(const struct cushim__lines *lines,
                             struct cushim__trace_options *options)
{
    if (cushim__word_is(&lines->key, "device_times"))
        return read_flag(lines, &options->times_device);
    if (cushim__word_is(&lines->key, "from_profiler"))
        return read_flag(lines, &options->waits_for_profiler);
    if (cushim__word_is(&lines->key, "delay"))
        return read_duration(lines, &options->delay_ns);
    if (cushim__word_is(&lines->key, "duration"))
        return read_duration(lines, &options->duration_ns);
    if (cushim__word_is(&lines->key, "buffer"))
        return read_buffer(lines, &options->buffer_bytes);
    if (cushim__word_is(&lines->key, "calls"))
        return read_calls(lines, &options->calls);
    return cushim__lines_refuse(lines, lines->key.start,
                                "there is no setting \"%.*s\" of a trace: there are device_times, "
                                "from_profiler, delay, duration, calls and buffer",
                                cushim__word_shown(&lines->key), lines->key.start);
}

static CUresult read_settings(const char *text, struct cushim__trace_options *options,
                              char *message, size_t size)
{
    struct cushim__lines lines;
    enum cushim__lines_next next;

    cushim__lines_begin(&lines, text, "CUSHIM_TRACE_OPTIONS", message, size);
    while ((next = cushim__lines_next(&lines)) == CUSHIM__LINES_ENTRY) {
        if (read_setting(&lines, options) != CUDA_SUCCESS)
            return CUDA_ERROR_INVALID_VALUE;
    }
    return next == CUSHIM__LINES_END ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static bool begin(const struct cushim__trace_options *options, char *message, size_t size)
{
    const CUresult code = cushim__trace_begin(options);

    if (code != CUDA_SUCCESS)
        snprintf(message, size, "there is no memory for the trace");
    return code == CUDA_SUCCESS;
}

bool cushim__library_traces(void)
{
    char *path = NULL;
    bool is_asked;

    is_asked = cushim__variable_said("CUSHIM_TRACE", &path) && path;
    free(path);
    return is_asked;
}

bool cushim__library_trace(const char *driver, int driver_version, char *message, size_t size)
{
    struct cushim__trace_options options = {.driver = driver,
                                            .driver_version = (uint32_t)driver_version,
                                            .buffer_bytes = CUSHIM__TRACE_BUFFER,
                                            .times_device = true};
    char *path = NULL, *settings = NULL;
    bool is_done = true;

    if (!cushim__variable_said("CUSHIM_TRACE", &path) ||
        !cushim__variable_said("CUSHIM_TRACE_OPTIONS", &settings)) {
        snprintf(message, size, "there is no memory for the trace");
        is_done = false;
    } else if (path) {
        options.path = path;
        is_done =
            read_settings(settings ? settings : "", &options, message, size) == CUDA_SUCCESS &&
            begin(&options, message, size);
    }
    free(path);
    free(settings);
    return is_done;
}
