/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/hostile/mutant.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/hostile/random.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const uint64_t numbers[] = {
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    16,
    24,
    255,
    0xfff,
    0x1000,
    0x1001,
    0x7fff,
    0x8000,
    0xffff,
    0x10000,
    0x7fffffff,
    0x80000000u,
    0xffffffffu,
    (uint64_t)1 << 32,
    (uint64_t)1 << 40,
    (uint64_t)1 << 46,
    (uint64_t)1 << 47,
    (uint64_t)1 << 62,
    INT64_MAX,
    (uint64_t)1 << 63,
    UINT64_MAX - 4095,
    UINT64_MAX - 7,
    UINT64_MAX,
};

static const int64_t distances[] = {1, -1, 4, -4, 8, -8, 16, 24, 0x100, 0x1000, -0x1000, 0x100000};

static const uint32_t segment_types[] = {
    0, 1, 2, 3, 4, 5, 6, 7, 0x6474e550, 0x6474e551, 0x6474e552, 0x6474e553, 0x70000001,
};

static const uint64_t tags[] = {
    0,          1,          2,          3,          4,          5,          6,          7,
    8,          9,          10,         11,         12,         13,         14,         15,
    16,         17,         18,         19,         20,         21,         22,         23,
    24,         25,         26,         27,         28,         29,         30,         32,
    33,         34,         35,         36,         37,         0x6ffffdf8, 0x6ffffef5, 0x6ffffef6,
    0x6ffffef7, 0x6ffffefa, 0x6ffffefb, 0x6ffffefc, 0x6ffffefd, 0x6ffffff0, 0x6ffffff9, 0x6ffffffa,
    0x6ffffffb, 0x6ffffffc, 0x6ffffffd, 0x6ffffffe, 0x6fffffff, 0x7ffffffd, 0x7fffffff, 0x70000001,
};

static const size_t longer[] = {1, 4095, 4096, MUTANT_MOST_MORE};

/* ~x, x << 1, x >> 1 */
enum { TURNS = 3 };

static void describe(struct mutant *mutant, const char *format, ...)
    __attribute__((format(__printf__, 2, 3)));

static void describe(struct mutant *mutant, const char *format, ...)
{
    const size_t length = strlen(mutant->words);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(mutant->words + length, sizeof mutant->words - length, format, arguments);
    va_end(arguments);
}

static uint64_t value_count(const struct victim *victim, const struct field *field)
{
    switch (field->kind) {
    case FIELD_SEGMENT_TYPE:
        return COUNT(segment_types);
    case FIELD_ENTRY_TAG:
        return COUNT(tags);
    default:
        return COUNT(numbers) + COUNT(distances) + TURNS + victim->edge_count;
    }
}

static uint64_t value_of(const struct victim *victim, const struct field *field, uint64_t old,
                         uint64_t index)
{
    if (field->kind == FIELD_SEGMENT_TYPE)
        return segment_types[index];
    if (field->kind == FIELD_ENTRY_TAG)
        return tags[index];
    if (index < COUNT(numbers))
        return numbers[index];
    index -= COUNT(numbers);
    if (index < COUNT(distances))
        return old + (uint64_t)distances[index];
    index -= COUNT(distances);
    if (index < TURNS)
        return index == 0 ? ~old : index == 1 ? old << 1 : old >> 1;
    return victim->edges[index - TURNS];
}

static uint64_t read_field(const struct mutant *mutant, const struct field *field)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < field->bytes; i++)
        value |= (uint64_t)mutant->bytes[field->place + i] << 8 * i;
    return value;
}

static void write_field(struct mutant *mutant, const struct field *field, uint64_t value)
{
    describe(mutant, "%s %u %s 0x%" PRIx64 " -> 0x%" PRIx64 "; ", field->table, field->index,
             field->member, read_field(mutant, field), value);
    for (unsigned i = 0; i < field->bytes; i++)
        mutant->bytes[field->place + i] = (unsigned char)(value >> 8 * i);
}

static void set_field(struct mutant *mutant, const struct victim *victim, const struct field *field,
                      uint64_t index)
{
    write_field(mutant, field, value_of(victim, field, read_field(mutant, field), index));
}

static void copy_row(struct mutant *mutant, const struct row_table *table, uint64_t from,
                     uint64_t to)
{
    describe(mutant, "%s %" PRIu64 " over %" PRIu64 "; ", table->name, from, to);
    memmove(mutant->bytes + table->place + to * table->size,
            mutant->bytes + table->place + from * table->size, table->size);
}

