/* SPDX-License-Identifier: Apache-2.0 */
/* `cushim symbols`: the symbols of the driver API, and which of them a library exports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/groups.h"
#include "loader/symbols.h"
#include "src/tool/commands.h"
#include "src/tool/exports.h"
#include "src/tool/output.h"

#ifdef _WIN32
enum { FOREIGN = 0 };
#else
enum { FOREIGN = CUSHIM__WINDOWS };
#endif

static int compare(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Sort the names and remove duplicates. */
static void sort_exports(struct exports *exports)
{
    size_t count = 0;

    if (exports->count == 0)
        return;
    qsort(exports->names, exports->count, sizeof *exports->names, compare);
    for (size_t i = 0; i < exports->count; i++) {
        if (count == 0 || strcmp(exports->names[i], exports->names[count - 1]) != 0)
            exports->names[count++] = exports->names[i];
    }
    exports->count = count;
}

void exports_refuse(struct failure *failure, const char *path, const char *why)
{
    failure_set(failure, STATUS_NO_DRIVER, "Name the file of a driver's library.",
                "The exported names of '%.512s' cannot be read: %s", path, why);
}

static bool has_export(const struct exports *exports, const char *name)
{
    return exports->count > 0 &&
           bsearch(&name, exports->names, exports->count, sizeof *exports->names, compare);
}

enum choice { ALL, HAS, LACKS };

struct question {
    const struct arguments *arguments;
    const struct exports *exports; /* NULL: no library was named */
};

static int since(unsigned slot)
{
    return cushim__symbols[slot].since;
}

static const char *group(unsigned slot)
{
    return cushim__groups[cushim__slot_groups[slot]];
}

/* Whether a slot came with the wanted versions, and the library has or lacks it, as wanted. */
static bool is_chosen(const struct question *question, unsigned slot, enum choice choice)
{
    const struct arguments *arguments = question->arguments;

    if ((uint64_t)since(slot) < arguments->since ||
        (arguments->until && (uint64_t)since(slot) > arguments->until))
        return false;
    if (!question->exports)
        return true;
    /* Symbols of another operating system are not counted as lacking. */
    if (cushim__symbols[slot].flags & FOREIGN)
        return false;
    return choice == ALL ||
           has_export(question->exports, cushim__slot_name(slot)) == (choice == HAS);
}

static size_t count(const struct question *question, enum choice choice)
{
    size_t number = 0;

    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        number += is_chosen(question, slot, choice);
    return number;
}

/* The newest version of CUDA that the registry knows. */
static int newest(void)
{
    int version = 0;

    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        version = since(slot) > version ? since(slot) : version;
    return version;
}

static bool is_in_registry(const char *name)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (strcmp(cushim__slot_name(slot), name) == 0)
            return true;
    }
    return false;
}

/* The next exported name that could be the driver API's and is not in the registry, or NULL. */
static const char *next_besides(const struct exports *exports, size_t *index)
{
    while (*index < exports->count) {
        const char *name = exports->names[(*index)++];
        if (strncmp(name, "cu", 2) == 0 && !is_in_registry(name))
            return name;
    }
    return NULL;
}

static void print_symbols(const struct question *question, const char *label, enum choice choice)
{
    char version[16];

    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (!is_chosen(question, slot, choice))
            continue;
        snprintf(version, sizeof version, "%d.%d", since(slot) / 1000, since(slot) % 1000 / 10);
        if (label)
            printf("%-11s ", label);
        printf("%-5s %-16s %s\n", version, group(slot), cushim__slot_name(slot));
    }
}

static void print_text(const struct question *question)
{
    size_t besides = 0, index = 0;
    const char *name;

    if (!question->exports) {
        print_symbols(question, NULL, ALL);
        if (count(question, ALL) == 0)
            fprintf(stderr,
                    "cushim: no symbol came with these versions of CUDA; the newest that "
                    "are known came with %d.%d\n",
                    newest() / 1000, newest() % 1000 / 10);
        return;
    }
    print_symbols(question, "has", HAS);
    print_symbols(question, "lacks", LACKS);
    for (; (name = next_besides(question->exports, &index)); besides++)
        output_line("besides", "%s", name);
    output_line("library", "%s", question->arguments->library);
    output_line("symbols", "It has %zu of %zu, lacks %zu, and has %zu names besides.",
                count(question, HAS), count(question, ALL), count(question, LACKS), besides);
}

static void json_symbols(const struct question *question, struct json *json, const char *key,
                         enum choice choice)
{
    json_open(json, key, '[');
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (!is_chosen(question, slot, choice))
            continue;
        json_open(json, NULL, '{');
        json_string(json, "symbol", cushim__slot_name(slot));
        json_integer(json, "since", since(slot));
        json_string(json, "group", group(slot));
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void print_json(const struct question *question, const struct failure *failure)
{
    struct json json = {0};
    const char *name;
    size_t index = 0;

    json_open(&json, NULL, '{');
    if (failure->status != STATUS_DONE) {
        failure_json(failure, &json);
    } else if (!question->exports) {
        json_symbols(question, &json, "symbols", ALL);
    } else {
        json_string(&json, "library", question->arguments->library);
        json_symbols(question, &json, "has", HAS);
        json_symbols(question, &json, "lacks", LACKS);
        json_open(&json, "besides", '[');
        while ((name = next_besides(question->exports, &index)))
            json_string(&json, NULL, name);
        json_close(&json, ']');
    }
    json_close(&json, '}');
}

/* Refuse a library that is no driver, as every symbol would be listed as lacking. */
static void check_driver(const struct exports *exports, const char *path, struct failure *failure)
{
    for (size_t i = 0; i < exports->count; i++) {
        if (is_in_registry(exports->names[i]))
            return;
    }
    failure_set(failure, STATUS_NO_DRIVER, "Name the file of a driver's library.",
                "'%.512s' exports no symbol of the driver API", path);
}

enum status command_symbols(const struct arguments *arguments)
{
    struct question question = {.arguments = arguments};
    struct exports exports = {0};
    struct failure failure = {0};

    if (arguments->library) {
        question.exports = &exports;
        if (exports_read(&exports, arguments->library, &failure)) {
            sort_exports(&exports);
            check_driver(&exports, arguments->library, &failure);
        }
    }
    if (arguments->json)
        print_json(&question, &failure);
    else if (failure.status != STATUS_DONE)
        failure_print(&failure);
    else
        print_text(&question);
    free(exports.names);
    return failure.status;
}
