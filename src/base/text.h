/* SPDX-License-Identifier: Apache-2.0 */
/* Text in a buffer of the caller's. It is cut if it does not fit, but counted in full. */
#ifndef CUSHIM_SRC_BASE_TEXT_H
#define CUSHIM_SRC_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct cushim__text {
    char *buffer; /* may be NULL if size is 0 */
    size_t size;
    size_t length; /* length of the whole text, as if the buffer had no end */
    /*
     * How many bytes at a place of a text from elsewhere are not to be written, and what is written
     * in their place; NULL if all are.
     */
    size_t (*hide)(const char *bytes, const char *at, const char **instead);
};

/* Begin an empty text. The buffer is terminated by NUL from here on. */
void cushim__text_begin(struct cushim__text *text, char *buffer, size_t size);

void cushim__text_add(struct cushim__text *text, const char *bytes);

#if defined(__GNUC__)
__attribute__((format(__printf__, 2, 3)))
#endif
void cushim__text_format(struct cushim__text *text, const char *format, ...);

/*
 * Add text from elsewhere on one line. Bytes that are not valid UTF-8, and characters that control
 * a terminal, become `?`.
 */
void cushim__text_plain(struct cushim__text *text, const char *bytes);

/*
 * Add a JSON string with its quotes. Bytes that are not valid UTF-8 become U+FFFD; characters that
 * control a terminal are escaped.
 */
void cushim__text_json(struct cushim__text *text, const char *bytes);

/* Copy into a field of a fixed size; a text that is too long ends in `...`. */
void cushim__text_copy(char *field, size_t size, const char *bytes);

#endif