static void cut(struct mutant *mutant, size_t size)
{
    describe(mutant, "cut at %zu; ", size);
    mutant->size = size;
}

static uint64_t row_pairs(const struct row_table *table)
{
    return (uint64_t)table->count * table->count;
}

uint64_t mutant_count(const struct victim *victim)
{
    uint64_t count = victim->field_count + COUNT(longer);

    for (size_t i = 0; i < victim->field_count; i++)
        count += value_count(victim, &victim->fields[i]);
    for (size_t i = 0; i < COUNT(victim->tables); i++)
        count += row_pairs(&victim->tables[i]);
    return count;
}

static void make_by_fields(struct mutant *mutant, const struct victim *victim, uint64_t number)
{
    for (size_t i = 0; i < victim->field_count; i++) {
        const uint64_t count = value_count(victim, &victim->fields[i]);
        if (number < count) {
            set_field(mutant, victim, &victim->fields[i], number);
            return;
        }
        number -= count;
    }
    for (size_t i = 0; i < COUNT(victim->tables); i++) {
        const struct row_table *table = &victim->tables[i];
        if (number < row_pairs(table)) {
            copy_row(mutant, table, number / table->count, number % table->count);
            return;
        }
        number -= row_pairs(table);
    }
    if (number < victim->field_count) {
        cut(mutant, victim->fields[number].place);
        return;
    }
    mutant->size += longer[number - victim->field_count];
    describe(mutant, "longer by %zu; ", mutant->size - victim->size);
}

static void change_bytes(struct mutant *mutant, const struct victim *victim, struct random *random)
{
    /* In the tables at its beginning mostly, or from there to its end. */
    const size_t room = random_below(random, 4) ? victim->head : victim->size;
    const size_t place = random_below(random, room);
    const unsigned char bits =
        (unsigned char)(random_below(random, 2) ? 1u << random_below(random, 8)
                                                : random_next(random) | 1);

    describe(mutant, "byte 0x%zx ^ 0x%x; ", place, bits);
    mutant->bytes[place] ^= bits;
}

static void move_bytes(struct mutant *mutant, const struct victim *victim, struct random *random)
{
    const size_t size = 4 + random_below(random, 60), room = victim->head - size;
    const size_t from = random_below(random, room), to = random_below(random, room);

    describe(mutant, "0x%zx bytes of 0x%zx over 0x%zx; ", size, from, to);
    memmove(mutant->bytes + to, mutant->bytes + from, size);
}

static void change_once(struct mutant *mutant, const struct victim *victim, struct random *random)
{
    const struct field *field = &victim->fields[random_below(random, victim->field_count)];
    const struct row_table *table = &victim->tables[random_below(random, COUNT(victim->tables))];

    switch (random_below(random, 16)) {
    case 0:
        copy_row(mutant, table, random_below(random, table->count),
                 random_below(random, table->count));
        break;
    case 1:
        cut(mutant, random_below(random, victim->size));
        break;
    case 2:
        move_bytes(mutant, victim, random);
        break;
    case 3:
    case 4:
    case 5:
        change_bytes(mutant, victim, random);
        break;
    case 6:
        write_field(mutant, field, random_next(random) >> random_below(random, 64));
        break;
    default:
        set_field(mutant, victim, field, random_below(random, value_count(victim, field)));
    }
}

struct mutant mutant_begin(const struct victim *victim)
{
    struct mutant mutant = {.bytes = malloc(victim->size + MUTANT_MOST_MORE)};

    if (!mutant.bytes)
        abort();
    return mutant;
}

void mutant_make(struct mutant *mutant, const struct victim *victim, uint64_t seed, uint64_t number)
{
    const uint64_t by_fields = mutant_count(victim);

    memcpy(mutant->bytes, victim->bytes, victim->size);
    memset(mutant->bytes + victim->size, 0, MUTANT_MOST_MORE);
    mutant->size = victim->size;
    mutant->words[0] = '\0';
    if (number < by_fields) {
        make_by_fields(mutant, victim, number);
    } else {
        struct random random = random_begin(seed, number);
        for (uint64_t i = random_below(&random, 5) + 1; i > 0; i--)
            change_once(mutant, victim, &random);
    }
}

void mutant_end(struct mutant *mutant)
{
    free(mutant->bytes);
}
