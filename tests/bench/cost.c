/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cost list
 * cost time|processor ROUNDS [ROW...]
 * cost count ROW WAY TURNS
 *
 * The cost of calls, each in several ways: through a module of cushim, through its table, as the
 * driver's own function, through a layer, on the mock. bench.py runs this program; the tables of
 * the other files have the rows and ways.
 *
 * `time`: the ways of a row alternate, round by round, in one process, so that a change of the
 * machine's state affects all of them. Each round prints a line `time ROW WAY NS` for each way.
 * `processor`: the same in CPU time, for machines that others use, too. `count`: makes one way
 * TURNS times, for callgrind. The driver is the one in CUSHIM_LIBRARY, or the one that the loader
 * finds. The exit status is 1 if a call failed, and 77 if there is no driver or no device.
 */
#define _GNU_SOURCE
#include "cost.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SKIPPED = 77, MOST_CALLS = 1000000 };

/* How many operations are queued on the device before a wait, which is not timed. */
enum { BATCH = 256 };

/* The duration of one measurement. */
#define MEASURE_NS 4e6

struct cushim_context *cost_context, *cost_other;
struct cushim_stream *cost_stream;
struct cushim_event *cost_start, *cost_end;
struct cushim_event_pool *cost_pool;
CUcontext cost_context_handle;
CUstream cost_stream_handle;
CUevent cost_start_handle, cost_end_handle;
float cost_ms;
unsigned cost_thread_count;

static const struct cost_row *const tables[] = {
    cost_modules,
#ifdef COST_EVERYTHING
    cost_threads,
    cost_layer,
    cost_mock,
#endif
};

struct cost_raw cost_raw;
static clockid_t clock_id = CLOCK_MONOTONIC;
static CUresult failed; /* the first code that was not success */

double cost_now_ns(void)
{
    struct timespec time;

    clock_gettime(clock_id, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

void cost_note(CUresult code)
{
    if (failed == CUDA_SUCCESS)
        failed = code;
}

static double run(const struct cost_row *row, const struct cost_way *way, unsigned calls)
{
    const unsigned batches = calls / BATCH + 1;
    double sum = 0;

    cost_thread_count = row->threads;
    if (way->begin)
        way->begin();
    if (!row->queues)
        sum = way->run(calls);
    for (unsigned batch = 0; row->queues && batch < batches; batch++) {
        sum += way->run(BATCH) / (double)batches;
        cost_note(cushim_stream_synchronize(cost_stream));
    }
    if (way->end)
        way->end();
    return sum;
}

/* How many calls take the duration of a measurement. */
static unsigned calls_of(const struct cost_row *row, const struct cost_way *way)
{
    const double once = run(row, way, 1000);

    return once > MEASURE_NS / MOST_CALLS ? (unsigned)(MEASURE_NS / once) + 1 : MOST_CALLS;
}

static void measure(const struct cost_row *row, unsigned rounds)
{
    unsigned calls[COST_WAYS], ways = 0;

    for (; ways < COST_WAYS && row->ways[ways].name; ways++) {
        calls[ways] = calls_of(row, &row->ways[ways]);
        run(row, &row->ways[ways], calls[ways]);
    }
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned turn = 0; turn < ways; turn++) {
            const unsigned i = (round + turn) % ways;

            printf("time %s %s %.4f\n", row->name, row->ways[i].name,
                   run(row, &row->ways[i], calls[i]));
        }
        fflush(stdout);
    }
}

/* Find a row by its name; NULL: there is none. */
static const struct cost_row *find(const char *name)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const struct cost_row *row = tables[i]; row->name; row++) {
            if (strcmp(row->name, name) == 0)
                return row;
        }
    }
    return NULL;
}

/* With more threads than processors, a row would measure the system's scheduler. */
static bool is_possible(const struct cost_row *row)
{
    return row->threads <= (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
}

static int time_rows(unsigned rounds, char **names)
{
    for (; *names; names++) {
        if (!find(*names))
            return 2;
        measure(find(*names), rounds);
    }
    return 0;
}

static int time_all(unsigned rounds)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const struct cost_row *row = tables[i]; row->name; row++) {
            if (is_possible(row))
                measure(row, rounds);
        }
    }
    return 0;
}

static int count_way(const char *name, const char *way_name, unsigned turns)
{
    const struct cost_row *row = find(name);

    for (unsigned i = 0; row && i < COST_WAYS && row->ways[i].name; i++) {
        const struct cost_way *way = &row->ways[i];

        if (strcmp(way->name, way_name) != 0)
            continue;
        if (way->begin)
            way->begin();
        way->run(turns);
        if (way->end)
            way->end();
        return 0;
    }
    return 2;
}

static int list(void)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const struct cost_row *row = tables[i]; row->name; row++) {
            if (!is_possible(row))
                continue;
            printf("row %s", row->name);
            for (unsigned way = 0; way < COST_WAYS && row->ways[way].name; way++)
                printf(" %s", row->ways[way].name);
            printf("\n");
        }
    }
    return 0;
}

