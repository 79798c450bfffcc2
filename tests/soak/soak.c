/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "soak.h"

#include <stdio.h>
#include <time.h>

#include <cushim/cushim.h>

#include "process.h"

enum { KIB = 1024, MIB = 1024 * KIB };

/*
 * What every soak looks at. The C library's heap comes to its size by and by, so memory has an
 * allowance; counts have none.
 */
enum {
    RESIDENT,
    HEAP,
    DESCRIPTORS,
    THREADS,
    HANDLES,
    ALLOCATIONS,
    DEVICE_MEMORY,
    VIOLATIONS,
    COMMON,
    ALL = COMMON + SOAK_OWN_FIGURES
};

static const struct figure common[COMMON] = {
    [RESIDENT] = {.name = "resident_bytes", .allowance = 8 * MIB},
    [HEAP] = {.name = "heap_bytes", .allowance = 256 * KIB},
    [DESCRIPTORS] = {.name = "descriptors"},
    [THREADS] = {.name = "threads"},
    [HANDLES] = {.name = "mock_handles"},
    [ALLOCATIONS] = {.name = "mock_allocations"},
    [DEVICE_MEMORY] = {.name = "mock_memory_bytes"},
    [VIOLATIONS] = {.name = "mock_violations"},
};

static struct figure figures[ALL];
static unsigned figure_count;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void begin_figures(const struct soak *soak, const struct soak_options *options)
{
    for (figure_count = 0; figure_count < COMMON; figure_count++)
        figures[figure_count] = common[figure_count];
    figures[RESIDENT].is_told_only = figures[HEAP].is_told_only = options->counts_only;
    for (unsigned i = 0; i < SOAK_OWN_FIGURES && soak->figures[i].name; i++)
        figures[figure_count++] = soak->figures[i];
}

/* Add what can be told; a figure that cannot has no samples. */
static void add(unsigned index, double sample)
{
    if (sample >= 0)
        figure_add(&figures[index], sample);
}

static void take_sample(const struct soak *soak)
{
    struct cushim_mock_state state = {.size = sizeof state};
    double own[SOAK_OWN_FIGURES] = {0};

    if (soak->sample)
        soak->sample(own);
    if (process_mock_state(&state)) {
        add(HANDLES, (double)state.handles);
        add(ALLOCATIONS, (double)state.allocations);
        add(DEVICE_MEMORY, (double)state.memory_bytes);
        add(VIOLATIONS, (double)state.violations);
    }
    for (unsigned i = COMMON; i < figure_count; i++)
        add(i, own[i - COMMON]);
    add(RESIDENT, process_resident_bytes());
    add(HEAP, process_heap_bytes());
    add(DESCRIPTORS, process_descriptors());
    add(THREADS, process_threads());
}

/* Wait until so much is done, as the options measure it: seconds or operations. */
static void wait_for(const struct soak_options *options, double begun, double goal)
{
    const struct timespec pause = {.tv_nsec = 500000};

    while ((options->operations ? (double)gang_operations() : now() - begun) < goal)
        nanosleep(&pause, NULL);
}

/* A figure that was never told is none of this driver or machine. */
static bool all_are_flat(void)
{
    bool is_flat = true;

    for (unsigned i = 0; i < figure_count; i++)
        is_flat &= figures[i].count == 0 || figure_is_flat(&figures[i]);
    return is_flat && figures[THREADS].count == FIGURE_SAMPLES;
}

bool soak_run(const struct soak *soak, const struct soak_options *options, unsigned threads,
              struct soak_round *round)
{
    const double whole = options->operations ? (double)options->operations : options->seconds;
    const double begun = now();

    begin_figures(soak, options);
    if (!gang_start(&soak->work, threads))
        return false;
    for (unsigned i = 1; i <= FIGURE_SAMPLES; i++) {
        wait_for(options, begun, whole / 5 + whole * i / FIGURE_SAMPLES);
        gang_pause();
        cushim_driver()->CtxSynchronize();
        take_sample(soak);
        gang_resume();
    }
    gang_stop();
    *round = (struct soak_round){.threads = threads,
                                 .operations = gang_operations(),
                                 .failures = gang_failures(),
                                 .seconds = now() - begun,
                                 .is_flat = all_are_flat()};
    return true;
}

void soak_tell(const struct soak_round *round)
{
    printf("%u threads, %llu operations in %.1f s, %llu failed%s%s\n", round->threads,
           (unsigned long long)round->operations, round->seconds,
           (unsigned long long)round->failures, round->failures ? "; the first: " : "",
           round->failures ? gang_first_failure() : "");
    printf("%-20s %16s %16s %14s %14s %12s\n", "", "first", "last", "growth", "thirds", "allowed");
    for (unsigned i = 0; i < figure_count; i++) {
        const struct figure *figure = &figures[i];

        if (figure->count == 0)
            continue;
        printf("%-20s %16.0f %16.0f %14.1f %14.1f %12.0f  %s\n", figure->name, figure->samples[0],
               figure->samples[figure->count - 1], figure_growth(figure), figure_thirds(figure),
               figure->allowance,
               figure->is_told_only     ? "not judged"
               : figure_is_flat(figure) ? "flat"
                                        : "GROWS");
    }
}

void soak_tell_json(const struct soak_round *round)
{
    const char *comma = "";

    printf("{\"threads\":%u,\"operations\":%llu,\"failures\":%llu,\"first_failure\":\"%s\","
           "\"seconds\":%.2f,\"flat\":%s,\"figures\":{",
           round->threads, (unsigned long long)round->operations,
           (unsigned long long)round->failures, gang_first_failure(), round->seconds,
           round->is_flat ? "true" : "false");
    for (unsigned i = 0; i < figure_count; i++) {
        const struct figure *figure = &figures[i];

        if (figure->count == 0)
            continue;
        printf("%s\"%s\":{\"first\":%.0f,\"last\":%.0f,\"growth\":%.1f,\"thirds\":%.1f,"
               "\"allowed\":%.0f,\"judged\":%s,\"flat\":%s}",
               comma, figure->name, figure->samples[0], figure->samples[figure->count - 1],
               figure_growth(figure), figure_thirds(figure), figure->allowance,
               figure->is_told_only ? "false" : "true", figure_is_flat(figure) ? "true" : "false");
        comma = ",";
    }
    printf("}}");
}
