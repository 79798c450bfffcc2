/* SPDX-License-Identifier: Apache-2.0 */
#include "src/check/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/system.h"
#include "src/driver_api/function_name.h"
#include "src/driver_api/suggestion.h"

/* The most bytes of a file of suppressions, which people write by hand. */
enum { LARGEST_FILE = 1 << 20 };

static CUresult read_level(const struct cushim__lines *lines, enum cushim__check_level *level)
{
    for (unsigned i = CUSHIM__CHECK_ADVICE; i <= CUSHIM__CHECK_ERROR; i++) {
        if (cushim__word_is(&lines->value, cushim__check_levels[i])) {
            *level = (enum cushim__check_level)i;
            return CUDA_SUCCESS;
        }
    }
    return cushim__lines_refuse(lines, lines->value.start, "level is error, warning or advice");
}

/* `ID:N`. The likeliest mistake is an id that does not exist. */
static CUresult read_expectation(const struct cushim__lines *lines,
                                 struct cushim__check_options *options)
{
    const char *start = lines->value.start, *end = start + lines->value.length;
    const char *colon = memchr(start, ':', lines->value.length);
    const struct cushim__word id = {start, (size_t)((colon ? colon : end) - start)};
    const char *behind = colon ? colon + 1 : end;
    const struct cushim__word number = {behind, (size_t)(end - behind)};
    struct cushim__suggestion suggestion;
    uint64_t count;

    if (!cushim__value_number(&number, &count) || count > 1000000)
        return cushim__lines_refuse(lines, start,
                                    "expect is an id and a number, such as "
                                    "CUSHIM-event-destroyed:1");
    cushim__suggestion_begin(&suggestion, &id);
    for (unsigned i = 0; i < CUSHIM__CHECK_IDS; i++) {
        if (cushim__word_is(&id, cushim__check_rules[i].id)) {
            options->expected[i] = (unsigned)count + 1;
            return CUDA_SUCCESS;
        }
        cushim__suggestion_offer(&suggestion, cushim__check_rules[i].id);
    }
    return cushim__suggestion_refuse(&suggestion, lines, "id");
}

static CUresult read_setting(const struct cushim__lines *lines,
                             struct cushim__check_options *options)
{
    if (cushim__word_is(&lines->key, "leaks"))
        return cushim__lines_flag(lines, &options->has_leaks);
    if (cushim__word_is(&lines->key, "let_through"))
        return cushim__lines_flag(lines, &options->lets_through);
    if (cushim__word_is(&lines->key, "level"))
        return read_level(lines, &options->level);
    if (cushim__word_is(&lines->key, "promise"))
        return cushim__value_version(&lines->value, &options->promise)
                   ? CUDA_SUCCESS
                   : cushim__lines_refuse(lines, lines->value.start,
                                          "promise is a version of CUDA, such as 12.2, not "
                                          "\"%.*s\"",
                                          cushim__word_shown(&lines->value), lines->value.start);
    if (cushim__word_is(&lines->key, "expect"))
        return read_expectation(lines, options);
    return cushim__lines_refuse(lines, lines->key.start,
                                "there is no setting \"%.*s\" of a check: there are level, leaks, "
                                "let_through, promise and expect",
                                cushim__word_shown(&lines->key), lines->key.start);
}

