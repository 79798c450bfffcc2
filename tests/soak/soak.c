/* SPDX-License-Identifier: Apache-2.0 */
/*
 * soak [OPTION]...: a client that creates, uses and destroys objects on many threads; `--help`
 * lists the options. On the mock, from `cushim run`, objects of every kind; on another driver,
 * events through the table and cushim's modules. A plain program to copy to a machine with a GPU:
 * it needs only the C library, and uses the driver that a search finds.
 */
#define _GNU_SOURCE
#include "soak.h"

#include <dirent.h>
#include <dlfcn.h>
#ifdef SOAK_MALLINFO2
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cushim/cushim.h>

/* --- figures: samples of a value that must not grow, and their evaluation --- */

enum { FIGURE_SAMPLES = 20 };

struct figure {
    const char *name;
    double allowance;     /* permitted growth over all samples, in the figure's unit */
    bool is_printed_only; /* printed, but not judged */
    unsigned count;
    double samples[FIGURE_SAMPLES];
};

static void figure_add(struct figure *figure, double sample)
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

/* Growth from the first to the last sample on the least-squares line. */
static double figure_growth(const struct figure *figure)
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

/* A falling figure passes; one without samples does not. */
static bool figure_is_flat(const struct figure *figure)
{
    if (figure->is_printed_only)
        return true;
    return figure->count > 0 && figure_growth(figure) <= figure->allowance;
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

/* The state of a mock. Returns false, and leaves `state` unchanged, if the driver is not a mock. */
static bool mock_state(struct cushim_mock_state *state)
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

enum { FAILED = 1, USAGE = 64, SKIPPED = 77 };

static const char help[] =
    "Soak the driver that is found; by `cushim run -- soak`, the mock driver.\n"
    "\n"
    "  --threads N      number of threads, 1 to 64; otherwise 32 on the mock, and 4 elsewhere\n"
    "  --operations N   how many are measured, after a warm-up of a fifth; otherwise 1000000\n"
    "  --leak N         leak every Nth event; the soak must fail\n"
    "  --counts-only    do not judge host memory (for sanitizers, which keep freed memory)\n"
    "\n"
    "Exit status 0: all calls returned the expected codes, and no figure grew; 1: otherwise;\n"
    "64: wrong usage; 77: there is no driver or no device.\n";

/* An option with a number, its bounds, and where it goes. */
struct soak_option {
    const char *name;
    uint64_t least, most, *number;
};

/*
 * Read the command line. Returns -1 to continue, or the exit status after a message on standard
 * output or error.
 */
static int read_options(struct soak_options *options, int count, char **arguments)
{
    const struct soak_option known[] = {
        {"--threads", 1, GANG_MOST, &options->threads},
        {"--operations", 1000, UINT64_C(1) << 50, &options->operations},
        {"--leak", 1, 1000000000, &options->leak},
    };

    for (int i = 1; i < count; i++) {
        const struct soak_option *option = NULL;

        if (strcmp(arguments[i], "--help") == 0) {
            printf("usage: %s [OPTION]...\n%s", arguments[0], help);
            return 0;
        }
        if (strcmp(arguments[i], "--counts-only") == 0) {
            options->counts_only = true;
            continue;
        }
        for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
            if (strcmp(arguments[i], known[k].name) == 0)
                option = &known[k];
        }
        if (option && i + 1 < count)
            *option->number = strtoull(arguments[++i], NULL, 10);
        if (!option || *option->number < option->least || *option->number > option->most) {
            fprintf(stderr, "%s: %s: there is no such option, or its number is wrong\n",
                    arguments[0], arguments[i]);
            return USAGE;
        }
    }
    return -1;
}

/* --- the run --- */

enum { KIB = 1024, MIB = 1024 * KIB };

enum {
    RESIDENT,
    HEAP,
    DESCRIPTORS,
    THREADS,
    HANDLES,
    ALLOCATIONS,
    DEVICE_MEMORY,
    MISUSES,
    POOLED,
    POOL_OUT,
    GPU_BYTES,
    FIGURES
};

/*
 * Memory has an allowance, because the C library's heap reaches its size gradually, and a driver's
 * memory has a granularity. Counts have none.
 */
