/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls of a body fail in a run, and how a sweep treats functions by what they do. */
#include "src/testkit/sweep.h"

#include <stdio.h>
#include <string.h>

#include "src/driver_api/effects.h"
#include "src/driver_api/function_name.h"
#include "src/layer/layer.h"

/* Whether a pattern means several functions, rather than one that the caller has named. */
static bool is_wide(const char *pattern)
{
    return !pattern || strchr(pattern, '*');
}

bool cushim__sweep_is_meant(unsigned slot, const char *pattern)
{
    /* Functions that read what the library contains have no reason to fail. */
    if (is_wide(pattern) && cushim__effects[slot].asks == CUSHIM__ASKS_LIBRARY)
        return false;
    return !pattern || cushim__name_means(pattern, slot);
}

bool cushim__sweep_means_any(const char *pattern, bool spares)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (cushim__sweep_is_meant(slot, pattern) &&
            !(spares && cushim__sweep_is_spared(slot, pattern)))
            return true;
    }
    return false;
}

bool cushim__sweep_releases(unsigned slot)
{
    return cushim__effects[slot].resource == CUSHIM__RESOURCE_RETURNS;
}

/* The end of a capture returns the graph. */
static bool returns_object(unsigned slot)
{
    const struct cushim__object_effect *effect = cushim__effect_first(slot);

    return effect && effect->kind == CUSHIM__EFFECT_CREATES_OR_RETAINS;
}

bool cushim__sweep_is_spared(unsigned slot, const char *pattern)
{
    return is_wide(pattern) && cushim__sweep_releases(slot) && !returns_object(slot);
}

CUresult cushim__sweep_usual_code(unsigned slot)
{
    return cushim__effects[slot].resource == CUSHIM__RESOURCE_TAKES ? CUDA_ERROR_OUT_OF_MEMORY
                                                                    : CUDA_ERROR_UNKNOWN;
}

/* How many equal polls in a row are counted, and how many different ones are distinguished. */
enum { POLLS_COUNTED = 2, POLLS_DISTINGUISHED = 16 };

/* Under the layer's lock. */
static struct {
    bool is_on; /* read without the lock */
    struct cushim__sweep_order order;
    struct cushim__sweep_outcome outcome;
    struct {
        unsigned slot, times;
        uint64_t handle;
    } polls[POLLS_DISTINGUISHED]; /* since the last call that is not a poll */
    unsigned poll_count;
    bool is_elsewhere; /* the body has made another context current than the one before it */
} run;

/* In the thread that runs the body: where it jumps if nothing else ends the body. */
static _Thread_local jmp_buf *way_out;

void cushim__sweep_begin(const struct cushim__sweep_order *order, jmp_buf *out)
{
    cushim__lock_take(&cushim__layer->lock);
    run.order = *order;
    run.outcome = (struct cushim__sweep_outcome){0};
    run.poll_count = 0;
    run.is_elsewhere = false;
    __atomic_store_n(&run.is_on, true, __ATOMIC_RELAXED);
    cushim__subscriber_set(CUSHIM__SWEEP, &cushim__sweep_subscriber);
    cushim__subscribe_all(CUSHIM__SWEEP, true);
    cushim__lock_release(&cushim__layer->lock);
    way_out = out;
}

void cushim__sweep_end(struct cushim__sweep_outcome *outcome)
{
    struct cushim_layer *layer = cushim_layer_current();

    /* If there is no layer any more, no call is watched. */
    way_out = NULL;
    if (layer)
        cushim__lock_take(&layer->lock);
    __atomic_store_n(&run.is_on, false, __ATOMIC_RELAXED);
    *outcome = run.outcome;
    if (layer)
        cushim__lock_release(&layer->lock);
}

static bool is_poll(unsigned slot)
{
    const uint8_t asks = cushim__effects[slot].asks;

    return asks == CUSHIM__ASKS_EVENT || asks == CUSHIM__ASKS_STREAM;
}

/* Whether a call counts. How often a program polls depends on time, and the polls are alike. */
static bool is_counted(const struct cushim__call *call)
{
    unsigned i = 0;

    if (!is_poll(call->slot)) {
        run.poll_count = 0;
        return true;
    }
    while (i < run.poll_count &&
           (run.polls[i].slot != call->slot || run.polls[i].handle != call->values[0]))
        i++;
    if (i == POLLS_DISTINGUISHED)
        return true;
    if (i == run.poll_count) {
        run.polls[i].slot = call->slot;
        run.polls[i].handle = call->values[0];
        run.polls[i].times = 0;
        run.poll_count++;
    }
    return ++run.polls[i].times <= POLLS_COUNTED;
}

/* Whether a call makes the context current that was current before the body. */
static bool restores_current(const struct cushim__call *call)
{
    return call->slot == CUSHIM__SLOT(CtxSetCurrent) &&
           (CUcontext)(uintptr_t)call->values[0] == run.order.current;
}

/* Whether a call releases what the body has, and releases are not to fail. */
static bool is_spared(const struct cushim__call *call)
{
    bool is_release = restores_current(call);

    if (call->slot == CUSHIM__SLOT(CtxSetCurrent) && !is_release)
        run.is_elsewhere = true;
    is_release = is_release && run.is_elsewhere &&
                 (!run.order.functions || strchr(run.order.functions, '*'));
    return !run.order.fails_releases &&
           (is_release || cushim__sweep_is_spared(call->slot, run.order.functions));
}

