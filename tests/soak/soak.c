/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "soak.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#ifdef SOAK_MALLINFO2
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cushim/cushim.h>

void figure_add(struct figure *figure, double sample)
{
    if (figure->count < FIGURE_SAMPLES)
        figure->samples[figure->count++] = sample;
}

static double mean(const double *samples, unsigned count)
{
    double sum = 0;

    /* Use differences from the first sample, so that the mean of equal samples is exact. */
    for (unsigned i = 0; i < count; i++)
        sum += samples[i] - samples[0];
    return samples[0] + sum / count;
}

double figure_growth(const struct figure *figure)
{
    const unsigned count = figure->count;
    double above = 0, below = 0;

    if (count < 2)
        return 0;
    for (unsigned i = 0; i < count; i++) {
        const double x = i - (count - 1) / 2.0;

        above += x * (figure->samples[i] - mean(figure->samples, count));
        below += x * x;
    }
    return above / below * (count - 1);
}

double figure_thirds(const struct figure *figure)
{
    const unsigned third = figure->count / 3;

    if (third == 0)
        return 0;
    return mean(figure->samples + figure->count - third, third) - mean(figure->samples, third);
}

bool figure_is_flat(const struct figure *figure)
{
    if (figure->is_printed_only)
        return true;
    return figure->count > 0 && figure_growth(figure) <= figure->allowance &&
           figure_thirds(figure) <= figure->allowance;
}

/* --- resources of this process; -1: unknown --- */

static double resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    double bytes = -1;

    if (!file)
        return -1;
    if (fscanf(file, "%*u %lu", &pages) == 1)
        bytes = (double)pages * (double)sysconf(_SC_PAGESIZE);
    fclose(file);
    return bytes;
}

static double heap_bytes(void)
{
#ifdef SOAK_MALLINFO2
    const struct mallinfo2 info = mallinfo2();

    return (double)info.uordblks + (double)info.hblkhd;
#else
    return -1;
#endif
}

