/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors that programs misread: the first sticky error, with the work that may have caused it; a
 * failure that went unnoticed, so that a later call gets an object that was never created; and
 * elapsed times of events that cannot have one.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/check/order.h"
#include "src/driver_api/result.h"

enum { WORKS = 64, LISTED = 8, THREADS = 256 };

/* The latest work that was queued and not seen to be done. */
struct work {
    uint64_t call; /* 0 if it is done, or for an unused entry */
    struct stream_identity stream;
    uint32_t context; /* number of the stream's context */
    uint64_t function;
    unsigned slot;
};
static struct work works[WORKS];
static unsigned next_work;

/* The first sticky error, and how many calls have only repeated it. */
static CUresult sticky;
static uint64_t sticky_call, repeats;

/* Each thread's last failure to create an object. */
static struct failure {
    uint64_t call; /* 0 if there is none */
    unsigned slot;
    CUresult answer;
    enum cushim__object_type type;
} failures[THREADS];

/* --- kernels and work --- */

/* Note the name of a function that is looked up, or of the kernel that a function belongs to. */
static void note_kernel(const struct cushim__call *call)
{
    const struct cushim__object_effect *effect = cushim__effect_first(call->slot);
    const char *name;

    if (!effect || effect->kind != CUSHIM__EFFECT_RETURNS ||
        (effect->type != CUSHIM__TYPE_FUNCTION && effect->type != CUSHIM__TYPE_KERNEL))
        return;
    name = effect->name == CUSHIM__NO_PARAMETER
               ? cushim__order_kernel(call->values[effect->owner])
               : (const char *)(uintptr_t)call->values[effect->name];
    if (name)
        cushim__order_kernel_set(cushim__function_object(call,
                                                         (enum cushim__object_type)effect->type,
                                                         effect->parameter),
                                 name);
}

/*
 * The number of the context whose work a call queues or waits for; 0 if there is none. Work on a
 * created stream is of that stream's context, whichever is current (driver-semantics.md #109).
 */
static uint32_t context_of_work(const struct cushim__call *call)
{
    const struct cushim__handle *stream = cushim__function_stream(call), *context = NULL;

    if (cushim__order_action(call->slot) == ORDER_SEE_CONTEXT &&
        cushim__parameter_count(call->slot) > 0)
        context = cushim__function_object(call, CUSHIM__TYPE_CONTEXT, 0);
    else if (stream && stream->owner && stream->owner->type == CUSHIM__TYPE_CONTEXT)
        context = stream->owner;
    return context ? context->number : cushim__function_context_number(call);
}

static void note_work(const struct cushim__call *call, enum order_action action)
{
    works[next_work] = (struct work){
        .call = call->number,
        .stream = cushim__function_stream_identity(call),
        .context = context_of_work(call),
        .function = action == ORDER_KERNEL ? call->values[cushim__effects[call->slot].function] : 0,
        .slot = call->slot,
    };
    next_work = (next_work + 1) % WORKS;
}

/* Forget work that a successful wait covers: it did not cause an error. */
static void note_wait(const struct cushim__call *call, enum order_action action)
{
    const struct stream_identity stream = cushim__function_stream_identity(call);
    const uint32_t context = context_of_work(call);

    for (unsigned i = 0; i < WORKS; i++) {
        if (action == ORDER_SEE_CONTEXT ? works[i].context == context
                                        : cushim__stream_is_same(&works[i].stream, &stream))
            works[i].call = 0;
    }
}

/* --- sticky errors --- */

static void print_works(struct cushim__text *text)
{
    unsigned listed = 0;

    for (unsigned i = 1; i <= WORKS && listed < LISTED; i++) {
        const struct work *work = &works[(next_work + WORKS - i) % WORKS];
        const char *kernel;

        if (work->call == 0)
            continue;
        kernel = cushim__order_kernel(work->function);
        cushim__text_add(text, listed++ ? ", " : "; not waited for, the last first: ");
        cushim__text_format(text, "%s%s%s%s of call %" PRIu64, cushim__slot_name(work->slot),
                            kernel ? " \"" : "", kernel ? kernel : "", kernel ? "\"" : "",
                            work->call);
    }
}

static void judge_sticky(const struct cushim__call *call, CUresult answer)
{
    char buffer[700];
    struct cushim__text text;

    if (answer == CUDA_SUCCESS || !cushim__result_is_sticky(answer) ||
        (cushim__check_options.is_implied &&
         __atomic_load_n(&cushim__fault_is_sticky, __ATOMIC_ACQUIRE)))
        return;
    if (sticky != CUDA_SUCCESS) {
        repeats += answer == sticky;
        return;
    }
    sticky = answer;
    sticky_call = call->number;
    cushim__text_begin(&text, buffer, sizeof buffer);
    cushim__text_format(&text, "%s returned ", cushim__slot_name(call->slot));
    cushim__result_add(&text, answer);
    cushim__text_add(&text, ", from work queued earlier; every later call will return it too");
    print_works(&text);
    cushim__check_report(call, CUSHIM__CHECK_ERROR_STICKY, NULL, NULL, "%s", buffer);
}

void cushim__check_errors_finish(void)
{
    if (repeats > 0)
        cushim__check_report(NULL, CUSHIM__CHECK_ERROR_REPEATED, NULL, NULL,
                             "%" PRIu64 " call%s only repeated the %s of call %" PRIu64, repeats,
                             repeats == 1 ? " has" : "s have", cushim__result_name(sticky),
                             sticky_call);
}