CUresult cushim__check_options_read(struct cushim__check_options *options, const char *text,
                                    const char *where, char *message, size_t size)
{
    struct cushim__lines lines;
    enum cushim__lines_next next;

    cushim__lines_begin(&lines, text, where, message, size);
    while ((next = cushim__lines_next(&lines)) == CUSHIM__LINES_ENTRY) {
        const CUresult code = read_setting(&lines, options);

        if (code != CUDA_SUCCESS)
            return code;
    }
    return next == CUSHIM__LINES_END ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

bool cushim__check_is_expected(const struct cushim__check_options *options,
                               enum cushim__check_id id, unsigned found)
{
    return options->expected[id] == found + 1;
}

void cushim__check_print_unexpected(const struct cushim__check_options *options,
                                    const unsigned found[CUSHIM__CHECK_IDS],
                                    struct cushim__text *text)
{
    for (unsigned i = 0; i < CUSHIM__CHECK_IDS; i++) {
        const unsigned wanted = options->expected[i] - 1;

        if (options->expected[i] > 0 && wanted != found[i])
            cushim__text_format(text, "%u finding%s of %s %s expected, and there %s %u\n", wanted,
                                wanted == 1 ? "" : "s", cushim__check_rules[i].id,
                                wanted == 1 ? "was" : "were", found[i] == 1 ? "is" : "are",
                                found[i]);
    }
}

/* --- suppressions --- */

/* The next word of a line, of length 0 at its end. */
static struct cushim__word next_word(const char **at, const char *end)
{
    struct cushim__word word;

    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
    word.start = *at;
    while (*at < end && **at != ' ' && **at != '\t')
        ++*at;
    word.length = (size_t)(*at - word.start);
    return word;
}

static CUresult read_suppression(const struct cushim__lines *lines,
                                 struct cushim__check_suppression *suppression)
{
    const char *at = lines->value.start, *end = at + lines->value.length;
    char *const patterns[] = {suppression->id, suppression->function, suppression->frame};
    struct cushim__word word;

    for (unsigned i = 0; i < 3; i++) {
        word = next_word(&at, end);
        if (word.length >= CUSHIM__CHECK_PATTERN)
            return cushim__lines_refuse(lines, word.start, "a pattern has at most %d characters",
                                        CUSHIM__CHECK_PATTERN - 1);
        snprintf(patterns[i], CUSHIM__CHECK_PATTERN, "%.*s", word.length ? (int)word.length : 1,
                 word.length ? word.start : "*");
    }
    word = next_word(&at, end);
    if (word.length > 0)
        return cushim__lines_refuse(lines, word.start,
                                    "a line has an id, a function and a frame, and no more");
    for (unsigned i = 0; i < CUSHIM__CHECK_IDS; i++) {
        if (cushim__pattern_fits(suppression->id, cushim__check_rules[i].id))
            return CUDA_SUCCESS;
    }
    return cushim__lines_refuse(lines, lines->value.start, "there is no id %s", suppression->id);
}

CUresult cushim__check_suppressions_read(struct cushim__check_options *options, const char *text,
                                         const char *where, char *message, size_t size)
{
    struct cushim__lines lines;
    enum cushim__lines_next next;

    cushim__lines_begin(&lines, text, where, message, size);
    while ((next = cushim__lines_next_whole(&lines)) == CUSHIM__LINES_ENTRY) {
        struct cushim__check_suppression *suppression = calloc(1, sizeof *suppression);

        if (!suppression)
            return CUDA_ERROR_OUT_OF_MEMORY;
        suppression->next = options->suppressions;
        options->suppressions = suppression;
        if (read_suppression(&lines, suppression) != CUDA_SUCCESS)
            return CUDA_ERROR_INVALID_VALUE;
    }
    return next == CUSHIM__LINES_END ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cushim__check_suppressions_load(struct cushim__check_options *options, const char *path,
                                         char *message, size_t size)
{
    FILE *file = cushim__system_open_file(path);
    char *text = file ? malloc(LARGEST_FILE + 1) : NULL;
    CUresult code = CUDA_ERROR_INVALID_VALUE;

    if (text)
        text[fread(text, 1, LARGEST_FILE, file)] = '\0';
    if (!text || ferror(file)) /* as when reading a folder */
        snprintf(message, size, "the suppressions %.200s cannot be read: %s", path,
                 strerror(errno));
    else if (fgetc(file) != EOF)
        snprintf(message, size, "the suppressions %.200s have more than %d bytes", path,
                 LARGEST_FILE);
    else
        code = cushim__check_suppressions_read(options, text, path, message, size);
    if (file)
        fclose(file);
    free(text);
    return code;
}

void cushim__check_suppressions_free(struct cushim__check_options *options)
{
    while (options->suppressions) {
        struct cushim__check_suppression *next = options->suppressions->next;

        free(options->suppressions);
        options->suppressions = next;
    }
}
