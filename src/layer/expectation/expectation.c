/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/expectation/expectation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/options.h"
#include "src/base/result.h"
#include "src/layer/layer.h"
#include "src/layer/left/deed.h"
#include "src/layer/recording/recording.h"

static struct cushim__expected *expectations;

void cushim__told_call(struct cushim__told_call *told, const struct cushim__call *call,
                       CUresult answer)
{
    struct cushim__text text;

    cushim__text_begin(&text, told->text, sizeof told->text);
    cushim__text_format(&text, "call %llu of thread %u: ", (unsigned long long)call->number,
                        call->thread);
    cushim__record_add(&text, call->slot, &call->seen);
    cushim__text_add(&text, " = ");
    cushim__result_add(&text, answer);
    cushim__text_add(&text, call->is_injected ? " (by a fault)" : "");
    if (text.length >= text.size)
        memcpy(told->text + sizeof told->text - 4, "...", 4);
}

/* One in order that should have come before this, and has not. */
static const struct cushim__expected *missing_before(const struct cushim__expected *taken)
{
    const struct cushim__expected *other = expectations;

    while (other != taken && !(other->what.in_order && other->count < other->what.minimum))
        other = other->next;
    return other != taken ? other : NULL;
}

/* One in order that has come, though it should come after this, and that is not told as such. */
static const struct cushim__expected *there_after(const struct cushim__expected *taken)
{
    const struct cushim__expected *other = taken->next;

    while (other && !(other->what.in_order && other->count > 0 && !other->other))
        other = other->next;
    return other;
}

static void check_order(struct cushim__expected *taken, const struct cushim__call *call,
                        CUresult answer)
{
    if (taken->other)
        return;
    taken->other = missing_before(taken);
    taken->is_early = taken->other != NULL;
    if (!taken->other)
        taken->other = there_after(taken);
    if (taken->other)
        cushim__told_call(&taken->misplaced, call, answer);
}

static void take(struct cushim__expected *taken, const struct cushim__call *call, CUresult answer)
{
    taken->count++;
    if (taken->what.in_order)
        check_order(taken, call, answer);
}

/* Keep the calls that differ least, of equal ones the first. */
static void keep_near(struct cushim__expected *expected, const struct cushim__call *call,
                      CUresult answer)
{
    unsigned first, place = CUSHIM__NEAREST;
    const unsigned differences = cushim__expected_compare(expected, call, answer, &first);
    struct cushim__told_call *near = expected->nearest;
    size_t length;

    while (place > 0 &&
           (near[place - 1].differences == 0 || near[place - 1].differences > differences))
        place--;
    if (place == CUSHIM__NEAREST)
        return;
    memmove(&near[place + 1], &near[place], (CUSHIM__NEAREST - place - 1) * sizeof *near);
    near[place].differences = differences;
    cushim__told_call(&near[place], call, answer);
    length = strlen(near[place].text);
    snprintf(near[place].text + length, sizeof near[place].text - length, ", differs in %s",
             first < cushim__seen_count(call->slot)
                 ? cushim__seen_parameter(call->slot, first)->name
                 : "what it answered");
}

static void judge(const struct cushim__call *call, CUresult answer)
{
    struct cushim__expected *expected, *full = NULL;
    unsigned first;

    for (expected = expectations; expected; expected = expected->next) {
        if (!cushim__expected_is_about(expected, call->slot) ||
            cushim__expected_compare(expected, call, answer, &first) > 0)
            continue;
        if (expected->count < expected->what.maximum) {
            take(expected, call, answer);
            return;
        }
        full = expected;
    }
    if (full) {
        if (full->too_many++ == 0)
            cushim__told_call(&full->extra, call, answer);
        return;
    }
    for (expected = expectations; expected; expected = expected->next) {
        if (cushim__expected_is_about(expected, call->slot))
            keep_near(expected, call, answer);
        if (cushim__expected_has_kin(expected, call->slot))
            cushim__kin_count(&expected->kin, call->slot);
    }
}

