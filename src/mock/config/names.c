/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/config/names.h"

#include "loader/attributes.h"
#include "src/base/lines.h"
#include "src/mock/config/settings.h"

/* By name, or by a number from `least` up to `end`. */
static bool find_in(const struct cushim__attribute *rows, size_t count,
                    const struct cushim__word *name, unsigned least, unsigned end, unsigned *number)
{
    uint64_t value;

    for (size_t i = 0; i < count; i++) {
        if (cushim__word_is(name, rows[i].name)) {
            *number = rows[i].number;
            return *number < end;
        }
    }
    if (!cushim__value_number(name, &value) || value < least || value >= end)
        return false;
    *number = (unsigned)value;
    return true;
}

static void offer_all(const struct cushim__attribute *rows, size_t count,
                      struct cushim__suggestion *suggestion)
{
    for (size_t i = 0; i < count; i++)
        cushim__suggestion_offer(suggestion, rows[i].name);
}

bool cushim__mock_attribute_find(const struct cushim__word *name, unsigned *number)
{
    return find_in(cushim__attributes, CUSHIM__ATTRIBUTE_COUNT, name, 1, MOCK_ATTRIBUTES_MAX,
                   number);
}

void cushim__mock_attribute_offer(struct cushim__suggestion *suggestion)
{
    offer_all(cushim__attributes, CUSHIM__ATTRIBUTE_COUNT, suggestion);
}

bool cushim__mock_limit_find(const struct cushim__word *name, unsigned *number)
{
    return find_in(cushim__limits, CUSHIM__LIMIT_COUNT, name, 0, MOCK_LIMITS_MAX, number);
}

void cushim__mock_limit_offer(struct cushim__suggestion *suggestion)
{
    offer_all(cushim__limits, CUSHIM__LIMIT_COUNT, suggestion);
}
