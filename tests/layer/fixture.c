/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include "loader/symbols.h"

struct cushim_table fake_table;
unsigned fake_queries, fake_allocations;
CUevent fake_queried;
CUresult fake_query_answer;

static CUresult CUDAAPI refuse(void)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult CUDAAPI event_query(CUevent event)
{
    fake_queries++;
    fake_queried = event;
    return fake_query_answer;
}

static CUresult CUDAAPI allocate(CUdeviceptr *address, size_t bytes)
{
    *address = ++fake_allocations * (CUdeviceptr)0x1000;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI get_proc_address(const char *symbol, void **function, int version,
                                         cuuint64_t flags)
{
    if (strcmp(symbol, "cuEventQuery") != 0)
        return CUDA_ERROR_NOT_FOUND;
    memcpy(function, &fake_table.EventQuery, sizeof *function);
    return CUDA_SUCCESS;
}

/* The caller cleans up the stack on every supported system, so one function fits all slots. */
static void fill(struct cushim_table *table, CUresult(CUDAAPI *function)(void))
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        memcpy((char *)table + sizeof(size_t) + slot * sizeof function, &function, sizeof function);
}

int layer_setup(void **state)
{
    struct cushim_layer *layer;

    fake_table.size = sizeof fake_table;
    fill(&fake_table, refuse);
    fake_table.EventQuery = event_query;
    fake_table.MemAlloc_v2 = allocate;
    fake_table.GetProcAddress = get_proc_address;
    fake_queries = fake_allocations = 0;
    fake_queried = NULL;
    fake_query_answer = CUDA_SUCCESS;
    assert_int_equal(cushim_layer_create(
                         &(struct cushim_layer_options){.size = sizeof(struct cushim_layer_options),
                                                        .table = &fake_table},
                         &layer),
                     CUDA_SUCCESS);
    assert_int_equal(cushim_layer_install(layer), CUDA_SUCCESS);
    *state = layer;
    return 0;
}

int layer_teardown(void **state)
{
    cushim_layer_destroy(*state);
    assert_null(cushim_layer_current());
    assert_ptr_not_equal(cushim_driver(), cushim_layer_table(*state));
    return 0;
}

/* --- faults --- */

char fault_message[400];

static char event_memory;

void fault_add(void **state, const char *rules)
{
    if (cushim_fault_add_rules(*state, rules, fault_message, sizeof fault_message) != CUDA_SUCCESS)
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
    fill(cushim_layer_next(layer), answer_success);
}
