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
