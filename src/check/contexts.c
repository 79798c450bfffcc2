/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls without the context that they need, contexts that are pushed or released out of balance,
 * and calls in host functions. Because contexts may change unseen by the layer, the driver decides:
 * by its result, and by the context that it says is current.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <string.h>

#include "src/check/order.h"
#include "src/driver_api/function_name.h"
#include "src/driver_api/result.h"

/* --- what was pushed --- */

/* Contexts that were pushed and not popped. Pushes beyond this number are not noted. */
enum { PUSHES = 256 };
static struct push {
    uint64_t pushed;
    uint64_t current; /* in its place now, as cuCtxSetCurrent may have replaced it */
    struct cushim__maker pusher;
} pushes[PUSHES];
static unsigned push_count;

/* A sticky error has ended a context; a program that then exits need not pop it. */
static bool is_lost;

static void drop(unsigned index)
{
    memmove(&pushes[index], &pushes[index + 1], (--push_count - index) * sizeof *pushes);
}

/* The thread's last push in whose place this context is now; push_count if there is none. */
static unsigned find_push(unsigned thread, uint64_t context)
{
    for (unsigned i = push_count; i-- > 0;) {
        if (pushes[i].pusher.place.thread == thread && pushes[i].current == context)
            return i;
    }
    return push_count;
}

static void note_push(const struct cushim__call *call)
{
    if (push_count == PUSHES)
        return;
    pushes[push_count].pushed = pushes[push_count].current = call->values[0];
    cushim__tracker_note(call, &pushes[push_count++].pusher);
}

/* A context that was destroyed need not be popped. */
static void note_destroyed(uint64_t context)
{
    for (unsigned i = push_count; i-- > 0;) {
        if (pushes[i].pushed == context || pushes[i].current == context)
            drop(i);
    }
}

static void note_stack(const struct cushim__call *call)
{
    const struct cushim__object_effect *effect = cushim__effect_first(call->slot);
    unsigned top;

    if (!effect || effect->type != CUSHIM__TYPE_CONTEXT)
        return;
    top = find_push(call->thread, call->context);
    if (effect->kind == CUSHIM__EFFECT_PUSHES)
        note_push(call);
    else if (effect->kind == CUSHIM__EFFECT_DESTROYS)
        note_destroyed(call->values[0]);
    else if (effect->kind == CUSHIM__EFFECT_SETS && call->values[0] && top < push_count)
        pushes[top].current = call->values[0];
    else if ((effect->kind == CUSHIM__EFFECT_SETS || effect->kind == CUSHIM__EFFECT_POPS) &&
             top < push_count)
        drop(top);
}

void cushim__check_contexts_ended(struct cushim__call *call, CUresult answer)
{
    if (answer == CUDA_SUCCESS && !call->is_injected)
        note_stack(call);
    if (answer != CUDA_SUCCESS && cushim__result_is_sticky(answer))
        is_lost = true;
}

void cushim__check_contexts_finish(void)
{
    for (unsigned i = 0; i < push_count && !is_lost; i++) {
        const struct cushim__handle *context =
            cushim__handle_find(CUSHIM__TYPE_CONTEXT, pushes[i].pushed, false);

        if (context && context->is_live)
            cushim__check_report(NULL, CUSHIM__CHECK_CONTEXT_PUSHED, context, &pushes[i].pusher,
                                 "%s, which thread %u has pushed, was never popped",
                                 cushim__check_name(context, context->value).text,
                                 pushes[i].pusher.place.thread);
    }
}

void cushim__check_contexts_destroy(void)
{
    push_count = 0;
    is_lost = false;
}

/* --- no context --- */

/* CUDA 3.2 replaced the functions that have addresses and sizes of 32 bits. */
enum { SECOND_ABI = 3020 };

/* The same function in the other ABI; CUSHIM__SYMBOL_COUNT if there is none. */
static unsigned other_abi(unsigned slot)
{
    const bool is_second = cushim__symbols[slot].since == SECOND_ABI;
    const char *name = cushim__slot_name(slot);
    unsigned other = 0;

    if (cushim__symbols[slot].since > SECOND_ABI)
        return CUSHIM__SYMBOL_COUNT;
    while (other < CUSHIM__SYMBOL_COUNT &&
           ((!cushim__name_means(name, other) && !cushim__is_abi_variant(name, other)) ||
            (is_second ? cushim__symbols[other].since >= SECOND_ABI
                       : cushim__symbols[other].since != SECOND_ABI)))
        other++;
    return other;
}

/* Whether this thread has ever had a current context. */
static _Thread_local bool had_context;

static void judge_current(const struct cushim__call *call, CUcontext context)
{
    const struct cushim__object_effect *effect = cushim__effect_first(call->slot);
    const unsigned other = other_abi(call->slot);
    const char *name = cushim__slot_name(call->slot);
    unsigned version;

    if (!context && effect && effect->kind == CUSHIM__EFFECT_POPS)
        cushim__check_report(call, CUSHIM__CHECK_CONTEXT_POPPED, NULL, NULL,
                             "%s is called in thread %u, whose stack of contexts is empty", name,
                             call->thread);
    else if (!context)
        cushim__check_report(call, CUSHIM__CHECK_CONTEXT_NONE, NULL, NULL,
                             "%s is called in thread %u, which has no current context%s", name,
                             call->thread, had_context ? " any more" : " and never had one");
    else if (other < CUSHIM__SYMBOL_COUNT &&
             cushim__layer_next.CtxGetApiVersion(context, &version) == CUDA_SUCCESS &&
             (version < SECOND_ABI) != (cushim__symbols[call->slot].since < SECOND_ABI))
        cushim__check_report(call, CUSHIM__CHECK_CONTEXT_ABI, NULL, NULL,
                             "%s is called in a context of the ABI of %s", name,
                             cushim__slot_name(other));
}

