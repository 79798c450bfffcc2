/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and events: work that was waited for is complete, and time advances. */
#include "tests/fuzz/calls.h"

static void count_host_function(void *data)
{
    (void)data;
}

/* A stream of the program, or one that every context has. */
static CUstream pick_stream(struct calls *calls, struct calls_object **object)
{
    const uint8_t special = fuzz_byte(&calls->input);

    *object = NULL;
    if (special < 24)
        return CALLS_HANDLE(CUstream, special / 8); /* NULL, legacy, per-thread */
    return CALLS_HANDLE(CUstream, calls_pick(calls, CALLS_STREAM, object));
}

static void create_stream(struct calls *calls)
{
    struct calls_object *object = calls_room(calls, CALLS_STREAM);
    const unsigned flags = fuzz_below(&calls->input, 3);
    const int priority = (int8_t)fuzz_byte(&calls->input);
    CUstream stream = NULL;
    CUresult code;

    if (!object)
        return;
    code = calls_judge(calls, calls->driver->StreamCreateWithPriority(&stream, flags, priority));
    CLAIM(flags <= CU_STREAM_NON_BLOCKING || code != CUDA_SUCCESS);
    if (code == CUDA_SUCCESS)
        calls_made(calls, object, (uintptr_t)stream);
}

static void destroy_stream(struct calls *calls)
{
    struct calls_object *object;
    const CUstream stream = pick_stream(calls, &object);

    if (calls_judge(calls, calls->driver->StreamDestroy_v2(stream)) == CUDA_SUCCESS) {
        CLAIM(object != NULL);
        object->state = CALLS_DEAD;
    }
}

static void query_stream(struct calls *calls)
{
    struct calls_object *object;
    const CUstream stream = pick_stream(calls, &object);

    calls_judge(calls, calls->driver->StreamQuery(stream));
}

static void finish_events(struct calls *calls, uint64_t stream)
{
    for (unsigned i = 0; i < CALLS_OBJECTS; i++) {
        struct calls_object *event = &calls->objects[CALLS_EVENT][i];
        CUresult code;

        if (event->state != CALLS_LIVE || !event->is_recorded || event->recorded_on != stream)
            continue;
        event->is_done = true;
        if (calls->captures)
            continue;
        code = calls_judge(calls, calls->driver->EventQuery(CALLS_HANDLE(CUevent, event->handle)));
        CLAIM(calls_allows(calls, code));
    }
}

static void synchronize_stream(struct calls *calls)
{
    struct calls_object *object;
    const CUstream stream = pick_stream(calls, &object);

    if (calls_judge(calls, calls->driver->StreamSynchronize(stream)) != CUDA_SUCCESS || !object)
        return;
    finish_events(calls, object->handle);
    calls_compare_memory(calls, object->handle);
}

static void ask_stream(struct calls *calls)
{
    struct calls_object *object;
    const CUstream stream = pick_stream(calls, &object);
    unsigned flags = 77;
    unsigned long long id = 0;
    CUresult code = calls_judge(calls, calls->driver->StreamGetFlags(stream, &flags));

    CLAIM((code == CUDA_SUCCESS) == (flags != 77));
    if (!object)
        return;
    code = calls_judge(calls, calls->driver->StreamGetId(stream, &id));
    CLAIM((code == CUDA_SUCCESS) == (id != 0));
}

static void host_function(struct calls *calls)
{
    struct calls_object *object;
    const CUstream stream = pick_stream(calls, &object);

    if (calls_judge(calls, calls->driver->LaunchHostFunc(stream, count_host_function, NULL)) ==
        CUDA_SUCCESS)
        calls->host_functions++;
}

static void wait(struct calls *calls)
{
    struct calls_object *stream, *event;
    const CUstream waiting = pick_stream(calls, &stream);
    const uint64_t handle = calls_pick(calls, CALLS_EVENT, &event);

    calls_judge(calls, calls->driver->StreamWaitEvent(waiting, CALLS_HANDLE(CUevent, handle),
                                                      fuzz_below(&calls->input, 3)));
}

