/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates the mock in the program's process, and installs it as the current table. Findings of the
 * mock go through check.
 */
#include <string.h>

#include <cushim/driver.h>

#include "loader/symbols.h"
#include "src/check/check.h"
#include "src/mock/mock.h"

static cushim_function in_table(unsigned slot)
{
    cushim_function function;

    memcpy(&function, cushim__table_slot(cushim_mock_table(cushim_mock_current()), slot),
           sizeof function);
    return function;
}

/* If the settings have fault rules, the mock's table is that of a layer over it. */
CUresult cushim_mock_create(const struct cushim_mock_options *options, struct cushim_mock **mock)
{
    const struct mock_defaults defaults = {
        .mode = MOCK_MODE_AUTO,
        .report = cushim__check_report_of_mock,
        .where = "settings",
        .symbol_source = in_table,
    };
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

/* A layer that the program has installed over the mock's table stays installed. */
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
