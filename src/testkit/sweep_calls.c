/* SPDX-License-Identifier: Apache-2.0 */
#include "src/testkit/sweep_calls.h"

#include <stdio.h>
#include <string.h>

#include "src/layer/layer.h"
#include "src/testkit/classify.h"
#include "src/testkit/sweep_progress.h"

/* Of polls that follow one another, so many of the same are counted, and so many are told apart. */
enum { POLLS_COUNTED = 2, POLLS_TOLD = 16 };

/* Under the layer's lock. */
static struct {
    bool is_on; /* read without it */
    struct cushim__sweep_order order;
    struct cushim__sweep_seen seen;
    struct {
        unsigned slot, times;
        uint64_t handle;
    } polls[POLLS_TOLD]; /* since the last call that is none */
    unsigned poll_count;
    bool is_elsewhere; /* another context was made current than that before the body */
} run;

/* Of the thread that runs the body: where it goes if nothing else ends it. */
static _Thread_local jmp_buf *way_out;

void cushim__sweep_begin(const struct cushim__sweep_order *order, jmp_buf *out)
{
    cushim__lock_take(&cushim__layer->lock);
    run.order = *order;
    run.seen = (struct cushim__sweep_seen){0};
    run.poll_count = 0;
    run.is_elsewhere = false;
    __atomic_store_n(&run.is_on, true, __ATOMIC_RELAXED);
    cushim__lock_release(&cushim__layer->lock);
    way_out = out;
}

void cushim__sweep_end(struct cushim__sweep_seen *seen)
{
    struct cushim_layer *layer = cushim_layer_current();

    /* Without a layer no call is watched. */
    way_out = NULL;
    if (layer)
        cushim__lock_take(&layer->lock);
    __atomic_store_n(&run.is_on, false, __ATOMIC_RELAXED);
    *seen = run.seen;
    if (layer)
        cushim__lock_release(&layer->lock);
}

void cushim__sweep_drop(void)
{
    __atomic_store_n(&run.is_on, false, __ATOMIC_RELAXED);
    way_out = NULL;
    cushim__sweep_running_end();
}

static bool is_poll(unsigned slot)
{
    return slot == CUSHIM__SLOT(EventQuery) || slot == CUSHIM__SLOT(StreamQuery) ||
           slot == CUSHIM__SLOT(StreamQuery_ptsz);
}

/*
 * Whether a call counts: how often a program polls is a matter of time, and each is like another.
 */
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
    if (i == POLLS_TOLD)
        return true;
    if (i == run.poll_count) {
        run.polls[i].slot = call->slot;
        run.polls[i].handle = call->values[0];
        run.polls[i].times = 0;
        run.poll_count++;
    }
    return ++run.polls[i].times <= POLLS_COUNTED;
}

/* Whether it makes current what was current before the body. */
static bool puts_back(const struct cushim__call *call)
{
    return call->slot == CUSHIM__SLOT(CtxSetCurrent) &&
           (CUcontext)(uintptr_t)call->values[0] == run.order.current;
}

/* Whether it gives something back that the body has taken, and releases are not to fail. */
static bool is_spared(const struct cushim__call *call, const char *function)
{
    bool is_back = puts_back(call);

    if (call->slot == CUSHIM__SLOT(CtxSetCurrent) && !is_back)
        run.is_elsewhere = true;
    is_back =
        is_back && run.is_elsewhere && (!run.order.functions || strchr(run.order.functions, '*'));
    return !run.order.fails_releases &&
           (is_back || cushim__sweep_is_spared(function, run.order.functions));
}

/* Whether a call fails that is the next one. */
static bool is_due(const struct cushim__call *call, const char *function)
{
    bool counts;
    const uint64_t limit = run.order.limit;

    run.seen.calls++;
    if (run.seen.calls == limit + 1)
        run.seen.last = function;
    if (run.seen.calls > limit)
        return run.seen.calls <= 2 * limit;
    counts = is_counted(call);
    if (is_spared(call, function) || !cushim__sweep_is_meant(function, run.order.functions))
        return false;
    run.seen.matched += counts;
    if (run.order.nth == 0 || run.seen.matched < run.order.nth)
        return false;
    return run.order.kind == CUSHIM_SWEEP_FROM_THEN_ON ||
           (counts && run.seen.matched == run.order.nth);
}

/* Whether it is made although it fails. */
static bool is_made(const struct cushim__call *call, const char *function)
{
    return puts_back(call) || cushim__sweep_gives_back(function);
}

/* Under the lock: what the call is to answer, whether it is made, and is the first that fails. */
static CUresult decide(struct cushim__call *call, bool *is_first)
{
    const char *function = cushim__slot_name(call->slot);
    CUresult code;

    if (!is_due(call, function))
        return CUDA_SUCCESS;
    code = run.order.code ? run.order.code : cushim__sweep_usual_code(function);
    if (!run.seen.function) {
        run.seen.function = function;
        run.seen.code = code;
        *is_first = run.order.nth > 0;
        if (*is_first)
            cushim__sweep_running_fails(&run.order, &run.seen);
    }
    call->is_injected = true;
    if (is_made(call, function))
        call->replaced = code;
    return code;
}

/* A call that another one makes is not the body's. */
bool cushim__sweep_before(struct cushim__call *call, CUresult *answer)
{
    CUresult code = CUDA_SUCCESS;
    bool is_endless = false, is_first = false;

    if (!__atomic_load_n(&run.is_on, __ATOMIC_RELAXED) || call->nested)
        return true;
    cushim__lock_take(&cushim__layer->lock);
    if (run.is_on) {
        code = decide(call, &is_first);
        is_endless = run.seen.calls > 3 * run.order.limit;
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

/* The graph of a capture that has failed is nobody's. */
static void drop_graph(const struct cushim__call *call)
{
    CUgraph *graph = (CUgraph *)(uintptr_t)call->values[1];

    if (graph && *graph)
        cushim__layer->wrapped->GraphDestroy(*graph);
    if (graph)
        *graph = NULL;
}

CUresult cushim__sweep_after(struct cushim__call *call, CUresult answer)
{
    if (call->replaced == CUDA_SUCCESS)
        return answer;
    if (answer == CUDA_SUCCESS && (call->slot == CUSHIM__SLOT(StreamEndCapture) ||
                                   call->slot == CUSHIM__SLOT(StreamEndCapture_ptsz)))
        drop_graph(call);
    return call->replaced;
}

/* Without a layer there is no run, and what was before it is over. */
CUresult cushim_sweep_injected(const char **function)
{
    struct cushim_layer *layer = cushim_layer_current();
    const char *name = NULL;
    CUresult code = CUDA_SUCCESS;

    if (layer && __atomic_load_n(&run.is_on, __ATOMIC_RELAXED)) {
        cushim__lock_take(&layer->lock);
        name = run.seen.function;
        code = run.seen.code;
        cushim__lock_release(&layer->lock);
    }
    if (function)
        *function = name;
    return code;
}

int cushim_sweep_wrong(const char *claim)
{
    struct cushim_layer *layer = cushim_layer_current();

    if (layer && claim && __atomic_load_n(&run.is_on, __ATOMIC_RELAXED)) {
        cushim__lock_take(&layer->lock);
        if (!run.seen.wrong[0])
            snprintf(run.seen.wrong, sizeof run.seen.wrong, "%s", claim);
        cushim__lock_release(&layer->lock);
    }
    return 1;
}
