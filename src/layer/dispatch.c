/* SPDX-License-Identifier: Apache-2.0 */
/* Shows a call to its subscribers. The layer's lock is not held while the driver executes it. */
#include "src/layer/layer.h"

#include "src/layer/leak_tracker.h"

/* Arguments are decoded and handles tracked only for these subscribers. */
#define DECODED                                                              \
    (1u << CUSHIM__CHECK | 1u << CUSHIM__TRACKER | 1u << CUSHIM__RECORDING | \
     1u << CUSHIM__EXPECTATION)

uint8_t cushim__subscribed[CUSHIM__SYMBOL_COUNT];

/*
 * These keep nothing that the layer's lock protects, so a call whose subscribers are all among them
 * does not take it.
 */
#define UNLOCKED (1u << CUSHIM__TRACE | 1u << CUSHIM__LOOKUP)

static const struct cushim__subscriber none;
static const struct cushim__subscriber *subscribers[CUSHIM__SUBSCRIPTIONS] = {
    [CUSHIM__TRACE] = &none,
    [CUSHIM__LOOKUP] = &cushim__lookup,
    [CUSHIM__CHECK] = &none,
    [CUSHIM__SWEEP] = &none,
    [CUSHIM__FAULT] = &cushim__fault,
    [CUSHIM__TRACKER] = &none,
    [CUSHIM__RECORDING] = &cushim__recording,
    [CUSHIM__EXPECTATION] = &cushim__expectation,
};

/* The state of the calling thread, in the layer with the serial number `layer`. */
static _Thread_local struct {
    uint64_t layer;
    unsigned number;
    uint64_t under_way; /* number of its innermost call that has subscribers, or 0 */
} thread;

void cushim__subscriber_set(enum cushim__subscription subscription,
                            const struct cushim__subscriber *subscriber)
{
    __atomic_store_n(&subscribers[subscription], subscriber, __ATOMIC_RELEASE);
}

/* A trace may begin while other threads make calls. */
static const struct cushim__subscriber *subscriber_of(unsigned subscription)
{
    return __atomic_load_n(&subscribers[subscription], __ATOMIC_ACQUIRE);
}

void cushim__subscribe(enum cushim__subscription subscription, unsigned slot, bool is_wanted)
{
    const uint8_t bit = (uint8_t)(1u << subscription);

    if (is_wanted)
        __atomic_or_fetch(&cushim__subscribed[slot], bit, __ATOMIC_RELEASE);
    else
        __atomic_and_fetch(&cushim__subscribed[slot], (uint8_t)~bit, __ATOMIC_RELAXED);
}

void cushim__subscribe_all(enum cushim__subscription subscription, bool is_wanted)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        cushim__subscribe(subscription, slot, is_wanted);
}

void cushim__subscriptions_begin(void)
{
    memset(cushim__subscribed, 0, sizeof cushim__subscribed);
    cushim__subscribe(CUSHIM__LOOKUP, CUSHIM__SLOT(GetProcAddress), true);
    cushim__subscribe(CUSHIM__LOOKUP, CUSHIM__SLOT(GetProcAddress_v2), true);
}

void cushim__subscriptions_end(void)
{
    cushim__caller.number = 0; /* a call that was left by longjmp() has not ended */
    for (unsigned i = 0; i < CUSHIM__SUBSCRIPTIONS; i++) {
        if (subscriber_of(i)->destroy)
            subscriber_of(i)->destroy();
    }
    cushim__decoding_end();
}

void cushim__subscribers_begin_child(void)
{
    for (unsigned i = 0; i < CUSHIM__SUBSCRIPTIONS; i++) {
        if (subscriber_of(i)->begin_child)
            subscriber_of(i)->begin_child();
    }
}

void cushim__subscribers_found_unknown(const char *name, const void *function)
{
    for (unsigned i = 0; i < CUSHIM__SUBSCRIPTIONS; i++) {
        if (subscriber_of(i)->found_unknown)
            subscriber_of(i)->found_unknown(name, function);
    }
}

static uint64_t now(void)
{
    const struct cushim__mock_callbacks *mock =
        __atomic_load_n(&cushim__layer_mock, __ATOMIC_ACQUIRE);

    return mock ? mock->now_ns() : 0;
}

/* From here on, the mock's messages name the call that is under way. */
static void note_caller(const struct cushim__call *call)
{
    cushim__caller = (struct cushim__caller){
        .number = call->number, .thread = call->thread, .function = call->function};
    memcpy(&cushim__caller.outer, cushim__table_slot(&cushim__layer_table, call->slot),
           sizeof cushim__caller.outer);
}

