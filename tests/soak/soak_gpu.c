/* SPDX-License-Identifier: Apache-2.0 */
/*
 * soak_gpu [OPTION]...: operations on events through cushim's modules and its table, on one thread
 * and then on four; `--help` lists the options. A plain program to copy to a machine with a GPU: it
 * needs only the C library, and uses the driver that a search finds. `cushim run` runs it on the
 * mock.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <cushim/cushim.h>

#include "soak.h"

enum { OPERATIONS = 10000000, FAILED = 1, SKIPPED = 77, NAME_BYTES = 256 };
enum { GPU_ALLOWANCE = 2 << 20 }; /* bytes: the granularity of a driver's memory */

/* The objects of one thread. */
struct desk {
    struct cushim_stream *stream;
    CUstream handle;
    unsigned events; /* events that were created through the table */
};

static struct cushim_context *context;
static struct cushim_event_pool *pool;
static atomic_long handles; /* the program's own count of live streams and events */
static unsigned leak;

#define DO(call) worker_did(worker, #call, call, CUDA_SUCCESS)
#define DO_RAW(call) worker_did(worker, #call, cushim_driver()->call, CUDA_SUCCESS)

static void begin(struct worker *worker)
{
    struct desk *desk = calloc(1, sizeof *desk);
    CUcontext handle;

    if (!desk)
        abort();
    worker->own = desk;
    DO(cushim_context_get_handle(context, &handle));
    DO_RAW(CtxSetCurrent(handle));
    if (DO(cushim_stream_create(context, NULL, &desk->stream)))
        atomic_fetch_add(&handles, 1);
    DO(cushim_stream_get_handle(desk->stream, &desk->handle));
}

static void end(struct worker *worker)
{
    struct desk *desk = worker->own;

    if (DO(cushim_stream_release(desk->stream)))
        atomic_fetch_sub(&handles, 1);
    DO_RAW(CtxSetCurrent(NULL));
    free(desk);
}

/* Query an event; complete and "not ready" are both right. */
static void ask(struct worker *worker, const struct cushim_event *event)
{
    const CUresult code = cushim_event_query(event);

    worker_did(worker, "cushim_event_query", code == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : code,
               CUDA_SUCCESS);
}

static void time_pooled(struct worker *worker)
{
    struct desk *desk = worker->own;
    struct cushim_event *start = NULL, *stop = NULL;
    float ms = -1;

    if (!DO(cushim_event_pool_acquire(pool, &start)) || !DO(cushim_event_pool_acquire(pool, &stop)))
        return;
    DO(cushim_event_record(start, desk->stream));
    DO(cushim_event_record(stop, desk->stream));
    ask(worker, stop);
    DO(cushim_event_synchronize(stop));
    DO(cushim_event_query(start));
    DO(cushim_event_get_elapsed(start, stop, &ms));
    worker_did(worker, "a time that is not negative", ms >= 0 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN,
               CUDA_SUCCESS);
    DO(cushim_event_release(start));
    DO(cushim_event_release(stop));
}

static void use_own(struct worker *worker)
{
    struct desk *desk = worker->own;
    struct cushim_event *event;

    if (!DO(cushim_event_create_recorded(desk->stream, NULL, &event)))
        return;
    atomic_fetch_add(&handles, 1);
    ask(worker, event);
    if (DO(cushim_event_release(event)))
        atomic_fetch_sub(&handles, 1);
}

static void use_table(struct worker *worker)
{
    struct desk *desk = worker->own;
    CUevent event;

    if (!DO_RAW(EventCreate(&event, CU_EVENT_DISABLE_TIMING)))
        return;
    atomic_fetch_add(&handles, 1);
    DO_RAW(EventRecord(event, desk->handle));
    DO_RAW(EventSynchronize(event));
    DO_RAW(EventQuery(event));
    if ((leak == 0 || ++desk->events % leak != 0) && DO_RAW(EventDestroy_v2(event)))
        atomic_fetch_sub(&handles, 1);
}

