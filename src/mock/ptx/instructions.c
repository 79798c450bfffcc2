/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions that are known, by their names. */
#include "src/mock/ptx/parser.h"

#include <string.h>

/* Rows that are no arithmetic of lanes. */
static const struct ptx_alu others[] = {
    {"lop3.b32", "wwww=", NULL, 0, DO_LOP3, 0},
    {"bfi.b32", "wwwww", NULL, 0, DO_INSERT, 0},
    {"bfi.b64", "lllww", NULL, 0, DO_INSERT, 0},
    {"and.pred", "ppp", NULL, 0, DO_LOGIC, LOGIC_AND},
    {"or.pred", "ppp", NULL, 0, DO_LOGIC, LOGIC_OR},
    {"xor.pred", "ppp", NULL, 0, DO_LOGIC, LOGIC_XOR},
    {"not.pred", "pp", NULL, 0, DO_LOGIC, LOGIC_NOT},
    {"activemask.b32", "w", NULL, 0, DO_ACTIVE_MASK, 0},
    {0},
};

static const struct ptx_alu *const tables[] = {
    cushim__ptx_alu_integer, cushim__ptx_alu_bits,   cushim__ptx_alu_float,
    cushim__ptx_alu_convert, cushim__ptx_alu_packed, others,
};

static const struct ptx_selector *const selectors[] = {
    cushim__ptx_select_memory,
    cushim__ptx_select_control,
    cushim__ptx_select_move,
    cushim__ptx_select_arithmetic,
};

/* The names of rows are in the module's table: their table, and their index there. */
enum { TABLES = sizeof tables / sizeof *tables, SELECTORS = sizeof selectors / sizeof *selectors };
enum { TABLE_ROWS = 1 << 10 };

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

void cushim__ptx_instructions_add(struct ptx_parser *parser)
{
    struct ptx_names *names = parser->program->names;

    for (uint32_t i = 0; i < SELECTORS; i++) {
        for (uint32_t row = 0; selectors[i][row].base; row++)
            cushim__ptx_names_add(parser, names, PTX_BASE_NAME, word_of(selectors[i][row].base),
                                  i * TABLE_ROWS + row);
    }
    for (uint32_t i = 0; i < TABLES; i++) {
        for (uint32_t row = 0; tables[i][row].name; row++) {
            const char *const name = tables[i][row].name;
            const struct ptx_word base = {name, strcspn(name, ".")};

            cushim__ptx_names_add(parser, names, PTX_ROW_NAME, word_of(name), i * TABLE_ROWS + row);
            if (!cushim__ptx_names_find(names, PTX_BASE_NAME, base))
                cushim__ptx_names_add(parser, names, PTX_BASE_NAME, base, UINT32_MAX);
        }
    }
}

const struct ptx_alu *cushim__ptx_alu_find(const struct ptx_names *names, const char *name)
{
    const struct ptx_symbol *found = cushim__ptx_names_find(names, PTX_ROW_NAME, word_of(name));

    return found ? &tables[found->index / TABLE_ROWS][found->index % TABLE_ROWS] : NULL;
}

bool cushim__ptx_selector_find(const struct ptx_names *names, const char *base,
                               const struct ptx_selector **selector)
{
    const struct ptx_symbol *found = cushim__ptx_names_find(names, PTX_BASE_NAME, word_of(base));

    *selector = found && found->index != UINT32_MAX
                    ? &selectors[found->index / TABLE_ROWS][found->index % TABLE_ROWS]
                    : NULL;
    return found != NULL;
}
