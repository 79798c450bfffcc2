/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of faults as text: `SITE[@devN][:CONDITION,...] => EFFECT`. */
#include <stdio.h>
#include <string.h>

#include "loader/symbols.h"
#include "src/driver_api/result.h"
#include "src/driver_api/suggestion.h"
#include "src/driver_api/versions.h"
#include "src/layer/fault_rule.h"
#include "src/layer/mock_interface.h"

const char *const cushim__fault_operations[] = {
    "copy", "set",      "kernel",   "record", "wait",  "value",
    "host", "callback", "prefetch", "free",   "graph", NULL,
};

/* A rule that is being read, and where its parts begin in the text. */
struct parser {
    const struct cushim__lines *lines;
    struct cushim__fault_rule *rule;
    const char *where[CUSHIM__FAULT_PARTS];
};

static CUresult check_operation(const struct cushim__lines *lines, const struct cushim__word *kind)
{
    struct cushim__suggestion suggestion;

    if (cushim__word_is(kind, "*"))
        return CUDA_SUCCESS;
    cushim__suggestion_begin(&suggestion, kind);
    for (size_t i = 0; cushim__fault_operations[i]; i++) {
        if (cushim__word_is(kind, cushim__fault_operations[i]))
            return CUDA_SUCCESS;
        cushim__suggestion_offer(&suggestion, cushim__fault_operations[i]);
    }
    return cushim__suggestion_refuse(&suggestion, lines, "kind of operations");
}

static CUresult check_pattern(const struct cushim__lines *lines, const struct cushim__word *site)
{
    char pattern[CUSHIM__FAULT_SITE];

    snprintf(pattern, sizeof pattern, "%.*s", (int)site->length, site->start);
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        if (cushim__pattern_fits(pattern, cushim__slot_name(i)))
            return CUDA_SUCCESS;
    }
    return cushim__lines_refuse(lines, site->start, "no function is like \"%.*s\"",
                                cushim__word_shown(site), site->start);
}

static CUresult check_name(const struct cushim__lines *lines, const struct cushim__word *site)
{
    struct cushim__suggestion suggestion;
    unsigned slot;

    if (cushim__value_function(site, &slot))
        return CUDA_SUCCESS;
    cushim__suggestion_begin(&suggestion, site);
    cushim__suggestion_offer_functions(&suggestion);
    return cushim__suggestion_refuse(&suggestion, lines, "function");
}

static CUresult check_site(const struct cushim__lines *lines, const struct cushim__word *site)
{
    struct cushim__word kind;

    if (site->length == 0)
        return cushim__lines_refuse(lines, site->start, "a rule is `site => effect`");
    if (site->length >= CUSHIM__FAULT_SITE)
        return cushim__lines_refuse(lines, site->start, "a site is at most %d characters long",
                                    CUSHIM__FAULT_SITE - 1);
    if (cushim__word_begins(site, CUSHIM__FAULT_OPERATION, &kind))
        return check_operation(lines, &kind);
    return memchr(site->start, '*', site->length) ? check_pattern(lines, site)
                                                  : check_name(lines, site);
}

enum { HIGHEST_CODE = 9999, DECIMALS = 9 };

static const uint64_t longest_delay_ns = UINT64_C(1000000000000);
static const char error_prefix[] = "CUDA_ERROR_";
static const char code_expected[] = "an error by its name or by its number from 1 to 9999";

static CUresult refuse(const struct parser *parser, const char *name, const char *expected,
                       const struct cushim__word *value)
{
    return cushim__lines_refuse(parser->lines, value->start, "%s is %s, not \"%.*s\"", name,
                                expected, cushim__word_shown(value), value->start);
}

/* Read `0.01`, `1` or `.5`, in units of 1 / CUSHIM__FAULT_CERTAIN. */
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

