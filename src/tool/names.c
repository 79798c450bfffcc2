/* SPDX-License-Identifier: Apache-2.0 */
/* `cushim symbols --cuda V`: the slots that the names in <cuda.h> of a version of CUDA mean. */
#include <stdio.h>
#include <string.h>

#include "loader/meanings.h"
#include "loader/symbols.h"
#include "src/driver_api/function_name.h"
#include "src/driver_api/suggestion.h"
#include "src/driver_api/versions.h"
#include "src/tool/base/failure.h"
#include "src/tool/commands.h"

/* The headers that the rule has been compared with begin with this version. */
enum { OLDEST = 11020 };

static const char advice[] = "Read the manual with `cushim help symbols`.";

static bool find_symbol(const char *name, unsigned *slot)
{
    return cushim__value_function(&(struct cushim__word){name, strlen(name)}, slot);
}

/* The plain name of a symbol. */
static const char *plain_name(unsigned slot, char name[64])
{
    snprintf(name, 64, "%.*s", cushim__symbols[slot].base_length, cushim__slot_name(slot));
    return name;
}

/* Whether a symbol is declared by <cuda.h>, in programs that use the legacy default stream. */
static bool is_declared(unsigned slot)
{
    return !(cushim__symbols[slot].flags & (CUSHIM__PER_THREAD | CUSHIM__INTEROP));
}

/* The version in which a plain name appeared. */
static int first_version(const char *name)
{
    char other[64];
    int first = 0;

    for (unsigned i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        const int since = cushim__symbols[i].since;
        if (is_declared(i) && (!first || since < first) && strcmp(plain_name(i, other), name) == 0)
            first = since;
    }
    return first;
}

/*
 * The slot that a plain or an exported name means. A new ABI gets the plain name only with the next
 * major version of CUDA. Returns false if the version has no such name.
 */
static bool find_meaning(const char *name, int version, unsigned *slot)
{
    const int major = version / 1000, first = first_version(name);

    for (size_t i = 0; i < sizeof cushim__meanings / sizeof cushim__meanings[0]; i++) {
        if (cushim__meanings[i].major == major && strcmp(cushim__meanings[i].name, name) == 0) {
            *slot = cushim__meanings[i].slot;
            return true;
        }
    }
    if (first)
        return first <= version &&
               cushim__newest_symbol(name, first < major * 1000 ? major * 1000 : first, false,
                                     slot);
    return find_symbol(name, slot) && cushim__symbols[*slot].since <= version && is_declared(*slot);
}

/* The symbol that replaces another in programs of the per-thread default stream; NULL: none. */
static const char *per_thread_symbol(unsigned slot)
{
    const char *name = cushim__slot_name(slot);
    const size_t length = strlen(name);

    for (unsigned i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        const char *other = cushim__slot_name(i);
        if (strncmp(other, name, length) == 0 &&
            (strcmp(other + length, "_ptds") == 0 || strcmp(other + length, "_ptsz") == 0))
            return other;
    }
    return NULL;
}

/* A slot has the name of its symbol without `cu`. */
static const char *slot_of(const char *symbol)
{
    return symbol ? symbol + strlen("cu") : NULL;
}

static void print_name(const char *name, unsigned slot, struct json *json)
{
    const char *symbol = cushim__slot_name(slot), *twin = slot_of(per_thread_symbol(slot));
    const int since = cushim__symbols[slot].since;

    if (!json) {
        printf("%-35s %-35s since %d.%d%s%s\n", name, slot_of(symbol), since / 1000,
               since % 1000 / 10, twin ? ", per-thread " : "", twin ? twin : "");
        return;
    }
    json_open(json, NULL, '{');
    json_string(json, "name", name);
    json_string(json, "slot", slot_of(symbol));
    json_string(json, "per_thread_slot", twin);
    json_integer(json, "since", since);
    json_close(json, '}');
}

/* Every plain name of the version, in the order of the slots. */
static void print_all(int version, struct json *json)
{
    for (unsigned i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        char name[64];
        unsigned slot;

        if (is_declared(i) && cushim__symbols[i].since == first_version(plain_name(i, name)) &&
            find_meaning(name, version, &slot))
            print_name(name, slot, json);
    }
}

static void refuse(const char *name, int version, struct failure *failure)
{
    struct cushim__suggestion suggestion;
    const int first = first_version(name);
    unsigned slot;

    if (first > version) {
        failure_set(failure, STATUS_USAGE, advice, "%.80s came with CUDA %d.%d", name, first / 1000,
                    first % 1000 / 10);
        return;
    }
    cushim__suggestion_begin(&suggestion, &(struct cushim__word){name, strlen(name)});
    if (!find_symbol(name, &slot))
        cushim__suggestion_offer_functions(&suggestion);
    failure_set(failure, STATUS_USAGE, advice, "<cuda.h> has no function '%.80s'%s%s%s", name,
                suggestion.name ? "; did you mean " : "", suggestion.name ? suggestion.name : "",
                suggestion.name ? "?" : "");
}

enum status symbols_names(const struct arguments *arguments)
{
    const int version = (int)arguments->cuda;
    struct failure failure = {0};
    struct json json = {0};
    unsigned slot;

    if (version < OLDEST || version > CUSHIM__NEWEST_VERSION)
        failure_set(&failure, STATUS_USAGE, advice,
                    "--cuda is out of range with '%d.%d': expected a version from %d.%d to %d.%d",
                    version / 1000, version % 1000 / 10, OLDEST / 1000, OLDEST % 1000 / 10,
                    CUSHIM__NEWEST_VERSION / 1000, CUSHIM__NEWEST_VERSION % 1000 / 10);
    for (int i = 0; i < arguments->file_count; i++) {
        if (!find_meaning(arguments->files[i], version, &slot))
            refuse(arguments->files[i], version, &failure);
    }
    if (failure.status != STATUS_DONE) {
        failure_report(&failure, arguments->json);
        return failure.status;
    }
    if (arguments->json) {
        json_open(&json, NULL, '{');
        json_open(&json, "names", '[');
    }
    for (int i = 0; i < arguments->file_count; i++) {
        find_meaning(arguments->files[i], version, &slot);
        print_name(arguments->files[i], slot, arguments->json ? &json : NULL);
    }
    if (arguments->file_count == 0)
        print_all(version, arguments->json ? &json : NULL);
    if (arguments->json) {
        json_close(&json, ']');
        json_close(&json, '}');
    }
    return STATUS_DONE;
}
