/* SPDX-License-Identifier: Apache-2.0 */
/* The race detector (src/race) on the mock: what it asks of the mock, and programs ask of it. */
#include "src/mock/core/state.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/mock.h"
#include "src/race/race.h"

static bool find_memory(uint64_t address, struct race_memory *memory)
{
    const struct mock_allocation *allocation = cushim__mock_allocation_at(address);

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

static void report_race(const char *text)
{
    if (cushim__mock->settings.races == MOCK_RACES_MISUSE)
        cushim__mock_misuse_line(text);
    else
        cushim__mock_log("%s", text);
}

CUresult cushim__mock_races_create(void)
{
    static const struct race_host host = {
        .find = find_memory, .name = name_memory, .report = report_race, .log = log_text};

    if (cushim__mock->settings.races == MOCK_RACES_IGNORE || cushim__race_create(&host))
        return CUDA_SUCCESS;
    return CUDA_ERROR_OUT_OF_MEMORY;
}

const char *cushim_mock_race(struct cushim_mock *mock, size_t index)
{
    const char *text;

    if (!mock)
        return NULL;
    cushim__mock_lock(mock);
    text = cushim__race_text(index);
    cushim__mock_unlock(mock);
    return text;
}

static CUresult find_order(uint64_t first, uint64_t second, enum cushim_mock_order *order,
                           char *text, size_t text_size)
{
    static const enum cushim_mock_order orders[] = {
        [RACE_ORDER_NONE] = CUSHIM_MOCK_ORDER_NONE,
        [RACE_ORDER_BEFORE] = CUSHIM_MOCK_ORDER_BEFORE,
        [RACE_ORDER_AFTER] = CUSHIM_MOCK_ORDER_AFTER,
        [RACE_ORDER_UNKNOWN] = CUSHIM_MOCK_ORDER_UNKNOWN,
    };
    enum race_order found;

    if (!cushim__race_detector)
        return CUDA_ERROR_NOT_SUPPORTED;
    found = cushim__race_order(first, second, text, text_size);
    if (found == RACE_ORDER_LOST)
        return CUDA_ERROR_NOT_FOUND;
    *order = orders[found];
    return CUDA_SUCCESS;
}

CUresult cushim_mock_ordered(struct cushim_mock *mock, uint64_t first, uint64_t second,
                             enum cushim_mock_order *order, char *text, size_t text_size)
{
    CUresult code;

    if (!mock || !order || first == second)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_lock(mock);
    code = find_order(first, second, order, text, text_size);
    cushim__mock_unlock(mock);
    return code;
}
