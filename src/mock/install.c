/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mock in process, and as the current table. Not in the shared library that unmodified programs
 * load.
 */
#include <cushim/driver.h>

#include "src/mock/api/symbol.h"
#include "src/mock/mock.h"

/* Rules of faults in its settings make a layer over it, which is its table then. */
CUresult cushim_mock_create(const struct cushim_mock_options *options, struct cushim_mock **mock)
{
    const struct mock_defaults defaults = {.mode = MOCK_MODE_AUTO, .where = "settings"};
    struct cushim_mock *created;
    CUresult code;

    if (!mock)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_create(options, &defaults, &created);
    if (code == CUDA_SUCCESS && created->layer) {
        code = cushim_table_set_wrapped(created->table, &cushim__mock_table);
        if (code != CUDA_SUCCESS)
            cushim_mock_destroy(created);
    }
    if (code == CUDA_SUCCESS)
        *mock = created;
    return code;
}

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
