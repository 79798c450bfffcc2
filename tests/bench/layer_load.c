/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop over two functions of a table: layer_load raw|layer|rules|watched COUNT
 *
 * raw      through a table whose functions do nothing
 * layer    through a layer over it
 * rules    the same, where rules of faults meet other functions
 * watched  the same, where a rule that never fires meets both
 */
#include <stdlib.h>
#include <string.h>

#include <cushim/fault.h>

static struct cushim_table bare;

static CUresult CUDAAPI answer_success(void)
{
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI query(CUevent event)
{
    (void)event;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI copy(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    (void)to;
    (void)from;
    (void)bytes;
    (void)stream;
    return CUDA_SUCCESS;
}

static void fill(void)
{
    CUresult(CUDAAPI * function)(void) = answer_success;

    bare.size = sizeof bare;
    for (size_t at = sizeof bare.size; at < sizeof bare; at += sizeof function)
        memcpy((char *)&bare + at, &function, sizeof function);
    bare.EventQuery = query;
    bare.MemcpyHtoDAsync_v2 = copy;
}

/* The table of a way to call. NULL: there is no such way. */
static const struct cushim_table *table_of(const char *way)
{
    const char *rules = strcmp(way, "rules") == 0     ? "cuMemAlloc*:p=0.5 => out_of_memory\n"
                                                        "cuGraph* => missing\n"
                        : strcmp(way, "watched") == 0 ? "*:nth=1000000000 => out_of_memory"
                        : strcmp(way, "layer") == 0   ? ""
                                                      : NULL;
    struct cushim_layer *layer;

    fill();
    if (strcmp(way, "raw") == 0)
        return &bare;
    if (!rules ||
        cushim_layer_create(
            &(struct cushim_layer_options){.size = sizeof(struct cushim_layer_options),
                                           .table = &bare},
            &layer) != CUDA_SUCCESS ||
        cushim_fault_parse(layer, rules, NULL, 0) != CUDA_SUCCESS)
        return NULL;
    return cushim_layer_table(layer);
}

int main(int count, char **arguments)
{
    const struct cushim_table *volatile table = count == 3 ? table_of(arguments[1]) : NULL;
    const unsigned long turns = count == 3 ? strtoul(arguments[2], NULL, 10) : 0;
    unsigned codes = 0;

    if (!table)
        return 2;
    for (unsigned long i = 0; i < turns; i++) {
        codes |= (unsigned)table->EventQuery(NULL);
        codes |= (unsigned)table->MemcpyHtoDAsync_v2(0, NULL, 0, NULL);
    }
    return codes != 0;
}