static CUresult read_value(struct parser *parser, enum cushim__fault_part part,
                           const struct cushim__word *value)
{
    uint64_t *const numbers[CUSHIM__FAULT_PARTS] = {
        [CUSHIM__FAULT_OF_NTH] = &parser->rule->nth,
        [CUSHIM__FAULT_OF_AFTER] = &parser->rule->after,
        [CUSHIM__FAULT_OF_EVERY] = &parser->rule->every,
        [CUSHIM__FAULT_OF_SEED] = &parser->rule->seed,
        [CUSHIM__FAULT_OF_TIMES] = &parser->rule->times,
    };
    const char *name = cushim__fault_conditions[part];

    parser->rule->parts |= 1U << part;
    if (part == CUSHIM__FAULT_OF_PROBABILITY)
        return read_probability(value, &parser->rule->probability)
                   ? CUDA_SUCCESS
                   : refuse(parser, name, "above 0 and at most 1, with 9 decimals at most, as 0.01",
                            value);
    if (part == CUSHIM__FAULT_OF_PHASE) {
        parser->rule->phase =
            cushim__word_is(value, "after") ? CUSHIM__FAULT_AFTER : CUSHIM__FAULT_BEFORE;
        return cushim__word_is(value, "after") || cushim__word_is(value, "before")
                   ? CUDA_SUCCESS
                   : refuse(parser, name, "before or after", value);
    }
    return cushim__value_number(value, numbers[part]) && *numbers[part] > 0
               ? CUDA_SUCCESS
               : refuse(parser, name, "a whole number from 1 on, below 2^64", value);
}

/* Read the name of an error, with or without `CUDA_ERROR_`. */
static CUresult read_code_name(struct parser *parser, const struct cushim__word *word)
{
    struct cushim__suggestion suggestion;
    struct cushim__word name = *word;
    const char *listed;
    CUresult code;

    if (!cushim__word_begins(word, error_prefix, &name))
        name = *word;
    cushim__suggestion_begin(&suggestion, &name);
    for (size_t i = 0; (listed = cushim__result_listed(i, &code)); i++) {
        if (strncmp(listed, error_prefix, strlen(error_prefix)) != 0)
            continue;
        listed += strlen(error_prefix);
        if (cushim__word_is(&name, listed)) {
            parser->rule->code = code;
            return CUDA_SUCCESS;
        }
        cushim__suggestion_offer(&suggestion, listed);
    }
    suggestion.word = *word;
    return cushim__suggestion_refuse(&suggestion, parser->lines, "error");
}

static CUresult read_code(struct parser *parser, const struct cushim__word *word)
{
    uint64_t number;

    if (word->length == 0 || (word->start[0] >= '0' && word->start[0] <= '9')) {
        if (!cushim__value_number(word, &number) || number == 0 || number > HIGHEST_CODE)
            return refuse(parser, "the code", code_expected, word);
        parser->rule->code = (CUresult)number;
        return CUDA_SUCCESS;
    }
    return read_code_name(parser, word);
}

static CUresult read_delay(struct parser *parser, const struct cushim__word *word)
{
    return cushim__value_duration(word, &parser->rule->delay_ns) && parser->rule->delay_ns > 0 &&
                   parser->rule->delay_ns <= longest_delay_ns
               ? CUDA_SUCCESS
               : cushim__lines_refuse(parser->lines, word->start,
                                      "the delay is a duration from 1 ns to 1000 s, as 5 ms, not "
                                      "\"%.*s\"%s",
                                      cushim__word_shown(word), word->start,
                                      cushim__duration_hint(word).text);
}

static CUresult read_version(struct parser *parser, const struct cushim__word *word)
{
    return cushim__value_version(word, &parser->rule->version) &&
                   parser->rule->version >= CUSHIM__OLDEST_VERSION &&
                   parser->rule->version <= CUSHIM__NEWEST_VERSION
               ? CUDA_SUCCESS
               : refuse(parser, "the version",
                        "one of CUDA " CUSHIM__VERSION_RANGE ", as 11.8 or 11080", word);
}

