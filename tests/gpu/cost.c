/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_cost [--library PATH] [--rounds N]
 *
 * What the modules cost over the driver itself. Each row does one thing in three ways: by the
 * module, by the driver's function through a pointer of our own, and through cushim's table. The
 * three take turns, round by round, in one process, so that a change of the machine's mood hits
 * them alike. Printed are the medians, the median of the differences within a round, and where the
 * middle half of those lies.
 *
 * Linked to the shared library, as a program would be. Nobody is held to the numbers: exit status 1
 * means that a call failed, 77 that there is no driver or no device.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cushim/cushim.h>

enum { ROUNDS = 31, LEAST_ROUNDS = 2, MOST_ROUNDS = 1000, SKIPPED = 77 };

/* Work for the GPU is queued by so much, and then waited for without the clock running. */
enum { BATCH = 256 };

/* The driver's own functions, as dlsym() gives them. */
static CUresult(CUDAAPI *raw_event_query)(CUevent);
static CUresult(CUDAAPI *raw_event_record)(CUevent, CUstream);
static CUresult(CUDAAPI *raw_event_elapsed)(float *, CUevent, CUevent);
static CUresult(CUDAAPI *raw_event_synchronize)(CUevent);
static CUresult(CUDAAPI *raw_event_create)(CUevent *, unsigned);
static CUresult(CUDAAPI *raw_event_destroy)(CUevent);
static CUresult(CUDAAPI *raw_stream_query)(CUstream);
static CUresult(CUDAAPI *raw_wait_event)(CUstream, CUevent, unsigned);

/* What is worked on. All events are done when a measurement begins. */
static struct cushim_context *context;
static struct cushim_stream *stream;
static struct cushim_event *start, *end;
static struct cushim_event_pool *pool;
static CUstream stream_handle;
static CUevent start_handle, end_handle;
static float ms;

static CUresult failed; /* the first code that was not success */

static double now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void note(CUresult code)
{
    if (failed == CUDA_SUCCESS)
        failed = code;
}

/* A function that makes a call `count` times and returns the time of one. */
#define TIMED(name, call)                        \
    static double name(unsigned count)           \
    {                                            \
        unsigned codes = 0;                      \
        double before = now_ns(), after;         \
                                                 \
        for (unsigned i = 0; i < count; i++)     \
            codes |= (unsigned)(call);           \
        after = now_ns();                        \
        note((CUresult)codes);                   \
        return (after - before) / (double)count; \
    }

static CUresult make_by_module(void)
{
    struct cushim_event *event = NULL;
    CUresult code = cushim_event_create(&event, context, NULL);

    return code != CUDA_SUCCESS ? code : cushim_event_release(event);
}

static CUresult make_by_pool(void)
{
    struct cushim_event *event = NULL;
    CUresult code = cushim_event_pool_acquire(pool, &event);

    return code != CUDA_SUCCESS ? code : cushim_event_release(event);
}

static CUresult make_by_pointer(void)
{
    CUevent event = NULL;
    CUresult code = raw_event_create(&event, 0);

    return code != CUDA_SUCCESS ? code : raw_event_destroy(event);
}

static CUresult make_by_table(void)
{
    CUevent event = NULL;
    CUresult code = cushim_driver()->EventCreate(&event, 0);

    return code != CUDA_SUCCESS ? code : cushim_driver()->EventDestroy_v2(event);
}

TIMED(module_query, cushim_event_query(end))
TIMED(raw_query, raw_event_query(end_handle))
TIMED(table_query, cushim_driver()->EventQuery(end_handle))
TIMED(module_record, cushim_event_record(end, stream))
TIMED(raw_record, raw_event_record(end_handle, stream_handle))
TIMED(table_record, cushim_driver()->EventRecord(end_handle, stream_handle))
TIMED(module_elapsed, cushim_event_elapsed(start, end, &ms))
TIMED(raw_elapsed, raw_event_elapsed(&ms, start_handle, end_handle))
TIMED(table_elapsed, cushim_driver()->EventElapsedTime_v2(&ms, start_handle, end_handle))
TIMED(module_synchronize, cushim_event_synchronize(end))
TIMED(raw_synchronize, raw_event_synchronize(end_handle))
TIMED(table_synchronize, cushim_driver()->EventSynchronize(end_handle))
TIMED(module_idle, cushim_stream_query(stream))
TIMED(raw_idle, raw_stream_query(stream_handle))
TIMED(table_idle, cushim_driver()->StreamQuery(stream_handle))
TIMED(module_wait, cushim_stream_wait_event(stream, end, 0))
TIMED(raw_wait, raw_wait_event(stream_handle, end_handle, 0))
TIMED(table_wait, cushim_driver()->StreamWaitEvent(stream_handle, end_handle, 0))
TIMED(module_make, make_by_module())
TIMED(pool_make, make_by_pool())
TIMED(raw_make, make_by_pointer())
TIMED(table_make, make_by_table())

