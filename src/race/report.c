/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports on operations, which may be long gone: that two of them race, once for each pair of
 * places in the program, and whether anything orders two of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/name.h"
#include "src/race/internal.h"

enum { SIDE = 192 };

/* The names of kernels, each kept once. They outlive what they were taken from. */
struct race_name {
    struct race_name *next;
    char *text;
};

bool cushim__race_report_create(void)
{
    struct race_detector *detector = cushim__race_detector;

    detector->operations = calloc(RACE_OPERATIONS_KEPT, sizeof *detector->operations);
    detector->places = calloc(RACE_PLACES, sizeof *detector->places);
    return detector->operations && detector->places;
}

void cushim__race_report_clear(void)
{
    struct race_detector *detector = cushim__race_detector;

    for (size_t i = 0; detector->operations && i < RACE_OPERATIONS_KEPT; i++)
        cushim__race_clock_release(detector->operations[i].before);
    free(detector->operations);
    while (detector->names) {
        struct race_name *next = detector->names->next;

        free(detector->names->text);
        free(detector->names);
        detector->names = next;
    }
    free(detector->places);
}

void cushim__race_access_keep(const struct race_access *access)
{
    struct race_access *place =
        &cushim__race_detector->operations[access->number % RACE_OPERATIONS_KEPT];

    cushim__race_clock_release(place->before);
    *place = *access;
    cushim__race_clock_retain(place->before);
}

/* Returns NULL if the operation is not kept. */
static const struct race_access *find(uint64_t number)
{
    const struct race_access *access =
        &cushim__race_detector->operations[number % RACE_OPERATIONS_KEPT];

    return number > 0 && access->number == number ? access : NULL;
}

bool cushim__race_access_precedes(const struct race_access *one, const struct race_access *later)
{
    return one->timeline == later->timeline ||
           cushim__race_clock_of(later->before, one->timeline) >= one->number;
}

static const char *stream_of(const struct race_access *access)
{
    if (access->on_default)
        return "default stream";
    return access->stream_name[0] ? access->stream_name : "a stream";
}

/* Write `copy (stream#2, cuMemcpyHtoDAsync_v2)`. */
static void describe(const struct race_access *access, char *text, size_t size)
{
    const bool has_name = access->name != NULL;

    snprintf(text, size, "%s%s%.64s%s (%s, %s)", access->kind, has_name ? " \"" : "",
             has_name ? access->name : "", has_name ? "\"" : "", stream_of(access), access->call);
}

/* Returns NULL if memory runs out. */
static const char *add_name(const char *text)
{
    struct race_detector *detector = cushim__race_detector;
    struct race_name *name = calloc(1, sizeof *name);

    if (!name)
        return NULL;
    name->text = cushim__name_copy(text, strlen(text));
    if (!name->text) {
        free(name);
        return NULL;
    }
    name->next = detector->names;
    detector->names = name;
    return name->text;
}

void cushim__race_set_name(struct race_access *access, const char *text)
{
    const struct race_name *name = cushim__race_detector->names;

    while (name && strcmp(name->text, text) != 0)
        name = name->next;
    access->name = name ? name->text : add_name(text);
}

void cushim__race_name_stream(struct race_stream *stream, const char *name)
{
    if (cushim__race_detector)
        snprintf(stream->name, sizeof stream->name, "%s", name);
}

/* The hash FNV-1a. */
#define FNV_BASIS UINT64_C(0xcbf29ce484222325)

static uint64_t add(uint64_t sum, uint64_t value)
{
    for (unsigned i = 0; i < sizeof value; i++)
        sum = (sum ^ (value >> (8 * i) & 0xff)) * UINT64_C(0x100000001b3);
    return sum;
}

/* Each name is kept once, so its address identifies it. */
static uint64_t add_access(uint64_t sum, const struct race_access *access)
{
    sum = add(sum, access->stream);
    sum = add(sum, (uintptr_t)access->kind);
    sum = add(sum, (uintptr_t)access->name);
    return add(sum, (uintptr_t)access->call);
}

