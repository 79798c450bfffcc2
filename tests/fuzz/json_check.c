/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/json_check.h"

#include <stdint.h>
#include <string.h>

enum { DEPTH = 64 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* Decode a UTF-8 sequence, and refuse all but the shortest form. NULL: it is invalid. */
static const char *read_point(const char *at, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = (unsigned char)*at;
    unsigned length = 1;

    if (first < 0x80) {
        *point = first;
        return at + 1;
    }
    while (length < 4 && first & 0x80u >> length)
        length++;
    if (length < 2 || (length == 4 && first & 0x08))
        return NULL;
    *point = first & (0xffu >> (length + 1));
    for (unsigned i = 1; i < length; i++) {
        if (((unsigned char)at[i] & 0xc0) != 0x80)
            return NULL;
        *point = *point << 6 | ((unsigned char)at[i] & 0x3fu);
    }
    if (*point < least[length] || *point > 0x10ffff || (*point >= 0xd800 && *point < 0xe000))
        return NULL;
    return at + length;
}

bool utf8_is_valid(const char *text)
{
    uint32_t point;

    while (text && *text)
        text = read_point(text, &point);
    return text != NULL;
}

/* The part after the backslash. Surrogate halves are refused, because cushim never writes them. */
static const char *read_escape(const char *at)
{
    if (*at && strchr("\"\\/bfnrt", *at))
        return at + 1;
    if (at[0] != 'u' || strspn(at + 1, "0123456789abcdefABCDEF") < 4)
        return NULL;
    return strchr("dD", at[1]) && at[2] >= '8' ? NULL : at + 5;
}

static const char *read_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    while (at && *at != '"') {
        uint32_t point;

        if ((unsigned char)*at < 0x20)
            return NULL;
        at = *at == '\\' ? read_escape(at + 1) : read_point(at, &point);
    }
    return at ? at + 1 : NULL;
}

static const char *read_digits(const char *at)
{
    if (!is_digit(*at))
        return NULL;
    while (is_digit(*at))
        at++;
    return at;
}

static const char *read_number(const char *at)
{
    if (*at == '-')
        at++;
    at = *at == '0' ? at + 1 : read_digits(at);
    if (at && *at == '.')
        at = read_digits(at + 1);
    if (at && (*at == 'e' || *at == 'E')) {
        at++;
        at = read_digits(*at == '+' || *at == '-' ? at + 1 : at);
    }
    return at;
}

static const char *read_word(const char *at)
{
    static const char *const words[] = {"true", "false", "null"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    }
    return NULL;
}

static const char *read_value(const char *at, unsigned depth);

/* An element of an array, or a member of an object with its key. */
static const char *read_element(const char *at, bool is_member, unsigned depth)
{
    if (is_member) {
        at = read_string(skip_blanks(at));
        if (!at)
            return NULL;
        at = skip_blanks(at);
        if (*at++ != ':')
            return NULL;
    }
    return read_value(at, depth + 1);
}

static const char *read_elements(const char *at, char close, unsigned depth)
{
    at = skip_blanks(at + 1);
    if (*at == close)
        return at + 1;
    for (;;) {
        at = read_element(at, close == '}', depth);
        if (!at)
            return NULL;
        at = skip_blanks(at);
        if (*at == close)
            return at + 1;
        if (*at++ != ',')
            return NULL;
    }
}

static const char *read_value(const char *at, unsigned depth)
{
    at = skip_blanks(at);
    if (depth > DEPTH)
        return NULL;
    switch (*at) {
    case '{':
        return read_elements(at, '}', depth);
    case '[':
        return read_elements(at, ']', depth);
    case '"':
        return read_string(at);
    default:
        return is_digit(*at) || *at == '-' ? read_number(at) : read_word(at);
    }
}

bool json_is_valid(const char *text)
{
    const char *end = read_value(text, 0);

    return end && *skip_blanks(end) == '\0';
}
