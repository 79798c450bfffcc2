/* SPDX-License-Identifier: Apache-2.0 */
/* The expectations, their comparison with calls, and the scopes in which errors are expected. */
#include "src/layer/expectation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/options.h"
#include "src/driver_api/result.h"
#include "src/layer/leak_tracker.h"

enum { DEEPEST = 16, SHOWN = 4 };

static struct cushim__expected *expectations;

static struct {
    bool is_forbidden;
    struct {
        CUresult code; /* CUDA_SUCCESS for any error */
        uint64_t count;
    } scopes[DEEPEST];
    unsigned depth;
    uint64_t count; /* of errors that nothing expects */
    struct cushim__call_text first[SHOWN];
    uint64_t idle;          /* scopes in which no error came */
    CUresult missed[SHOWN]; /* what the first of them expected */
} errors;

/* Write `call 3 of thread 1: cuEventRecord(...) = CUDA_SUCCESS`. */
static void write_call(struct cushim__call_text *line, const struct cushim__call *call,
                       CUresult answer)
{
    struct cushim__text text;

    cushim__text_begin(&text, line->text, sizeof line->text);
    cushim__text_format(&text, "call %llu of thread %u: ", (unsigned long long)call->number,
                        call->thread);
    cushim__arguments_print(&text, call->slot, &call->arguments);
    cushim__text_add(&text, " = ");
    cushim__result_add(&text, answer);
    cushim__text_add(&text, call->is_injected ? " (by a fault)" : "");
    if (text.length >= text.size)
        memcpy(line->text + sizeof line->text - 4, "...", 4);
}

static bool is_error(const struct cushim__call *call, CUresult answer)
{
    return answer != CUDA_SUCCESS && answer != CUDA_ERROR_NOT_READY &&
           call->slot != CUSHIM__SLOT(GetProcAddress) &&
           call->slot != CUSHIM__SLOT(GetProcAddress_v2);
}

static bool is_expected(CUresult answer)
{
    for (unsigned i = errors.depth; i-- > 0;) {
        if (errors.scopes[i].code == CUDA_SUCCESS || errors.scopes[i].code == answer) {
            errors.scopes[i].count++;
            return true;
        }
    }
    return false;
}

static void judge_error(const struct cushim__call *call, CUresult answer)
{
    if (!is_error(call, answer) || is_expected(answer) || !errors.is_forbidden || call->is_injected)
        return;
    if (errors.count < SHOWN)
        write_call(&errors.first[errors.count], call, answer);
    errors.count++;
}

static void add_wanted(struct cushim__text *text, CUresult code)
{
    if (code == CUDA_SUCCESS)
        cushim__text_add(text, "an error");
    else
        cushim__result_add(text, code);
}

void cushim__errors_print(struct cushim__text *text)
{
    for (unsigned i = 0; i < errors.count && i < SHOWN; i++)
        cushim__text_format(text, "error that nothing expects: %s\n", errors.first[i].text);
    if (errors.count > SHOWN)
        cushim__text_format(text, "and %llu more errors\n",
                            (unsigned long long)(errors.count - SHOWN));
    for (unsigned i = 0; i < errors.idle && i < SHOWN; i++) {
        cushim__text_add(text, "expected ");
        add_wanted(text, errors.missed[i]);
        cushim__text_add(text, " of a call in a scope; none came\n");
    }
    if (errors.depth > 0) {
        cushim__text_add(text, "a scope that expects ");
        add_wanted(text, errors.scopes[errors.depth - 1].code);
        cushim__text_add(text, " has not ended\n");
    }
}

static bool judges_errors(void)
{
    return errors.is_forbidden || errors.depth > 0;
}

/* An in-order expectation that should have been met before this one, and was not. */
static const struct cushim__expected *missing_before(const struct cushim__expected *taken)
{
    const struct cushim__expected *other = expectations;

    while (other != taken && !(other->what.in_order && other->count < other->what.minimum))
        other = other->next;
    return other != taken ? other : NULL;
}

/* A later in-order expectation that was met already, and is not marked as out of order. */
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
        write_call(&taken->misplaced, call, answer);
}

/* Keep the calls that differ least; of those that differ as much, keep the first. */
static void keep_similar(struct cushim__expected *expected, const struct cushim__call *call,
                         CUresult answer)
{
    unsigned first, place = CUSHIM__SIMILAR_CALLS;
    const unsigned differences = cushim__expected_compare(expected, call, answer, &first);
    struct cushim__call_text *similar = expected->similar;
    size_t length;

    while (place > 0 &&
           (similar[place - 1].differences == 0 || similar[place - 1].differences > differences))
        place--;
    if (place == CUSHIM__SIMILAR_CALLS)
        return;
    memmove(&similar[place + 1], &similar[place],
            (CUSHIM__SIMILAR_CALLS - place - 1) * sizeof *similar);
    similar[place].differences = differences;
    write_call(&similar[place], call, answer);
    length = strlen(similar[place].text);
    snprintf(similar[place].text + length, sizeof similar[place].text - length, ", differs in %s",
             first < cushim__parameter_count(call->slot)
                 ? cushim__parameter_at(call->slot, first)->name
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
            expected->count++;
            if (expected->what.in_order)
                check_order(expected, call, answer);
            return;
        }
        full = expected;
    }
    if (full) {
        if (full->too_many++ == 0)
            write_call(&full->extra, call, answer);
        return;
    }
    for (expected = expectations; expected; expected = expected->next) {
        if (cushim__expected_is_about(expected, call->slot))
            keep_similar(expected, call, answer);
        if (cushim__is_abi_variant(expected->what.function, call->slot))
            cushim__variant_count(&expected->variants, call->slot);
    }
}