typedef double (*timed)(unsigned count);

/* One thing to do. `queues`: it gives the GPU work, so it is done in batches. */
static const struct row {
    const char *name;
    timed ways[3]; /* module, raw, table */
    bool queues;
    bool has_goal;
} rows[] = {
    {"cushim_event_query (done)", {module_query, raw_query, table_query}, false, true},
    {"cushim_event_record", {module_record, raw_record, table_record}, true, true},
    {"cushim_event_elapsed", {module_elapsed, raw_elapsed, table_elapsed}, false, true},
    {"cushim_stream_query (idle)", {module_idle, raw_idle, table_idle}, false, true},
    {"cushim_event_synchronize (done)",
     {module_synchronize, raw_synchronize, table_synchronize},
     false,
     false},
    {"cushim_stream_wait_event", {module_wait, raw_wait, table_wait}, true, false},
    {"create + release", {module_make, raw_make, table_make}, false, false},
    {"pool acquire + release", {pool_make, raw_make, table_make}, false, false},
};

static int compare(const void *one, const void *other)
{
    double difference = *(const double *)one - *(const double *)other;

    return difference < 0 ? -1 : difference > 0;
}

/* Sort, and answer what lies at a share of the whole: 0.5 is the median. */
static double quantile(double *values, unsigned count, double share)
{
    qsort(values, count, sizeof *values, compare);
    return values[(unsigned)(share * (double)(count - 1) + 0.5)];
}

/* The time of one call of a row in one way, over about 4 ms. */
static double measure(const struct row *row, unsigned way, unsigned calls)
{
    double sum = 0;
    unsigned batches;

    if (!row->queues)
        return row->ways[way](calls);
    batches = calls < 2 * BATCH ? 2 : calls / BATCH;
    for (unsigned batch = 0; batch < batches; batch++) {
        sum += row->ways[way](BATCH);
        note(cushim_stream_synchronize(stream));
    }
    return sum / (double)batches;
}

static void run(const struct row *row, unsigned rounds)
{
    static double times[3][MOST_ROUNDS], differences[MOST_ROUNDS];
    unsigned calls = 1000;
    double medians[3], difference, goal, once;

    once = measure(row, 1, calls); /* warm, and how many calls are 4 ms */
    calls = once > 4e6 / 2e5 ? (unsigned)(4e6 / once) : 200000;
    for (unsigned way = 0; way < 3; way++)
        measure(row, way, calls);
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned turn = 0; turn < 3; turn++) {
            unsigned way = (round + turn) % 3;

            times[way][round] = measure(row, way, calls);
        }
        differences[round] = times[0][round] - times[1][round];
    }
    for (unsigned way = 0; way < 3; way++)
        medians[way] = quantile(times[way], rounds, 0.5);
    difference = quantile(differences, rounds, 0.5);
    goal = 0.03 * medians[1] > 2 ? 0.03 * medians[1] : 2;
    printf("%-32s %9.1f %9.1f %9.1f %+9.2f %+7.1f %%  %+8.2f to %+8.2f", row->name, medians[0],
           medians[1], medians[2], difference, 100 * difference / medians[1],
           quantile(differences, rounds, 0.25), quantile(differences, rounds, 0.75));
    if (row->has_goal)
        printf("  within %.1f ns: %s", goal, difference <= goal ? "yes" : "no");
    printf("\n");
}

