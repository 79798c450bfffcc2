/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs on the mock: the bytes select calls on live, dead and invalid handles. Each
 * program runs twice with the same results. Then its objects are destroyed, and nothing may be
 * left.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/testing/mock.h>

#include "tests/fuzz/calls.h"

static void begin(struct calls *calls, const uint8_t *data, size_t size)
{
    static const char *const schedules[] = {"fifo", "eager", "lazy", "random"};
    char settings[176];
    struct cushim_mock_options options = {.size = sizeof options, .settings = settings};
    uint8_t kind;

    memset(calls, 0, sizeof *calls);
    calls->input = (struct fuzz_input){data, size};
    kind = fuzz_byte(&calls->input);
    calls->is_manual = kind & 1;
    calls->is_adversarial = kind & 16;
    snprintf(settings, sizeof settings,
             "mode = %s\nschedule = %s\nraces = %s\nadversarial = %s\nseed = %u\nmemory = 64 MiB\n",
             calls->is_manual ? "manual" : "auto", schedules[kind >> 1 & 3],
             kind & 8 ? "report" : "ignore", calls->is_adversarial ? "yes" : "no", kind >> 5);
    CLAIM(cushim_mock_create(&options, &calls->mock) == CUDA_SUCCESS);
    calls->driver = cushim_mock_table(calls->mock);
    CLAIM(calls_judge(calls, calls->driver->Init(0)) == CUDA_SUCCESS);
}

/* In manual mode, only the program advances the clock. */
static void step_clock(struct calls *calls)
{
    const uint8_t byte = fuzz_byte(&calls->input);

    if (byte < 8 && calls->is_manual)
        cushim_mock_drain(calls->mock);
    else if (byte < 128)
        cushim_mock_advance(calls->mock, byte * UINT64_C(100));
    else
        cushim_mock_step(calls->mock);
    calls_judge(calls, CUDA_SUCCESS);
}

static void run(struct calls *calls)
{
    static void (*const steps[])(struct calls * calls) = {
        calls_step_event,  calls_step_stream, calls_step_memory, calls_step_graph,
        calls_step_kernel, calls_step_memory, step_clock,        calls_step_context};

    for (unsigned i = 0; i < CALLS_STEPS && calls->input.left; i++) {
        const unsigned which = fuzz_below(&calls->input, sizeof steps / sizeof steps[0]);

        snprintf(fuzz_place, sizeof fuzz_place, "step %u of kind %u", i, which);
        steps[which](calls);
    }
}

/* End all captures and work, so that everything can be destroyed. */
static void settle(struct calls *calls)
{
    for (unsigned i = 0; i < CALLS_OBJECTS; i++) {
        struct calls_object *stream = &calls->objects[CALLS_STREAM][i];
        CUgraph graph = NULL;
        CUresult code;

        if (stream->state != CALLS_LIVE)
            continue;
        calls_judge(
            calls, calls->driver->StreamEndCapture(CALLS_HANDLE(CUstream, stream->handle), &graph));
        if (!graph)
            continue;
        code = calls_judge(calls, calls->driver->GraphDestroy(graph));
        CLAIM(calls_allows(calls, code));
    }
    if (calls->is_manual)
        cushim_mock_drain(calls->mock);
}

static CUresult destroy(struct calls *calls, enum calls_type type, uint64_t handle)
{
    const struct cushim_table *driver = calls->driver;

    switch (type) {
    case CALLS_CONTEXT:
        return driver->CtxDestroy_v2(CALLS_HANDLE(CUcontext, handle));
    case CALLS_STREAM:
        return driver->StreamDestroy_v2(CALLS_HANDLE(CUstream, handle));
    case CALLS_EVENT:
        return driver->EventDestroy_v2(CALLS_HANDLE(CUevent, handle));
    case CALLS_MEMORY:
        return driver->MemFree_v2(handle);
    case CALLS_GRAPH:
        return driver->GraphDestroy(CALLS_HANDLE(CUgraph, handle));
    case CALLS_EXEC:
        return driver->GraphExecDestroy(CALLS_HANDLE(CUgraphExec, handle));
    case CALLS_MODULE:
        return driver->ModuleUnload(CALLS_HANDLE(CUmodule, handle));
    default:
        return CUDA_SUCCESS;
    }
}

static void destroy_all(struct calls *calls, enum calls_type type)
{
    for (unsigned i = 0; i < CALLS_OBJECTS; i++) {
        struct calls_object *object = &calls->objects[type][i];
        CUresult code;

        if (object->state != CALLS_LIVE)
            continue;
        snprintf(fuzz_place, sizeof fuzz_place, "the end, type %d, object %u", (int)type, i);
        code = calls_judge(calls, destroy(calls, type, object->handle));
        CLAIM(calls_allows(calls, code));
        calls_end(calls, object, CALLS_DEAD);
    }
}

/* With no context current, a call that needs one reports an earlier fault. */
static void look_for_fault(struct calls *calls)
{
    CUevent event = NULL;
    const CUresult code = calls_judge(calls, calls->driver->EventCreate(&event, 0));

    CLAIM(code == (calls->is_faulted ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_ERROR_INVALID_CONTEXT));
    CLAIM(calls->is_faulted || !calls->is_suspected);
}

/* Contexts last, because they destroy what is in them. */
static void destroy_everything(struct calls *calls)
{
    static const enum calls_type types[] = {CALLS_MEMORY, CALLS_EXEC,   CALLS_GRAPH,  CALLS_EVENT,
                                            CALLS_STREAM, CALLS_MODULE, CALLS_CONTEXT};
    struct cushim_mock_state state = {.size = sizeof state};

    snprintf(fuzz_place, sizeof fuzz_place, "the end");
    settle(calls);
    /* A destroyed current context would make calls fail that need no context. */
    for (; calls->depth > 0; calls->depth--)
        CLAIM(calls_judge(calls, calls->driver->CtxPopCurrent_v2(NULL)) == CUDA_SUCCESS);
    look_for_fault(calls);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        destroy_all(calls, types[i]);
    while (calls->primary_count > 0) {
        CLAIM(calls_judge(calls, calls->driver->DevicePrimaryCtxRelease_v2(0)) == CUDA_SUCCESS);
        calls->primary_count--;
    }
    CLAIM(cushim_mock_get_state(calls->mock, &state) == CUDA_SUCCESS);
    if (!calls->is_faulted)
        CLAIM(state.handles == 0 && state.allocations == 0);
}

static uint64_t run_program(struct calls *calls, const uint8_t *data, size_t size)
{
    CUresult code;

    begin(calls, data, size);
    run(calls);
    destroy_everything(calls);
    for (size_t i = 0; i < calls->misuses && i < 64; i++)
        CLAIM(cushim_mock_misuse(calls->mock, i) != NULL);
    CLAIM(!cushim_mock_misuse(calls->mock, calls->misuses));
    code = cushim_mock_destroy(calls->mock);
    CLAIM(code == (calls->misuses ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS));
    return calls->digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct calls *calls = fuzz_memory(sizeof *calls);
    char place[sizeof fuzz_place];
    uint64_t first;

    memcpy(place, fuzz_place, sizeof place);
    first = run_program(calls, data, size);
    snprintf(fuzz_place, sizeof fuzz_place, "the second run");
    /*
     * Do this for some of the programs only, because it takes long; and not with host functions,
     * whose order on another thread is not deterministic.
     */
    if (first % 4 == 0 && calls->host_functions == 0)
        CLAIM(run_program(calls, data, size) == first);
    memcpy(fuzz_place, place, sizeof place);
    free(calls);
    return 0;
}
