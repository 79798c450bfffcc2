/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++ names of kernels. The names in a trace come from the program and may contain anything, so
 * only those that can be mangled names are handed to the demangler. Each of them is one line.
 */
#include <stdlib.h>
#include <string.h>

#include "src/trace/output.h"

static bool is_mangled(const char *name)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.";

    return name[0] == '_' && name[1] == 'Z' && name[strspn(name, allowed)] == '\0';
}

static size_t count_lines(const char *text)
{
    size_t count = 0;

    for (; (text = strchr(text, '\n')); text++)
        count++;
    return count;
}

/* Every kernel returns void, so that says nothing. */
static const char *without_void(const char *name)
{
    return strncmp(name, "void ", 5) == 0 ? name + 5 : name;
}

/* Replace the names of kernels that are in the set, by lines in the order of the set. */
static void rename_kernels(struct trace_timeline *timeline, const struct trace_set *symbols,
                           char *line)
{
    uint32_t *shown = trace_zeros(symbols->count, sizeof *shown);

    for (size_t i = 0; i < symbols->count; i++) {
        char *end = strchr(line, '\n');

        *end = '\0';
        shown[i] = *without_void(line) ? trace_set_add_text(&timeline->names, without_void(line))
                                       : TRACE_SET_NONE;
        line = end + 1;
    }
    for (size_t i = 0; i < timeline->work_count; i++) {
        struct trace_work_event *work = &timeline->works[i];
        const char *name = trace_set_at(&timeline->names, work->name);
        const uint32_t number = work->kind == TRACE_KERNEL
                                    ? trace_set_find(symbols, name, strlen(name))
                                    : TRACE_SET_NONE;

        if (number != TRACE_SET_NONE && shown[number] != TRACE_SET_NONE)
            work->name = shown[number];
    }
    free(shown);
}

void trace_demangle(struct trace_timeline *timeline,
                    char *(*demangle)(const char *lines, size_t size))
{
    struct trace_set symbols = {0};
    char *lines, *answer;

    for (size_t i = 0; i < timeline->work_count; i++) {
        const struct trace_work_event *work = &timeline->works[i];
        const char *name = trace_set_at(&timeline->names, work->name);

        if (work->kind == TRACE_KERNEL && is_mangled(name))
            trace_set_add_text(&symbols, name);
    }
    if (symbols.count == 0)
        return;
    lines = trace_zeros(symbols.byte_count, 1);
    memcpy(lines, symbols.bytes, symbols.byte_count);
    for (size_t i = 0; i < symbols.byte_count; i++)
        lines[i] = lines[i] ? lines[i] : '\n';
    answer = demangle(lines, symbols.byte_count);
    /* With fewer lines or more, it is not known which name a line belongs to. */
    if (answer && count_lines(answer) == symbols.count)
        rename_kernels(timeline, &symbols, answer);
    free(answer);
    free(lines);
    trace_set_free(&symbols);
}
