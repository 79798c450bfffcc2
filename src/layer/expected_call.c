/* SPDX-License-Identifier: Apache-2.0 */
/* One expected call: whether it is possible, how a call differs from it, and the text of both. */
#include <string.h>

#include "src/driver_api/result.h"
#include "src/driver_api/suggestion.h"
#include "src/layer/expectation.h"

/* The number of matchers, without those at the end that match anything. */
static unsigned matchers(const struct cushim__expected *expected)
{
    unsigned count = CUSHIM_RECORDED_ARGUMENTS;

    while (count > 0 && expected->what.arguments[count - 1].kind == CUSHIM_MATCH_ANY)
        count--;
    return count;
}

/* Whether an ABI describes its function better than another. Newer ABIs and ordinary streams do. */
static bool is_better(unsigned slot, unsigned other)
{
    const bool is_per_thread = cushim__symbols[slot].flags & CUSHIM__PER_THREAD;

    return is_per_thread == (bool)(cushim__symbols[other].flags & CUSHIM__PER_THREAD)
               ? cushim__symbols[slot].since >= cushim__symbols[other].since
               : !is_per_thread;
}

static bool find_slots(struct cushim__expected *expected, unsigned least)
{
    unsigned count = 0;

    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (!cushim__name_means(expected->what.function, slot) ||
            cushim__parameter_count(slot) < least)
            continue;
        expected->slots[slot / 8] |= (uint8_t)(1u << slot % 8);
        if (count++ == 0 || is_better(slot, expected->slot))
            expected->slot = slot;
    }
    return count > 0;
}

static void print_unknown(struct cushim__text *message, const char *function)
{
    const struct cushim__word word = {.start = function, .length = strlen(function)};
    struct cushim__suggestion suggestion;

    cushim__suggestion_begin(&suggestion, &word);
    cushim__suggestion_offer_functions(&suggestion);
    cushim__text_format(message, "the driver has no function %s", function);
    if (suggestion.name)
        cushim__text_format(message, "; did you mean %s?", suggestion.name);
}

static bool refuse_count(const struct cushim__expected *expected, unsigned count,
                         struct cushim__text *message)
{
    bool is_found = false;
    unsigned most = 0;

    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (!cushim__name_means(expected->what.function, slot))
            continue;
        is_found = true;
        if (cushim__parameter_count(slot) > most)
            most = cushim__parameter_count(slot);
    }
    if (!is_found && expected->is_pattern) {
        cushim__text_format(message, "no function fits %s", expected->what.function);
    } else if (!is_found) {
        print_unknown(message, expected->what.function);
    } else if (expected->is_pattern) {
        cushim__text_format(message, "no function that fits %s has %u parameter%s",
                            expected->what.function, count, count == 1 ? "" : "s");
    } else {
        cushim__text_format(message, "%s has %u parameter%s, and there %s %u matcher%s",
                            expected->what.function, most, most == 1 ? "" : "s",
                            count == 1 ? "is" : "are", count, count == 1 ? "" : "s");
    }
    return false;
}

/* What is missing in a matcher; NULL if nothing is. */
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

/* Why no value of the parameter can match a matcher; NULL if one can. */
static const char *mismatch_of(enum cushim_match_kind kind, enum cushim__parameter_kind is)
{
    if (kind == CUSHIM_MATCH_TEXT && is != CUSHIM__PARAMETER_TEXT)
        return "a text, which this is not";
    if (kind == CUSHIM_MATCH_TAG &&
        (is == CUSHIM__PARAMETER_SIGNED || is == CUSHIM__PARAMETER_FLOAT ||
         is == CUSHIM__PARAMETER_TEXT || is == CUSHIM__PARAMETER_STRUCT))
        return "a tag, which this has not";
    return NULL;
}

/* The same for all ABIs of the function: NULL if one of them can match. */
static const char *mismatch(const struct cushim__expected *expected, unsigned index)
{
    const enum cushim_match_kind kind = expected->what.arguments[index].kind;
    const char *wrong = NULL;

    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT && !expected->is_pattern; slot++) {
        if (!cushim__expected_is_about(expected, slot))
            continue;
        wrong = mismatch_of(kind, cushim__parameter_at(slot, index)->kind);
        if (!wrong)
            break;
    }
    return wrong;
}

/*
 * Whether a range is empty, which depends on whether the parameter is signed. A pattern stands for
 * several parameters, so its range must be empty for both kinds.
 */
static bool is_empty_range(const struct cushim__expected *expected, unsigned index)
{
    const struct cushim_match *match = &expected->what.arguments[index];
    const bool is_signed =
        cushim__parameter_at(expected->slot, index)->kind == CUSHIM__PARAMETER_SIGNED;
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
                                cushim__parameter_at(expected->slot, i)->name);
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

static bool is_tag(const struct cushim_match *match, const struct cushim__call *call,
                   unsigned index)
{
    char tag[CUSHIM_RECORDING_TAG_SIZE];

    cushim__argument_tag(&call->arguments, call->slot, index, tag, sizeof tag);
    return strcmp(tag, match->text) == 0;
}

