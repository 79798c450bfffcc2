/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an expectation makes sense, and whether a call is what it expects. */
#include <string.h>

#include "src/base/suggestion.h"
#include "src/layer/expectation/expectation.h"
#include "src/layer/pattern.h"

/* One more than the place of the last matcher that says something. */
static unsigned matchers(const struct cushim__expected *expected)
{
    unsigned count = CUSHIM_RECORDED_ARGUMENTS;

    while (count > 0 && expected->what.arguments[count - 1].kind == CUSHIM_MATCH_ANY)
        count--;
    return count;
}

static bool find_slots(struct cushim__expected *expected, unsigned least)
{
    const char *function = expected->what.function;
    bool is_found = false;

    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (!cushim__pattern_fits(function, cushim__slot_name(slot)) ||
            cushim__seen_count(slot) < least)
            continue;
        expected->slots[slot / 8] |= (uint8_t)(1u << slot % 8);
        expected->slot = slot;
        is_found = true;
    }
    return is_found;
}

static void tell_unknown(struct cushim__text *message, const char *function)
{
    const struct cushim__word word = {.start = function, .length = strlen(function)};
    struct cushim__suggestion nearest;

    cushim__suggestion_begin(&nearest, &word);
    cushim__suggestion_offer_functions(&nearest);
    cushim__text_format(message, "the driver has no function %s", function);
    if (nearest.name)
        cushim__text_format(message, "; did you mean %s?", nearest.name);
}

static bool refuse_count(const struct cushim__expected *expected, unsigned count,
                         struct cushim__text *message)
{
    unsigned slot;

    for (slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (cushim__pattern_fits(expected->what.function, cushim__slot_name(slot)))
            break;
    }
    if (slot == CUSHIM__SYMBOL_COUNT && expected->is_pattern) {
        cushim__text_format(message, "no function fits %s", expected->what.function);
    } else if (slot == CUSHIM__SYMBOL_COUNT) {
        tell_unknown(message, expected->what.function);
    } else if (expected->is_pattern) {
        cushim__text_format(message, "no function that fits %s has %u parameters",
                            expected->what.function, count);
    } else {
        cushim__text_format(message, "%s has %u parameters, and there are %u matchers",
                            expected->what.function, cushim__seen_count(slot), count);
    }
    return false;
}

/* What a matcher lacks; NULL: nothing. */
static const char *lack(const struct cushim_match *match)
{
    switch (match->kind) {
    case CUSHIM_MATCH_TAG:
        return !match->text ? "no text" : match->text[0] ? NULL : "an empty tag";
    case CUSHIM_MATCH_TEXT:
        return match->text ? NULL : "no text";
    case CUSHIM_MATCH_PREDICATE:
        return match->predicate ? NULL : "no predicate";
    case CUSHIM_MATCH_ANY:
    case CUSHIM_MATCH_EQUAL:
    case CUSHIM_MATCH_RANGE:
    case CUSHIM_MATCH_NULL:
    case CUSHIM_MATCH_NOT_NULL:
        return NULL;
    }
    return "an unknown kind";
}

/* A matcher that no value of the parameter could ever match. */
static const char *mismatch(const struct cushim__expected *expected, unsigned index)
{
    const enum cushim_match_kind kind = expected->what.arguments[index].kind;
    const enum cushim__parameter_kind is = cushim__seen_parameter(expected->slot, index)->kind;

    if (expected->is_pattern)
        return NULL;
    if (kind == CUSHIM_MATCH_TEXT && is != CUSHIM__PARAMETER_TEXT)
        return "a text, which this is not";
    if (kind == CUSHIM_MATCH_TAG &&
        (is == CUSHIM__PARAMETER_SIGNED || is == CUSHIM__PARAMETER_FLOAT ||
         is == CUSHIM__PARAMETER_TEXT || is == CUSHIM__PARAMETER_STRUCT))
        return "a tag, which this has not";
    return NULL;
}

/*
 * Whether nothing lies in a range. It counts by the sign of the parameter, which a pattern has
 * several of.
 */
