/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that call at once, each so often: through the table, and through a pointer of one's own.
 * The time of a call is what it takes each of them, on the average.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

#include "cost.h"

enum { MOST_THREADS = 64 };

struct caller {
    pthread_t thread;
    pthread_barrier_t *barrier;
    CUresult (*calls)(unsigned count);
    unsigned count;
    double ns;
    CUresult code;
};

static CUresult by_table(unsigned count)
{
    unsigned codes = 0;

    for (unsigned i = 0; i < count; i++)
        codes |= (unsigned)cushim_driver()->EventQuery(cost_end_handle);
    return (CUresult)codes;
}

static CUresult by_pointer(unsigned count)
{
    unsigned codes = 0;

    for (unsigned i = 0; i < count; i++)
        codes |= (unsigned)cost_raw.event_query(cost_end_handle);
    return (CUresult)codes;
}

static void *call(void *data)
{
    struct caller *caller = data;
    double start;

    caller->code = cushim_driver()->CtxSetCurrent(cost_context_handle);
    pthread_barrier_wait(caller->barrier);
    start = cost_now_ns();
    if (caller->code == CUDA_SUCCESS)
        caller->code = caller->calls(caller->count);
    caller->ns = cost_now_ns() - start;
    return NULL;
}

static double call_at_once(CUresult (*calls)(unsigned count), unsigned count)
{
    struct caller callers[MOST_THREADS];
    double sum = 0;
    pthread_barrier_t barrier;

    pthread_barrier_init(&barrier, NULL, cost_thread_count);
    for (unsigned i = 0; i < cost_thread_count; i++) {
        callers[i] = (struct caller){.barrier = &barrier, .calls = calls, .count = count};
        if (pthread_create(&callers[i].thread, NULL, call, &callers[i]) != 0)
            abort(); /* the others wait at the barrier for good */
    }
    for (unsigned i = 0; i < cost_thread_count; i++) {
        pthread_join(callers[i].thread, NULL);
        cost_note(callers[i].code);
        sum += callers[i].ns;
    }
    pthread_barrier_destroy(&barrier);
    return sum / (double)cost_thread_count / (double)count;
}

static double table(unsigned count)
{
    return call_at_once(by_table, count);
}

static double raw(unsigned count)
{
    return call_at_once(by_pointer, count);
}

const struct cost_row cost_threads[] = {
    {.name = "threads-1",
     .ways = {{.name = "table", .run = table}, {.name = "raw", .run = raw}},
     .threads = 1},
    {.name = "threads-2",
     .ways = {{.name = "table", .run = table}, {.name = "raw", .run = raw}},
     .threads = 2},
    {.name = "threads-4",
     .ways = {{.name = "table", .run = table}, {.name = "raw", .run = raw}},
     .threads = 4},
    {.name = "threads-8",
     .ways = {{.name = "table", .run = table}, {.name = "raw", .run = raw}},
     .threads = 8},
    {.name = "threads-16",
     .ways = {{.name = "table", .run = table}, {.name = "raw", .run = raw}},
     .threads = 16},
    {.name = "threads-32",
     .ways = {{.name = "table", .run = table}, {.name = "raw", .run = raw}},
     .threads = 32},
    {.name = "threads-64",
     .ways = {{.name = "table", .run = table}, {.name = "raw", .run = raw}},
     .threads = MOST_THREADS},
    {.name = NULL},
};
