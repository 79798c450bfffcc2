/* SPDX-License-Identifier: Apache-2.0 */
/* Text: written into a buffer of the caller's, counted even where it no longer fits, or cut. */
#ifndef CUSHIM_SRC_BASE_TEXT_H
#define CUSHIM_SRC_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct cushim__text {
    char *buffer; /* may be NULL if size is 0 */
    size_t size;
    size_t length; /* of the whole text, as if the buffer had no end */
};

/* The buffer is closed by NUL from here on. */
void cushim__text_begin(struct cushim__text *text, char *buffer, size_t size);

void cushim__text_add(struct cushim__text *text, const char *bytes);

#if defined(__GNUC__)
__attribute__((format(__printf__, 2, 3)))
#endif
void cushim__text_format(struct cushim__text *text, const char *format, ...);

/*
 * Text of somebody else's on one line: what is no valid UTF-8, or would do something to a terminal,
 * becomes `?`.
 */
void cushim__text_plain(struct cushim__text *text, const char *bytes);

/*
 * A JSON string with its quotes. What is no valid UTF-8 becomes U+FFFD; what would do something to
 * a terminal is escaped.
 */
void cushim__text_json(struct cushim__text *text, const char *bytes);

/* Copy into a field of a fixed size; what is too long ends in `...`. */
void cushim__text_copy(char *field, size_t size, const char *bytes);

/*
 * Whether a character does something to a terminal in place of being shown: C0, DEL and C1, the
 * ends of lines and paragraphs, and what turns the direction of the text around it.
 */
bool cushim__text_is_control(unsigned long value);

#endif