/* The number of entries in a folder of /proc. */
static double entries(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    double count = 0;

    if (!folder)
        return -1;
    while ((entry = readdir(folder)))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static double descriptors(void)
{
    /* Not counted: the descriptor of the folder itself. */
    return entries("/proc/self/fd") - 1;
}

static double threads(void)
{
    return entries("/proc/self/task");
}

/* Store a function's address in a function pointer. */
static bool find(void *library, const char *name, void *function, size_t size)
{
    void *found = dlsym(library, name);

    memcpy(function, &found, size);
    return found != NULL;
}

bool soak_mock_state(struct cushim_mock_state *state)
{
    struct cushim_mock *(*current)(void) = NULL;
    CUresult (*get)(struct cushim_mock *, struct cushim_mock_state *) = NULL;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    bool is_mock = false;

    if (!library)
        return false;
    if (find(library, "cushim_mock_current", &current, sizeof current) &&
        find(library, "cushim_mock_get_state", &get, sizeof get))
        is_mock = get(current(), state) == CUDA_SUCCESS;
    dlclose(library);
    return is_mock;
}

/* --- the command line --- */

enum { USAGE = 64 };

static const char help[] =
    "  --threads N      number of threads, 1 to 64\n"
    "  --seconds N      how long each round is measured, after a warm-up of a fifth of it\n"
    "  --operations N   measure this many operations instead of a time\n"
    "  --leak N         leak every Nth event; the soak must fail\n"
    "  --counts-only    do not judge host memory (for sanitizers, which keep freed memory)\n"
    "  --json           print one line of JSON\n"
    "\n"
    "Exit status 0: all calls returned the expected codes, and no figure grew; 1: otherwise;\n"
    "64: wrong usage; 77: there is no driver or no device.\n";

/* Read the number of an option; false: it is missing or out of range. */
static bool read_number(const char *text, double least, double most, double *number)
{
    char *end;

    if (!text)
        return false;
    errno = 0;
    *number = strtod(text, &end);
    return errno == 0 && end != text && *end == '\0' && *number >= least && *number <= most;
}

int soak_options_read(struct soak_options *options, int count, char **arguments,
                      const char *description)
{
    for (int i = 1; i < count; i++) {
        const char *name = arguments[i];
        double number;

        if (strcmp(name, "--help") == 0) {
            printf("usage: %s [OPTION]...\n%s\n\n%s", arguments[0], description, help);
            return 0;
        }
        if (strcmp(name, "--json") == 0) {
            options->json = true;
        } else if (strcmp(name, "--counts-only") == 0) {
            options->counts_only = true;
        } else if (strcmp(name, "--threads") == 0 &&
                   read_number(arguments[i + 1], 1, GANG_MOST, &number)) {
            options->threads = (unsigned)number;
            i++;
        } else if (strcmp(name, "--seconds") == 0 &&
                   read_number(arguments[i + 1], 0.1, 1e6, &number)) {
            options->seconds = number;
            options->operations = 0;
            i++;
        } else if (strcmp(name, "--operations") == 0 &&
                   read_number(arguments[i + 1], 1000, 1e15, &number)) {
            options->operations = (uint64_t)number;
            options->seconds = 0;
            i++;
        } else if (strcmp(name, "--leak") == 0 && read_number(arguments[i + 1], 1, 1e9, &number)) {
            options->leak = (unsigned)number;
            i++;
        } else {
            fprintf(stderr, "%s: %s: there is no such option, or its number is wrong\n",
                    arguments[0], name);
            return USAGE;
        }
    }
    return -1;
}

/* --- rounds --- */

enum { KIB = 1024, MIB = 1024 * KIB };

/*
 * The figures of every soak. Memory has an allowance, because the C library's heap reaches its size
 * gradually. Counts have none.
 */
enum {
    RESIDENT,
    HEAP,
    DESCRIPTORS,
    THREADS,
    HANDLES,
    ALLOCATIONS,
    DEVICE_MEMORY,
    MISUSES,
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
    [MISUSES] = {.name = "mock_misuses"},
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
    figures[RESIDENT].is_printed_only = figures[HEAP].is_printed_only = options->counts_only;
    for (unsigned i = 0; i < SOAK_OWN_FIGURES && soak->figures[i].name; i++)
        figures[figure_count++] = soak->figures[i];
}

/* Add a sample if it is known. A figure that is always unknown has no samples. */
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
    if (soak_mock_state(&state)) {
        add(HANDLES, (double)state.handles);
        add(ALLOCATIONS, (double)state.allocations);
        add(DEVICE_MEMORY, (double)state.memory_bytes);
        add(MISUSES, (double)state.misuses);
    }
    for (unsigned i = COMMON; i < figure_count; i++)
        add(i, own[i - COMMON]);
    add(RESIDENT, resident_bytes());
    add(HEAP, heap_bytes());
    add(DESCRIPTORS, descriptors());
    add(THREADS, threads());
}

/* Pause all threads when this much is done, in operations or seconds. */
static void pause_after(const struct soak_options *options, double begun, double goal)
{
    const struct timespec pause = {.tv_nsec = 500000};

    if (options->operations) {
        gang_pause_after((uint64_t)goal);
        return;
    }
    gang_resume();
    while (now() - begun < goal)
        nanosleep(&pause, NULL);
    gang_pause();
}

/* Ignores figures that this driver or machine has never reported. */
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
        pause_after(options, begun, whole / 5 + whole * i / FIGURE_SAMPLES);
        cushim_driver()->CtxSynchronize();
        take_sample(soak);
    }
    gang_stop();
    *round = (struct soak_round){.threads = threads,
                                 .operations = gang_operations(),
                                 .failures = gang_failures(),
                                 .seconds = now() - begun,
                                 .is_flat = all_are_flat()};
    return true;
}

void soak_print(const struct soak_round *round)
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
               figure->is_printed_only  ? "not judged"
               : figure_is_flat(figure) ? "flat"
                                        : "GROWS");
    }
}

void soak_print_json(const struct soak_round *round)
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
               figure->is_printed_only ? "false" : "true",
               figure_is_flat(figure) ? "true" : "false");
        comma = ",";
    }
    printf("}}");
}
