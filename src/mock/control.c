/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public functions that control the mock and ask it: clock, misuses, log, trace, identity,
 * races and symbols.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/version.h>

#include "loader/symbols.h"
#include "src/mock/core/state.h"
#include "src/mock/functions/symbol.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/mock.h"
#include "src/mock/sim/sim.h"
#include "src/race/race.h"

enum { IDENTITY = 1024 };

/* Refuse calls from kernels and host functions: they would deadlock. */
static CUresult check(const struct cushim_mock *mock)
{
    if (!mock)
        return CUDA_ERROR_INVALID_VALUE;
    return cushim__in_kernel || cushim__mock_call.in_host_function ? CUDA_ERROR_NOT_PERMITTED
                                                                   : CUDA_SUCCESS;
}

CUresult cushim_mock_advance(struct cushim_mock *mock, uint64_t duration_ns)
{
    const CUresult code = check(mock);

    if (code != CUDA_SUCCESS)
        return code;
    cushim__mock_lock(mock);
    cushim__mock_sim_advance(duration_ns);
    cushim__mock_unlock(mock);
    return CUDA_SUCCESS;
}

CUresult cushim_mock_step(struct cushim_mock *mock)
{
    const CUresult code = check(mock);
    bool executed;

    if (code != CUDA_SUCCESS)
        return code;
    cushim__mock_lock(mock);
    executed = cushim__mock_sim_step();
    cushim__mock_unlock(mock);
    return executed ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cushim_mock_drain(struct cushim_mock *mock)
{
    const CUresult code = check(mock);

    if (code != CUDA_SUCCESS)
        return code;
    cushim__mock_lock(mock);
    while (cushim__mock_sim_step())
        ;
    /* Unless work is left that cannot end, the program has now waited for all of it. */
    if (cushim__mock_sim_pending() == 0)
        cushim__race_saw_all();
    cushim__mock_unlock(mock);
    return CUDA_SUCCESS;
}

static const char *line_at(struct cushim_mock *mock, const struct mock_lines *lines, size_t index)
{
    const char *line = NULL;

    cushim__mock_lock(mock);
    if (index < lines->count && index < MOCK_LINES_KEPT)
        line = lines->line[index];
    cushim__mock_unlock(mock);
    return line;
}

const char *cushim_mock_misuse(struct cushim_mock *mock, size_t index)
{
    return mock ? line_at(mock, &mock->misuses, index) : NULL;
}

const char *cushim_mock_race(struct cushim_mock *mock, size_t index)
{
    return mock ? line_at(mock, &mock->races, index) : NULL;
}

void cushim_mock_set_log(struct cushim_mock *mock, void (*log)(void *data, const char *line),
                         void *data)
{
    if (!mock)
        return;
    cushim__mock_lock(mock);
    mock->log = log;
    mock->log_data = data;
    cushim__mock_unlock(mock);
}

void cushim_mock_set_trace(struct cushim_mock *mock,
                           void (*trace)(void *data, const struct cushim_mock_trace *entry),
                           void *data)
{
    if (!mock)
        return;
    cushim__mock_lock(mock);
    mock->trace = trace;
    mock->trace_data = data;
    cushim__mock_unlock(mock);
}

const char *cushim_mock_identity(void)
{
    static _Thread_local char line[IDENTITY];
    const struct cushim_mock *mock = __atomic_load_n(&cushim__mock, __ATOMIC_ACQUIRE);
    char settings[IDENTITY - 64] = "no mock exists";

    if (mock)
        cushim__mock_settings_describe(&mock->settings, settings, sizeof settings);
    snprintf(line, sizeof line, "cushim mock %s: %s; this is not a GPU", CUSHIM_VERSION_TEXT,
             settings);
    return line;
}

/* The race detector (src/race): its callbacks. */

static bool find_memory(uint64_t address, struct race_memory *memory)
{
    const struct mock_allocation *allocation = cushim__mock_allocation_known(address);

    if (allocation)
        *memory = cushim__mock_allocation_race(allocation);
    return allocation;
}

static void name_memory(const struct race_memory *memory, char *text, size_t size)
{
    cushim__mock_allocation_tag(memory->start, text, size);
}

static void log_text(const char *text)
{
    cushim__mock_log("%s", text);
}

static struct cushim__mock_call call_of(const struct race_access *access)
{
    return (struct cushim__mock_call){access->call ? access->call : "", access->place};
}

static void found_race(const struct race_side *later, const struct race_side *earlier,
                       const struct race_memory *memory, const char *text)
{
    cushim__mock_race(&(struct cushim__mock_finding){
        .found = earlier ? CUSHIM__MOCK_FOUND_RACE : CUSHIM__MOCK_FOUND_KERNEL_RACE,
        .what = text,
        .misuse = call_of(later->access),
        .earlier = earlier ? call_of(earlier->access) : (struct cushim__mock_call){.name = ""},
        .memory = memory ? memory->start : 0,
    });
}

CUresult cushim__mock_races_create(void)
{
    static const struct race_callbacks callbacks = {
        .find = find_memory, .name = name_memory, .found = found_race, .log = log_text};

    if (cushim__mock->settings.races == MOCK_RACES_IGNORE || cushim__race_create(&callbacks))
        return CUDA_SUCCESS;
    return CUDA_ERROR_OUT_OF_MEMORY;
}

/* Symbols by name. */

static int compare(const void *name, const void *slot)
{
    return strcmp(name, cushim__slot_name(*(const uint16_t *)slot));
}

unsigned cushim__mock_symbol_slot(const char *name)
{
    const uint16_t *slot = bsearch(name, cushim__mock_by_name, CUSHIM__SYMBOL_COUNT,
                                   sizeof *cushim__mock_by_name, compare);

    return slot ? *slot : CUSHIM__SYMBOL_COUNT;
}

cushim_function cushim_mock_symbol(const char *symbol, void *mock)
{
    const struct cushim_mock *asked = mock;
    const unsigned slot = symbol ? cushim__mock_symbol_slot(symbol) : CUSHIM__SYMBOL_COUNT;

    if (!asked || slot == CUSHIM__SYMBOL_COUNT ||
        !cushim__mock_symbol_exists(slot, asked->settings.driver_version))
        return NULL;
    return asked->symbol_source(slot);
}
