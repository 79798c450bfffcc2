/* SPDX-License-Identifier: Apache-2.0 */
/* `cushim symbols`: the symbols of the driver API, and the CUDA version that introduced each. */
#include <stdio.h>

#include "loader/groups.h"
#include "loader/symbols.h"
#include "src/tool/base/output.h"
#include "src/tool/commands.h"

static int since(unsigned slot)
{
    return cushim__symbols[slot].since;
}

static const char *group(unsigned slot)
{
    return cushim__groups[cushim__slot_groups[slot]];
}

/* Whether a symbol was introduced with one of the wanted versions. */
static bool is_chosen(const struct arguments *arguments, unsigned slot)
{
    return (uint64_t)since(slot) >= arguments->since &&
           (!arguments->until || (uint64_t)since(slot) <= arguments->until);
}

/* The newest version of CUDA that the registry knows. */
static int newest(void)
{
    int version = 0;

    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        version = since(slot) > version ? since(slot) : version;
    return version;
}

static void print_text(const struct arguments *arguments)
{
    char version[16];
    bool is_any = false;

    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (!is_chosen(arguments, slot))
            continue;
        snprintf(version, sizeof version, "%d.%d", since(slot) / 1000, since(slot) % 1000 / 10);
        printf("%-5s %-16s %s\n", version, group(slot), cushim__slot_name(slot));
        is_any = true;
    }
    if (!is_any)
        fprintf(stderr,
                "cushim: no symbol came with these versions of CUDA; the newest that are known "
                "came with %d.%d\n",
                newest() / 1000, newest() % 1000 / 10);
}

static void print_json(const struct arguments *arguments)
{
    struct json json = {0};

    json_open(&json, NULL, '{');
    json_open(&json, "symbols", '[');
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (!is_chosen(arguments, slot))
            continue;
        json_open(&json, NULL, '{');
        json_string(&json, "symbol", cushim__slot_name(slot));
        json_integer(&json, "since", since(slot));
        json_string(&json, "group", group(slot));
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
}

enum status command_symbols(const struct arguments *arguments)
{
    if (arguments->cuda)
        return symbols_names(arguments);
    if (arguments->json)
        print_json(arguments);
    else
        print_text(arguments);
    return STATUS_DONE;
}
