/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device times over a real driver. An event is recorded on the stream before each piece of work and
 * another one after it. The events come from a pool. They are read when the program has waited for
 * the device anyway, or when many are pending. Times are measured from a base event of the context,
 * which is aligned with the host's clock, and renewed often, since an elapsed time is a float of
 * milliseconds.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <stdlib.h>
#include <string.h>

#include "src/base/system.h"
#include "src/layer/layer.h"
#include "src/trace/write/writer.h"

enum {
    CONTEXTS = 64,
    PENDING = 1 << 14, /* pairs of a context that are not read yet */
    BASES = 64,
    READ_AFTER_WAIT =
        64, /* least number of pending pairs that are read when the program has waited */
    READ_WITHOUT = 2048, /* least number of which a batch is read although it does not wait */
    BATCH = 256,         /* pairs that are read together in that case */
};

/* A base is renewed after half a second, where a step of the float is 60 ns. */
#define BASE_LIFE_NS 500000000u

/* An alignment that took longer than this is tried again. */
#define ALIGNMENT_NS 15000u

struct pair {
    CUevent start, end;
    struct trace_record *work;
    uint64_t base; /* number of the base that `start` is measured from */
};

struct trace_context {
    CUcontext handle; /* NULL if the element is free */
    struct cushim__lock lock;
    CUdevice device;
    uint64_t pair_ns; /* elapsed time of two events with nothing between them */
    CUstream stream;  /* for base events only */
    CUevent bases[BASES];
    uint64_t base_ns[BASES];
    uint64_t base_count;  /* the newest base is number base_count - 1 */
    uint64_t first, last; /* numbers of pending pairs, which are a ring */
    struct pair pending[PENDING];
    size_t free_count;
    CUevent free[2 * PENDING];
};

static struct trace_context *contexts[CONTEXTS];
static struct cushim__lock lock;      /* held to change the list of contexts */
static CUcontext primaries[CONTEXTS]; /* by device; NULL if not retained yet */
static uint64_t untimed;
static uint64_t pair_ns; /* `pair_ns` of the context that was measured last */

static const struct cushim_table *driver(void)
{
    return &cushim__layer_next;
}

/* Record the next base event, and read the host's clock before and after it. */
static bool renew_base(struct trace_context *context)
{
    const uint64_t index = context->base_count % BASES;
    uint64_t before, after;

    if (!context->bases[index] &&
        driver()->EventCreate(&context->bases[index], CU_EVENT_DEFAULT) != CUDA_SUCCESS)
        return false;
    for (unsigned tries = 0; tries < 4; tries++) {
        before = cushim__system_clock_ns();
        if (driver()->EventRecord(context->bases[index], context->stream) != CUDA_SUCCESS ||
            driver()->EventSynchronize(context->bases[index]) != CUDA_SUCCESS)
            return false;
        after = cushim__system_clock_ns();
        if (after - before < ALIGNMENT_NS)
            break;
    }
    context->base_ns[index] = before + (after - before) / 2;
    context->base_count++;
    return true;
}

/* Under the lock of the context. */
static CUevent acquire_event(struct trace_context *context)
{
    CUevent event = NULL;

    if (context->free_count > 0)
        return context->free[--context->free_count];
    return driver()->EventCreate(&event, CU_EVENT_DEFAULT) == CUDA_SUCCESS ? event : NULL;
}

static void release_event(struct trace_context *context, CUevent event)
{
    if (event && context->free_count < 2 * PENDING)
        context->free[context->free_count++] = event;
}

/*
 * Measure the least elapsed time of two events with nothing between them, which is subtracted from
 * the duration of work. The first pairs find the stream idle, and their times are longer.
 */
static void measure_pair(struct trace_context *context)
{
    enum { EVENTS = 8 };
    CUevent events[EVENTS] = {0};
    float least = 1.0f, elapsed;

    for (unsigned i = 0; i < EVENTS; i++) {
        events[i] = acquire_event(context);
        if (events[i])
            driver()->EventRecord(events[i], context->stream);
    }
    driver()->StreamSynchronize(context->stream);
    for (unsigned i = 1; i < EVENTS; i++) {
        if (events[i - 1] && events[i] &&
            driver()->EventElapsedTime_v2(&elapsed, events[i - 1], events[i]) == CUDA_SUCCESS &&
            elapsed < least)
            least = elapsed;
    }
    for (unsigned i = 0; i < EVENTS; i++)
        release_event(context, events[i]);
    context->pair_ns = least < 0.1f ? (uint64_t)((double)least * 1e6) : 0;
    __atomic_store_n(&pair_ns, context->pair_ns, __ATOMIC_RELAXED);
}

static uint64_t last_base_ns(const struct trace_context *context)
{
    return context->base_ns[(context->base_count - 1) % BASES];
}

/* Returns NULL if there are no contexts from this index on. */
static struct trace_context *context_at(unsigned index)
{
    return index < CONTEXTS ? __atomic_load_n(&contexts[index], __ATOMIC_ACQUIRE) : NULL;
}

