/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/settings/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 60 };

/* Files that were written on Windows end their lines with a carriage return too. */
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

/* Where the line ends, or the comment in it begins. */
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

/* The content of a line, without what is blank behind it. False: it has a control character. */
static bool read_content(struct cushim__lines *lines, const char *start, const char *end)
{
    const char *control = find_control(start, end);

    if (control) {
        cushim__lines_refuse(lines, control, "a control character, of code %u",
                             (unsigned)(unsigned char)*control);
        return false;
    }
    while (end > start && is_blank(end[-1]))
        end--;
    lines->value = (struct cushim__word){start, (size_t)(end - start)};
    return true;
}

/* Take a line apart that is not empty. */
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
    at = skip_blanks(at + 1, end);
    lines->value = (struct cushim__word){at, (size_t)(end - at)};
    if (lines->value.length == 0) {
        cushim__lines_refuse(lines, at, "%.*s lacks its value", cushim__word_shown(&lines->key),
                             lines->key.start);
        return false;
    }
    return true;
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
    while (*lines->rest) {
        const char *line = lines->rest;
        const char *end = line + strcspn(line, "\n");
        const char *content, *start;

        lines->line = line;
        lines->number++;
        lines->rest = *end ? end + 1 : end;
        content = content_end(line, end);
        start = skip_blanks(line, content);
        if (start < content)
            return read_content(lines, start, content) ? CUSHIM__LINES_ENTRY
                                                       : CUSHIM__LINES_REFUSED;
    }
    return CUSHIM__LINES_END;
}

enum cushim__lines_next cushim__lines_next(struct cushim__lines *lines)
{
    const enum cushim__lines_next next = cushim__lines_next_whole(lines);

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
