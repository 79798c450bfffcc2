/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/security/damage.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t state;

static const uint64_t extremes[] = {
    0,
    1,
    2,
    7,
    8,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    UINT64_C(1) << 32,
    INT64_MAX,
    UINT64_C(1) << 63,
    UINT64_MAX - 63,
    UINT64_MAX,
};

static const char *const words[] = {
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    "\"",
    "/*",
    "*/",
    "//",
    "=",
    "+",
    "-",
    "~",
    "999999999999",
    "0x7fffffffffffffff",
    "[1099511627776]",
    ".param",
    ".entry",
    ".global",
    ".extern",
    ".weak",
    ".shared",
    ".align",
    ".b8",
    ".f64",
    "generic(",
    "0f3F800000",
    "1e999",
    ".maxntid",
    "65535,65535,65535",
    ".v8",
    "{{{{{{{{{{",
};

/* splitmix64, which its author has put in the public domain. */
static uint64_t random_next(void)
{
    uint64_t bits = state += 0x9e3779b97f4a7c15u;

    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return bits ^ bits >> 31;
}

/* A number from 0 to bound - 1; `bound` is not 0. */
static size_t below(size_t bound)
{
    return (size_t)(random_next() % bound);
}

static size_t damage_text(unsigned char *bytes, size_t size)
{
    const char *word = words[below(COUNT(words))];
    const size_t length = strlen(word), at = below(size);

    if (at + length < size)
        memcpy(bytes + at, word, length);
    return size;
}

static size_t damage_once(unsigned char *bytes, size_t size, bool is_text)
{
    const uint64_t extreme = extremes[below(COUNT(extremes))];
    const size_t width = size < 8 ? 1 : (size_t)1 << below(4);
    const size_t at = below(size / width) * width, from = below(size);

    switch (below(is_text ? 9 : 6)) {
    case 0:
        bytes[from] ^= (unsigned char)(1 << below(8));
        return size;
    case 1:
        bytes[from] = (unsigned char)random_next();
        return size;
    case 2: /* copy a part to another place */
        memmove(bytes + at, bytes + from, below(size - (at > from ? at : from)));
        return size;
    case 3:
        return below(40) ? size : 1 + below(size); /* cut off */
    case 4:
    case 5:
        memcpy(bytes + at, &extreme, width);
        return size;
    default:
        return damage_text(bytes, size);
    }
}

void damage_seed(uint64_t seed)
{
    state = seed * 0xd1342543de82ef95u;
}

size_t damage(unsigned char *bytes, size_t size, bool is_text)
{
    const size_t times = 1 + below(4);

    for (size_t i = 0; i < times; i++)
        size = damage_once(bytes, size, is_text);
    return size;
}
