/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a text of `key = value` lines, one entry after the other. A refusal names line and column.
 *
 * `#` begins a comment at the start of a line or after a blank. Blanks around key and value are
 * ignored. There are no quotes, no sections and no continued lines.
 */
#ifndef CUSHIM_SRC_BASE_KEY_VALUES_H
#define CUSHIM_SRC_BASE_KEY_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

/* A part of the text. */
struct cushim__word {
    const char *start;
    size_t length;
};

struct cushim__lines {
    const char *where; /* the name of the text in messages */
    bool is_file;      /* `where` is the path of the file that holds it */
    char *message;     /* receives the reason for a refusal */
    size_t message_size;
    const char *line; /* the current line */
    unsigned number;  /* its number, from 1 */
    const char *rest; /* the text after it */
    struct cushim__word key, value;
};

enum cushim__lines_next { CUSHIM__LINES_END, CUSHIM__LINES_ENTRY, CUSHIM__LINES_REFUSED };

/* Begin reading. `message` may be NULL if its size is 0. */
void cushim__lines_begin(struct cushim__lines *lines, const char *text, const char *where,
                         char *message, size_t message_size);

/* Go to the next entry. `key` and `value` are set, and neither is empty. */
enum cushim__lines_next cushim__lines_next(struct cushim__lines *lines);

/* Go to the next line that is not empty; `value` is its whole content. */
enum cushim__lines_next cushim__lines_next_whole(struct cushim__lines *lines);

/* Report what is wrong at a place in the current line. Returns CUDA_ERROR_INVALID_VALUE. */
__attribute__((format(__printf__, 3, 4))) CUresult
cushim__lines_refuse(const struct cushim__lines *lines, const char *at, const char *format, ...);

/* The word between two places of a line, without the blanks at its ends. */
struct cushim__word cushim__word_trimmed(const char *start, const char *end);

/* How many characters of a word a message shows, for `%.*s`. */
int cushim__word_shown(const struct cushim__word *word);

bool cushim__word_is(const struct cushim__word *word, const char *text);

/* Whether the word begins with `prefix`; if so, `rest` is what follows. */
bool cushim__word_begins(const struct cushim__word *word, const char *prefix,
                         struct cushim__word *rest);

/* Values: words that are numbers, perhaps with a unit. Each returns false for other words. */

/* Decimal digits. */
bool cushim__value_number(const struct cushim__word *word, uint64_t *number);

/* Decimal digits with an optional minus sign, in the range of int. */
bool cushim__value_integer(const struct cushim__word *word, int *integer);

/* Bytes: a number, or one with K, M, G or T, which are binary, as KiB, MiB, GiB and TiB are. */
bool cushim__value_size(const struct cushim__word *word, uint64_t *bytes);

/* Nanoseconds: a number with ns, us, ms or s; only 0 needs no unit. */
bool cushim__value_duration(const struct cushim__word *word, uint64_t *ns);

/* A hint for the message about a word that is no duration, because it may only lack its unit. */
struct cushim__duration_hint {
    char text[96];
};
struct cushim__duration_hint cushim__duration_hint(const struct cushim__word *word);

/* A version of CUDA, as 12, 12.8 or 12080; `version` counts as cuDriverGetVersion does. */
bool cushim__value_version(const struct cushim__word *word, int *version);

/* Read a value that is `on` or `off`. Refuses others as cushim__lines_refuse() does. */
CUresult cushim__lines_flag(const struct cushim__lines *lines, bool *flag);

#endif