/* --- ignored failures --- */

/* Whether the driver cannot have returned this value. For a stream, NULL is a valid one. */
static bool is_nothing(const struct cushim__call *call, unsigned index,
                       enum cushim__object_type type)
{
    const struct cushim__handle *object = cushim__check_object(call, index);
    const uint64_t value = call->values[index];

    if (type == CUSHIM__TYPE_STREAM && value <= (uintptr_t)CU_STREAM_PER_THREAD)
        return cushim__order_action(call->slot) == ORDER_DESTROY_STREAM;
    return value == 0 || !object || (!object->is_returned && !object->is_live);
}

static bool is_of_handle(CUresult answer)
{
    return answer == CUDA_ERROR_INVALID_VALUE || answer == CUDA_ERROR_INVALID_HANDLE ||
           answer == CUDA_ERROR_INVALID_CONTEXT;
}

static void judge_ignored(const struct cushim__call *call, CUresult answer)
{
    struct failure *failure = &failures[call->thread % THREADS];
    const struct cushim__object_effect *effect = cushim__effect_first(call->slot);

    for (unsigned i = 0; failure->call && i < cushim__parameter_count(call->slot); i++) {
        const struct cushim__decoder decoder = cushim__decoder_of(call->slot, i);

        if ((decoder.form != CUSHIM__READ_HANDLE && decoder.form != CUSHIM__READ_ADDRESS) ||
            (decoder.form == CUSHIM__READ_ADDRESS ? CUSHIM__TYPE_MEMORY : decoder.type) !=
                failure->type)
            continue;
        if (is_of_handle(answer) && is_nothing(call, i, failure->type))
            cushim__check_report(call, CUSHIM__CHECK_ERROR_IGNORED, NULL, NULL,
                                 "%s uses what %s (call %" PRIu64
                                 ") failed to create, which returned %s",
                                 cushim__slot_name(call->slot), cushim__slot_name(failure->slot),
                                 failure->call, cushim__result_name(failure->answer));
        failure->call = 0;
    }
    if (answer != CUDA_SUCCESS && !cushim__result_is_sticky(answer) && effect &&
        effect->kind <= CUSHIM__EFFECT_RETURNS)
        *failure = (struct failure){.call = call->number,
                                    .slot = call->slot,
                                    .answer = answer,
                                    .type = (enum cushim__object_type)effect->type};
}

/* --- elapsed time: the driver returns 400 for each misuse (driver-semantics.md #35 to #44) --- */

/* Why an event has no time; NULL if it may have one. */
static const char *fault_of(const struct order_event *event)
{
    if (event->flags & CU_EVENT_DISABLE_TIMING)
        return "was created with CU_EVENT_DISABLE_TIMING: create it without";
    if (!event->is_known)
        return NULL;
    if (!event->is_recorded)
        return "was never recorded: record it before and after what is timed";
    return event->capture ? "was last recorded in a capture, and nothing has run: record it "
                            "around the launch of the graph"
                          : NULL;
}

static void judge_elapsed(const struct cushim__call *call, CUresult answer)
{
    const struct cushim__handle *objects[2];
    const struct order_event *events[2];

    if (cushim__order_action(call->slot) != ORDER_ELAPSED ||
        (answer != CUDA_ERROR_INVALID_HANDLE && answer != CUDA_ERROR_INVALID_VALUE) ||
        call->is_injected || call->is_refused || cushim__check_has_wrong_handle(call))
        return;
    for (unsigned i = 0; i < 2; i++) {
        objects[i] = cushim__check_object(call, i + 1);
        events[i] = cushim__order_event(cushim__function_object(call, CUSHIM__TYPE_EVENT, i + 1));
        if (!objects[i] || objects[i]->is_destroyed || !events[i])
            return;
    }
    for (unsigned i = 0; i < 2; i++) {
        const char *fault = fault_of(events[i]);

        if (!fault)
            continue;
        cushim__check_report(call, CUSHIM__CHECK_EVENT_TIME, objects[i], NULL, "%s %s",
                             cushim__check_name(objects[i], objects[i]->value).text, fault);
        return;
    }
    if (events[0]->context && events[1]->context && events[0]->context != events[1]->context)
        cushim__check_report(call, CUSHIM__CHECK_EVENT_TIME, NULL, NULL,
                             "the events are of two contexts: create and record both in one");
}

void cushim__check_errors_ended(struct cushim__call *call, CUresult answer)
{
    const enum order_action action = cushim__order_action(call->slot);

    /* An injected error has not been caused by work. */
    if (!call->is_injected)
        judge_sticky(call, answer);
    judge_ignored(call, answer);
    judge_elapsed(call, answer);
    if (answer == CUDA_SUCCESS && !call->is_injected) {
        note_kernel(call);
        if (action == ORDER_SEE_CONTEXT || action == ORDER_SEE_STREAM)
            note_wait(call, action);
        else if (action >= ORDER_COPY && action <= ORDER_UNKNOWN)
            note_work(call, action);
    }
}

void cushim__check_errors_destroy(void)
{
    memset(works, 0, sizeof works);
    memset(failures, 0, sizeof failures);
    sticky = CUDA_SUCCESS;
    repeats = 0;
}