static void act(struct worker *worker)
{
    time_pooled(worker);
    use_own(worker);
    use_table(worker);
}

enum { HANDLES, POOLED, POOL_OUT, GPU_BYTES };

static void sample(double *own)
{
    size_t total = 0, available = 0, pooled = 0, at_rest = 0;

    cushim_event_pool_get_counts(pool, &pooled, &at_rest);
    cushim_driver()->MemGetInfo_v2(&available, &total);
    own[HANDLES] = (double)atomic_load(&handles);
    own[POOLED] = (double)pooled;
    own[POOL_OUT] = (double)(pooled - at_rest);
    own[GPU_BYTES] = (double)(total - available);
}

static const struct soak soak = {
    .name = "soak_gpu",
    .work = {begin, act, end},
    .figures =
        {
            [HANDLES] = {.name = "handles"},
            [POOLED] = {.name = "pooled_events"},
            [POOL_OUT] = {.name = "pool_events_out"},
            [GPU_BYTES] = {.name = "gpu_used_bytes", .allowance = GPU_ALLOWANCE},
        },
    .sample = sample,
};

/* One round with this many threads, and a new pool. */
static bool run(const struct soak_options *options, unsigned threads, struct soak_round *round)
{
    /* As many events as can be in use at once, so the pool never grows. */
    const struct cushim_event_pool_options filled = {.size = sizeof filled, .initial = 2 * threads};
    bool is_good = cushim_event_pool_create(context, NULL, &filled, &pool) == CUDA_SUCCESS &&
                   soak_run(&soak, options, threads, round);

    is_good = cushim_event_pool_release(pool) == CUDA_SUCCESS && is_good;
    pool = NULL;
    return is_good && round->is_flat && round->failures == 0 && atomic_load(&handles) == 0;
}

static bool run_all(const struct soak_options *options)
{
    const unsigned all[] = {options->threads ? options->threads : 1, 4};
    const unsigned rounds = options->threads ? 1 : 2;
    char name[NAME_BYTES] = "";
    bool is_good = true;
    int version = 0;

    cushim_driver()->DriverGetVersion(&version);
    cushim_driver()->DeviceGetName(name, sizeof name, 0);
    printf(options->json ? "{\"program\":\"soak_gpu\",\"device\":\"%s\",\"cuda\":%d,\"rounds\":["
                         : "%s, CUDA %d\n",
           name, version);
    for (unsigned i = 0; i < rounds; i++) {
        struct soak_round round = {.threads = all[i]};

        is_good = run(options, all[i], &round) && is_good;
        if (options->json) {
            printf("%s", i > 0 ? "," : "");
            soak_print_json(&round);
        } else {
            soak_print(&round);
        }
    }
    if (options->json)
        printf("],\"handles_left\":%ld,\"passed\":%s}\n", atomic_load(&handles),
               is_good ? "true" : "false");
    else
        printf("handles left: %ld\n", atomic_load(&handles));
    return is_good;
}

int main(int count, char **arguments)
{
    struct soak_options options = {.operations = OPERATIONS};
    const int status = soak_options_read(
        &options, count, arguments,
        "Soak events on the driver of this machine: one thread and then four, or --threads.");
    CUcontext handle;
    CUresult code;
    bool is_good;

    if (status >= 0)
        return status;
    code = cushim_driver_init(NULL);
    if (code == CUDA_SUCCESS)
        code = cushim_context_retain_primary(0, &context);
    if (code != CUDA_SUCCESS) {
        fprintf(stderr, "soak_gpu: nothing to soak: %s\n", cushim_error_string(code));
        return SKIPPED;
    }
    leak = options.leak;
    if (cushim_context_get_handle(context, &handle) != CUDA_SUCCESS ||
        cushim_driver()->CtxSetCurrent(handle) != CUDA_SUCCESS)
        return FAILED;
    is_good = run_all(&options);
    return cushim_context_release(context) == CUDA_SUCCESS && is_good ? 0 : FAILED;
}
