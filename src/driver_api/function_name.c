/* SPDX-License-Identifier: Apache-2.0 */
#include "src/driver_api/function_name.h"

#include <stddef.h>
#include <string.h>

#include "loader/symbols.h"

bool cushim__value_function(const struct cushim__word *word, unsigned *slot)
{
    for (unsigned i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        if (cushim__word_is(word, cushim__slot_name(i))) {
            *slot = i;
            return true;
        }
    }
    return false;
}

/* Backtracks only to the last star: what precedes it fits whatever that star stands for. */
bool cushim__pattern_fits(const char *pattern, const char *text)
{
    const char *star = NULL, *taken = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            taken = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++taken;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

static bool is_plain_name_of(const char *name, unsigned slot)
{
    const size_t length = cushim__symbols[slot].base_length;

    return strncmp(name, cushim__slot_name(slot), length) == 0 && name[length] == '\0';
}

bool cushim__name_means(const char *name, unsigned slot)
{
    return is_plain_name_of(name, slot) || cushim__pattern_fits(name, cushim__slot_name(slot));
}

bool cushim__is_abi_variant(const char *name, unsigned slot)
{
    const size_t length = cushim__symbols[slot].base_length;

    /* After the plain name comes a suffix, which begins with an underscore. */
    return strncmp(name, cushim__slot_name(slot), length) == 0 && name[length] == '_' &&
           strcmp(name, cushim__slot_name(slot)) != 0;
}

bool cushim__newest_symbol(const char *name, int version, bool is_per_thread, unsigned *slot)
{
    int newest = 0;

    for (unsigned i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        const struct cushim__symbol *symbol = &cushim__symbols[i];

        if (is_plain_name_of(name, i) &&
            (symbol->flags & CUSHIM__PER_THREAD) == (is_per_thread ? CUSHIM__PER_THREAD : 0) &&
            symbol->since <= version && symbol->since > newest) {
            newest = symbol->since;
            *slot = i;
        }
    }
    return newest > 0;
}

void cushim__variant_count(struct cushim__variant_calls *calls, unsigned slot)
{
    const uint64_t count = __atomic_load_n(&calls->count, __ATOMIC_RELAXED);

    if (count == 0)
        __atomic_store_n(&calls->slot, slot, __ATOMIC_RELAXED);
    if (count == 0 || calls->slot == slot)
        __atomic_store_n(&calls->count, count + 1, __ATOMIC_RELEASE);
}

void cushim__variant_print(struct cushim__text *text, const char *before,
                           const struct cushim__variant_calls *calls)
{
    const uint64_t count = __atomic_load_n(&calls->count, __ATOMIC_ACQUIRE);
    const unsigned other = __atomic_load_n(&calls->slot, __ATOMIC_RELAXED);

    if (count == 0)
        return;
    cushim__text_format(text, "%s%s, another ABI of it, came ", before, cushim__slot_name(other));
    cushim__times_print(text, count);
}

void cushim__times_print(struct cushim__text *text, uint64_t count)
{
    if (count == 1)
        cushim__text_add(text, "once");
    else
        cushim__text_format(text, "%llu times", (unsigned long long)count);
}