static CUcontext handle_of(const struct trace_context *context)
{
    return __atomic_load_n(&context->handle, __ATOMIC_ACQUIRE);
}

/* The context is current. */
static void destroy_objects(struct trace_context *context)
{
    for (uint64_t i = context->first; i < context->last; i++) {
        driver()->EventDestroy_v2(context->pending[i % PENDING].start);
        driver()->EventDestroy_v2(context->pending[i % PENDING].end);
    }
    while (context->free_count > 0)
        driver()->EventDestroy_v2(context->free[--context->free_count]);
    for (unsigned i = 0; i < BASES && context->bases[i]; i++)
        driver()->EventDestroy_v2(context->bases[i]);
    if (context->stream)
        driver()->StreamDestroy_v2(context->stream);
}

/* Returns NULL if there are too many contexts, or the driver cannot create what timing needs. */
static struct trace_context *add_context(CUcontext handle)
{
    const size_t kept = offsetof(struct trace_context, lock); /* others read the handle */
    struct trace_context *context = NULL;

    for (unsigned i = 0; i < CONTEXTS && !context; i++) {
        if (!contexts[i])
            __atomic_store_n(&contexts[i], calloc(1, sizeof *contexts[i]), __ATOMIC_RELEASE);
        if (contexts[i] && !contexts[i]->handle)
            context = contexts[i];
    }
    if (!context)
        return NULL;
    memset((char *)context + kept, 0, sizeof *context - kept);
    if (driver()->CtxGetDevice(&context->device) != CUDA_SUCCESS ||
        driver()->StreamCreate(&context->stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS ||
        !renew_base(context)) {
        destroy_objects(context);
        return NULL;
    }
    measure_pair(context);
    __atomic_store_n(&context->handle, handle, __ATOMIC_RELEASE);
    return context;
}

static struct trace_context *find_context(CUcontext handle)
{
    struct trace_context *context;

    for (unsigned i = 0; (context = context_at(i)); i++) {
        if (handle_of(context) == handle)
            return context;
    }
    return NULL;
}

static struct trace_context *current_context(void)
{
    struct trace_context *context;
    CUcontext handle = NULL;

