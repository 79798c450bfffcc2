/* SPDX-License-Identifier: Apache-2.0 */
#include "src/driver_api/function_name.h"

#include <stddef.h>
#include <string.h>

#include "loader/symbols.h"

/* Goes back to the last star alone: what is before it fits whatever that one stands for. */
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

bool cushim__is_abi_variant(unsigned slot, unsigned other)
{
    const uint8_t length = cushim__symbols[slot].base_length;

    return slot != other && cushim__symbols[other].base_length == length &&
           memcmp(cushim__slot_name(slot), cushim__slot_name(other), length) == 0;
}

bool cushim__is_plain_name(unsigned slot)
{
    return cushim__slot_name(slot)[cushim__symbols[slot].base_length] == '\0';
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
                           const struct cushim__variant_calls *calls, unsigned slot)
{
    const uint64_t count = __atomic_load_n(&calls->count, __ATOMIC_ACQUIRE);
    const unsigned other = __atomic_load_n(&calls->slot, __ATOMIC_RELAXED);

    if (count == 0)
        return;
    cushim__text_format(text, "%s%s%s came ", before, cushim__slot_name(other),
                        cushim__is_plain_name(slot) ? "" : ", another ABI of it,");
    cushim__times_print(text, count);
    if (cushim__is_plain_name(slot))
        cushim__text_format(text, ": <cuda.h> may mean that by %s", cushim__slot_name(slot));
}

void cushim__times_print(struct cushim__text *text, uint64_t count)
{
    if (count == 1)
        cushim__text_add(text, "once");
    else
        cushim__text_format(text, "%llu times", (unsigned long long)count);
}