/* Effects by name. */
static const struct effect {
    const char *name;
    enum cushim__fault_effect effect;
    CUresult code;       /* unless an argument gives another */
    const char *example; /* with an argument, if that is required; otherwise NULL */
    CUresult (*read)(struct parser *parser,
                     const struct cushim__word *word); /* NULL if it takes no argument */
} effects[] = {
    {"return", CUSHIM__FAULT_RETURN, CUDA_SUCCESS, "return(OUT_OF_MEMORY)", read_code},
    {"out_of_memory", CUSHIM__FAULT_RETURN, CUDA_ERROR_OUT_OF_MEMORY, NULL, NULL},
    {"sticky", CUSHIM__FAULT_STICKY, CUDA_SUCCESS, "sticky(ILLEGAL_ADDRESS)", read_code},
    {"lost", CUSHIM__FAULT_LOST, CUDA_ERROR_UNKNOWN, NULL, read_code},
    {"delay", CUSHIM__FAULT_DELAY, CUDA_SUCCESS, "delay(5 ms)", read_delay},
    {"hang", CUSHIM__FAULT_HANG, CUDA_SUCCESS, NULL, NULL},
    {"missing", CUSHIM__FAULT_MISSING, CUDA_SUCCESS, NULL, NULL},
    {"older", CUSHIM__FAULT_OLDER, CUDA_SUCCESS, "older(11.8)", read_version},
};

static CUresult apply_effect(struct parser *parser, const struct cushim__word *name,
                             const struct cushim__word *argument)
{
    const struct effect *effect = effects, *end = effects + sizeof effects / sizeof effects[0];
    struct cushim__suggestion suggestion;

    cushim__suggestion_begin(&suggestion, name);
    for (; effect < end && !cushim__word_is(name, effect->name); effect++)
        cushim__suggestion_offer(&suggestion, effect->name);
    if (effect == end)
        return cushim__suggestion_refuse(&suggestion, parser->lines, "effect");
    parser->rule->effect = effect->effect;
    parser->rule->code = effect->code;
    if (argument)
        return effect->read ? effect->read(parser, argument)
                            : cushim__lines_refuse(parser->lines, argument->start - 1,
                                                   "%s takes nothing in parentheses", effect->name);
    if (effect->example)
        return cushim__lines_refuse(parser->lines, name->start, "%s lacks its argument, as in %s",
                                    effect->name, effect->example);
    return CUDA_SUCCESS;
}

static CUresult read_device(struct parser *parser, const struct cushim__word *device)
{
    struct cushim__word digits;
    uint64_t number;

    if (!cushim__word_begins(device, "dev", &digits) || !cushim__value_number(&digits, &number) ||
        number >= CUSHIM__FAULT_DEVICES)
        return refuse(parser, "what follows \"@\"", "dev and a number from 0 to 63", device);
    parser->rule->device = (int)number;
    return CUDA_SUCCESS;
}

/*
 * Split a word at a mark: `before` receives the text before the mark, and `word` keeps the text
 * after it. Without the mark, `before` receives the whole word. Returns whether the mark was there.
 */
static bool cut(struct cushim__word *word, const char *mark, struct cushim__word *before)
{
    const size_t length = strlen(mark);
    const char *at = word->start, *end = word->start + word->length;

    while (at + length <= end && memcmp(at, mark, length) != 0)
        at++;
    if (at + length > end) {
        *before = cushim__word_trimmed(word->start, end);
        *word = (struct cushim__word){end, 0};
        return false;
    }
    *before = cushim__word_trimmed(word->start, at);
    *word = cushim__word_trimmed(at + length, end);
    return true;
}

static CUresult read_site(struct parser *parser, struct cushim__word site)
{
    struct cushim__fault_rule *rule = parser->rule;
    struct cushim__word device = site, kind;
    const bool has_device = cut(&device, "@", &site);
    CUresult code = check_site(parser->lines, &site);

    if (code != CUDA_SUCCESS)
        return code;
    memcpy(rule->site, site.start, site.length);
    rule->is_operation = cushim__word_begins(&site, CUSHIM__FAULT_OPERATION, &kind);
    parser->where[CUSHIM__FAULT_OF_SITE] = site.start;
    parser->where[CUSHIM__FAULT_OF_DEVICE] = device.start;
    return has_device ? read_device(parser, &device) : CUDA_SUCCESS;
}

