/* SPDX-License-Identifier: Apache-2.0 */
#include "fault_world.h"

#include <string.h>

#include "loader/symbols.h"

char fault_message[400];

static char event_memory;

void fault_add(void **state, const char *rules)
{
    if (cushim_fault_parse(*state, rules, fault_message, sizeof fault_message) != CUDA_SUCCESS)
        fail_msg("%s", fault_message);
    assert_string_equal(fault_message, "");
}

CUresult fault_allocate(void)
{
    CUdeviceptr address = 0;

    return cushim_driver()->MemAlloc_v2(&address, 16);
}

CUresult fault_query(void)
{
    return cushim_driver()->EventQuery((CUevent)(void *)&event_memory);
}

static CUresult CUDAAPI answer_success(void)
{
    return CUDA_SUCCESS;
}

void fault_let_all_succeed(struct cushim_layer *layer)
{
    CUresult(CUDAAPI * function)(void) = answer_success;

    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        memcpy((char *)cushim_layer_next(layer) + sizeof(size_t) + slot * sizeof function,
               &function, sizeof function);
}
