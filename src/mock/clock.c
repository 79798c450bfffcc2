/* SPDX-License-Identifier: Apache-2.0 */
/* Explicit steps of the mock's clock. */
#include <cushim/testing/mock.h>

#include "src/mock/call.h"
#include "src/mock/core/state.h"
#include "src/mock/sim/sim.h"
#include "src/race/race_search.h"

/* What is executed would have to wait for itself. */
static CUresult check(const struct cushim_mock *mock)
{
    if (!mock)
        return CUDA_ERROR_INVALID_VALUE;
    return cushim__in_kernel || cushim__mock_in_host_function ? CUDA_ERROR_NOT_PERMITTED
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
    /* Whoever does so has waited for everything, unless something is held up. */
    if (cushim__mock_sim_pending() == 0)
        cushim__race_saw_all();
    cushim__mock_unlock(mock);
    return CUDA_SUCCESS;
}