/* Whether this call, the next one of the body, is to fail. */
static bool is_due(const struct cushim__call *call, const char *function)
{
    bool counts;
    const uint64_t limit = run.order.limit;

    run.outcome.calls++;
    if (run.outcome.calls == limit + 1)
        run.outcome.last = function;
    if (run.outcome.calls > limit)
        return run.outcome.calls <= 2 * limit;
    counts = is_counted(call);
    if (is_spared(call) || !cushim__sweep_is_meant(call->slot, run.order.functions))
        return false;
    run.outcome.matched += counts;
    if (run.order.nth == 0 || run.outcome.matched < run.order.nth)
        return false;
    return run.order.kind == CUSHIM_SWEEP_FROM_THEN_ON ||
           (counts && run.outcome.matched == run.order.nth);
}

/* Decide what a call answers, if it is made, and if it is the first to fail. Under the lock. */
static CUresult decide(struct cushim__call *call, bool *is_first)
{
    const char *function = cushim__slot_name(call->slot);
    CUresult code;

    if (!is_due(call, function))
        return CUDA_SUCCESS;
    code = run.order.code ? run.order.code : cushim__sweep_usual_code(call->slot);
    if (!run.outcome.function) {
        run.outcome.function = function;
        run.outcome.call = call->number;
        run.outcome.thread = call->thread;
        run.outcome.code = code;
        *is_first = run.order.nth > 0;
        if (*is_first)
            cushim__sweep_progress_fails(&run.order, &run.outcome);
    }
    call->is_injected = true;
    /* Releases are made although they fail. */
    if (restores_current(call) || cushim__sweep_releases(call->slot))
        call->replaced = code;
    return code;
}

/* A call that is made within another call is not the body's. */
static bool before(struct cushim__call *call, CUresult *answer)
{
    CUresult code = CUDA_SUCCESS;
    bool is_endless = false, is_first = false;

    if (!__atomic_load_n(&run.is_on, __ATOMIC_RELAXED) || call->nested)
        return true;
    cushim__lock_take(&cushim__layer->lock);
    if (run.is_on) {
        code = decide(call, &is_first);
        is_endless = run.outcome.calls > 3 * run.order.limit;
    }
    cushim__lock_release(&cushim__layer->lock);
    if (is_first && run.order.on_failure)
        run.order.on_failure(run.order.data, cushim_sweep_running());
    if (is_endless && way_out)
        longjmp(*way_out, 1);
    if (code == CUDA_SUCCESS || call->replaced)
        return true;
    *answer = code;
    return false;
}

/* The program does not get the graph of a capture that fails, so it cannot destroy the graph. */
static void drop_graph(const struct cushim__call *call)
{
    CUgraph *graph = (CUgraph *)(uintptr_t)call->values[1];

    if (graph && *graph)
        cushim__layer->wrapped->GraphDestroy(*graph);
    if (graph)
        *graph = NULL;
}

/* The first error is the likely cause of what a body does wrong if no call is failed. */
static void note_error(const struct cushim__call *call, CUresult answer)
{
    if (answer == CUDA_SUCCESS || answer == CUDA_ERROR_NOT_READY || call->nested ||
        call->is_injected)
        return;
    cushim__lock_take(&cushim__layer->lock);
    if (run.is_on && !run.outcome.error.function) {
        run.outcome.error.function = cushim__slot_name(call->slot);
        run.outcome.error.call = call->number;
        run.outcome.error.thread = call->thread;
        run.outcome.error.code = answer;
    }
    cushim__lock_release(&cushim__layer->lock);
}

static CUresult after(struct cushim__call *call, CUresult answer)
{
    note_error(call, answer);
    if (call->replaced != CUDA_SUCCESS) {
        if (answer == CUDA_SUCCESS && cushim__effects[call->slot].work == CUSHIM__WORK_END_CAPTURE)
            drop_graph(call);
        answer = call->replaced;
    }
    cushim__pins_call_ended(call, answer);
    return answer;
}

/* When the layer ends in the middle of a run. */
static void destroy(void)
{
    __atomic_store_n(&run.is_on, false, __ATOMIC_RELAXED);
    way_out = NULL;
    cushim__sweep_progress_end();
    cushim__pins_end();
}

const struct cushim__subscriber cushim__sweep_subscriber = {
    .before = before, .after = after, .destroy = destroy};

/* Without a layer there is no run, and `run` is that of a former layer. */
CUresult cushim_sweep_injected(const char **function)
{
    struct cushim_layer *layer = cushim_layer_current();
    const char *name = NULL;
    CUresult code = CUDA_SUCCESS;

    if (layer && __atomic_load_n(&run.is_on, __ATOMIC_RELAXED)) {
        cushim__lock_take(&layer->lock);
        name = run.outcome.function;
        code = run.outcome.code;
        cushim__lock_release(&layer->lock);
    }
    if (function)
        *function = name;
    return code;
}

int cushim_sweep_fail(const char *claim)
{
    struct cushim_layer *layer = cushim_layer_current();

    if (layer && claim && __atomic_load_n(&run.is_on, __ATOMIC_RELAXED)) {
        cushim__lock_take(&layer->lock);
        if (!run.outcome.wrong[0])
            snprintf(run.outcome.wrong, sizeof run.outcome.wrong, "%s", claim);
        cushim__lock_release(&layer->lock);
    }
    return 1;
}
