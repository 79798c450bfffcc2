/* SPDX-License-Identifier: Apache-2.0 */
/* Marks: operations as they are named and compared when they may be long gone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/mock/call.h"
#include "src/mock/name.h"
#include "src/mock/sim/stream.h"
#include "src/race/internal.h"

/* Names of kernels, each once: they outlive what they were taken from. */
struct race_name {
    struct race_name *next;
    char *text;
};

bool cushim__race_accesses_create(void)
{
    cushim__race_search()->marks =
        calloc(RACE_OPERATIONS_KEPT, sizeof *cushim__race_search()->marks);
    return cushim__race_search()->marks;
}

void cushim__race_accesses_clear(void)
{
    struct race_search *races = cushim__race_search();

    for (size_t i = 0; races->marks && i < RACE_OPERATIONS_KEPT; i++)
        cushim__race_clock_release(races->marks[i].before);
    free(races->marks);
    while (races->names) {
        struct race_name *name = races->names;

        races->names = name->next;
        free(name->text);
        free(name);
    }
}

void cushim__race_access_begin(struct race_access *mark, const struct mock_stream *stream,
                               const struct mock_operation *operation)
{
    const struct race_search *races = cushim__race_search();
    const bool in_graph = races->launch > 0;

    *mark = (struct race_access){
        .number = operation->number,
        .stream = in_graph ? races->launch_stream : stream->id,
        .launch = races->launch,
        .on_default = in_graph ? races->launch_on_default : stream->kind == MOCK_LEGACY,
        .kind = operation->class->name,
        .call = cushim__mock_call_name(),
    };
}

void cushim__race_access_keep(const struct race_access *mark)
{
    struct race_access *place = &cushim__race_search()->marks[mark->number % RACE_OPERATIONS_KEPT];

    cushim__race_clock_release(place->before);
    *place = *mark;
    cushim__race_clock_retain(place->before);
}

const struct race_access *cushim__race_access_find(uint64_t number)
{
    const struct race_access *mark = &cushim__race_search()->marks[number % RACE_OPERATIONS_KEPT];

    return number > 0 && mark->number == number ? mark : NULL;
}

bool cushim__race_access_precedes(const struct race_access *one, const struct race_access *later)
{
    return one->strand == later->strand ||
           cushim__race_clock_of(later->before, one->strand) >= one->number;
}

void cushim__race_access_describe(const struct race_access *mark, char *text, size_t size)
{
    const bool has_name = mark->name != NULL;
    char stream[32];

    if (mark->on_default)
        snprintf(stream, sizeof stream, "default stream");
    else
        snprintf(stream, sizeof stream, "stream %llu", (unsigned long long)mark->stream);
    snprintf(text, size, "%s%s%.64s%s (operation %llu, %s, %s)", mark->kind, has_name ? " \"" : "",
             has_name ? mark->name : "", has_name ? "\"" : "", (unsigned long long)mark->number,
             stream, mark->call);
}

void cushim__race_submission_name(struct race_submission *submission, const char *text)
{
    struct race_search *races = cushim__race_search();
    struct race_name *name = races->names;

    while (name && strcmp(name->text, text) != 0)
        name = name->next;
    if (!name) {
        name = calloc(1, sizeof *name);
        if (!name)
            return;
        name->text = cushim__name_copy(text, strlen(text));
        if (!name->text) {
            free(name);
            return;
        }
        name->next = races->names;
        races->names = name;
    }
    submission->mark.name = name->text;
}

void cushim__race_launch_begin(const struct mock_stream *stream)
{
    struct race_search *races = cushim__race_search();

    if (!races)
        return;
    races->launch = ++races->launches;
    races->launch_stream = stream->id;
    races->launch_on_default = stream->kind == MOCK_LEGACY;
}

void cushim__race_launch_end(void)
{
    if (cushim__race_search())
        cushim__race_search()->launch = 0;
}
