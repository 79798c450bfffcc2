/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/hostile/readers.h"

#include <stdlib.h>
#include <string.h>

#include "loader/cache.h"

#define NAME "libcuda.so.1"

enum { HEAD_BYTES = 48, ENTRY_BYTES = 24, OLD_HEAD_BYTES = 16, OLD_ENTRY_BYTES = 12 };

/*
 * A cache of both formats is made here, with these in each; their places are counted from `start`.
 */
static const char *const texts[] = {
    "libc.so.6",
    "/lib/x86_64-linux-gnu/libc.so.6",
    NAME,
    "/lib/x86_64-linux-gnu/" NAME,
    "libcuda.so.01",
    "/lib/i386-linux-gnu/" NAME,
    NAME,
    "/opt/driver/" NAME,
    "libcudart.so.12",
    "/opt/libcudart.so.12",
};

enum { TEXTS = sizeof texts / sizeof texts[0], ENTRIES = TEXTS / 2 };

static void put(struct victim *victim, size_t place, uint32_t number)
{
    memcpy(victim->bytes + place, &number, sizeof number);
}

static void add_field(struct victim *victim, const char *table, unsigned index, const char *member,
                      size_t place, unsigned bytes)
{
    victim->fields[victim->field_count++] =
        (struct field){place, bytes, FIELD_NUMBER, table, member, index};
}

static void add_words(struct victim *victim, const char *table, unsigned index, size_t place,
                      size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 4)
        add_field(victim, table, index, "word", place + i, 4);
}

static void write_head(struct victim *victim, size_t start)
{
    memcpy(victim->bytes + start, "glibc-ld.so.cache1.1", 20);
    put(victim, start + 20, ENTRIES);
    add_words(victim, "head", 0, start, HEAD_BYTES);
    add_field(victim, "head", 0, "order", start + 28, 1);
}

static void write_entries(struct victim *victim, size_t start)
{
    size_t text = HEAD_BYTES + ENTRIES * ENTRY_BYTES;

    for (unsigned i = 0; i < TEXTS; i++) {
        const size_t entry = start + HEAD_BYTES + i / 2 * ENTRY_BYTES;
        put(victim, entry, 0x0303);
        put(victim, entry + 4 + i % 2 * 4, (uint32_t)text);
        strcpy((char *)victim->bytes + start + text, texts[i]);
        if (i % 2 == 0)
            add_words(victim, "entry", i / 2, entry, ENTRY_BYTES);
        add_field(victim, "text", i, "byte", start + text, 1);
        add_field(victim, "text", i, "end", start + text + strlen(texts[i]), 1);
        text += strlen(texts[i]) + 1;
    }
    victim->size = start + text;
    victim->edges[victim->edge_count++] = text;
    victim->edges[victim->edge_count++] = text - 1;
    victim->edges[victim->edge_count++] = victim->size;
    victim->tables[0] = (struct row_table){"entry", start + HEAD_BYTES, ENTRY_BYTES, ENTRIES};
}

/* What it is made of is here, and not at a path. */
static struct victim *make_cache(const char *path)
{
    const size_t start = (OLD_HEAD_BYTES + ENTRIES * OLD_ENTRY_BYTES + 7) / 8 * 8;
    struct victim *victim = calloc(1, sizeof *victim);

    if (!victim || !(victim->bytes = calloc(1, 4096)))
        abort();
    victim->path = path;
    memcpy(victim->bytes, "ld.so-1.7.0", 11);
    put(victim, 12, ENTRIES);
    add_words(victim, "old head", 0, 0, OLD_HEAD_BYTES);
    victim->tables[1] = (struct row_table){"old entry", OLD_HEAD_BYTES, OLD_ENTRY_BYTES, ENTRIES};
    write_head(victim, start);
    write_entries(victim, start);
    victim->head = victim->size;
    return victim;
}

static size_t visited;

/* What is visited is a text that ends. */
static bool visit(const char *path, void *data)
{
    visited += strlen(path) + 1;
    (void)data;
    return visited % 3 != 0;
}

static unsigned read_cache(const struct victim *victim, const struct mutant *mutant)
{
    /* A copy of its size, so that a sanitizer sees its end. */
    unsigned char *bytes = malloc(mutant->size ? mutant->size : 1);
    enum cushim__cached cached;

    if (!bytes)
        abort();
    memcpy(bytes, mutant->bytes, mutant->size);
    cached = cushim__cache_look_at(bytes, mutant->size, NAME, visit, NULL);
    if (mutant->size == victim->size && cached < CUSHIM__CACHED_FILES &&
        memcmp(bytes, victim->bytes, victim->size) == 0)
        reader_fail("the cache has the name, and it is not found");
    free(bytes);
    return cached;
}

static const char *name_of_cached(unsigned index)
{
    static const char *const names[] = {"unknown", "has none", "has files", "stopped"};

    return names[index];
}

const struct reader reader_cache = {"cache", make_cache, read_cache, name_of_cached};
