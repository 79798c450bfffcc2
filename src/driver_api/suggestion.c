/* SPDX-License-Identifier: Apache-2.0 */
#include "src/driver_api/suggestion.h"

#include <stdio.h>
#include <string.h>

#include "loader/symbols.h"

/* Longer words are not compared. */
enum { LONGEST = 63 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b, size_t c)
{
    const size_t smaller = a < b ? a : b;

    return smaller < c ? smaller : c;
}

/* How many letters must be added, dropped or replaced to make one of the other. */
static size_t distance(const struct cushim__word *word, const char *name, size_t length)
{
    size_t row[LONGEST + 1];

    for (size_t i = 0; i <= length; i++)
        row[i] = i;
    for (size_t i = 1; i <= word->length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= length; k++) {
            const size_t above = row[k];
            const bool is_same = lower(word->start[i - 1]) == lower(name[k - 1]);
            row[k] = least(row[k - 1] + 1, above + 1, diagonal + !is_same);
            diagonal = above;
        }
    }
    return row[length];
}

void cushim__suggestion_begin(struct cushim__suggestion *suggestion,
                              const struct cushim__word *word)
{
    /* Allow at most three edits, or half of the length of the word if that is less. */
    const size_t most = word->length / 2 < 3 ? word->length / 2 : 3;

    *suggestion = (struct cushim__suggestion){.word = *word, .distance = most + 1};
}

void cushim__suggestion_offer(struct cushim__suggestion *suggestion, const char *name)
{
    const size_t length = strlen(name);
    size_t found;

    if (length > LONGEST || suggestion->word.length > LONGEST)
        return;
    found = distance(&suggestion->word, name, length);
    if (found < suggestion->distance) {
        suggestion->distance = found;
        suggestion->name = name;
    }
}

void cushim__suggestion_offer_functions(struct cushim__suggestion *suggestion)
{
    for (unsigned i = 0; i < CUSHIM__SYMBOL_COUNT; i++)
        cushim__suggestion_offer(suggestion, cushim__slot_name(i));
}

CUresult cushim__suggestion_refuse(const struct cushim__suggestion *suggestion,
                                   const struct cushim__lines *lines, const char *what)
{
    const struct cushim__word *word = &suggestion->word;
    char hint[LONGEST + 32] = "";

    if (suggestion->name)
        snprintf(hint, sizeof hint, "; did you mean \"%s\"?", suggestion->name);
    return cushim__lines_refuse(lines, word->start, "there is no %s \"%.*s\"%s", what,
                                cushim__word_shown(word), word->start, hint);
}
