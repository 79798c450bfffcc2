/* SPDX-License-Identifier: Apache-2.0 */
/* The names that the texts of a module share, and the rows of the tables by name. */
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

/* --- opcodes --- */

static const struct ptx_alu *const tables[] = {
    cushim__ptx_alu_integer, cushim__ptx_alu_bits,   cushim__ptx_alu_float,
    cushim__ptx_alu_convert, cushim__ptx_alu_packed,
};

static const struct ptx_selector *const selectors[] = {
    cushim__ptx_select_memory,
    cushim__ptx_select_control,
    cushim__ptx_select_move,
    cushim__ptx_select_arithmetic,
};

/* The value of a name is a table and a row; that of a base without a selector is above all. */
enum { TABLES = sizeof tables / sizeof *tables, SELECTORS = sizeof selectors / sizeof *selectors };
enum { TABLE_ROWS = 1 << 10, NO_SELECTOR = SELECTORS * TABLE_ROWS };

const char *cushim__ptx_opcode(size_t index)
{
    for (size_t i = 0; i < TABLES; i++) {
        for (const struct ptx_alu *row = tables[i]; row->name; row++) {
            if (index-- == 0)
                return row->name;
        }
    }
    for (size_t i = 0; i < SELECTORS; i++) {
        for (const struct ptx_selector *row = selectors[i]; row->base; row++) {
            if (index-- == 0)
                return row->base;
        }
    }
    return NULL;
}

static struct ptx_word word_of(const char *name)
{
    return (struct ptx_word){name, strlen(name)};
}

/* What comes before the first dot. */
static bool add_base(struct ptx_names *names, const char *name, uint32_t value)
{
    const struct ptx_word base = {name, strcspn(name, ".")};

    return cushim__ptx_names_find(names, 'o', base) ||
           cushim__ptx_names_add(names, 'o', base, value);
}

struct ptx_names *cushim__ptx_names_create(bool opcodes)
{
    struct ptx_names *names = calloc(1, sizeof *names);
    bool added = names != NULL;

    for (uint32_t i = 0; opcodes && i < SELECTORS; i++) {
        for (uint32_t row = 0; added && selectors[i][row].base; row++)
            added = add_base(names, selectors[i][row].base, i * TABLE_ROWS + row);
    }
    for (uint32_t i = 0; opcodes && i < TABLES; i++) {
        for (uint32_t row = 0; added && tables[i][row].name; row++) {
            const char *const name = tables[i][row].name;

            /* Rows of one base follow each other. */
            if (row == 0 || strncmp(name, tables[i][row - 1].name, strcspn(name, ".") + 1) != 0)
                added = add_base(names, name, NO_SELECTOR);
            added = added && cushim__ptx_names_add(names, 'r', word_of(name), i * TABLE_ROWS + row);
        }
    }
    if (added)
        return names;
    cushim__ptx_names_destroy(names);
    return NULL;
}

const struct ptx_alu *cushim__ptx_alu_find(const struct ptx_names *names, const char *name)
{
    const uint32_t *found = cushim__ptx_names_find(names, 'r', word_of(name));

    return found ? &tables[*found / TABLE_ROWS][*found % TABLE_ROWS] : NULL;
}

bool cushim__ptx_base_known(const struct ptx_names *names, const char *base)
{
    return cushim__ptx_names_find(names, 'o', word_of(base)) != NULL;
}

const struct ptx_selector *cushim__ptx_selector_find(const struct ptx_names *names,
                                                     const char *base)
{
    const uint32_t *found = cushim__ptx_names_find(names, 'o', word_of(base));

    return found && *found < NO_SELECTOR ? &selectors[*found / TABLE_ROWS][*found % TABLE_ROWS]
                                         : NULL;
}
