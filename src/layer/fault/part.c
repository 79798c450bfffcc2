/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/fault/part.h"

#include <stdio.h>
#include <string.h>

#include "src/base/lines.h"
#include "src/base/result.h"
#include "src/base/suggestion.h"

enum { HIGHEST_CODE = 9999, OLDEST_VERSION = 10000, NEWEST_VERSION = 13050, DECIMALS = 9 };

static const uint64_t longest_delay_ns = UINT64_C(1000000000000);
static const char error_prefix[] = "CUDA_ERROR_";
static const char code_expected[] = "an error by its name or by its number from 1 to 9999";

static CUresult refuse(const struct cushim__lines *lines, const char *name, const char *expected,
                       const struct cushim__word *value)
{
    return cushim__lines_refuse(lines, value->start, "%s is %s, not \"%.*s\"", name, expected,
                                cushim__word_shown(value), value->start);
}

/* `0.01`, `1` or `.5`, in parts of CUSHIM__FAULT_CERTAIN. */
static bool read_probability(const struct cushim__word *value, uint32_t *probability)
{
    uint64_t parts = 0, unit = CUSHIM__FAULT_CERTAIN;
    size_t at = 0, decimals = 0;

    for (; at < value->length && value->start[at] != '.'; at++) {
        if (value->start[at] < '0' || value->start[at] > '1' || parts > 0)
            return false;
        parts = (uint64_t)(value->start[at] - '0') * unit;
    }
    for (at++; at < value->length; at++, decimals++) {
        if (value->start[at] < '0' || value->start[at] > '9' || decimals == DECIMALS)
            return false;
        unit /= 10;
        parts += (uint64_t)(value->start[at] - '0') * unit;
    }
    *probability = (uint32_t)parts;
    return parts > 0 && parts <= CUSHIM__FAULT_CERTAIN;
}

static uint64_t *number_of(struct cushim__fault_rule *rule, enum cushim__fault_part part)
{
    switch (part) {
    case CUSHIM__FAULT_OF_NTH:
        return &rule->nth;
    case CUSHIM__FAULT_OF_AFTER:
        return &rule->after;
    case CUSHIM__FAULT_OF_EVERY:
        return &rule->every;
    case CUSHIM__FAULT_OF_SEED:
        return &rule->seed;
    default:
        return &rule->times;
    }
}

CUresult cushim__fault_read_condition(struct cushim__fault_rule *rule, enum cushim__fault_part part,
                                      const struct cushim__word *value,
                                      const struct cushim__lines *lines)
{
    const char *name = cushim__fault_conditions[part];
    uint64_t *number;

    rule->said |= 1U << part;
    if (part == CUSHIM__FAULT_OF_PROBABILITY)
        return read_probability(value, &rule->probability)
                   ? CUDA_SUCCESS
                   : refuse(lines, name, "above 0 and at most 1, with 9 decimals at most, as 0.01",
                            value);
    if (part == CUSHIM__FAULT_OF_PHASE) {
        rule->phase = cushim__word_is(value, "after") ? CUSHIM_FAULT_AFTER : CUSHIM_FAULT_BEFORE;
        return cushim__word_is(value, "after") || cushim__word_is(value, "before")
                   ? CUDA_SUCCESS
                   : refuse(lines, name, "before or after", value);
    }
    number = number_of(rule, part);
    return cushim__value_number(value, number) && *number > 0
               ? CUDA_SUCCESS
               : refuse(lines, name, "a whole number from 1 on, below 2^64", value);
}

/* By name, with or without what all of them begin with. */
static bool find_code(const struct cushim__word *word, CUresult *code)
{
    const char *name;
    CUresult listed;

    for (size_t i = 0; (name = cushim__result_listed(i, &listed)); i++) {
        const bool is_error = strncmp(name, error_prefix, strlen(error_prefix)) == 0;

        if (is_error &&
            (cushim__word_is(word, name) || cushim__word_is(word, name + strlen(error_prefix)))) {
            *code = listed;
            return true;
        }
    }
    return false;
}

static CUresult refuse_code(const struct cushim__lines *lines, const struct cushim__word *word)
{
    struct cushim__suggestion nearest;
    struct cushim__word name = *word;
    char hint[96] = "";
    const char *listed;
    CUresult code;

    if (!cushim__word_begins(word, error_prefix, &name))
        name = *word;
    cushim__suggestion_begin(&nearest, &name);
    for (size_t i = 0; (listed = cushim__result_listed(i, &code)); i++) {
        if (strncmp(listed, error_prefix, strlen(error_prefix)) == 0)
            cushim__suggestion_offer(&nearest, listed + strlen(error_prefix));
    }
    if (nearest.name)
        snprintf(hint, sizeof hint, "; did you mean \"%s\"?", nearest.name);
    return cushim__lines_refuse(lines, word->start, "there is no error \"%.*s\"%s",
                                cushim__word_shown(word), word->start, hint);
}