static bool matches(const struct cushim_match *match, const struct cushim__call *call,
                    unsigned index)
{
    const enum cushim__parameter_kind kind = cushim__parameter_at(call->slot, index)->kind;
    const uint64_t value = call->arguments.list[index].value;

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
        return kind == CUSHIM__PARAMETER_TEXT && value &&
               strcmp((const char *)(uintptr_t)value, match->text) == 0;
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
    const unsigned count = cushim__parameter_count(call->slot);
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

/* Print a number, or the tag of a handle that is in the table. */
static void add_value(struct cushim__text *text, const struct cushim__expected *expected,
                      unsigned index, uint64_t value)
{
    const struct cushim__parameter *parameter = cushim__parameter_at(expected->slot, index);
    const enum cushim__object_type type =
        cushim__type_of(parameter->type, strcspn(parameter->type, " *"));
    const struct cushim__handle *object = NULL;
    char name[CUSHIM_RECORDING_TAG_SIZE];

    if (parameter->kind == CUSHIM__PARAMETER_SIGNED) {
        cushim__text_format(text, "%lld", (long long)value);
        return;
    }
    if (parameter->kind == CUSHIM__PARAMETER_HANDLE && type != CUSHIM__NO_TYPE)
        object = cushim__handle_find(type, value, false);
    if (object) {
        const struct cushim__tag tag = cushim__handle_tag(object);

        cushim__tag_text(&tag, value, name, sizeof name);
        cushim__text_add(text, name);
    } else {
        cushim__text_format(text, parameter->kind == CUSHIM__PARAMETER_UNSIGNED ? "%llu" : "0x%llx",
                            (unsigned long long)value);
    }
}

static void add_match(struct cushim__text *text, const struct cushim__expected *expected,
                      unsigned index)
{
    const struct cushim_match *match = &expected->what.arguments[index];

    switch (match->kind) {
    case CUSHIM_MATCH_ANY:
        break;
    case CUSHIM_MATCH_EQUAL:
    case CUSHIM_MATCH_RANGE:
        cushim__text_add(text, "=");
        add_value(text, expected, index, match->value);
        if (match->kind == CUSHIM_MATCH_EQUAL)
            break;
        cushim__text_add(text, " to ");
        add_value(text, expected, index, match->last);
        break;
    case CUSHIM_MATCH_TAG:
        cushim__text_format(text, "=%s", match->text);
        break;
    case CUSHIM_MATCH_TEXT:
        cushim__text_add(text, "=\"");
        cushim__text_plain(text, match->text);
        cushim__text_add(text, "\"");
        break;
    case CUSHIM_MATCH_PREDICATE:
        cushim__text_add(text, "=what its predicate says");
        break;
    case CUSHIM_MATCH_NULL:
        cushim__text_add(text, "=NULL");
        break;
    case CUSHIM_MATCH_NOT_NULL:
        cushim__text_add(text, "=not NULL");
        break;
    }
}

/* Print `cuEventRecord(hEvent=event#1, hStream)`. */
static void add_expected(struct cushim__text *text, const struct cushim__expected *expected)
{
    const unsigned count = cushim__parameter_count(expected->slot);

    cushim__text_add(text, expected->what.function);
    if (!expected->is_pattern) {
        cushim__text_add(text, "(");
        for (unsigned i = 0; i < count; i++) {
            cushim__text_format(text, "%s%s", i ? ", " : "",
                                cushim__parameter_at(expected->slot, i)->name);
            add_match(text, expected, i);
        }
        cushim__text_add(text, ")");
    }
    if (expected->what.match_code) {
        cushim__text_add(text, " = ");
        cushim__result_add(text, expected->what.code);
    }
}

/* Print how often a call is expected. */
static void add_wanted(struct cushim__text *text, const struct cushim_expectation *what)
{
    if (what->minimum == what->maximum) {
        cushim__text_add(text, "exactly ");
        cushim__times_print(text, what->minimum);
        return;
    }
    if (what->minimum > 0) {
        cushim__text_add(text, "at least ");
        cushim__times_print(text, what->minimum);
    }
    if (what->maximum != CUSHIM_EXPECTATION_ANY_NUMBER) {
        cushim__text_add(text, what->minimum > 0 ? " and at most " : "at most ");
        cushim__times_print(text, what->maximum);
    }
}

static void print_count(struct cushim__text *text, const struct cushim__expected *expected)
{
    cushim__text_add(text, "expected ");
    add_wanted(text, &expected->what);
    cushim__text_add(text, ": ");
    add_expected(text, expected);
    cushim__text_add(text, "; it came ");
    cushim__times_print(text, expected->count + expected->too_many);
    if (expected->count == 0)
        cushim__variant_print(text, "\n  ", &expected->variants);
    cushim__text_add(text, "\n");
    if (expected->too_many > 0)
        cushim__text_format(text, "  the first too many is %s\n", expected->extra.text);
    for (unsigned i = 0; i < CUSHIM__SIMILAR_CALLS && expected->too_many == 0; i++) {
        if (expected->similar[i].differences > 0)
            cushim__text_format(text, "  near is %s\n", expected->similar[i].text);
    }
}

static void print_forbidden(struct cushim__text *text, const struct cushim__expected *expected)
{
    cushim__text_format(text, "forbidden: %s; it came ", expected->what.function);
    cushim__times_print(text, expected->too_many);
    cushim__text_format(text, "\n  the first is %s\n", expected->extra.text);
}

static void print_order(struct cushim__text *text, const struct cushim__expected *expected)
{
    cushim__text_add(text, "out of order: ");
    add_expected(text, expected);
    cushim__text_add(text, expected->is_early ? " came before " : " came after ");
    add_expected(text, expected->other);
    cushim__text_format(text, "\n  it is %s\n", expected->misplaced.text);
}

void cushim__expected_print(struct cushim__text *text, const struct cushim__expected *expected)
{
    if (expected->is_forbidden && expected->too_many > 0)
        print_forbidden(text, expected);
    else if (expected->count < expected->what.minimum || expected->too_many > 0)
        print_count(text, expected);
    if (expected->other)
        print_order(text, expected);
}
