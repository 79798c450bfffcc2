/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_layer_cost [--mock] [--rounds N]
 *
 * What a call through the layer costs: cheap calls through the driver's own table, through a layer
 * without rules, and through one whose rules meet other functions. The three take turns, round by
 * round, so that a change of the machine's mood hits them alike. Printed are the medians, and of
 * the differences to the driver's own table within a round the median and where the middle half
 * lies.
 *
 * Nobody is held to the numbers: exit status 1 means that a call failed, 77 that there is no driver
 * or no device.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cushim/cushim.h>
#include <cushim/fault.h>
#include <cushim/mock.h>

enum { ROUNDS = 31, MOST_ROUNDS = 1000, CALLS = 200000, SKIPPED = 77 };

static const double goal_ns = 5;

static struct cushim_layer *layer;
static CUevent event;
static CUstream stream;
static unsigned failed; /* codes that were not success, by bits */

static double now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* The time of one of many calls through a table. */
#define TIMED(name, call)                                          \
    static double name(const struct cushim_table *volatile *table) \
    {                                                              \
        const double before = now_ns();                            \
        unsigned codes = 0;                                        \
        int version;                                               \
                                                                   \
        (void)version;                                             \
        for (unsigned i = 0; i < CALLS; i++)                       \
            codes |= (unsigned)(*table)->call;                     \
        failed |= codes;                                           \
        return (now_ns() - before) / CALLS;                        \
    }

TIMED(event_query, EventQuery(event))
TIMED(stream_query, StreamQuery(stream))
TIMED(driver_version, DriverGetVersion(&version))
TIMED(current_context, CtxGetCurrent(&(CUcontext){NULL}))

static const struct row {
    const char *name;
    double (*time)(const struct cushim_table *volatile *table);
} rows[] = {
    {"cuEventQuery (done)", event_query},
    {"cuStreamQuery (idle)", stream_query},
    {"cuDriverGetVersion", driver_version},
    {"cuCtxGetCurrent", current_context},
};

enum way { RAW, LAYER, RULES, WAYS };

/* Nothing of these is called by the rows. */
static const char rules[] = "cuMem*:p=0.5 => out_of_memory\n"
                            "cuGraph* => missing\n"
                            "cuLaunchKernel:nth=3 => sticky(ILLEGAL_ADDRESS)\n"
                            "cuStreamSynchronize => delay(1 ms)\n";

static double measure(const struct row *row, enum way way)
{
    const struct cushim_table *volatile table =
        way == RAW ? cushim_layer_wrapped(layer) : cushim_layer_table(layer);

    cushim_fault_clear(layer);
    if (way == RULES && cushim_fault_parse(layer, rules, NULL, 0) != CUDA_SUCCESS)
        failed = 1;
    return row->time(&table);
}

static int compare(const void *one, const void *other)
{
    const double difference = *(const double *)one - *(const double *)other;

    return difference < 0 ? -1 : difference > 0;
}

/* Sort, and answer what lies at a share of the whole: 0.5 is the median. */
static double quantile(double *values, unsigned count, double share)
{
    qsort(values, count, sizeof *values, compare);
    return values[(unsigned)(share * (double)(count - 1) + 0.5)];
}

static void run(const struct row *row, unsigned rounds)
{
    static double times[WAYS][MOST_ROUNDS], differences[WAYS][MOST_ROUNDS];

    for (unsigned way = 0; way < WAYS; way++)
        measure(row, (enum way)way);
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned turn = 0; turn < WAYS; turn++) {
            const unsigned way = (round + turn) % WAYS;

            times[way][round] = measure(row, (enum way)way);
        }
        for (unsigned way = 0; way < WAYS; way++)
            differences[way][round] = times[way][round] - times[RAW][round];
    }
    printf("%-24s %9.2f", row->name, quantile(times[RAW], rounds, 0.5));
    for (unsigned way = LAYER; way < WAYS; way++) {
        const double median = quantile(differences[way], rounds, 0.5);

        printf(" %9.2f %+6.2f (%+6.2f to %+6.2f) %s", quantile(times[way], rounds, 0.5), median,
               quantile(differences[way], rounds, 0.25), quantile(differences[way], rounds, 0.75),
               median <= goal_ns ? "yes" : "NO ");
    }
    printf("\n");
    fflush(stdout);
}

static CUresult begin(void)
{
    const struct cushim_table *driver = cushim_driver();
    CUcontext context = NULL;
    CUresult code = driver->Init(0);

    driver = cushim_driver();
    if (code == CUDA_SUCCESS)
        code = driver->DevicePrimaryCtxRetain(&context, 0);
    if (code == CUDA_SUCCESS)
        code = driver->CtxSetCurrent(context);
    if (code == CUDA_SUCCESS)
        code = driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    if (code == CUDA_SUCCESS)
        code = driver->EventCreate(&event, CU_EVENT_DEFAULT);
    if (code == CUDA_SUCCESS)
        code = driver->EventRecord(event, stream);
    if (code == CUDA_SUCCESS)
        code = driver->StreamSynchronize(stream);
    if (code == CUDA_SUCCESS)
        code = cushim_layer_create(NULL, &layer);
    return code == CUDA_SUCCESS ? cushim_layer_install(layer) : code;
}

int main(int count, char **arguments)
{
    struct cushim_mock *mock = NULL;
    unsigned long rounds = ROUNDS;
    bool on_mock = false;
    CUresult code;

    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--mock") == 0)
            on_mock = true;
        else if (strcmp(arguments[i], "--rounds") == 0 && i + 1 < count)
            rounds = strtoul(arguments[++i], NULL, 10);
    }
    if (rounds < 1 || rounds > MOST_ROUNDS)
        rounds = ROUNDS;
    if (on_mock && (cushim_mock_create(NULL, &mock) != CUDA_SUCCESS ||
                    cushim_mock_install(mock) != CUDA_SUCCESS))
        return 1;
    code = begin();
    if (code != CUDA_SUCCESS) {
        printf("nothing to measure: %s\n", cushim_error_string(code));
        return SKIPPED;
    }
    printf("ns per call, medians of %lu rounds of %d calls; difference to the driver's own table, "
           "median and middle half; within %.0f ns\n",
           rounds, CALLS, goal_ns);
    printf("%-24s %9s %9s %32s %9s\n", "", "raw", "layer", "", "rules");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        run(&rows[i], (unsigned)rounds);
    cushim_layer_destroy(layer);
    failed |= (unsigned)cushim_driver()->EventDestroy_v2(event);
    failed |= (unsigned)cushim_driver()->StreamDestroy_v2(stream);
    failed |= (unsigned)cushim_driver()->DevicePrimaryCtxRelease_v2(0);
    cushim_mock_destroy(mock);
    if (failed)
        printf("a call failed\n");
    return failed != 0;
}
