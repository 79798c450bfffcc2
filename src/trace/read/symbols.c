/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++ names of kernels. The names in a trace come from the program and may contain anything, so
 * only those that can be mangled names are handed to the demangler. Each of them is one line.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/trace/read/output.h"

static bool is_mangled(const char *name)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.";

    return name[0] == '_' && name[1] == 'Z' && name[strspn(name, allowed)] == '\0';
}

/* Every kernel returns void, so the word is left out. */
static const char *without_void(const char *name)
{
    return strncmp(name, "void ", 5) == 0 ? name + 5 : name;
}

/*
 * Find the C++ names in lines, which are in the order of the set. Returns false if there are fewer
 * lines or more, because it is then not known which name a line belongs to.
 */
static bool read_lines(char *lines, const char **names, size_t count)
{
    size_t found = 0;

    for (char *end; (end = strchr(lines, '\n')); lines = end + 1) {
        *end = '\0';
        if (found == count)
            return false;
        names[found++] = without_void(lines);
    }
    return found == count;
}

void trace_demangle(struct trace_timeline *timeline,
                    char *(*demangle)(const char *lines, size_t size))
{
    struct trace_set symbols = {0};
    uint32_t *numbers = trace_zeros(timeline->work_count, sizeof *numbers);
    const char **names;
    char *lines, *answer;

    for (size_t i = 0; i < timeline->work_count; i++) {
        const struct trace_work_event *work = &timeline->works[i];
        const char *name = trace_set_at(&timeline->names, work->name);

        numbers[i] = work->kind == TRACE_KERNEL && is_mangled(name)
                         ? trace_set_add_text(&symbols, name)
                         : TRACE_SET_NONE;
    }
    lines = trace_zeros(symbols.byte_count, 1);
    names = trace_zeros(symbols.count, sizeof *names);
    for (size_t i = 0; i < symbols.byte_count; i++)
        lines[i] = symbols.bytes[i] ? symbols.bytes[i] : '\n';
    answer = symbols.count ? demangle(lines, symbols.byte_count) : NULL;
    if (answer && read_lines(answer, names, symbols.count)) {
        for (size_t i = 0; i < timeline->work_count; i++) {
            if (numbers[i] != TRACE_SET_NONE && *names[numbers[i]])
                timeline->works[i].name = trace_set_add_text(&timeline->names, names[numbers[i]]);
        }
    }
    free(answer);
    free(names);
    free(lines);
    free(numbers);
    trace_set_free(&symbols);
}
