/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/options.h"

#include <stdio.h>
#include <string.h>

#include "loader/symbols.h"
#include "src/base/key_values.h"
#include "src/driver_api/function_name.h"

static CUresult read_duration(const struct cushim__lines *lines, uint64_t *ns)
{
    if (cushim__value_duration(&lines->value, ns))
        return CUDA_SUCCESS;
    return cushim__lines_refuse(
        lines, lines->value.start, "%.*s is a duration, such as 250 ms or 10 s, not \"%.*s\"%s",
        cushim__word_shown(&lines->key), lines->key.start, cushim__word_shown(&lines->value),
        lines->value.start, cushim__duration_hint(&lines->value).text);
}

static CUresult read_buffer(const struct cushim__lines *lines, uint64_t *bytes)
{
    if (cushim__value_size(&lines->value, bytes) && *bytes > 0)
        return CUDA_SUCCESS;
    return cushim__lines_refuse(lines, lines->value.start,
                                "buffer is a size, such as 256 MiB, not \"%.*s\"",
                                cushim__word_shown(&lines->value), lines->value.start);
}

/* Copy the next pattern without blanks, and move on. Returns false if there are no more. */
static bool next_pattern(const char **patterns, char pattern[TRACE_PATTERN_BYTES])
{
    const char *start = *patterns + strspn(*patterns, " \t,");
    size_t length = strcspn(start, ",");

    *patterns = start + length;
    while (length > 0 && strchr(" \t", start[length - 1]))
        length--;
    /* A pattern that is too long is cut off, and matches no function. */
    snprintf(pattern, TRACE_PATTERN_BYTES, "%.*s", (int)length, start);
    return length > 0;
}

bool cushim__trace_calls_have(const char *patterns, unsigned slot)
{
    char pattern[TRACE_PATTERN_BYTES];
    bool is_found = !patterns;

    while (!is_found && next_pattern(&patterns, pattern))
        is_found = cushim__name_means(pattern, slot);
    return is_found;
}

bool cushim__trace_calls_check(const char *patterns, char pattern[TRACE_PATTERN_BYTES])
{
    bool fits = true;

    while (fits && next_pattern(&patterns, pattern)) {
        fits = false;
        for (unsigned slot = 0; !fits && slot < CUSHIM__SYMBOL_COUNT; slot++)
            fits = cushim__name_means(pattern, slot);
    }
    return fits;
}

/* `calls` is valid until the next text is read. */
static CUresult read_calls(const struct cushim__lines *lines, const char **calls)
{
    static char patterns[1024];
    char pattern[TRACE_PATTERN_BYTES];

    if (lines->value.length >= sizeof patterns)
        return cushim__lines_refuse(lines, lines->value.start,
                                    "calls has at most %zu characters: use * in the patterns",
                                    sizeof patterns - 1);
    snprintf(patterns, sizeof patterns, "%.*s", (int)lines->value.length, lines->value.start);
    if (!cushim__trace_calls_check(patterns, pattern))
        return cushim__lines_refuse(lines, lines->value.start,
                                    "no function is like \"%s\": cushim symbols lists them",
                                    pattern);
    *calls = patterns;
    return CUDA_SUCCESS;
}

static CUresult read_setting(const struct cushim__lines *lines, struct trace_options *options)
{
    if (cushim__word_is(&lines->key, "device_times"))
        return cushim__lines_flag(lines, &options->times_device);
    if (cushim__word_is(&lines->key, "from_profiler"))
        return cushim__lines_flag(lines, &options->waits_for_profiler);
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

bool cushim__trace_options_read(struct trace_options *options, const char *text, const char *where,
                                char *message, size_t size)
{
    struct cushim__lines lines;
    enum cushim__lines_next next;

    cushim__lines_begin(&lines, text, where, message, size);
    while ((next = cushim__lines_next(&lines)) == CUSHIM__LINES_ENTRY) {
        if (read_setting(&lines, options) != CUDA_SUCCESS)
            return false;
    }
    if (next == CUSHIM__LINES_END && options->waits_for_profiler && options->delay_ns > 0) {
        snprintf(message, size,
                 "%s: from_profiler and delay both say when a trace begins: give one of them",
                 where);
        return false;
    }
    return next == CUSHIM__LINES_END;
}
