/* SPDX-License-Identifier: Apache-2.0 */
/* Explicit steps of the mock's clock. */
#include <cushim/mock_clock.h>

#include "src/mock/engine/engine.h"
#include "src/mock/races/races.h"
#include "src/mock/world.h"

CUresult cushim_mock_advance(struct cushim_mock *mock, uint64_t duration_ns)
{
    if (!mock)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__lock_take(&mock->lock);
    cushim__engine_advance(duration_ns);
    cushim__lock_release(&mock->lock);
    return CUDA_SUCCESS;
}

CUresult cushim_mock_step(struct cushim_mock *mock)
{
    bool executed;

    if (!mock)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__lock_take(&mock->lock);
    executed = cushim__engine_step();
    cushim__lock_release(&mock->lock);
    return executed ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cushim_mock_drain(struct cushim_mock *mock)
{
    if (!mock)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__lock_take(&mock->lock);
    while (cushim__engine_step())
        ;
    /* Whoever does so has waited for everything, unless something is held up. */
    if (cushim__engine_pending() == 0)
        cushim__races_saw_all();
    cushim__lock_release(&mock->lock);
    return CUDA_SUCCESS;
}