static struct figure figures[FIGURES] = {
    [RESIDENT] = {.name = "resident_bytes", .allowance = 8 * MIB},
    /* Under `cushim run`, check remembers destroyed objects, up to a number. */
    [HEAP] = {.name = "heap_bytes", .allowance = MIB},
    [DESCRIPTORS] = {.name = "descriptors"},
    [THREADS] = {.name = "threads"},
    [HANDLES] = {.name = "mock_handles"},
    [ALLOCATIONS] = {.name = "mock_allocations"},
    [DEVICE_MEMORY] = {.name = "mock_memory_bytes"},
    [MISUSES] = {.name = "mock_misuses"},
    [POOLED] = {.name = "pooled_events"},
    [POOL_OUT] = {.name = "pool_events_out"},
    [GPU_BYTES] = {.name = "gpu_used_bytes", .allowance = 2 * MIB},
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Add a sample if it is known. A figure that is always unknown has no samples. */
static void add(unsigned index, double sample)
{
    if (sample >= 0)
        figure_add(&figures[index], sample);
}

static void take_sample(void)
{
    struct cushim_mock_state state = {.size = sizeof state};
    struct acts_state own;

    acts_settle(&own);
    if (mock_state(&state)) {
        add(HANDLES, (double)state.handles);
        add(ALLOCATIONS, (double)state.allocations);
        add(DEVICE_MEMORY, (double)state.memory_bytes);
        add(MISUSES, (double)state.misuses);
    }
    add(POOLED, (double)own.pooled);
    add(POOL_OUT, (double)own.out_of_pool);
    add(GPU_BYTES, (double)own.device_bytes);
    add(RESIDENT, resident_bytes());
    add(HEAP, heap_bytes());
    add(DESCRIPTORS, descriptors());
    add(THREADS, threads());
}

/* Ignores figures that this driver or machine has never reported. */
static bool all_are_flat(void)
{
    bool is_flat = true;

    for (unsigned i = 0; i < FIGURES; i++)
        is_flat &= figures[i].count == 0 || figure_is_flat(&figures[i]);
    return is_flat && figures[THREADS].count == FIGURE_SAMPLES;
}

static void print(double seconds)
{
    printf("%llu operations in %.1f s, %llu failed%s%s\n", (unsigned long long)gang_operations(),
           seconds, (unsigned long long)gang_failures(), gang_failures() ? "; the first: " : "",
           gang_first_failure());
    printf("%-20s %16s %16s %14s %12s\n", "", "first", "last", "growth", "allowed");
    for (unsigned i = 0; i < FIGURES; i++) {
        const struct figure *figure = &figures[i];

        if (figure->count == 0)
            continue;
        printf("%-20s %16.0f %16.0f %14.1f %12.0f  %s\n", figure->name, figure->samples[0],
               figure->samples[figure->count - 1], figure_growth(figure), figure->allowance,
               figure->is_printed_only  ? "not judged"
               : figure_is_flat(figure) ? "flat"
                                        : "GROWS");
    }
}

/* Let threads work, and take FIGURE_SAMPLES samples. Returns false if they cannot be started. */
static bool run(const struct soak_options *options)
{
    const double begun = now();

    figures[RESIDENT].is_printed_only = figures[HEAP].is_printed_only = options->counts_only;
    if (!gang_start(&acts, (unsigned)options->threads, options->operations, FIGURE_SAMPLES))
        return false;
    for (unsigned i = 0; i < FIGURE_SAMPLES; i++) {
        gang_pause();
        cushim_driver()->CtxSynchronize();
        take_sample();
        gang_resume();
    }
    gang_join();
    print(now() - begun);
    return true;
}

int main(int count, char **arguments)
{
    struct soak_options options = {.operations = 1000000};
    struct cushim_mock_state state = {.size = sizeof state};
    const int status = read_options(&options, count, arguments);
    CUresult code;
    bool is_mock;

    if (status >= 0)
        return status;
    code = cushim_driver_init(NULL);
    if (code != CUDA_SUCCESS) {
        fprintf(stderr, "soak: nothing to soak: %s\n", cushim_error_string(code));
        return SKIPPED;
    }
    is_mock = mock_state(&state);
    if (options.threads == 0)
        options.threads = is_mock ? 32 : 4;
    if (acts_prepare(&options, is_mock) != CUDA_SUCCESS || !run(&options)) {
        fprintf(stderr, "soak: no context, no pool, or no threads\n");
        return FAILED;
    }
    code = acts_end();
    mock_state(&state);
    printf("left in the mock at the end: %zu handles, %zu allocations, %zu misuses\n",
           state.handles, state.allocations, state.misuses);
    return code == CUDA_SUCCESS && all_are_flat() && gang_failures() == 0 && state.handles == 0 &&
                   state.allocations == 0 && state.misuses == 0
               ? 0
               : FAILED;
}