void calls_step_stream(struct calls *calls)
{
    static void (*const steps[])(struct calls * calls) = {
        create_stream, destroy_stream, query_stream, synchronize_stream,
        ask_stream,    host_function,  wait,         create_stream};

    steps[fuzz_below(&calls->input, sizeof steps / sizeof steps[0])](calls);
}

static void create_event(struct calls *calls)
{
    static const unsigned flags[] = {CU_EVENT_DEFAULT, CU_EVENT_BLOCKING_SYNC,
                                     CU_EVENT_DISABLE_TIMING, CU_EVENT_INTERPROCESS, 77};
    struct calls_object *object = calls_room(calls, CALLS_EVENT);
    const unsigned which = fuzz_below(&calls->input, sizeof flags / sizeof flags[0]);
    CUevent event = NULL;
    CUresult code;

    if (!object)
        return;
    code = calls_judge(calls, calls->driver->EventCreate(&event, flags[which]));
    CLAIM(which < 3 || code != CUDA_SUCCESS);
    CLAIM((code == CUDA_SUCCESS) == (event != NULL));
    if (code == CUDA_SUCCESS)
        calls_made(calls, object, (uintptr_t)event);
}

static void destroy_event(struct calls *calls)
{
    struct calls_object *object;
    const uint64_t handle = calls_pick(calls, CALLS_EVENT, &object);
    const CUresult code =
        calls_judge(calls, calls->driver->EventDestroy_v2(CALLS_HANDLE(CUevent, handle)));

    CLAIM(!object || calls_allows(calls, code));
    if (code == CUDA_SUCCESS)
        object->state = CALLS_DEAD;
}

static void record(struct calls *calls)
{
    struct calls_object *event, *stream;
    const uint64_t handle = calls_pick(calls, CALLS_EVENT, &event);
    const CUstream recording = pick_stream(calls, &stream);
    const CUresult code =
        calls_judge(calls, calls->driver->EventRecord(CALLS_HANDLE(CUevent, handle), recording));

    if (code == CUDA_SUCCESS) {
        CLAIM(event != NULL);
        event->is_recorded = stream && !calls->captures;
        event->recorded_on = stream ? stream->handle : 0;
        event->is_done = false;
    }
}

static void query_event(struct calls *calls)
{
    struct calls_object *event;
    const uint64_t handle = calls_pick(calls, CALLS_EVENT, &event);
    const CUresult code =
        calls_judge(calls, calls->driver->EventQuery(CALLS_HANDLE(CUevent, handle)));

    if (event && event->is_done && !calls->captures)
        CLAIM(calls_allows(calls, code));
}

static void synchronize_event(struct calls *calls)
{
    struct calls_object *event;
    const uint64_t handle = calls_pick(calls, CALLS_EVENT, &event);
    const CUresult code =
        calls_judge(calls, calls->driver->EventSynchronize(CALLS_HANDLE(CUevent, handle)));

    if (event && code == CUDA_SUCCESS && event->is_recorded)
        event->is_done = true;
}

static void elapsed(struct calls *calls)
{
    struct calls_object *start, *end;
    const uint64_t first = calls_pick(calls, CALLS_EVENT, &start);
    const uint64_t last = calls_pick(calls, CALLS_EVENT, &end);
    float ms = -77;
    const CUresult code =
        calls_judge(calls, calls->driver->EventElapsedTime(&ms, CALLS_HANDLE(CUevent, first),
                                                           CALLS_HANDLE(CUevent, last)));

    CLAIM(code == CUDA_SUCCESS || ms == -77);
    CLAIM(code != CUDA_SUCCESS || first != last || ms == 0);
    calls_note(calls, (uint64_t)(int64_t)(ms * 1e6f));
}

void calls_step_event(struct calls *calls)
{
    static void (*const steps[])(struct calls * calls) = {create_event, destroy_event,     record,
                                                          query_event,  synchronize_event, elapsed,
                                                          record,       create_event};

    steps[fuzz_below(&calls->input, sizeof steps / sizeof steps[0])](calls);
}