static void judge_call(struct cushim__call *call, CUresult answer)
{
    if (!call->arguments.is_decoded)
        return;
    if (expectations)
        judge(call, answer);
    if (judges_errors())
        judge_error(call, answer);
}

void cushim__expectations_print(struct cushim__text *text)
{
    for (const struct cushim__expected *expected = expectations; expected;
         expected = expected->next)
        cushim__expected_print(text, expected);
    cushim__errors_print(text);
}

/* Calls that create and destroy objects are wanted too, for the tags. */
static bool is_wanted(unsigned slot)
{
    if (judges_errors() || (expectations && cushim__effect_first(slot)))
        return true;
    for (const struct cushim__expected *expected = expectations; expected;
         expected = expected->next) {
        if (cushim__expected_is_about(expected, slot) ||
            cushim__is_abi_variant(expected->what.function, slot))
            return true;
    }
    return false;
}

static void subscribe(void)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        cushim__subscribe(CUSHIM__EXPECTATION, slot, is_wanted(slot));
    if (expectations || judges_errors())
        cushim__decoding_begin(CUSHIM__EXPECTATION);
    else
        cushim__decoding_stop(CUSHIM__EXPECTATION);
}

static void clear(void)
{
    while (expectations) {
        struct cushim__expected *next = expectations->next;

        free(expectations);
        expectations = next;
    }
    memset(&errors, 0, sizeof errors);
}

const struct cushim__subscriber cushim__expectation = {.ended = judge_call, .destroy = clear};

CUresult cushim_layer_forbid_errors(struct cushim_layer *layer, bool is_forbidden)
{
    if (!cushim__layer_lock(layer))
        return CUDA_ERROR_INVALID_VALUE;
    errors.is_forbidden = is_forbidden;
    subscribe();
    cushim__lock_release(&layer->lock);
    return CUDA_SUCCESS;
}

bool cushim__errors_are_expected(void)
{
    return errors.depth > 0;
}

CUresult cushim_layer_expect_errors_begin(struct cushim_layer *layer, CUresult code)
{
    bool is_open;

    if (!cushim__layer_lock(layer))
        return CUDA_ERROR_INVALID_VALUE;
    is_open = errors.depth < DEEPEST;
    if (is_open) {
        errors.scopes[errors.depth].code = code;
        errors.scopes[errors.depth].count = 0;
        errors.depth++;
        subscribe();
    }
    cushim__lock_release(&layer->lock);
    return is_open ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cushim_layer_expect_errors_end(struct cushim_layer *layer)
{
    bool is_open;

    if (!cushim__layer_lock(layer))
        return CUDA_ERROR_INVALID_VALUE;
    is_open = errors.depth > 0;
    if (is_open) {
        errors.depth--;
        if (errors.scopes[errors.depth].count == 0) {
            if (errors.idle < SHOWN)
                errors.missed[errors.idle] = errors.scopes[errors.depth].code;
            errors.idle++;
        }
        subscribe();
    }
    cushim__lock_release(&layer->lock);
    return is_open ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* `what` is NULL if none was given, or if its size is not right. */
static CUresult add(struct cushim_layer *layer, const struct cushim_expectation *what,
                    bool is_forbidden, char *message, size_t size)
{
    struct cushim__expected *expected, **link = &expectations;
    struct cushim__text text;

    cushim__text_begin(&text, message, size);
    if (!cushim__layer_exists(layer) || !what) {
        cushim__text_add(&text, cushim__layer_exists(layer) ? "an expectation without its size"
                                                            : cushim__layer_ended);
        return CUDA_ERROR_INVALID_VALUE;
    }
    expected = calloc(1, sizeof *expected);
    if (!expected)
        return CUDA_ERROR_OUT_OF_MEMORY;
    expected->what = *what;
    expected->is_forbidden = is_forbidden;
    if (!cushim__expected_check(expected, &text)) {
        free(expected);
        return CUDA_ERROR_INVALID_VALUE;
    }
    cushim__lock_take(&layer->lock);
    while (*link)
        link = &(*link)->next;
    *link = expected;
    subscribe();
    cushim__lock_release(&layer->lock);
    return CUDA_SUCCESS;
}

/* Replace zeros by the defaults. */
static void complete(struct cushim_expectation *what)
{
    if (what->minimum == 0 && what->maximum == 0)
        what->minimum = 1;
    if (what->maximum == 0)
        what->maximum = what->minimum;
}

CUresult cushim_layer_expect(struct cushim_layer *layer,
                             const struct cushim_expectation *expectation, char *message,
                             size_t size)
{
    struct cushim_expectation what = {.size = sizeof what};
    const bool is_read = expectation && cushim__options_read(&what, sizeof what, expectation);

    complete(&what);
    return add(layer, is_read ? &what : NULL, false, message, size);
}

CUresult cushim_layer_forbid(struct cushim_layer *layer, const char *function, char *message,
                             size_t size)
{
    const struct cushim_expectation what = {.size = sizeof what, .function = function};

    return add(layer, &what, true, message, size);
}

void cushim_layer_clear_expectations(struct cushim_layer *layer)
{
    if (!cushim__layer_lock(layer))
        return;
    clear();
    subscribe();
    cushim__lock_release(&layer->lock);
}