/* Find the driver's functions in the library that cushim has loaded. */
static bool find_functions(void *library)
{
    const struct cushim_table *table = cushim_driver();
    const struct {
        void *place;
        const char *name;
    } functions[] = {
        {&cost_raw.event_query, "cuEventQuery"},
        {&cost_raw.event_record, "cuEventRecord"},
        {&cost_raw.event_elapsed, table->EventElapsedTime_v2 == table->EventElapsedTime
                                      ? "cuEventElapsedTime"
                                      : "cuEventElapsedTime_v2"},
        {&cost_raw.event_elapsed_old, "cuEventElapsedTime"},
        {&cost_raw.event_synchronize, "cuEventSynchronize"},
        {&cost_raw.event_create, "cuEventCreate"},
        {&cost_raw.event_destroy, "cuEventDestroy_v2"},
        {&cost_raw.stream_create, "cuStreamCreateWithPriority"},
        {&cost_raw.stream_destroy, "cuStreamDestroy_v2"},
        {&cost_raw.context_push, "cuCtxPushCurrent_v2"},
        {&cost_raw.context_pop, "cuCtxPopCurrent_v2"},
        {&cost_raw.stream_query, "cuStreamQuery"},
        {&cost_raw.stream_wait_event, "cuStreamWaitEvent"},
    };
    bool is_complete = library != NULL;

    for (size_t i = 0; library && i < sizeof functions / sizeof *functions; i++) {
        void *address = dlsym(library, functions[i].name);

        memcpy(functions[i].place, &address, sizeof address);
        is_complete &= address != NULL;
    }
    return is_complete;
}

/* Find the driver's functions, and print what the figures are measured on. */
static CUresult find_driver(void)
{
    struct cushim_report *report;
    char device[256];
    CUresult code = cushim_report_create(&report);
    bool is_found;

    if (code != CUDA_SUCCESS)
        return code;
    if (cushim_driver()->DeviceGetName(device, sizeof device, 0) != CUDA_SUCCESS)
        strcpy(device, "none");
    printf("about driver %d.%d\nabout device %s\nabout library %s\n",
           cushim_report_driver_version(report) / 1000,
           cushim_report_driver_version(report) % 1000 / 10, device, cushim_report_library(report));
    is_found = find_functions(dlopen(cushim_report_library(report), RTLD_NOW | RTLD_NOLOAD));
    cushim_report_destroy(report);
    return is_found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

static CUresult set_up(void)
{
    const struct cushim_event_pool_options options = {.size = sizeof options, .initial = 1};
    CUresult code = cushim_context_retain_primary(0, &cost_context);

    if (code == CUDA_SUCCESS)
        code = cushim_context_make_current(cost_context);
    if (code == CUDA_SUCCESS)
        code = cushim_stream_create(cost_context, NULL, &cost_stream);
    if (code == CUDA_SUCCESS)
        code = cushim_event_create_recorded(cost_stream, NULL, &cost_start);
    if (code == CUDA_SUCCESS)
        code = cushim_event_create_recorded(cost_stream, NULL, &cost_end);
    if (code == CUDA_SUCCESS)
        code = cushim_event_pool_create(cost_context, NULL, &options, &cost_pool);
    if (code == CUDA_SUCCESS)
        code = cushim_context_get_handle(cost_context, &cost_context_handle);
    if (code == CUDA_SUCCESS)
        code = cushim_stream_get_handle(cost_stream, &cost_stream_handle);
    if (code == CUDA_SUCCESS)
        code = cushim_event_get_handle(cost_start, &cost_start_handle);
    if (code == CUDA_SUCCESS)
        code = cushim_event_get_handle(cost_end, &cost_end_handle);
    return code == CUDA_SUCCESS ? cushim_stream_synchronize(cost_stream) : code;
}

static void put_back(void)
{
    cost_note(cushim_event_pool_release(cost_pool));
    cost_note(cushim_event_release(cost_start));
    cost_note(cushim_event_release(cost_end));
    cost_note(cushim_stream_release(cost_stream));
    cost_note(cushim_context_make_current(NULL));
    cost_note(cushim_context_release(cost_context));
    cost_note(cushim_context_release(cost_other));
}

/* Exit status 2: wrong arguments. */
static int obey(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";

    if (strcmp(what, "list") == 0)
        return list();
    if ((strcmp(what, "time") == 0 || strcmp(what, "processor") == 0) && count > 2) {
        const unsigned rounds = (unsigned)strtoul(arguments[2], NULL, 10);

        if (strcmp(what, "processor") == 0)
            clock_id = CLOCK_THREAD_CPUTIME_ID;
        return count == 3 ? time_all(rounds) : time_rows(rounds, arguments + 3);
    }
    if (strcmp(what, "count") == 0 && count == 5)
        return count_way(arguments[2], arguments[3], (unsigned)strtoul(arguments[4], NULL, 10));
    return 2;
}

int main(int count, char **arguments)
{
    CUresult code = cushim_driver_init(NULL);
    int status;

    if (code != CUDA_SUCCESS) {
        printf("nothing to measure: %s\n", cushim_error_string(code));
        return SKIPPED;
    }
    cost_note(find_driver());
    cost_note(set_up());
    if (failed != CUDA_SUCCESS) {
        printf("cannot be set up: %s\n", cushim_error_string(failed));
        return 1;
    }
    status = obey(count, arguments);
    if (status == 2)
        fprintf(stderr,
                "usage: cost list | time|processor ROUNDS [ROW...] | count ROW WAY TURNS\n");
    put_back();
    if (failed != CUDA_SUCCESS) {
        fprintf(stderr, "a call failed: %d %s\n", (int)failed, cushim_error_name(failed));
        return 1;
    }
    return status;
}
