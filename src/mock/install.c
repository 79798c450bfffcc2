/* SPDX-License-Identifier: Apache-2.0 */
/* The mock as the current table. Not in the shared library that unmodified programs load. */
#include <cushim/driver.h>

#include "src/mock/core/state.h"

/* A layer that was installed over the mock's table stays; it is the program's. */
static void put_back(const struct cushim_table *former)
{
    if (cushim_table_installed() == cushim_mock_table(cushim_mock_current()))
        cushim_table_install(former, NULL);
}

CUresult cushim_mock_install(struct cushim_mock *mock)
{
    const struct cushim_table *own = cushim_mock_table(mock), *former;
    CUresult code;

    if (!mock)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim_table_install(own, &former);
    if (code != CUDA_SUCCESS || former == own)
        return code;
    cushim__lock_take(&mock->lock);
    mock->former = former;
    mock->put_back = put_back;
    cushim__lock_release(&mock->lock);
    return CUDA_SUCCESS;
}
