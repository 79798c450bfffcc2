/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/key_values.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 60, MOST_DIGITS = 9 };

/* Files that were written on Windows also have a carriage return at the end of each line. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_key(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

struct cushim__word cushim__word_trimmed(const char *start, const char *end)
{
    start = skip_blanks(start, end);
    while (end > start && is_blank(end[-1]))
        end--;
    return (struct cushim__word){start, (size_t)(end - start)};
}

/* Where the line ends, or where the comment in it begins. */
static const char *content_end(const char *line, const char *end)
{
    for (const char *at = line; at < end; at++) {
        if (*at == '#' && (at == line || is_blank(at[-1])))
            return at;
    }
    return end;
}

static const char *find_control(const char *at, const char *end)
{
    for (; at < end; at++) {
        const unsigned char byte = (unsigned char)*at;
        if ((byte < 0x20 && !is_blank(*at)) || byte == 0x7f)
            return at;
    }
    return NULL;
}

/* Split `value`, the content of a line that is not empty, into key and value. */
static bool read_entry(struct cushim__lines *lines)
{
    const char *start = lines->value.start, *end = start + lines->value.length;
    const char *at = start;

    while (at < end && is_key(*at))
        at++;
    lines->key = (struct cushim__word){start, (size_t)(at - start)};
    at = skip_blanks(at, end);
    if (lines->key.length == 0 || at == end || *at != '=') {
        cushim__lines_refuse(lines, at, "a line is `key = value`");
        return false;
    }
    lines->value = cushim__word_trimmed(at + 1, end);
    if (lines->value.length == 0) {
        cushim__lines_refuse(lines, lines->value.start, "%.*s lacks its value",
                             cushim__word_shown(&lines->key), lines->key.start);
        return false;
    }
    return true;
}

/* Go to the next line that is not empty. Blanks at its end are left in `value`. */
static enum cushim__lines_next next_content(struct cushim__lines *lines)
{
    const char *content, *start = lines->rest, *end, *control;

    do {
        if (!*lines->rest)
            return CUSHIM__LINES_END;
        lines->line = lines->rest;
        lines->number++;
        end = lines->line + strcspn(lines->line, "\n");
        lines->rest = *end ? end + 1 : end;
        content = content_end(lines->line, end);
        start = skip_blanks(lines->line, content);
    } while (start == content);
    control = find_control(start, content);
    if (control) {
        cushim__lines_refuse(lines, control, "a control character, of code %u",
                             (unsigned)(unsigned char)*control);
        return CUSHIM__LINES_REFUSED;
    }
    lines->value = (struct cushim__word){start, (size_t)(content - start)};
    return CUSHIM__LINES_ENTRY;
}

void cushim__lines_begin(struct cushim__lines *lines, const char *text, const char *where,
                         char *message, size_t message_size)
{
    *lines = (struct cushim__lines){
        .where = where,
        .message = message,
        .message_size = message_size,
        .line = text,
        .rest = text,
    };
    if (message_size)
        message[0] = '\0';
}

enum cushim__lines_next cushim__lines_next_whole(struct cushim__lines *lines)
{
    const enum cushim__lines_next next = next_content(lines);

    if (next == CUSHIM__LINES_ENTRY)
        lines->value =
            cushim__word_trimmed(lines->value.start, lines->value.start + lines->value.length);
    return next;
}

enum cushim__lines_next cushim__lines_next(struct cushim__lines *lines)
{
    const enum cushim__lines_next next = next_content(lines);

    return next == CUSHIM__LINES_ENTRY && !read_entry(lines) ? CUSHIM__LINES_REFUSED : next;
}

CUresult cushim__lines_refuse(const struct cushim__lines *lines, const char *at, const char *format,
                              ...)
{
    va_list arguments;
    int length;

    if (lines->message_size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    length = snprintf(lines->message, lines->message_size, "%s:%u:%u: ", lines->where,
                      lines->number ? lines->number : 1, (unsigned)(at - lines->line) + 1);
    if (length >= 0 && (size_t)length < lines->message_size) {
        va_start(arguments, format);
        vsnprintf(lines->message + length, lines->message_size - (size_t)length, format, arguments);
        va_end(arguments);
    }
    return CUDA_ERROR_INVALID_VALUE;
}

int cushim__word_shown(const struct cushim__word *word)
{
    return word->length < SHOWN ? (int)word->length : SHOWN;
}

bool cushim__word_is(const struct cushim__word *word, const char *text)
{
    return strlen(text) == word->length && memcmp(text, word->start, word->length) == 0;
}

bool cushim__word_begins(const struct cushim__word *word, const char *prefix,
                         struct cushim__word *rest)
{
    const size_t length = strlen(prefix);

    if (word->length < length || memcmp(prefix, word->start, length) != 0)
        return false;
    *rest = (struct cushim__word){word->start + length, word->length - length};
    return true;
}

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
        {"K", UINT64_C(1) << 10},
        {"KiB", UINT64_C(1) << 10},
        {"M", UINT64_C(1) << 20},
        {"MiB", UINT64_C(1) << 20},
        {"G", UINT64_C(1) << 30},
        {"GiB", UINT64_C(1) << 30},
        {"T", UINT64_C(1) << 40},
        {"TiB", UINT64_C(1) << 40},
        {0},
    };

    return read_with_unit(word, units, bytes);
}

bool cushim__value_duration(const struct cushim__word *word, uint64_t *ns)
{
    static const struct unit units[] = {
        {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {0},
    };

    return read_with_unit(word, units, ns) || (cushim__value_number(word, ns) && *ns == 0);
}

struct cushim__duration_hint cushim__duration_hint(const struct cushim__word *word)
{
    struct cushim__duration_hint hint = {""};
    uint64_t number;

    /* A number of more digits is not meant as a time. */
    if (word->length <= MOST_DIGITS && cushim__value_number(word, &number) && number > 0)
        snprintf(hint.text, sizeof hint.text,
                 "; did you mean \"%" PRIu32 " s\", \"%" PRIu32 " ms\" or \"%" PRIu32 " ns\"?",
                 (uint32_t)number, (uint32_t)number, (uint32_t)number);
    return hint;
}

bool cushim__value_version(const struct cushim__word *word, int *version)
{
    struct cushim__word rest, minor_word;
    uint64_t major, minor;

    if (!take_digits(word, &major, &rest))
        return false;
    if (major == 0)
        return false;
    if (rest.length == 0) {
        if (major > INT_MAX || (major >= 100 && (major % 10 || major % 1000 > 90)))
            return false;
        *version = (int)(major < 100 ? major * 1000 : major);
        return true;
    }
    if (!cushim__word_begins(&rest, ".", &minor_word) ||
        !cushim__value_number(&minor_word, &minor) || minor_word.length != 1 || major >= 100)
        return false;
    *version = (int)(major * 1000 + minor * 10);
    return true;
}

CUresult cushim__lines_flag(const struct cushim__lines *lines, bool *flag)
{
    if (!cushim__word_is(&lines->value, "on") && !cushim__word_is(&lines->value, "off"))
        return cushim__lines_refuse(lines, lines->value.start, "%.*s is on or off",
                                    cushim__word_shown(&lines->key), lines->key.start);
    *flag = cushim__word_is(&lines->value, "on");
    return CUDA_SUCCESS;
}