/*
 * Ask the driver which context is current. It may change where the layer does not see it, and the
 * layer does not learn when a thread ends.
 */
static uint64_t current_context(void)
{
    const struct cushim__mock_callbacks *mock =
        __atomic_load_n(&cushim__layer_mock, __ATOMIC_ACQUIRE);
    CUcontext context;
    int device;

    if (mock)
        return (uintptr_t)mock->current(&device);
    return cushim__layer_next.CtxGetCurrent(&context) == CUDA_SUCCESS ? (uintptr_t)context : 0;
}

/* Check needs the context for every call, the leak tracker for calls that affect objects. */
static bool wants_context(const struct cushim__call *call)
{
    return call->arguments.is_decoded && !call->is_refused &&
           (call->subscribers & 1u << CUSHIM__CHECK || cushim__effect_first(call->slot));
}

/* The caller holds the layer's lock. */
static void start(struct cushim_layer *layer, struct cushim__call *call)
{
    if (thread.layer != layer->serial) {
        thread.layer = layer->serial;
        thread.number = ++layer->threads;
        thread.under_way = 0;
    }
    call->thread = thread.number;
    call->number = ++layer->calls;
    call->nested = thread.under_way;
    call->began_ns = now();
    thread.under_way = call->number;
    note_caller(call);
    if (call->subscribers & DECODED)
        cushim__arguments_decode(call);
    for (unsigned set = call->subscribers; set; set &= set - 1) {
        const struct cushim__subscriber *subscriber = subscriber_of((unsigned)__builtin_ctz(set));

        if (subscriber->started)
            subscriber->started(call);
    }
}

bool cushim__layer_call_begin(struct cushim__call *call, unsigned slot, const uint64_t *values,
                              CUresult *answer)
{
    struct cushim_layer *layer = cushim_layer_current();

    /* The decoded arguments are large, and are filled only if a subscriber wants them. */
    call->slot = slot;
    call->subscribers = __atomic_load_n(&cushim__subscribed[slot], __ATOMIC_ACQUIRE);
    call->values = values;
    call->number = 0;
    call->is_watched = false;
    call->is_injected = false;
    call->is_refused = false;
    call->context = 0;
    call->traced = (struct cushim__traced){0};
    call->replaced = CUDA_SUCCESS;
    call->outer_caller = cushim__caller;
    call->arguments.is_decoded = false;
    /* A host function in place of a kernel holds the mock's lock, which comes after the layer's. */
    if (!layer || cushim__in_kernel)
        return true;
    call->is_watched = true;
    if (call->subscribers & ~UNLOCKED) {
        cushim__lock_take(&layer->lock);
        start(layer, call);
        cushim__lock_release(&layer->lock);
        if (wants_context(call))
            call->context = current_context();
    }
    for (unsigned set = call->subscribers; set; set &= set - 1) {
        const struct cushim__subscriber *subscriber = subscriber_of((unsigned)__builtin_ctz(set));

        if (subscriber->before && !subscriber->before(call, answer))
            return false;
    }
    return true;
}

/* The highest bit of a set, which must not be empty. */
static unsigned last_of(unsigned set)
{
    return 31 - (unsigned)__builtin_clz(set);
}

CUresult cushim__layer_call_end(struct cushim__call *call, CUresult answer)
{
    struct cushim_layer *layer = cushim_layer_current();
    unsigned all;

    cushim__caller = call->outer_caller;
    if (!layer || !call->is_watched)
        return answer;
    /* A subscriber that was added during the call sees its end. */
    all = call->subscribers | __atomic_load_n(&cushim__subscribed[call->slot], __ATOMIC_ACQUIRE);
    if (call->number == 0)
        all &= UNLOCKED;
    for (unsigned set = all; set; set &= ~(1u << last_of(set))) {
        const struct cushim__subscriber *subscriber = subscriber_of(last_of(set));

        if (subscriber->after)
            answer = subscriber->after(call, answer);
        if (!call->is_watched)
            return answer;
    }
    if (call->number == 0)
        return answer;
    cushim__lock_take(&layer->lock);
    if (call->arguments.is_decoded)
        cushim__arguments_decode_results(call, answer);
    for (unsigned set = all; set; set &= set - 1) {
        const struct cushim__subscriber *subscriber = subscriber_of((unsigned)__builtin_ctz(set));

        if (subscriber->ended)
            subscriber->ended(call, answer);
    }
    cushim__lock_release(&layer->lock);
    thread.under_way = call->nested;
    for (unsigned set = all; set; set &= set - 1) {
        const struct cushim__subscriber *subscriber = subscriber_of((unsigned)__builtin_ctz(set));

        if (subscriber->left)
            subscriber->left();
    }
    return answer;
}