static CUresult read_condition(struct parser *parser, struct cushim__word condition)
{
    struct cushim__word value = condition, name;
    const bool has_value = cut(&value, "=", &name);
    struct cushim__suggestion suggestion;
    int part = CUSHIM__FAULT_OF_NTH;

    cushim__suggestion_begin(&suggestion, &name);
    for (; part <= CUSHIM__FAULT_OF_PHASE; part++) {
        if (cushim__word_is(&name, cushim__fault_conditions[part]))
            break;
        cushim__suggestion_offer(&suggestion, cushim__fault_conditions[part]);
    }
    if (part > CUSHIM__FAULT_OF_PHASE)
        return cushim__suggestion_refuse(&suggestion, parser->lines, "condition");
    if (parser->where[part])
        return cushim__lines_refuse(parser->lines, name.start, "%s is said twice",
                                    cushim__fault_conditions[part]);
    parser->where[part] = name.start;
    if (!has_value || value.length == 0)
        return cushim__lines_refuse(parser->lines, name.start, "%s lacks its value",
                                    cushim__fault_conditions[part]);
    return read_value(parser, (enum cushim__fault_part)part, &value);
}

static CUresult read_conditions(struct parser *parser, struct cushim__word conditions)
{
    struct cushim__word condition;
    bool is_more = true;
    CUresult code = CUDA_SUCCESS;

    while (code == CUDA_SUCCESS && is_more) {
        is_more = cut(&conditions, ",", &condition);
        code = read_condition(parser, condition);
    }
    return code;
}

static CUresult read_effect(struct parser *parser, struct cushim__word effect)
{
    struct cushim__word name, argument, rest = effect;
    const bool has_argument = cut(&rest, "(", &name);

    parser->where[CUSHIM__FAULT_OF_EFFECT] = name.start;
    parser->where[CUSHIM__FAULT_OF_ARGUMENT] = rest.start;
    if (name.length == 0)
        return cushim__lines_refuse(parser->lines, name.start, "behind => comes an effect");
    if (!has_argument)
        return apply_effect(parser, &name, NULL);
    if (!cut(&rest, ")", &argument))
        return cushim__lines_refuse(parser->lines, effect.start + effect.length,
                                    "the argument lacks its closing parenthesis");
    if (rest.length)
        return cushim__lines_refuse(parser->lines, rest.start, "\"%.*s\" is behind the rule",
                                    cushim__word_shown(&rest), rest.start);
    return apply_effect(parser, &name, &argument);
}

/* Without `=>`, refuse `->` and `(`, which no site and no condition has: the arrow is missing. */
static CUresult check_arrow(const struct cushim__lines *lines, const struct cushim__word *text)
{
    struct cushim__word rest = *text, before;
    const char *at;

    if (!cut(&rest, "->", &before)) {
        rest = *text;
        if (!cut(&rest, "(", &before))
            return CUDA_SUCCESS;
    }
    at = before.start + before.length;
    at += strspn(at, " \t\r");
    return cushim__lines_refuse(lines, at, "\"=>\" is missing: a rule is `site => effect`");
}

CUresult cushim__fault_rule_parse(struct cushim__fault_rule *rule, const struct cushim__word *text,
                                  const struct cushim__lines *lines)
{
    struct parser parser = {.lines = lines, .rule = rule};
    struct cushim__word effect = *text, conditions, site;
    const bool has_effect = cut(&effect, "=>", &conditions);
    const bool has_conditions = cut(&conditions, ":", &site);
    enum cushim__fault_part part;
    const char *contradiction;
    CUresult code;

    *rule = (struct cushim__fault_rule){.device = -1};
    snprintf(rule->text, sizeof rule->text, "%.*s", (int)text->length, text->start);
    code = has_effect ? CUDA_SUCCESS : check_arrow(lines, text);
    if (code == CUDA_SUCCESS)
        code = read_site(&parser, site);
    if (code == CUDA_SUCCESS && has_conditions)
        code = read_conditions(&parser, conditions);
    if (code == CUDA_SUCCESS && !has_effect)
        code = cushim__lines_refuse(lines, effect.start, "a rule is `site => effect`");
    if (code == CUDA_SUCCESS)
        code = read_effect(&parser, effect);
    if (code != CUDA_SUCCESS)
        return code;
    contradiction = cushim__fault_contradiction(rule, &part);
    return contradiction ? cushim__lines_refuse(lines, parser.where[part], "%s", contradiction)
                         : CUDA_SUCCESS;
}

CUresult cushim__fault_check(const struct cushim__word *rule, const struct cushim__lines *lines)
{
    struct cushim__fault_rule read;

    return cushim__fault_rule_parse(&read, rule, lines);
}
