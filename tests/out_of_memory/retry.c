/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS
#include "retry.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cushim/testing/mock.h>

#include "loader/symbols.h"
#include "oom.h"
#include "src/driver_api/effects.h"
#include "src/mock/mock.h"

/* The unwrapped function, so that this mapping is not counted. */
void *__real_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset);

enum { SLOTS = 1024, PLACES = 64 }; /* upper limits */

const struct cushim_table *retry_next;

/* Counts of calls by slot, in the file that OOM_COUNTS names and processes share. */
struct counts {
    uint32_t called, succeeded, failed, places, passed_over;
};
static struct counts no_counts[SLOTS], *counts = no_counts;

/*
 * Requests whose failure a call ignores; they do not fail again, so that later requests are
 * reached.
 */
static unsigned long long passed_over[SLOTS];

static int wrongs = STDERR_FILENO;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("OOM_COUNTS");
    const int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    struct counts *shared;

    if (file < 0)
        return;
    shared = __real_mmap(NULL, sizeof no_counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared != MAP_FAILED)
        counts = shared;
    close(file);
    path = getenv("OOM_WRONG");
    if (path)
        wrongs = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

void retry_wrong(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vdprintf(wrongs, format, list);
    va_end(list);
}

static void look(struct cushim_mock_state *state)
{
    *state = (struct cushim_mock_state){.size = sizeof *state};
    cushim_mock_get_state(cushim_mock_current(), state);
}

static bool is_passed_over(const struct retry *retry, unsigned place)
{
    return place < PLACES && passed_over[retry->slot] >> place & 1;
}

void retry_begin(struct retry *retry, unsigned slot)
{
    *retry = (struct retry){.slot = slot, .place = 1};
    retry->is_idle = oom_is_armed() || cushim__in_kernel || cushim__mock_call.in_host_function;
    while (is_passed_over(retry, retry->place))
        retry->place++;
}

void retry_output(struct retry *retry, const void *at, size_t size)
{
    const size_t number = retry->output_count;

    if (!at || number == RETRY_OUTPUTS || retry->is_idle)
        return;
    if (size > RETRY_OUTPUT_BYTES)
        size = RETRY_OUTPUT_BYTES;
    retry->outputs[number].at = at;
    retry->outputs[number].size = size;
    memcpy(retry->outputs[number].before, at, size);
    retry->output_count++;
}

void retry_attempt(struct retry *retry)
{
    struct cushim_mock_state state;

    if (retry->is_idle)
        return;
    look(&state);
    retry->handles = state.handles;
    retry->allocations = state.allocations;
    retry->misuses = state.misuses;
    oom_arm(SHORT_ALL, retry->place, retry->on);
}

static bool is_answer(unsigned failed, CUresult code)
{
    if (code == CUDA_ERROR_OUT_OF_MEMORY)
        return true;
    if (code == CUDA_ERROR_MAP_FAILED)
        return failed & (SHORT_FILES | SHORT_MAPPINGS);
    return code == CUDA_ERROR_OPERATING_SYSTEM &&
           failed & (SHORT_THREADS | SHORT_FILES | SHORT_MAPPINGS);
}

/* Whether a function may write its outputs when it fails, as the driver's does. */
static bool writes(const struct retry *retry, CUresult code)
{
    return cushim__failure_is_written(retry->slot, code) ||
           retry->slot == CUSHIM__SLOT(ModuleGetFunction) ||
           retry->slot == CUSHIM__SLOT(GraphInstantiate) ||
           retry->slot == CUSHIM__SLOT(GraphInstantiate_v2);
}

static void look_at_failure(struct retry *retry, CUresult code)
{
    struct cushim_mock_state state;

    look(&state);
    if (state.handles > retry->handles || state.allocations > retry->allocations)
        retry_wrong("%s: request %u%s: it answers %d and keeps a handle or an allocation\n",
                    cushim__slot_name(retry->slot), retry->place, retry->on ? " and later" : "",
                    (int)code);
    if (state.misuses > retry->misuses)
        retry_wrong("%s: request %u: a misuse\n", cushim__slot_name(retry->slot), retry->place);
    for (size_t i = 0; i < retry->output_count && !writes(retry, code); i++) {
        if (memcmp(retry->outputs[i].at, retry->outputs[i].before, retry->outputs[i].size) != 0)
            retry_wrong("%s: request %u%s: it answers %d and writes output %zu\n",
                        cushim__slot_name(retry->slot), retry->place, retry->on ? " and later" : "",
                        (int)code, i);
    }
}

/* If an attempt returns another code, the final call must return the same code. */
static void note_other(struct retry *retry, CUresult code)
{
    for (unsigned i = 0; i < retry->seen_count; i++) {
        if (retry->seen[i] == (unsigned)code)
            return;
    }
    if (retry->seen_count < sizeof retry->seen / sizeof *retry->seen)
        retry->seen[retry->seen_count++] = code;
}

static void look_at_end(const struct retry *retry, CUresult code)
{
    __atomic_fetch_add(&counts[retry->slot].called, 1, __ATOMIC_RELAXED);
    if (code == CUDA_SUCCESS)
        __atomic_fetch_add(&counts[retry->slot].succeeded, 1, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < retry->seen_count; i++) {
        if (retry->seen[i] != (unsigned)code && retry->seen[i] != CUDA_ERROR_NOT_READY)
            retry_wrong("%s: it answers %u if memory runs out, and %d without\n",
                        cushim__slot_name(retry->slot), retry->seen[i], (int)code);
    }
}

static void count(const struct retry *retry)
{
    __atomic_fetch_add(&counts[retry->slot].failed, 1, __ATOMIC_RELAXED);
    if (retry->place > counts[retry->slot].places)
        counts[retry->slot].places = retry->place;
}

bool retry_again(struct retry *retry, CUresult code)
{
    unsigned failed;

    if (retry->is_idle)
        return false;
    failed = oom_disarm();
    if (!failed) {
        look_at_end(retry, code);
        return false;
    }
    count(retry);
    if (code == CUDA_SUCCESS) {
        if (retry->place < PLACES)
            passed_over[retry->slot] |= 1ull << retry->place;
        __atomic_fetch_add(&counts[retry->slot].passed_over, 1, __ATOMIC_RELAXED);
        look_at_end(retry, code);
        return false;
    }
    if (!is_answer(failed, code))
        note_other(retry, code);
    else
        look_at_failure(retry, code);
    if (!retry->on) {
        retry->on = true;
        return true;
    }
    retry->on = false;
    do
        retry->place++;
    while (is_passed_over(retry, retry->place));
    return true;
}
