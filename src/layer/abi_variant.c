/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/abi_variant.h"

#include <string.h>

#include "loader/symbols.h"

bool cushim__is_kin(unsigned slot, unsigned other)
{
    const uint8_t length = cushim__symbols[slot].base_length;

    return slot != other && cushim__symbols[other].base_length == length &&
           memcmp(cushim__slot_name(slot), cushim__slot_name(other), length) == 0;
}

bool cushim__is_plain(unsigned slot)
{
    return cushim__slot_name(slot)[cushim__symbols[slot].base_length] == '\0';
}

void cushim__kin_count(struct cushim__kin *kin, unsigned slot)
{
    const uint64_t count = __atomic_load_n(&kin->count, __ATOMIC_RELAXED);

    if (count == 0)
        __atomic_store_n(&kin->slot, slot, __ATOMIC_RELAXED);
    if (count == 0 || kin->slot == slot)
        __atomic_store_n(&kin->count, count + 1, __ATOMIC_RELEASE);
}

void cushim__kin_tell(struct cushim__text *text, const char *before, const struct cushim__kin *kin,
                      unsigned slot)
{
    const uint64_t count = __atomic_load_n(&kin->count, __ATOMIC_ACQUIRE);
    const unsigned other = __atomic_load_n(&kin->slot, __ATOMIC_RELAXED);

    if (count == 0)
        return;
    cushim__text_format(text, "%s%s%s came ", before, cushim__slot_name(other),
                        cushim__is_plain(slot) ? "" : ", another ABI of it,");
    if (count == 1)
        cushim__text_add(text, "once");
    else
        cushim__text_format(text, "%llu times", (unsigned long long)count);
    if (cushim__is_plain(slot))
        cushim__text_format(text, ": <cuda.h> may mean that by %s", cushim__slot_name(slot));
}
