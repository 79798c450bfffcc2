/* SPDX-License-Identifier: Apache-2.0 */
/* Names: of the instructions, those that the texts of a module share, and those of one text. */
#include "src/mock/ptx/parser.h"

#include <stdlib.h>
#include <string.h>

struct ptx_pool_block {
    struct ptx_pool_block *next;
    size_t used, room;
    max_align_t bytes[];
};

void *cushim__ptx_names_pool(struct ptx_parser *parser, struct ptx_names *names, size_t bytes)
{
    struct ptx_pool_block *block = names->pool;
    void *memory;

    bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (!block || block->room - block->used < bytes) {
        const size_t room = bytes > 65536 ? bytes : 65536;

        block = calloc(1, sizeof *block + room);
        if (!block)
            cushim__ptx_no_memory(parser);
        block->room = room;
        block->next = names->pool;
        names->pool = block;
    }
    memory = (char *)block->bytes + block->used;
    block->used += bytes;
    return memory;
}

void cushim__ptx_names_clear(struct ptx_names *names)
{
    while (names && names->pool) {
        struct ptx_pool_block *next = names->pool->next;

        free(names->pool);
        names->pool = next;
    }
}

static uint32_t bucket_of(struct ptx_word name)
{
    uint32_t value = 2166136261u;

    for (size_t i = 0; i < name.length; i++)
        value = (value ^ (unsigned char)name.start[i]) * 16777619u;
    return (value ^ value >> 15) % PTX_BUCKETS;
}

struct ptx_symbol *cushim__ptx_names_find(const struct ptx_names *names, int kind,
                                          struct ptx_word name)
{
    struct ptx_symbol *symbol = names->buckets[bucket_of(name)];

    while (symbol && ((kind != PTX_ANY_KIND && (int)symbol->kind != kind) ||
                      symbol->name.length != name.length ||
                      memcmp(symbol->name.start, name.start, name.length) != 0))
        symbol = symbol->next;
    return symbol;
}

/* The newest comes first, so an inner block's hides an outer one's. */
struct ptx_symbol *cushim__ptx_names_add(struct ptx_parser *parser, struct ptx_names *names,
                                         int kind, struct ptx_word name, uint32_t index)
{
    struct ptx_symbol **bucket = &names->buckets[bucket_of(name)];
    struct ptx_symbol *symbol = cushim__ptx_names_pool(parser, names, sizeof *symbol);

    symbol->name = name;
    symbol->kind = (enum ptx_symbol_kind)kind;
    symbol->index = index;
    symbol->depth = parser->body.depth;
    symbol->next = *bucket;
    symbol->older = names->newest;
    *bucket = names->newest = symbol;
    return symbol;
}

struct ptx_symbol *cushim__ptx_symbol_find(struct ptx_parser *parser, struct ptx_word name)
{
    return cushim__ptx_names_find(&parser->names, PTX_ANY_KIND, name);
}

struct ptx_symbol *cushim__ptx_symbol_add(struct ptx_parser *parser, struct ptx_word name,
                                          enum ptx_symbol_kind kind, uint32_t index)
{
    return cushim__ptx_names_add(parser, &parser->names, kind, name, index);
}

void cushim__ptx_scope_open(struct ptx_parser *parser)
{
    if (parser->body.depth > 200)
        cushim__ptx_fail(parser, "blocks are nested too deep");
    parser->body.depth++;
}

void cushim__ptx_scope_close(struct ptx_parser *parser)
{
    struct ptx_names *names = &parser->names;

    for (; names->newest && names->newest->depth >= parser->body.depth;
         names->newest = names->newest->older)
        names->buckets[bucket_of(names->newest->name)] = names->newest->next;
    parser->body.depth--;
}
