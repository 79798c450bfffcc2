/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of the program `cost` share: see cost.c. */
#ifndef CUSHIM_TESTS_BENCH_COST_H
#define CUSHIM_TESTS_BENCH_COST_H

#include <stdbool.h>

#include <cushim/cushim.h>

/* Do something `count` times, and return the time of one in ns. */
typedef double (*cost_run)(unsigned count);

struct cost_way {
    const char *name;
    cost_run run;
    void (*begin)(void), (*end)(void); /* before and after a measurement, or NULL */
};

enum { COST_WAYS = 6 };

/* An operation, and the ways to do it; the last way has no name. */
struct cost_row {
    const char *name;
    struct cost_way ways[COST_WAYS + 1];
    bool queues;      /* queues work on the device: measured in batches, with waits in between */
    unsigned threads; /* how many threads do it at once; 0: only the main thread */
};

/* The rows of a file; a row without a name ends them. */
extern const struct cost_row cost_modules[], cost_threads[], cost_layer[], cost_mock[];

/* The objects to measure with. All events are complete when a measurement begins. */
extern struct cushim_context *cost_context;
extern struct cushim_context *cost_other; /* NULL until a row needs it */
extern struct cushim_stream *cost_stream;
extern struct cushim_event *cost_start, *cost_end;
extern struct cushim_event_pool *cost_pool;
extern CUcontext cost_context_handle;
extern CUstream cost_stream_handle;
extern CUevent cost_start_handle, cost_end_handle;
extern float cost_ms;

/* The number of threads in the current row. */
extern unsigned cost_thread_count;

/* The driver's own functions, from dlsym(). */
extern struct cost_raw {
    CUresult(CUDAAPI *event_query)(CUevent);
    CUresult(CUDAAPI *event_record)(CUevent, CUstream);
    CUresult(CUDAAPI *event_elapsed)(float *, CUevent, CUevent);     /* what cushim calls */
    CUresult(CUDAAPI *event_elapsed_old)(float *, CUevent, CUevent); /* version 1 */
    CUresult(CUDAAPI *event_synchronize)(CUevent);
    CUresult(CUDAAPI *event_create)(CUevent *, unsigned);
    CUresult(CUDAAPI *event_destroy)(CUevent);
    CUresult(CUDAAPI *stream_create)(CUstream *, unsigned, int);
    CUresult(CUDAAPI *stream_destroy)(CUstream);
    CUresult(CUDAAPI *context_push)(CUcontext);
    CUresult(CUDAAPI *context_pop)(CUcontext *);
    CUresult(CUDAAPI *stream_query)(CUstream);
    CUresult(CUDAAPI *stream_wait_event)(CUstream, CUevent, unsigned);
} cost_raw;

/* Record a code that is not success; the program then ends with a failure. */
void cost_note(CUresult code);

double cost_now_ns(void);

/* Define a function that makes a call `count` times and returns the time of one. */
#define COST_TIMED(name, call)                   \
    static double name(unsigned count)           \
    {                                            \
        unsigned codes = 0;                      \
        double before = cost_now_ns(), after;    \
                                                 \
        for (unsigned i = 0; i < count; i++)     \
            codes |= (unsigned)(call);           \
        after = cost_now_ns();                   \
        cost_note((CUresult)codes);              \
        return (after - before) / (double)count; \
    }

#endif
