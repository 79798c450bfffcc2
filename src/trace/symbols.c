/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++ names of kernels. The names in a trace come from the program and may contain anything, so
 * only those that can be mangled names are handed to the demangler. Each of them is one line.
 */
#include <stdlib.h>
#include <string.h>

#include "src/trace/output.h"

/* The names to demangle, one on each line. */
struct symbols {
    char *lines;
    size_t size, room;
    uint32_t *names; /* their numbers in the timeline, in the order of the lines */
    size_t count, names_room;
};

static bool is_mangled(const char *name)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.";

    return name[0] == '_' && name[1] == 'Z' && name[strspn(name, allowed)] == '\0';
}

static void add_symbol(struct symbols *symbols, uint32_t name, const char *text)
{
    const size_t length = strlen(text);

    while (symbols->room - symbols->size < length + 1)
        TRACE_ROOM(symbols->lines, symbols->room, symbols->room);
    memcpy(symbols->lines + symbols->size, text, length);
    symbols->lines[symbols->size + length] = '\n';
    symbols->size += length + 1;
    TRACE_ROOM(symbols->names, symbols->count, symbols->names_room);
    symbols->names[symbols->count++] = name;
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

/* Set in `shown` the C++ name of each symbol; an element is TRACE_SET_NONE if it has none. */
static void read_lines(struct trace_timeline *timeline, const struct symbols *symbols, char *line,
                       uint32_t *shown)
{
    for (size_t i = 0; i < symbols->count; i++) {
        char *end = strchr(line, '\n');

        *end = '\0';
        if (*without_void(line))
            shown[symbols->names[i]] = trace_set_add_text(&timeline->names, without_void(line));
        line = end + 1;
    }
}

void trace_demangle(struct trace_timeline *timeline,
                    char *(*demangle)(const char *lines, size_t size))
{
    struct symbols symbols = {0};
    uint32_t *shown = trace_zeros(timeline->names.count, sizeof *shown);
    char *answer = NULL;

    /* Each name is handed over once. */
    for (size_t i = 0; i < timeline->work_count; i++) {
        const struct trace_work_event *work = &timeline->works[i];
        const char *name = trace_set_at(&timeline->names, work->name);

        if (work->kind != TRACE_KERNEL || shown[work->name])
            continue;
        shown[work->name] = TRACE_SET_NONE;
        if (is_mangled(name))
            add_symbol(&symbols, work->name, name);
    }
    if (symbols.count)
        answer = demangle(symbols.lines, symbols.size);
    /* With fewer lines or more, it is not known which name a line belongs to. */
    if (answer && count_lines(answer) == symbols.count) {
        read_lines(timeline, &symbols, answer, shown);
        for (size_t i = 0; i < timeline->work_count; i++) {
            struct trace_work_event *work = &timeline->works[i];
            if (work->kind == TRACE_KERNEL && shown[work->name] != TRACE_SET_NONE)
                work->name = shown[work->name];
        }
    }
    free(answer);
    free(symbols.lines);
    free(symbols.names);
    free(shown);
}
