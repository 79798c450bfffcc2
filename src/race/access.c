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
struct cushim__name {
    struct cushim__name *next;
    char *text;
};

bool cushim__marks_create(void)
{
    cushim__races()->marks = calloc(CUSHIM__MARKS_KEPT, sizeof *cushim__races()->marks);
    return cushim__races()->marks;
}

void cushim__marks_clear(void)
{
    struct cushim__races *races = cushim__races();

    for (size_t i = 0; races->marks && i < CUSHIM__MARKS_KEPT; i++)
        cushim__clock_release(races->marks[i].before);
    free(races->marks);
    while (races->names) {
        struct cushim__name *name = races->names;

        races->names = name->next;
        free(name->text);
        free(name);
    }
}

void cushim__mark_begin(struct cushim__mark *mark, const struct cushim__stream *stream,
                        const struct cushim__operation *operation)
{
    const struct cushim__races *races = cushim__races();
    const bool in_graph = races->launch > 0;

    *mark = (struct cushim__mark){
        .number = operation->number,
        .stream = in_graph ? races->launch_stream : stream->id,
        .launch = races->launch,
        .on_default = in_graph ? races->launch_on_default : stream->kind == CUSHIM__LEGACY,
        .kind = operation->class->name,
        .call = cushim__call_name(),
    };
}

void cushim__mark_keep(const struct cushim__mark *mark)
{
    struct cushim__mark *place = &cushim__races()->marks[mark->number % CUSHIM__MARKS_KEPT];

    cushim__clock_release(place->before);
    *place = *mark;
    cushim__clock_retain(place->before);
}

const struct cushim__mark *cushim__mark_find(uint64_t number)
{
    const struct cushim__mark *mark = &cushim__races()->marks[number % CUSHIM__MARKS_KEPT];

    return number > 0 && mark->number == number ? mark : NULL;
}

bool cushim__mark_precedes(const struct cushim__mark *one, const struct cushim__mark *later)
{
    return one->strand == later->strand ||
           cushim__clock_of(later->before, one->strand) >= one->number;
}

void cushim__mark_describe(const struct cushim__mark *mark, char *text, size_t size)
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

void cushim__submission_name(struct cushim__submission *submission, const char *text)
{
    struct cushim__races *races = cushim__races();
    struct cushim__name *name = races->names;

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

void cushim__races_launch_begin(const struct cushim__stream *stream)
{
    struct cushim__races *races = cushim__races();

    if (!races)
        return;
    races->launch = ++races->launches;
    races->launch_stream = stream->id;
    races->launch_on_default = stream->kind == CUSHIM__LEGACY;
}

void cushim__races_launch_end(void)
{
    if (cushim__races())
        cushim__races()->launch = 0;
}
