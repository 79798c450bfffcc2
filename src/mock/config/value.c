/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/config/value.h"

#include <limits.h>

struct unit {
    const char *name;
    uint64_t factor;
};

/* Read the digits that a word begins with; `rest` is what follows. */
static bool take_digits(const struct cushim__word *word, uint64_t *number,
                        struct cushim__word *rest)
{
    uint64_t value = 0;
    size_t at = 0;

    for (; at < word->length && word->start[at] >= '0' && word->start[at] <= '9'; at++) {
        const uint64_t digit = (uint64_t)(word->start[at] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *number = value;
    *rest = (struct cushim__word){word->start + at, word->length - at};
    return at > 0;
}

static bool read_with_unit(const struct cushim__word *word, const struct unit *units,
                           uint64_t *number)
{
    struct cushim__word rest;
    uint64_t value;

    if (!take_digits(word, &value, &rest))
        return false;
    while (rest.length && *rest.start == ' ') {
        rest.start++;
        rest.length--;
    }
    for (const struct unit *unit = units; unit->name; unit++) {
        if (!cushim__word_is(&rest, unit->name))
            continue;
        if (value > UINT64_MAX / unit->factor)
            return false;
        *number = value * unit->factor;
        return true;
    }
    return false;
}

bool cushim__value_number(const struct cushim__word *word, uint64_t *number)
{
    static const struct unit units[] = {{"", 1}, {0}};

    return read_with_unit(word, units, number);
}

bool cushim__value_integer(const struct cushim__word *word, int *integer)
{
    const bool is_negative = word->length && *word->start == '-';
    const struct cushim__word digits = {word->start + is_negative, word->length - is_negative};
    uint64_t number;

    if (!cushim__value_number(&digits, &number) || number > (uint64_t)INT_MAX)
        return false;
    *integer = is_negative ? -(int)number : (int)number;
    return true;
}

bool cushim__value_size(const struct cushim__word *word, uint64_t *bytes)
{
    static const struct unit units[] = {
        {"", 1},
        {"KiB", UINT64_C(1) << 10},
        {"MiB", UINT64_C(1) << 20},
        {"GiB", UINT64_C(1) << 30},
        {"TiB", UINT64_C(1) << 40},
        {0},
    };

    return read_with_unit(word, units, bytes);
}

bool cushim__value_duration(const struct cushim__word *word, uint64_t *ns)
{
    static const struct unit units[] = {
        {"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {0},
    };

    return read_with_unit(word, units, ns);
}

bool cushim__value_version(const struct cushim__word *word, int *version)
{
    struct cushim__word rest, minor_word;
    uint64_t major, minor;

    if (!take_digits(word, &major, &rest))
        return false;
    if (rest.length == 0) {
        if (major > INT_MAX || major % 10 || major % 1000 > 90)
            return false;
        *version = (int)major;
        return true;
    }
    if (!cushim__word_begins(&rest, ".", &minor_word) ||
        !cushim__value_number(&minor_word, &minor) || minor_word.length != 1 || major > 1000)
        return false;
    *version = (int)(major * 1000 + minor * 10);
    return true;
}
