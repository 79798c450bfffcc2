/* SPDX-License-Identifier: Apache-2.0 */
/* Races: what is said of one, and how often. */
#include <cushim/testing/mock.h>

#include <stdio.h>
#include <stdlib.h>

#include "src/mock/memory/allocation.h"
#include "src/race/internal.h"

enum { SIDE = 192 };

bool cushim__race_texts_create(void)
{
    struct race_search *races = cushim__race_search();

    races->texts = calloc(RACE_TEXTS_KEPT, sizeof *races->texts);
    races->places = calloc(RACE_PLACES, sizeof *races->places);
    return races->texts && races->places;
}

void cushim__race_texts_clear(void)
{
    free(cushim__race_search()->texts);
    free(cushim__race_search()->places);
}

/* FNV-1a. */
static uint64_t add(uint64_t sum, uint64_t value)
{
    for (unsigned i = 0; i < sizeof value; i++)
        sum = (sum ^ (value >> (8 * i) & 0xff)) * UINT64_C(0x100000001b3);
    return sum;
}

/* Names are kept once each, so that their places tell them apart. */
static uint64_t add_place(uint64_t sum, const struct race_access *mark)
{
    sum = add(sum, mark->stream);
    sum = add(sum, (uintptr_t)mark->kind);
    sum = add(sum, (uintptr_t)mark->name);
    return add(sum, (uintptr_t)mark->call);
}

/*
 * Whether the same is said already: that an operation of this kind and name, of this call on this
 * stream, races with one of that for this allocation. What comes when no more can be kept is
 * counted, and not told.
 */
static bool is_known(const struct race_access *later, const struct race_access *earlier,
                     uint64_t allocation)
{
    struct race_search *races = cushim__race_search();
    uint64_t place = add(UINT64_C(0xcbf29ce484222325), allocation);

    place = add_place(add_place(place, later), earlier);
    for (size_t i = 0; i < races->place_count; i++) {
        if (races->places[i] == place)
            return true;
    }
    if (races->place_count == RACE_PLACES) {
        races->count++;
        return true;
    }
    races->places[races->place_count++] = place;
    return false;
}

static const char *verb(enum race_use use)
{
    static const char *const verbs[] = {
        [RACE_READS] = "reads",     [RACE_WRITES] = "writes", [RACE_MAY_WRITE] = "may write",
        [RACE_ALLOCATES] = "makes", [RACE_FREES] = "frees",
    };

    return verbs[use];
}

static void name_stream(const struct race_access *mark, char *text, size_t size)
{
    if (mark->on_default)
        snprintf(text, size, "the default stream");
    else
        snprintf(text, size, "stream %llu", (unsigned long long)mark->stream);
}

/* What to do about it. */
static void advise(const struct race_access *later, const struct race_access *earlier, char *text,
                   size_t size)
{
    char from[40], to[40];

    if (later->launch > 0 && later->launch == earlier->launch) {
        snprintf(text, size, "add an edge between their nodes to the graph");
        return;
    }
    name_stream(earlier, from, sizeof from);
    name_stream(later, to, sizeof to);
    snprintf(text, size, "record an event on %s after the %s and let %s wait for it", from,
             earlier->launch > 0 ? "graph" : earlier->kind, to);
}

void cushim__race_report(const struct race_side *later, const struct race_side *earlier,
                         const struct mock_allocation *allocation, uint64_t first, uint64_t end)
{
    struct race_search *races = cushim__race_search();
    char text[RACE_TEXT_SIZE], one[SIDE], other[SIDE], advice[SIDE];

    if (is_known(later->mark, earlier->mark, allocation->id))
        return;
    cushim__race_access_describe(later->mark, one, sizeof one);
    cushim__race_access_describe(earlier->mark, other, sizeof other);
    advise(later->mark, earlier->mark, advice, sizeof advice);
    snprintf(text, sizeof text,
             "%s %s and %s %s bytes %llu to %llu of allocation %llu: nothing orders them; %s", one,
             verb(later->use), other, verb(earlier->use),
             (unsigned long long)(first - allocation->span.start),
             (unsigned long long)(end - allocation->span.start), (unsigned long long)allocation->id,
             advice);
    if (races->count < RACE_TEXTS_KEPT)
        snprintf(races->texts[races->count], RACE_TEXT_SIZE, "%s", text);
    races->count++;
    if (cushim__mock->settings.races == MOCK_RACES_MISUSE)
        cushim__mock_misuse("%s", text);
    else
        cushim__mock_log("%s", text);
}

const char *cushim_mock_race(struct cushim_mock *mock, size_t index)
{
    const char *text = NULL;

    if (!mock)
        return NULL;
    cushim__mock_lock(mock);
    if (mock->races && index < mock->races->count && index < RACE_TEXTS_KEPT)
        text = mock->races->texts[index];
    cushim__mock_unlock(mock);
    return text;
}

/* Whether anything orders two operations, of which the second was submitted later. */
static enum cushim_mock_order order_of(const struct race_access *one,
                                       const struct race_access *later)
{
    if (one->strand != later->strand &&
        ((one->before && one->before->open > 0) || (later->before && later->before->open > 0)))
        return CUSHIM_MOCK_ORDER_UNKNOWN;
    return cushim__race_access_precedes(one, later) ? CUSHIM_MOCK_ORDER_BEFORE
                                                    : CUSHIM_MOCK_ORDER_NONE;
}

static void say(const struct race_access *one, const struct race_access *later,
                enum cushim_mock_order order, char *text, size_t size)
{
    char from[SIDE], to[SIDE];

    cushim__race_access_describe(one, from, sizeof from);
    cushim__race_access_describe(later, to, sizeof to);
    if (order == CUSHIM_MOCK_ORDER_BEFORE)
        snprintf(text, size, "%s comes before %s", from, to);
    else if (order == CUSHIM_MOCK_ORDER_NONE)
        snprintf(text, size, "nothing orders %s and %s", from, to);
    else
        snprintf(text, size,
                 "what orders %s and %s depends on who writes the value in memory that a stream "
                 "waits for",
                 from, to);
}

static CUresult find_order(uint64_t first, uint64_t second, enum cushim_mock_order *order,
                           char *text, size_t text_size)
{
    const struct race_access *one, *later;

    if (!cushim__race_search())
        return CUDA_ERROR_NOT_SUPPORTED;
    one = cushim__race_access_find(first < second ? first : second);
    later = cushim__race_access_find(first < second ? second : first);
    if (!one || !later)
        return CUDA_ERROR_NOT_FOUND;
    *order = order_of(one, later);
    if (text)
        say(one, later, *order, text, text_size);
    if (*order == CUSHIM_MOCK_ORDER_BEFORE && second < first)
        *order = CUSHIM_MOCK_ORDER_AFTER;
    return CUDA_SUCCESS;
}

CUresult cushim_mock_ordered(struct cushim_mock *mock, uint64_t first, uint64_t second,
                             enum cushim_mock_order *order, char *text, size_t text_size)
{
    CUresult code;

    if (!mock || !order || first == second)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_lock(mock);
    code = find_order(first, second, order, text, text_size);
    cushim__mock_unlock(mock);
    return code;
}