/* Another thread, too, may have ended this thread's current context. */
static void judge_ended(const struct cushim__call *call)
{
    const struct cushim__handle *context =
        call->context ? cushim__handle_find(CUSHIM__TYPE_CONTEXT, call->context, false) : NULL;
    const bool is_primary = context && context->device >= 0;

    if (!context || (is_primary ? context->is_live : !context->is_destroyed))
        return;
    cushim__check_report(call, CUSHIM__CHECK_CONTEXT_DESTROYED, context, NULL,
                         "%s is called in thread %u, whose current context, %s, was %s",
                         cushim__slot_name(call->slot), call->thread,
                         cushim__check_name(context, context->value).text,
                         is_primary ? "released" : "destroyed");
}

/* --- another context --- */

/* The context of an object; NULL if it is not known. */
static const struct cushim__handle *context_of(const struct cushim__handle *object)
{
    while (object && object->type != CUSHIM__TYPE_CONTEXT)
        object = object->is_destroyed ? NULL : object->owner;
    return object;
}

/* An INVALID_HANDLE because a stream and an event or function are of different contexts. */
static void judge_refused(const struct cushim__call *call, CUcontext current)
{
    const struct cushim__effects *effects = &cushim__effects[call->slot];
    const enum order_action action = cushim__order_action(call->slot);
    const uint64_t value = cushim__function_stream_value(call);
    const bool is_default = value <= (uintptr_t)CU_STREAM_PER_THREAD;
    const struct cushim__handle *object = NULL, *stream = NULL, *of_object, *of_stream;

    if (action == ORDER_RECORD)
        object = cushim__check_object(call, effects->event);
    else if (action == ORDER_KERNEL)
        object = cushim__check_object(call, effects->function);
    if (!is_default)
        stream = cushim__handle_find(CUSHIM__TYPE_STREAM, value, false);
    of_object = context_of(object);
    of_stream = is_default ? cushim__handle_find(CUSHIM__TYPE_CONTEXT, (uintptr_t)current, false)
                           : context_of(stream);
    if (!of_object || !of_stream || of_object == of_stream)
        return;
    cushim__check_report(call, CUSHIM__CHECK_CONTEXT_OTHER, object, NULL,
                         "%s is of %s, and %s of %s",
                         cushim__check_name(object, object->value).text,
                         cushim__check_name(of_object, of_object->value).text,
                         is_default ? "the default stream" : cushim__check_name(stream, value).text,
                         cushim__check_name(of_stream, of_stream->value).text);
}

/*
 * Asks the driver which context is current. In a host function the driver returns NOT_PERMITTED
 * (driver-semantics.md #82), as it does for some calls elsewhere.
 */
void cushim__check_contexts_after(const struct cushim__call *call, CUresult answer)
{
    struct cushim_layer *layer = cushim_layer_current();
    const struct cushim__object_effect *effect = cushim__effect_first(call->slot);
    CUcontext current = NULL;
    CUresult asked;

    had_context = had_context || call->context;
    if (call->is_injected || call->is_refused ||
        (answer != CUDA_ERROR_CONTEXT_IS_DESTROYED && answer != CUDA_ERROR_INVALID_CONTEXT &&
         answer != CUDA_ERROR_INVALID_HANDLE && answer != CUDA_ERROR_NOT_PERMITTED) ||
        cushim__check_has_wrong_handle(call))
        return;
    asked = cushim__layer_next.CtxGetCurrent(&current);
    if (asked != (answer == CUDA_ERROR_NOT_PERMITTED ? answer : CUDA_SUCCESS))
        return;
    cushim__lock_take(&layer->lock);
    if (answer == CUDA_ERROR_NOT_PERMITTED)
        cushim__check_report(call, CUSHIM__CHECK_HOST_FUNCTION_CALLS, NULL, NULL,
                             "%s is called in a host function or a callback of a stream",
                             cushim__slot_name(call->slot));
    else if (answer == CUDA_ERROR_CONTEXT_IS_DESTROYED)
        judge_ended(call);
    else if (answer == CUDA_ERROR_INVALID_HANDLE)
        judge_refused(call, current);
    else if (effect && effect->kind == CUSHIM__EFFECT_RELEASES_PRIMARY)
        cushim__check_report(call, CUSHIM__CHECK_PRIMARY_RELEASED, NULL, NULL,
                             "%s releases the primary context of device %d, which is not retained",
                             cushim__slot_name(call->slot), (int)call->values[0]);
    else if (!cushim__effects[call->slot].concerns_other_context)
        judge_current(call, current);
    cushim__lock_release(&layer->lock);
}
