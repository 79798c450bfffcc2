/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations, and what became of them, as text. */
#include <string.h>

#include "src/base/result.h"
#include "src/layer/expectation/expectation.h"
#include "src/layer/recording/tag.h"

/* A number, or the tag of a handle that is known. */
static void add_value(struct cushim__text *text, const struct cushim__expected *expected,
                      unsigned index, uint64_t value)
{
    const struct cushim__parameter *parameter = cushim__seen_parameter(expected->slot, index);
    const enum cushim__noun noun = cushim__noun_of(parameter->type, strcspn(parameter->type, " *"));
    const struct cushim__known *known = NULL;
    char name[CUSHIM_TAG_SIZE];

    if (parameter->kind == CUSHIM__PARAMETER_SIGNED) {
        cushim__text_format(text, "%lld", (long long)value);
        return;
    }
    if (parameter->kind == CUSHIM__PARAMETER_HANDLE && noun != CUSHIM__NO_NOUN)
        known = cushim__known_handle(noun, value, false);
    if (known) {
        const struct cushim__tag tag = cushim__known_tag(known);

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
        cushim__text_add(text, "=");
        add_value(text, expected, index, match->value);
        break;
    case CUSHIM_MATCH_RANGE:
        cushim__text_add(text, "=");
        add_value(text, expected, index, match->value);
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

/* `cuEventRecord(hEvent=event#1, hStream)`. */
static void add_expected(struct cushim__text *text, const struct cushim__expected *expected)
{
    const unsigned count = cushim__seen_count(expected->slot);

    cushim__text_add(text, expected->what.function);
    if (!expected->is_pattern) {
        cushim__text_add(text, "(");
        for (unsigned i = 0; i < count; i++) {
            cushim__text_format(text, "%s%s", i ? ", " : "",
                                cushim__seen_parameter(expected->slot, i)->name);
            add_match(text, expected, i);
        }
        cushim__text_add(text, ")");
    }
    if (expected->what.match_code) {
        cushim__text_add(text, " = ");
        cushim__result_add(text, expected->what.code);
    }
}

static void add_times(struct cushim__text *text, uint64_t count)
{
    if (count == 1)
        cushim__text_add(text, "once");
    else
        cushim__text_format(text, "%llu times", (unsigned long long)count);
}

/* How often it is expected. */
static void add_wanted(struct cushim__text *text, const struct cushim_expectation *what)
{
    if (what->minimum == what->maximum) {
        cushim__text_add(text, "exactly ");
        add_times(text, what->minimum);
        return;
    }
    if (what->minimum > 0) {
        cushim__text_add(text, "at least ");
        add_times(text, what->minimum);
    }
    if (what->maximum != CUSHIM_ANY_NUMBER) {
        cushim__text_add(text, what->minimum > 0 ? " and at most " : "at most ");
        add_times(text, what->maximum);
    }
}

static void tell_count(struct cushim__text *text, const struct cushim__expected *expected)
{
    cushim__text_add(text, "expected ");
    add_wanted(text, &expected->what);
    cushim__text_add(text, ": ");
    add_expected(text, expected);
    cushim__text_add(text, "; it came ");
    add_times(text, expected->count + expected->too_many);
    cushim__text_add(text, "\n");
    if (expected->count == 0 && expected->kin.count > 0) {
        cushim__kin_tell(text, "  ", &expected->kin, expected->slot);
        cushim__text_add(text, "\n");
    }
    if (expected->too_many > 0)
        cushim__text_format(text, "  the first too many is %s\n", expected->extra.text);
    for (unsigned i = 0; i < CUSHIM__NEAREST && expected->too_many == 0; i++) {
        if (expected->nearest[i].differences > 0)
            cushim__text_format(text, "  near is %s\n", expected->nearest[i].text);
    }
}

static void tell_forbidden(struct cushim__text *text, const struct cushim__expected *expected)
{
    cushim__text_format(text, "forbidden: %s; it came ", expected->what.function);
    add_times(text, expected->too_many);
    if (expected->too_many > 0)
        cushim__text_format(text, "\n  the first is %s", expected->extra.text);
    else
        cushim__kin_tell(text, "\n  ", &expected->kin, expected->slot);
    cushim__text_add(text, "\n");
}

static void tell_order(struct cushim__text *text, const struct cushim__expected *expected)
{
    cushim__text_add(text, "out of order: ");
    add_expected(text, expected);
    cushim__text_add(text, expected->is_early ? " came before " : " came after ");
    add_expected(text, expected->other);
    cushim__text_format(text, "\n  it is %s\n", expected->misplaced.text);
}

/* Whether a plain name is forbidden that <cuda.h> may give to what was called instead. */
static bool forbids_nothing(const struct cushim__expected *expected)
{
    return expected->kin.count > 0 && cushim__is_plain(expected->slot);
}

void cushim__expected_tell(struct cushim__text *text, const struct cushim__expected *expected)
{
    if (expected->is_forbidden && (expected->too_many > 0 || forbids_nothing(expected)))
        tell_forbidden(text, expected);
    else if (expected->count < expected->what.minimum || expected->too_many > 0)
        tell_count(text, expected);
    if (expected->other)
        tell_order(text, expected);
}
