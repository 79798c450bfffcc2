/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text of `key = value` lines, read one entry after the other, and refused by line and column.
 *
 * `#` begins a comment at the start of a line or after a blank. Blanks around key and value do not
 * count. There are no quotes, no sections and no continued lines.
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
    const char *where; /* what the text is called in messages */
    bool is_file;      /* `where` is the path of the file that holds it */
    char *message;     /* receives why it was refused */
    size_t message_size;
    const char *line; /* the current one */
    unsigned number;  /* its number, from 1 */
    const char *rest; /* what comes after it */
    struct cushim__word key, value;
};

enum cushim__lines_next { CUSHIM__LINES_END, CUSHIM__LINES_ENTRY, CUSHIM__LINES_REFUSED };

/* Begin to read. `message` may be NULL if its size is 0. */
void cushim__lines_begin(struct cushim__lines *lines, const char *text, const char *where,
                         char *message, size_t message_size);

/* Go to the next entry: `key` and `value` are set, and neither is empty. */
enum cushim__lines_next cushim__lines_next(struct cushim__lines *lines);

/* Go to the next line that is not empty: `value` is all that stands in it. */
enum cushim__lines_next cushim__lines_next_whole(struct cushim__lines *lines);

/* Say what is wrong at a place of the current line. Returns CUDA_ERROR_INVALID_VALUE. */
__attribute__((format(__printf__, 3, 4))) CUresult
cushim__lines_refuse(const struct cushim__lines *lines, const char *at, const char *format, ...);

/* The word between two places of a line, without the blanks at its ends. */
struct cushim__word cushim__word_trimmed(const char *start, const char *end);

/* How much of a word a message shows: for `%.*s`. */
int cushim__word_shown(const struct cushim__word *word);

bool cushim__word_is(const struct cushim__word *word, const char *text);

/* Whether the word begins with `prefix`: then `rest` is what follows. */
bool cushim__word_begins(const struct cushim__word *word, const char *prefix,
                         struct cushim__word *rest);

/* Values: words that are numbers, with or without a unit. False: the word is none of these. */

/* Digits. */
bool cushim__value_number(const struct cushim__word *word, uint64_t *number);

/* The same with an optional minus in front, within int. */
bool cushim__value_integer(const struct cushim__word *word, int *integer);

/* Bytes: a number, or one with KiB, MiB, GiB or TiB. */
bool cushim__value_size(const struct cushim__word *word, uint64_t *bytes);

/* Nanoseconds: a number, or one with ns, us, ms or s. */
bool cushim__value_duration(const struct cushim__word *word, uint64_t *ns);

/* The versions of CUDA that the mock driver can have, and that rules of faults may name. */
enum { CUSHIM__OLDEST_VERSION = 10000, CUSHIM__NEWEST_VERSION = 13050 };

/* A version of CUDA, 12.8 or 12080: as cuDriverGetVersion counts. */
bool cushim__value_version(const struct cushim__word *word, int *version);

/* Read a value that is `on` or `off`. Refuses others as cushim__lines_refuse() does. */
CUresult cushim__lines_flag(const struct cushim__lines *lines, bool *flag);

#endif
