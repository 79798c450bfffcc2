/* SPDX-License-Identifier: Apache-2.0 */
/* The names that the texts of a module share, and those of the instructions. */
#include "src/mock/ptx/parser.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

struct name {
    struct name *next;
    uint32_t value;
    char kind;
    size_t length;
    char text[];
};

struct ptx_names {
    struct name *buckets[BUCKETS];
};

uint32_t cushim__ptx_hash(struct ptx_word name)
{
    uint32_t value = 2166136261u;

    for (size_t i = 0; i < name.length; i++)
        value = (value ^ (unsigned char)name.start[i]) * 16777619u;
    return value ^ value >> 15;
}

struct ptx_names *cushim__ptx_names_create(void)
{
    return calloc(1, sizeof(struct ptx_names));
}

void cushim__ptx_names_destroy(struct ptx_names *names)
{
    for (size_t i = 0; names && i < BUCKETS; i++) {
        while (names->buckets[i]) {
            struct name *next = names->buckets[i]->next;

            free(names->buckets[i]);
            names->buckets[i] = next;
        }
    }
    free(names);
}

uint32_t *cushim__ptx_names_find(const struct ptx_names *names, char kind, struct ptx_word name)
{
    struct name *found = names->buckets[cushim__ptx_hash(name) % BUCKETS];

    while (found && (found->kind != kind || found->length != name.length ||
                     memcmp(found->text, name.start, name.length) != 0))
        found = found->next;
    return found ? &found->value : NULL;
}

bool cushim__ptx_names_add(struct ptx_names *names, char kind, struct ptx_word name, uint32_t value)
{
    struct name **bucket = &names->buckets[cushim__ptx_hash(name) % BUCKETS];
    struct name *added = malloc(sizeof *added + name.length);

    if (!added)
        return false;
    *added = (struct name){*bucket, value, kind, name.length};
    memcpy(added->text, name.start, name.length);
    *bucket = added;
    return true;
}
