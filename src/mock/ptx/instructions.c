/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions that are known, by their names. */
#include "src/mock/ptx/parser.h"

#include <string.h>

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

/*
 * There are two kinds of names: 'r' are rows of `tables`, 'o' are bases of opcodes. The value of a
 * row is its table and its index there. That of a base is the same for `selectors`; if no selector
 * has the base, it is NO_SELECTOR, which is greater.
 */
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

/* The base of a name is what comes before its first dot. */
static bool add_base(struct ptx_names *names, const char *name, uint32_t value)
{
    const struct ptx_word base = {name, strcspn(name, ".")};

    return cushim__ptx_names_find(names, 'o', base) ||
           cushim__ptx_names_add(names, 'o', base, value);
}

bool cushim__ptx_instructions_add(struct ptx_names *names)
{
    bool added = true;

    for (uint32_t i = 0; i < SELECTORS; i++) {
        for (uint32_t row = 0; added && selectors[i][row].base; row++)
            added = add_base(names, selectors[i][row].base, i * TABLE_ROWS + row);
    }
    for (uint32_t i = 0; i < TABLES; i++) {
        for (uint32_t row = 0; added && tables[i][row].name; row++) {
            const char *const name = tables[i][row].name;

            /* Rows of one base follow each other. */
            if (row == 0 || strncmp(name, tables[i][row - 1].name, strcspn(name, ".") + 1) != 0)
                added = add_base(names, name, NO_SELECTOR);
            added = added && cushim__ptx_names_add(names, 'r', word_of(name), i * TABLE_ROWS + row);
        }
    }
    return added;
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
