/* SPDX-License-Identifier: Apache-2.0 */
/* Creates the layer over the current table, and installs it. Not in the drop-in library. */
#include <cushim/driver.h>

#include "src/base/options.h"
#include "src/layer/layer.h"

CUresult cushim_layer_create(const struct cushim_layer_options *options,
                             struct cushim_layer **layer)
{
    struct cushim_layer_options known = {.size = sizeof known};
    struct cushim_layer *created;
    CUresult code;

    if (!layer || !cushim__options_read(&known, sizeof known, options))
        return CUDA_ERROR_INVALID_VALUE;
    if (!known.table) {
        cushim_driver_load(NULL); /* if that fails, the functions of the current table say why */
        known.table = cushim_driver();
    }
    code = cushim__layer_create(known.table, &created);
    if (code != CUDA_SUCCESS)
        return code;
    code = cushim_table_set_wrapped(&cushim__layer_table, known.table);
    if (code != CUDA_SUCCESS) {
        cushim_layer_destroy(created);
        return code;
    }
    *layer = created;
    return CUDA_SUCCESS;
}

/* A table that was installed over the layer's stays, because it is the program's. */
static void put_back(const struct cushim_table *former)
{
    if (cushim_table_installed() == &cushim__layer_table)
        cushim_table_install(former, NULL);
}

CUresult cushim_layer_install(struct cushim_layer *layer)
{
    const struct cushim_table *former;
    CUresult code;

    if (!cushim__layer_exists(layer))
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim_table_install(&cushim__layer_table, &former);
    if (code != CUDA_SUCCESS || former == &cushim__layer_table)
        return code;
    layer->former = former;
    layer->put_back = put_back;
    return CUDA_SUCCESS;
}
