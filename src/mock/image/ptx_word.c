/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "src/mock/image/ptx.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '$' || c == '%' || c == '.';
}

static bool begins(const struct mock_ptx *ptx, const char *text)
{
    const size_t length = strlen(text);

    return (size_t)(ptx->end - ptx->at) >= length && memcmp(ptx->at, text, length) == 0;
}

/* Skip one character. */
static void step(struct mock_ptx *ptx)
{
    if (*ptx->at == '\n')
        ptx->line++;
    ptx->at++;
}

static void skip_until(struct mock_ptx *ptx, const char *text)
{
    while (ptx->at < ptx->end && !begins(ptx, text))
        step(ptx);
    for (size_t i = 0; ptx->at < ptx->end && i < strlen(text); i++)
        step(ptx);
}

static void skip_blanks(struct mock_ptx *ptx)
{
    for (;;) {
        if (begins(ptx, "//"))
            skip_until(ptx, "\n");
        else if (begins(ptx, "/*"))
            skip_until(ptx, "*/");
        else if (ptx->at < ptx->end && strchr(" \t\r\n\v\f", *ptx->at) && *ptx->at)
            step(ptx);
        else
            return;
    }
}

void cushim__mock_ptx_next(struct mock_ptx *ptx)
{
    skip_blanks(ptx);
    ptx->word.start = ptx->at;
    if (ptx->at < ptx->end && *ptx->at == '"') {
        step(ptx);
        skip_until(ptx, "\"");
    } else if (ptx->at < ptx->end && is_word(*ptx->at)) {
        while (ptx->at < ptx->end && is_word(*ptx->at))
            ptx->at++;
    } else if (ptx->at < ptx->end) {
        ptx->at++;
    }
    ptx->word.length = (size_t)(ptx->at - ptx->word.start);
}

bool cushim__mock_ptx_is(const struct mock_ptx *ptx, const char *word)
{
    return ptx->word.length == strlen(word) && memcmp(ptx->word.start, word, ptx->word.length) == 0;
}

bool cushim__mock_ptx_skip(struct mock_ptx *ptx, const char *word)
{
    if (!cushim__mock_ptx_is(ptx, word))
        return false;
    cushim__mock_ptx_next(ptx);
    return true;
}

bool cushim__mock_ptx_ended(const struct mock_ptx *ptx)
{
    return ptx->word.length == 0;
}

void cushim__mock_ptx_skip_line(struct mock_ptx *ptx)
{
    skip_until(ptx, "\n");
    cushim__mock_ptx_next(ptx);
}

bool cushim__mock_ptx_skip_statement(struct mock_ptx *ptx)
{
    while (!cushim__mock_ptx_ended(ptx) && !cushim__mock_ptx_is(ptx, ";"))
        cushim__mock_ptx_next(ptx);
    return cushim__mock_ptx_skip(ptx, ";");
}

bool cushim__mock_ptx_skip_block(struct mock_ptx *ptx)
{
    unsigned depth = 0;

    do {
        if (cushim__mock_ptx_is(ptx, "{"))
            depth++;
        else if (cushim__mock_ptx_is(ptx, "}"))
            depth--;
        else if (cushim__mock_ptx_ended(ptx))
            return false;
        cushim__mock_ptx_next(ptx);
    } while (depth > 0);
    return true;
}

bool cushim__mock_ptx_integer(struct mock_ptx *ptx, uint64_t *value)
{
    char text[72], *end;
    size_t length = ptx->word.length;
    int base = 0;

    if (length == 0 || length >= sizeof text || !is_digit(*ptx->word.start))
        return false;
    memcpy(text, ptx->word.start, length);
    text[length] = '\0';
    if (text[length - 1] == 'U')
        text[length - 1] = '\0';
    if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
        base = 2;
    *value = strtoull(base == 2 ? text + 2 : text, &end, base);
    if (*end != '\0' || end == text)
        return false;
    cushim__mock_ptx_next(ptx);
    return true;
}

bool cushim__mock_ptx_name(struct mock_ptx *ptx, struct mock_ptx_word *name)
{
    const struct mock_ptx_word word = ptx->word;

    if (word.length == 0 || !is_word(*word.start) || is_digit(*word.start) || *word.start == '.' ||
        memchr(word.start, '.', word.length))
        return false;
    *name = word;
    cushim__mock_ptx_next(ptx);
    return true;
}

CUresult cushim__mock_ptx_refuse(struct mock_ptx *ptx, const char *expected)
{
    const int length = ptx->word.length > 40 ? 40 : (int)ptx->word.length;

    return cushim__mock_image_refuse(ptx->reading->image, CUDA_ERROR_INVALID_PTX,
                                     "line %u: %s expected, not '%.*s'", ptx->line, expected,
                                     length, ptx->word.start);
}