static CUresult read_code(struct cushim__fault_rule *rule, const struct cushim__word *word,
                          const struct cushim__lines *lines)
{
    uint64_t number;

    if (word->length == 0 || (word->start[0] >= '0' && word->start[0] <= '9')) {
        if (!cushim__value_number(word, &number) || number == 0 || number > HIGHEST_CODE)
            return refuse(lines, "the code", code_expected, word);
        rule->code = (CUresult)number;
        return CUDA_SUCCESS;
    }
    return find_code(word, &rule->code) ? CUDA_SUCCESS : refuse_code(lines, word);
}

static CUresult read_delay(struct cushim__fault_rule *rule, const struct cushim__word *word,
                           const struct cushim__lines *lines)
{
    return cushim__value_duration(word, &rule->delay_ns) && rule->delay_ns > 0 &&
                   rule->delay_ns <= longest_delay_ns
               ? CUDA_SUCCESS
               : refuse(lines, "the delay", "a duration from 1 ns to 1000 s, as 5 ms", word);
}

static CUresult read_version(struct cushim__fault_rule *rule, const struct cushim__word *word,
                             const struct cushim__lines *lines)
{
    return cushim__value_version(word, &rule->version) && rule->version >= OLDEST_VERSION &&
                   rule->version <= NEWEST_VERSION
               ? CUDA_SUCCESS
               : refuse(lines, "the version", "one of CUDA from 10.0 to 13.5, as 11.8 or 11080",
                        word);
}

/* Effects as they are written. */
static const struct effect {
    const char *name;
    enum cushim_fault_effect effect;
    CUresult code;       /* where no argument says another */
    const char *example; /* of an argument that has to be there; NULL: it may be left out */
    CUresult (*read)(struct cushim__fault_rule *rule, const struct cushim__word *word,
                     const struct cushim__lines *lines); /* NULL: it takes none */
} effects[] = {
    {"return", CUSHIM_FAULT_RETURN, CUDA_SUCCESS, "return(OUT_OF_MEMORY)", read_code},
    {"out_of_memory", CUSHIM_FAULT_RETURN, CUDA_ERROR_OUT_OF_MEMORY, NULL, NULL},
    {"sticky", CUSHIM_FAULT_STICKY, CUDA_SUCCESS, "sticky(ILLEGAL_ADDRESS)", read_code},
    {"lost", CUSHIM_FAULT_LOST, CUDA_ERROR_UNKNOWN, NULL, read_code},
    {"delay", CUSHIM_FAULT_DELAY, CUDA_SUCCESS, "delay(5 ms)", read_delay},
    {"hang", CUSHIM_FAULT_HANG, CUDA_SUCCESS, NULL, NULL},
    {"missing", CUSHIM_FAULT_MISSING, CUDA_SUCCESS, NULL, NULL},
    {"older", CUSHIM_FAULT_OLDER, CUDA_SUCCESS, "older(11.8)", read_version},
};

static CUresult refuse_effect(const struct cushim__lines *lines, const struct cushim__word *name)
{
    struct cushim__suggestion nearest;
    char hint[64] = "";

    cushim__suggestion_begin(&nearest, name);
    for (size_t i = 0; i < sizeof effects / sizeof effects[0]; i++)
        cushim__suggestion_offer(&nearest, effects[i].name);
    if (nearest.name)
        snprintf(hint, sizeof hint, "; did you mean \"%s\"?", nearest.name);
    return cushim__lines_refuse(lines, name->start, "there is no effect \"%.*s\"%s",
                                cushim__word_shown(name), name->start, hint);
}

CUresult cushim__fault_read_effect(struct cushim__fault_rule *rule, const struct cushim__word *name,
                                   const struct cushim__word *argument,
                                   const struct cushim__lines *lines)
{
    const struct effect *effect = effects, *end = effects + sizeof effects / sizeof effects[0];

    while (effect < end && !cushim__word_is(name, effect->name))
        effect++;
    if (effect == end)
        return refuse_effect(lines, name);
    rule->effect = effect->effect;
    rule->code = effect->code;
    if (argument)
        return effect->read ? effect->read(rule, argument, lines)
                            : cushim__lines_refuse(lines, argument->start - 1,
                                                   "%s takes nothing in parentheses", effect->name);
    if (effect->example)
        return cushim__lines_refuse(lines, name->start, "%s lacks its argument, as in %s",
                                    effect->name, effect->example);
    return CUDA_SUCCESS;
}

CUresult cushim__fault_read_device(struct cushim__fault_rule *rule,
                                   const struct cushim__word *device,
                                   const struct cushim__lines *lines)
{
    struct cushim__word digits;
    uint64_t number;

    if (!cushim__word_begins(device, "dev", &digits) || !cushim__value_number(&digits, &number) ||
        number >= CUSHIM__FAULT_DEVICES)
        return refuse(lines, "what follows \"@\"", "dev and a number from 0 to 63", device);
    rule->device = (int)number;
    return CUDA_SUCCESS;
}