/* Note a pair of places. Returns whether it was known. If no more can be kept, only count it. */
static bool is_noted(uint64_t place)
{
    struct race_detector *detector = cushim__race_detector;

    for (size_t i = 0; i < detector->place_count; i++) {
        if (detector->places[i] == place)
            return true;
    }
    if (detector->place_count == RACE_PLACES) {
        detector->count++;
        return true;
    }
    detector->places[detector->place_count++] = place;
    return false;
}

/*
 * Whether it is known already that an operation of the kind and name, of the call and on the stream
 * of `later` races with one like `earlier` for this allocation.
 */
static bool is_known(const struct race_access *later, const struct race_access *earlier,
                     uint64_t allocation)
{
    return is_noted(add_access(add_access(add(FNV_BASIS, allocation), later), earlier));
}

static const char *verb(enum race_use use)
{
    static const char *const verbs[] = {
        [RACE_READS] = "reads",     [RACE_WRITES] = "writes", [RACE_MAY_WRITE] = "may write",
        [RACE_ALLOCATES] = "makes", [RACE_FREES] = "frees",   [RACE_ATOMIC] = "changes",
    };

    return verbs[use];
}

/* Write what to do about a race. */
static void advise(const struct race_access *later, const struct race_access *earlier, char *text,
                   size_t size)
{
    if (later->launch > 0 && later->launch == earlier->launch) {
        snprintf(text, size, "add an edge between their nodes to the graph");
        return;
    }
    snprintf(text, size, "record an event on %s%s after the %s and let %s%s wait for it",
             earlier->on_default ? "the " : "", stream_of(earlier),
             earlier->launch > 0 ? "graph" : earlier->kind, later->on_default ? "the " : "",
             stream_of(later));
}

void cushim__race_report(const struct race_side *later, const struct race_side *earlier,
                         const struct race_memory *memory, uint64_t first, uint64_t end)
{
    struct race_detector *detector = cushim__race_detector;
    char line[3 * SIDE + 200], one[SIDE], other[SIDE], advice[SIDE], name[64];

    if (is_known(later->access, earlier->access, memory->id))
        return;
    describe(later->access, one, sizeof one);
    describe(earlier->access, other, sizeof other);
    advise(later->access, earlier->access, advice, sizeof advice);
    detector->ask.name(memory, name, sizeof name);
    snprintf(line, sizeof line, "%s %s and %s %s bytes %llu to %llu of %s: nothing orders them; %s",
             one, verb(later->use), other, verb(earlier->use),
             (unsigned long long)(first - memory->start), (unsigned long long)(end - memory->start),
             name, advice);
    detector->count++;
    detector->ask.found(later, earlier, memory, line);
}

void cushim__race_report_within(uint64_t number, uint64_t place, const char *what)
{
    static const struct race_access unknown;
    const struct race_access *access = find(number);
    char line[4 * SIDE + 200], one[SIDE] = "a kernel";

    if (is_noted(add(add(FNV_BASIS, place), access ? (uintptr_t)access->name : 0)))
        return;
    if (access)
        describe(access, one, sizeof one);
    snprintf(line, sizeof line, "%s: %s", one, what);
    cushim__race_detector->count++;
    cushim__race_detector->ask.found(&(struct race_side){access ? access : &unknown, RACE_WRITES},
                                     NULL, NULL, line);
}

/* Whether anything orders two operations, of which the second was submitted later. */
static enum race_order order_of(const struct race_access *one, const struct race_access *later)
{
    if (one->timeline != later->timeline &&
        ((one->before && one->before->open > 0) || (later->before && later->before->open > 0)))
        return RACE_ORDER_UNKNOWN;
    return cushim__race_access_precedes(one, later) ? RACE_ORDER_BEFORE : RACE_ORDER_NONE;
}

size_t cushim__race_count(void)
{
    return cushim__race_detector ? cushim__race_detector->count : 0;
}

enum race_order cushim__race_order(uint64_t first, uint64_t second)
{
    const struct race_access *one = find(first < second ? first : second);
    const struct race_access *later = find(first < second ? second : first);
    enum race_order order;

    if (!one || !later)
        return RACE_ORDER_LOST;
    order = order_of(one, later);
    return order == RACE_ORDER_BEFORE && second < first ? RACE_ORDER_AFTER : order;
}