    if (driver()->CtxGetCurrent(&handle) != CUDA_SUCCESS || !handle)
        return NULL;
    context = find_context(handle);
    if (context)
        return context;
    cushim__lock_take(&lock);
    context = find_context(handle);
    if (!context)
        context = add_context(handle);
    cushim__lock_release(&lock);
    return context;
}

static void release_events(struct trace_context *context, CUevent start, CUevent end)
{
    cushim__lock_take(&context->lock);
    release_event(context, start);
    release_event(context, end);
    cushim__lock_release(&context->lock);
}

/* --- reading --- */

void cushim__trace_count_untimed(uint64_t count)
{
    __atomic_add_fetch(&untimed, count, __ATOMIC_RELAXED);
}

/* Returns false if the work is not completed. */
static bool read_pair(const struct trace_context *context, const struct pair *pair)
{
    const uint64_t index = pair->base % BASES;
    float from_base, duration;
    uint64_t duration_ns;
    const CUresult code = driver()->EventElapsedTime_v2(&duration, pair->start, pair->end);

    if (code == CUDA_ERROR_NOT_READY)
        return false;
    if (code != CUDA_SUCCESS || context->base_count - pair->base > BASES ||
        driver()->EventElapsedTime_v2(&from_base, context->bases[index], pair->start) !=
            CUDA_SUCCESS) {
        cushim__trace_count_untimed(1);
        return true;
    }
    duration_ns = (uint64_t)((double)duration * 1e6);
    duration_ns -= duration_ns < context->pair_ns ? duration_ns : context->pair_ns;
    pair->work->began_ns = context->base_ns[index] + (uint64_t)(int64_t)((double)from_base * 1e6);
    __atomic_store_n(&pair->work->ended_ns, pair->work->began_ns + duration_ns, __ATOMIC_RELEASE);
    return true;
}

/* Read the oldest completed pairs, `limit` at most. The context is current. */
static void read_pairs(struct trace_context *context, uint64_t limit)
{
    if (!cushim__lock_try(&context->lock))
        return;
    for (; limit > 0 && context->first < context->last; limit--) {
        const struct pair *pair = &context->pending[context->first % PENDING];

        if (!read_pair(context, pair))
            break;
        release_event(context, pair->start);
        release_event(context, pair->end);
        __atomic_store_n(&context->first, context->first + 1, __ATOMIC_RELAXED);
    }
    cushim__lock_release(&context->lock);
}

static uint64_t pending_count(struct trace_context *context)
{
    /* Load `first` before `last`, so that the difference is never negative. */
    const uint64_t first = __atomic_load_n(&context->first, __ATOMIC_ACQUIRE);

    return __atomic_load_n(&context->last, __ATOMIC_ACQUIRE) - first;
}

/* Read all completed pairs of a context, current or not. If `is_last`, destroy its objects. */
static void read_context(struct trace_context *context, bool is_last)
{
    CUcontext former;

    if (driver()->CtxPushCurrent_v2(handle_of(context)) != CUDA_SUCCESS)
        return;
    read_pairs(context, PENDING);
    if (is_last)
        destroy_objects(context);
    driver()->CtxPopCurrent_v2(&former);
}

/* The context is destroyed, together with its events. */
static void drop_context(struct trace_context *context)
{
    cushim__trace_count_untimed(pending_count(context));
    __atomic_store_n(&context->first, context->last, __ATOMIC_RELAXED);
    __atomic_store_n(&context->handle, NULL, __ATOMIC_RELEASE);
}

/* --- around the program's work --- */

void cushim__trace_pair_start(struct cushim__traced *traced, struct trace_work *work)
{
    struct trace_context *context = current_context();

    if (!context)
        return;
    work->context = (uintptr_t)handle_of(context);
    work->device = (uint32_t)context->device;
    if (pending_count(context) >= READ_WITHOUT && pending_count(context) % BATCH == 0)
        read_pairs(context, BATCH);
    cushim__lock_take(&context->lock);
    if (cushim__system_clock_ns() - last_base_ns(context) > BASE_LIFE_NS)
        renew_base(context);
    traced->base = context->base_count - 1;
    traced->start = pending_count(context) < PENDING - 64 ? acquire_event(context) : NULL;
    traced->end = traced->start ? acquire_event(context) : NULL;
    cushim__lock_release(&context->lock);
    if (traced->end && driver()->EventRecord(traced->start, traced->stream) == CUDA_SUCCESS)
        traced->context = context;
    else
        release_events(context, traced->start, traced->end);
}

void cushim__trace_pair_end(const struct cushim__traced *traced, CUresult answer)
{
    struct trace_context *context = traced->context;

    if (answer != CUDA_SUCCESS || !traced->work ||
        driver()->EventRecord(traced->end, traced->stream) != CUDA_SUCCESS) {
        release_events(context, traced->start, traced->end);
        cushim__trace_count_untimed(answer == CUDA_SUCCESS && traced->work);
        return;
    }
    cushim__lock_take(&context->lock);
    context->pending[context->last % PENDING] =
        (struct pair){traced->start, traced->end, traced->work, traced->base};
    __atomic_store_n(&context->last, context->last + 1, __ATOMIC_RELAXED);
    cushim__lock_release(&context->lock);
}

/* --- other calls of the program --- */

void cushim__trace_pairs_read(void)
{
    CUcontext handle = NULL;
    struct trace_context *context;

    if (driver()->CtxGetCurrent(&handle) != CUDA_SUCCESS || !handle)
        return;
    context = find_context(handle);
    if (context && pending_count(context) >= READ_AFTER_WAIT)
        read_pairs(context, PENDING);
}

void cushim__trace_context_destroyed(CUcontext handle, bool may_read)
{
    struct trace_context *context = handle ? find_context(handle) : NULL;

    if (!context)
        return;
    if (may_read)
        read_context(context, false);
    drop_context(context);
}

void cushim__trace_primary_retained(CUdevice device, CUcontext handle)
{
    if (device >= 0 && device < CONTEXTS)
        __atomic_store_n(&primaries[device], handle, __ATOMIC_RELAXED);
}

/* The trace may have begun after the context was retained, so all of the device are read. */
void cushim__trace_primary_releasing(CUdevice device)
{
    struct trace_context *context;

    for (unsigned i = 0; (context = context_at(i)); i++) {
        if (handle_of(context) && context->device == device)
            read_context(context, false);
    }
}

void cushim__trace_primary_released(CUdevice device)
{
    struct trace_context *context = NULL;
    unsigned flags;
    int is_active = 1;

    if (device >= 0 && device < CONTEXTS)
        context = find_context(__atomic_load_n(&primaries[device], __ATOMIC_RELAXED));
    if (context && handle_of(context) &&
        driver()->DevicePrimaryCtxGetState(device, &flags, &is_active) == CUDA_SUCCESS &&
        !is_active)
        drop_context(context);
}

/* --- start and end --- */

void cushim__trace_events_finish(struct trace_header *header, bool may_read, bool is_alone)
{
    struct trace_context *context;

    for (unsigned i = 0; (context = context_at(i)); i++) {
        if (handle_of(context) && may_read)
            read_context(context, is_alone);
        drop_context(context);
    }
    if (header) {
        header->event_cost_ns = __atomic_load_n(&pair_ns, __ATOMIC_RELAXED);
        header->untimed_work = __atomic_load_n(&untimed, __ATOMIC_RELAXED);
    }
    untimed = 0;
}

void cushim__trace_events_forget(void)
{
    lock = (struct cushim__lock){0}; /* a thread of the parent may hold it */
    for (unsigned i = 0; i < CONTEXTS && contexts[i]; i++) {
        contexts[i]->handle = NULL;
        contexts[i]->first = contexts[i]->last;
    }
    untimed = 0;
}
