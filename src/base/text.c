/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add_bytes(struct cushim__text *text, const char *bytes, size_t count)
{
    if (text->length + 1 < text->size) {
        const size_t left = text->size - text->length - 1;
        const size_t kept = count < left ? count : left;
        memcpy(text->buffer + text->length, bytes, kept);
        text->buffer[text->length + kept] = '\0';
    }
    text->length += count;
}

/* Length of the UTF-8 sequence at `bytes` (terminated by NUL); 0 if it is not valid. */
static size_t sequence_length(const unsigned char *bytes)
{
    const unsigned char first = bytes[0];
    const size_t length = first < 0x80   ? 1
                          : first < 0xc2 ? 0
                          : first < 0xe0 ? 2
                          : first < 0xf0 ? 3
                          : first < 0xf5 ? 4
                                         : 0;

    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    }
    /* Reject overlong forms, surrogates, and code points beyond U+10FFFF. */
    if ((first == 0xe0 && bytes[1] < 0xa0) || (first == 0xed && bytes[1] > 0x9f) ||
        (first == 0xf0 && bytes[1] < 0x90) || (first == 0xf4 && bytes[1] > 0x8f))
        return 0;
    return length;
}

/* Decode a valid sequence of this length. */
static unsigned long character(const unsigned char *bytes, size_t length)
{
    unsigned long value = length == 1 ? bytes[0] : bytes[0] & 0xffu >> (length + 1);

    for (size_t i = 1; i < length; i++)
        value = value << 6 | (bytes[i] & 0x3f);
    return value;
}

/*
 * Whether a character controls a terminal instead of being shown: C0, DEL and C1, line and
 * paragraph separators, and characters that change the direction of text.
 */
static bool is_control(unsigned long value)
{
    return value < 0x20 || (value >= 0x7f && value < 0xa0) || value == 0x61c ||
           (value >= 0x200e && value <= 0x200f) || (value >= 0x2028 && value <= 0x202e) ||
           (value >= 0x2066 && value <= 0x2069);
}

void cushim__text_begin(struct cushim__text *text, char *buffer, size_t size)
{
    *text = (struct cushim__text){.buffer = buffer, .size = buffer ? size : 0};
    if (text->size)
        buffer[0] = '\0';
}

void cushim__text_add(struct cushim__text *text, const char *bytes)
{
    add_bytes(text, bytes, strlen(bytes));
}

void cushim__text_format(struct cushim__text *text, const char *format, ...)
{
    const size_t left = text->length < text->size ? text->size - text->length : 0;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(left ? text->buffer + text->length : NULL, left, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->length += (size_t)length;
}

/* Write what stands for bytes that are hidden. Returns how many these are. */
static size_t add_hidden(struct cushim__text *text, const char *bytes, const char *at)
{
    const char *instead = "";
    const size_t hidden = text->hide ? text->hide(bytes, at, &instead) : 0;

    if (hidden)
        cushim__text_add(text, instead);
    return hidden;
}

void cushim__text_plain(struct cushim__text *text, const char *bytes)
{
    const unsigned char *next = (const unsigned char *)bytes;

    while (*next) {
        const size_t hidden = add_hidden(text, bytes, (const char *)next);
        const size_t length = hidden ? hidden : sequence_length(next);
        if (hidden)
            ;
        else if (length == 0 || is_control(character(next, length)))
            cushim__text_add(text, "?");
        else
            add_bytes(text, (const char *)next, length);
        next += length ? length : 1;
    }
}

void cushim__text_json(struct cushim__text *text, const char *bytes)
{
    const unsigned char *next = (const unsigned char *)bytes;

    cushim__text_add(text, "\"");
    while (*next) {
        const size_t hidden = add_hidden(text, bytes, (const char *)next);
        const size_t length = hidden ? hidden : sequence_length(next);
        if (hidden)
            ;
        else if (length == 0)
            cushim__text_add(text, "\\ufffd");
        else if (*next == '"' || *next == '\\')
            cushim__text_format(text, "\\%c", *next);
        else if (is_control(character(next, length)))
            cushim__text_format(text, "\\u%04lx", character(next, length));
        else
            add_bytes(text, (const char *)next, length);
        next += length ? length : 1;
    }
    cushim__text_add(text, "\"");
}

void cushim__text_copy(char *field, size_t size, const char *bytes)
{
    static const char cut[] = "...";
    const size_t length = strlen(bytes);

    if (length < size) {
        memcpy(field, bytes, length + 1);
        return;
    }
    memcpy(field, bytes, size - sizeof cut);
    memcpy(field + size - sizeof cut, cut, sizeof cut);
}