static bool is_empty_range(const struct cushim__expected *expected, unsigned index)
{
    const struct cushim_match *match = &expected->what.arguments[index];
    const bool is_signed =
        cushim__seen_parameter(expected->slot, index)->kind == CUSHIM__PARAMETER_SIGNED;
    const bool is_empty = match->value > match->last;
    const bool is_empty_signed = (int64_t)match->value > (int64_t)match->last;

    if (match->kind != CUSHIM_MATCH_RANGE)
        return false;
    if (expected->is_pattern)
        return is_empty && is_empty_signed;
    return is_signed ? is_empty_signed : is_empty;
}

static bool check_matchers(const struct cushim__expected *expected, unsigned count,
                           struct cushim__text *message)
{
    for (unsigned i = 0; i < count; i++) {
        const char *lacking = lack(&expected->what.arguments[i]);
        const char *wrong = mismatch(expected, i);

        if (is_empty_range(expected, i))
            lacking = "a range that ends before it begins";
        if (!lacking && !wrong)
            continue;
        cushim__text_format(message, "%s: ", expected->what.function);
        if (expected->is_pattern)
            cushim__text_add(message, "a matcher ");
        else
            cushim__text_format(message, "the matcher of %s ",
                                cushim__seen_parameter(expected->slot, i)->name);
        cushim__text_format(message, lacking ? "has %s" : "wants %s", lacking ? lacking : wrong);
        return false;
    }
    return true;
}

bool cushim__expected_check(struct cushim__expected *expected, struct cushim__text *message)
{
    const struct cushim_expectation *what = &expected->what;
    const unsigned count = matchers(expected);

    if (!what->function) {
        cushim__text_add(message, "no function is named");
        return false;
    }
    if (what->minimum > what->maximum) {
        cushim__text_format(message, "%s: the minimum %u is above the maximum %u", what->function,
                            what->minimum, what->maximum);
        return false;
    }
    expected->is_pattern = strchr(what->function, '*') != NULL;
    if (!find_slots(expected, count))
        return refuse_count(expected, count, message);
    return check_matchers(expected, count, message);
}

static bool is_in_range(const struct cushim_match *match, enum cushim__parameter_kind kind,
                        uint64_t value)
{
    if (kind == CUSHIM__PARAMETER_SIGNED)
        return (int64_t)value >= (int64_t)match->value && (int64_t)value <= (int64_t)match->last;
    return value >= match->value && value <= match->last;
}

static bool is_text(const struct cushim_match *match, enum cushim__parameter_kind kind,
                    uint64_t value)
{
    return kind == CUSHIM__PARAMETER_TEXT && value &&
           strcmp((const char *)(uintptr_t)value, match->text) == 0;
}

static bool is_tag(const struct cushim_match *match, const struct cushim__call *call,
                   unsigned index)
{
    char tag[CUSHIM_TAG_SIZE];

    cushim__seen_tag(&call->seen, call->slot, index, tag, sizeof tag);
    return strcmp(tag, match->text) == 0;
}

static bool matches(const struct cushim_match *match, const struct cushim__call *call,
                    unsigned index)
{
    const enum cushim__parameter_kind kind = cushim__seen_parameter(call->slot, index)->kind;
    const uint64_t value = call->seen.arguments[index].value;

    switch (match->kind) {
    case CUSHIM_MATCH_ANY:
        return true;
    case CUSHIM_MATCH_EQUAL:
        return value == match->value;
    case CUSHIM_MATCH_RANGE:
        return is_in_range(match, kind, value);
    case CUSHIM_MATCH_TAG:
        return is_tag(match, call, index);
    case CUSHIM_MATCH_TEXT:
        return is_text(match, kind, value);
    case CUSHIM_MATCH_PREDICATE:
        return match->predicate(match->data, value);
    case CUSHIM_MATCH_NULL:
        return value == 0;
    case CUSHIM_MATCH_NOT_NULL:
        return value != 0;
    }
    return false;
}

unsigned cushim__expected_compare(const struct cushim__expected *expected,
                                  const struct cushim__call *call, CUresult answer, unsigned *first)
{
    const unsigned count = cushim__seen_count(call->slot);
    unsigned differences = 0;

    for (unsigned i = 0; i < count; i++) {
        if (matches(&expected->what.arguments[i], call, i))
            continue;
        if (differences++ == 0)
            *first = i;
    }
    if (expected->what.match_code && expected->what.code != answer && differences++ == 0)
        *first = count;
    return differences;
}