/* The driver's functions, from the library that cushim has loaded. */
static bool find_functions(void)
{
    struct cushim_report report = {.size = sizeof report};
    void *library;

    if (cushim_report_get(&report) != CUDA_SUCCESS)
        return false;
    library = dlopen(report.library, RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return false;
    printf("driver of CUDA %d.%d, elapsed time by %s\n", report.driver_version / 1000,
           report.driver_version % 1000 / 10, cushim_event_elapsed_function());
    *(void **)&raw_event_query = dlsym(library, "cuEventQuery");
    *(void **)&raw_event_record = dlsym(library, "cuEventRecord");
    *(void **)&raw_event_elapsed = dlsym(library, cushim_event_elapsed_function());
    *(void **)&raw_event_synchronize = dlsym(library, "cuEventSynchronize");
    *(void **)&raw_event_create = dlsym(library, "cuEventCreate");
    *(void **)&raw_event_destroy = dlsym(library, "cuEventDestroy_v2");
    *(void **)&raw_stream_query = dlsym(library, "cuStreamQuery");
    *(void **)&raw_wait_event = dlsym(library, "cuStreamWaitEvent");
    return raw_event_query && raw_event_record && raw_event_elapsed && raw_event_synchronize &&
           raw_event_create && raw_event_destroy && raw_stream_query && raw_wait_event;
}

static CUresult set_up(void)
{
    const struct cushim_event_pool_options options = {.size = sizeof options, .initial = 1};
    CUresult code = cushim_context_retain_primary(&context, 0);

    if (code == CUDA_SUCCESS)
        code = cushim_context_make_current(context);
    if (code == CUDA_SUCCESS)
        code = cushim_stream_create(&stream, context, NULL);
    if (code == CUDA_SUCCESS)
        code = cushim_event_create_recorded(&start, stream, NULL);
    if (code == CUDA_SUCCESS)
        code = cushim_event_create_recorded(&end, stream, NULL);
    if (code == CUDA_SUCCESS)
        code = cushim_event_pool_create(&pool, context, NULL, &options);
    if (code == CUDA_SUCCESS)
        code = cushim_stream_handle(stream, &stream_handle);
    if (code == CUDA_SUCCESS)
        code = cushim_event_handle(start, &start_handle);
    if (code == CUDA_SUCCESS)
        code = cushim_event_handle(end, &end_handle);
    return code == CUDA_SUCCESS ? cushim_stream_synchronize(stream) : code;
}

static void put_back(void)
{
    note(cushim_event_pool_release(pool));
    note(cushim_event_release(start));
    note(cushim_event_release(end));
    note(cushim_stream_release(stream));
    note(cushim_context_make_current(NULL));
    note(cushim_context_release(context));
}

int main(int count, char **arguments)
{
    struct cushim_load_options options = {.size = sizeof options};
    static char library[PATH_MAX];
    unsigned rounds = ROUNDS;
    CUresult code;

    for (int i = 1; i + 1 < count; i += 2) {
        if (strcmp(arguments[i], "--library") == 0)
            options.library = realpath(arguments[i + 1], library);
        else if (strcmp(arguments[i], "--rounds") == 0)
            rounds = (unsigned)strtoul(arguments[i + 1], NULL, 10);
    }
    rounds = rounds < LEAST_ROUNDS ? LEAST_ROUNDS : rounds;
    rounds = rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    code = cushim_init(&options);
    if (code != CUDA_SUCCESS) {
        printf("nothing to measure: %s\n", cushim_error_string(code));
        return SKIPPED;
    }
    note(set_up());
    if (failed != CUDA_SUCCESS || !find_functions()) {
        printf("cannot be set up: %s\n", cushim_error_string(failed));
        return 1;
    }
    printf("ns per call, medians of %u rounds; difference: module - raw, median and middle half\n",
           rounds);
    printf("%-32s %9s %9s %9s %9s %9s\n", "", "module", "raw", "table", "diff.", "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run(&rows[i], rounds);
        fflush(stdout);
    }
    put_back();
    if (failed != CUDA_SUCCESS)
        printf("a call failed: %d %s\n", (int)failed, cushim_error_name(failed));
    return failed != CUDA_SUCCESS;
}