void cushim__expectation_judge(const struct cushim__call *call, CUresult answer)
{
    if (!call->seen.is_filled)
        return;
    if (expectations)
        judge(call, answer);
    if (cushim__errors_are_asked())
        cushim__errors_judge(call, answer);
}

static void clear(void)
{
    while (expectations) {
        struct cushim__expected *next = expectations->next;

        free(expectations);
        expectations = next;
    }
    cushim__errors_clear();
}

void cushim__expectation_drop(void)
{
    clear();
}

void cushim__expectation_tell(struct cushim__text *text)
{
    for (const struct cushim__expected *expected = expectations; expected;
         expected = expected->next)
        cushim__expected_tell(text, expected);
    cushim__errors_tell(text);
}

/* What begins and ends has to be seen too, for the tags. */
static bool is_wanted(unsigned slot)
{
    if (cushim__errors_are_asked() || (expectations && cushim__deed_first(slot)))
        return true;
    for (const struct cushim__expected *expected = expectations; expected;
         expected = expected->next) {
        if (cushim__expected_is_about(expected, slot) || cushim__expected_has_kin(expected, slot))
            return true;
    }
    return false;
}

bool cushim__expectations_watch(void)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        cushim__watch_set(slot, CUSHIM__WATCHED_BY_EXPECTATION, is_wanted(slot));
    if (expectations || cushim__errors_are_asked())
        return cushim__seeing_begin(CUSHIM__SEEN_BY_EXPECTATION);
    cushim__seeing_end(CUSHIM__SEEN_BY_EXPECTATION);
    return true;
}

static CUresult add(struct cushim_layer *layer, const struct cushim_expectation *what,
                    bool is_forbidden, struct cushim__text *message)
{
    struct cushim__expected *expected = calloc(1, sizeof *expected), **link = &expectations;
    bool is_watched;

    if (!expected)
        return CUDA_ERROR_OUT_OF_MEMORY;
    expected->what = *what;
    expected->is_forbidden = is_forbidden;
    if (!cushim__expected_check(expected, message)) {
        free(expected);
        return CUDA_ERROR_INVALID_VALUE;
    }
    cushim__lock_take(&layer->lock);
    while (*link)
        link = &(*link)->next;
    *link = expected;
    is_watched = cushim__expectations_watch();
    if (!is_watched)
        *link = NULL;
    cushim__lock_release(&layer->lock);
    if (!is_watched)
        free(expected);
    return is_watched ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* What zero means. */
static void complete(struct cushim_expectation *what)
{
    if (what->minimum == 0 && what->maximum == 0)
        what->minimum = 1;
    if (what->maximum == 0)
        what->maximum = what->minimum;
}

CUresult cushim_expect(struct cushim_layer *layer, const struct cushim_expectation *expectation,
                       char *message, size_t size)
{
    struct cushim_expectation what = {.size = sizeof what};
    struct cushim__text text;

    cushim__text_begin(&text, message, size);
    if (!cushim__layer_exists(layer)) {
        cushim__text_add(&text, cushim__layer_ended);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!expectation || !cushim__options_read(&what, sizeof what, expectation)) {
        cushim__text_add(&text, "an expectation without its size");
        return CUDA_ERROR_INVALID_VALUE;
    }
    complete(&what);
    return add(layer, &what, false, &text);
}

CUresult cushim_forbid(struct cushim_layer *layer, const char *function, char *message, size_t size)
{
    const struct cushim_expectation what = {.size = sizeof what, .function = function};
    struct cushim__text text;

    cushim__text_begin(&text, message, size);
    if (!cushim__layer_exists(layer)) {
        cushim__text_add(&text, cushim__layer_ended);
        return CUDA_ERROR_INVALID_VALUE;
    }
    return add(layer, &what, true, &text);
}

void cushim_expectations_clear(struct cushim_layer *layer)
{
    if (!cushim__layer_exists(layer))
        return;
    cushim__lock_take(&layer->lock);
    clear();
    cushim__expectations_watch();
    cushim__lock_release(&layer->lock);
}
