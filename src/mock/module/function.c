/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of modules, kernels of CUDA libraries: names, parameters, attributes, occupancy. */
#include <stdlib.h>
#include <string.h>

#include "src/base/name.h"
#include "src/mock/context/context.h"
#include "src/mock/core/state.h"
#include "src/mock/module/module.h"

enum {
    TRIVIAL_REGISTERS = 4, /* what the driver reports for a kernel without code */
    CARVEOUT_DEFAULT = -1,
    CARVEOUT_MAX = 100,
    LAST_ATTRIBUTE = 15,
    /* Attributes that older headers do not know. */
    CLUSTER_WIDTH = 11,
    CLUSTER_DEPTH = 13,
    NON_PORTABLE_CLUSTER = 14,
    CLUSTER_POLICY = 15,
    CLUSTER_POLICIES = 3,
};

static void function_free(struct mock_function *function)
{
    free(function->unknown.name);
    free(function);
}

/* Called if the mock ends while the function has its handle. */
static void drop(void *object)
{
    struct mock_function *function = object, **link = function->list;

    while (*link != function)
        link = &(*link)->next;
    *link = function->next;
    function_free(function);
}

void cushim__mock_functions_free(struct mock_function **list)
{
    while (*list) {
        struct mock_function *first = *list;

        *list = first->next;
        if (first->object.handle)
            cushim__mock_object_remove(first);
        function_free(first);
    }
}

CUresult cushim__mock_function_get(struct mock_function **list, const struct mock_image *image,
                                   const char *name, enum mock_kind kind,
                                   struct mock_context *context, size_t bytes,
                                   struct mock_function **function)
{
    const struct mock_image_kernel *kernel;
    struct mock_function *made;
    CUresult code = CUDA_ERROR_OUT_OF_MEMORY;

    for (*function = *list; *function; *function = (*function)->next) {
        if (strcmp((*function)->kernel->name, name) == 0)
            return CUDA_SUCCESS;
    }
    kernel = cushim__mock_image_kernel(image, name);
    if (!kernel && !image->opaque)
        return CUDA_ERROR_NOT_FOUND;
    made = calloc(1, bytes);
    if (!made)
        return code;
    made->object.drop = drop;
    made->list = list;
    made->kernel = kernel ? kernel : &made->unknown;
    if (!kernel)
        made->unknown.name = cushim__name_copy(name, strlen(name));
    cushim__mock_function_defaults(made->kernel, &made->settings);
    if (made->kernel->name)
        code = cushim__mock_object_add(made, kind, context);
    if (code != CUDA_SUCCESS) {
        function_free(made);
        return code;
    }
    made->next = *list;
    *list = *function = made;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_function_in(const void *handle, struct mock_context *context,
                                  struct mock_function **function)
{
    CUresult code = CUDA_SUCCESS;

    if (!cushim__mock_object_lookup(handle, MOCK_KERNEL))
        return cushim__mock_object_find(handle, MOCK_FUNCTION, function);
    if (!context)
        code = cushim__mock_context_current(&context);
    return code == CUDA_SUCCESS ? cushim__mock_kernel_function(handle, context, function) : code;
}

void cushim__mock_function_defaults(const struct mock_image_kernel *kernel,
                                    struct mock_function_settings *settings)
{
    const int most = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    const int rest = most - (int)kernel->shared_bytes;

    *settings = (struct mock_function_settings){
        .dynamic_shared_bytes = rest > 0 ? rest : 0,
        .carveout = CARVEOUT_DEFAULT,
    };
    for (unsigned i = 0; i < 3; i++)
        settings->cluster[i] = (int)kernel->required_cluster[i];
}

unsigned cushim__mock_function_threads(const struct mock_image_kernel *kernel)
{
    const unsigned most =
        (unsigned)cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);

    return kernel->max_threads > 0 && kernel->max_threads < most ? kernel->max_threads : most;
}

static int constant_bytes(const struct mock_image *image)
{
    size_t bytes = 0;

    for (size_t i = 0; i < image->global_count; i++)
        bytes += image->globals[i].constant ? image->globals[i].bytes : 0;
    return (int)bytes;
}

int cushim__mock_architecture(void)
{
    return cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
           cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

CUresult cushim__mock_function_attribute(const struct mock_code *code,
                                         const struct mock_image_kernel *kernel,
                                         const struct mock_function_settings *settings,
                                         CUfunction_attribute attribute, int *value)
{
    /* How global loads are cached, and whether a cluster size must be set, is 0. */
    const int values[LAST_ATTRIBUTE + 1] = {
        [CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = (int)cushim__mock_function_threads(kernel),
        [CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = (int)kernel->shared_bytes,
        [CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = constant_bytes(&code->image),
        [CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = (int)kernel->local_bytes,
        [CU_FUNC_ATTRIBUTE_NUM_REGS] =
            kernel->registers > 0 ? (int)kernel->registers : TRIVIAL_REGISTERS,
        [CU_FUNC_ATTRIBUTE_PTX_VERSION] =
            kernel->ptx_version > 0 ? (int)kernel->ptx_version : cushim__mock_architecture(),
        [CU_FUNC_ATTRIBUTE_BINARY_VERSION] =
            kernel->binary_version > 0 ? (int)kernel->binary_version : cushim__mock_architecture(),
        [CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = settings->dynamic_shared_bytes,
        [CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = settings->carveout,
        [CLUSTER_WIDTH] = settings->cluster[0],
        [CLUSTER_WIDTH + 1] = settings->cluster[1],
        [CLUSTER_DEPTH] = settings->cluster[2],
        [NON_PORTABLE_CLUSTER] = settings->non_portable_cluster,
        [CLUSTER_POLICY] = settings->cluster_policy,
    };

    if ((unsigned)attribute > LAST_ATTRIBUTE)
        return CUDA_ERROR_INVALID_VALUE;
    *value = values[attribute];
    return CUDA_SUCCESS;
}

CUresult cushim__mock_function_set(const struct mock_image_kernel *kernel,
                                   struct mock_function_settings *settings,
                                   CUfunction_attribute attribute, int value)
{
    const unsigned number = (unsigned)attribute;
    const int most = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);

    switch (number) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        if (value < 0 || value > most - (int)kernel->shared_bytes)
            return CUDA_ERROR_INVALID_VALUE;
        settings->dynamic_shared_bytes = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value < CARVEOUT_DEFAULT || value > CARVEOUT_MAX)
            return CUDA_ERROR_INVALID_VALUE;
        settings->carveout = value;
        return CUDA_SUCCESS;
    case NON_PORTABLE_CLUSTER:
        settings->non_portable_cluster = value != 0;
        return CUDA_SUCCESS;
    case CLUSTER_POLICY:
        if (value < 0 || value >= CLUSTER_POLICIES)
            return CUDA_ERROR_INVALID_VALUE;
        settings->cluster_policy = value;
        return CUDA_SUCCESS;
    default:
        if (number < CLUSTER_WIDTH || number > CLUSTER_DEPTH || value < 0)
            return CUDA_ERROR_INVALID_VALUE;
        settings->cluster[number - CLUSTER_WIDTH] = value;
        return CUDA_SUCCESS;
    }
}

CUresult cushim__mock_kernel_parameter(const struct mock_image_kernel *kernel, size_t index,
                                       size_t *offset, size_t *bytes)
{
    if (index >= kernel->parameter_count)
        return CUDA_ERROR_INVALID_VALUE;
    *offset = kernel->parameters[index].offset;
    if (bytes)
        *bytes = kernel->parameters[index].bytes;
    return CUDA_SUCCESS;
}

/*
 * Occupancy: how many blocks of a kernel run at once on a multiprocessor, by the limits that the
 * device has for threads, blocks, registers and shared memory.
 */

enum {
    /* Numbers of attributes that older headers do not know. */
    BLOCKS_PER_MULTIPROCESSOR = 106,
    RESERVED_SHARED_PER_BLOCK = 111,
    /* The units in which a multiprocessor allocates its resources. */
    WARP = 32,
    SHARED_STEP = 128,
    REGISTER_STEP = 256, /* per warp */
};

/* How much of its memory a multiprocessor can set aside as shared memory, in KiB. */
static const int carveouts[] = {8, 16, 32, 64, 100, 132, 164, 196, 228};

static size_t round_up(size_t value, size_t step)
{
    return (value + step - 1) / step * step;
}

static size_t least(size_t one, size_t other)
{
    return one < other ? one : other;
}

size_t cushim__mock_function_capacity(const struct mock_function *function, size_t block_bytes)
{
    const size_t most =
        (size_t)cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    size_t wanted = most;

    if (function->settings.cache == CU_FUNC_CACHE_PREFER_L1)
        wanted = 0;
    else if (function->settings.carveout >= 0)
        wanted = most * (size_t)function->settings.carveout / 100;
    else if (function->settings.cache == CU_FUNC_CACHE_PREFER_EQUAL)
        wanted = most / 2;
    if (wanted < block_bytes)
        wanted = block_bytes;
    for (size_t i = 0; i < sizeof carveouts / sizeof *carveouts; i++) {
        if ((size_t)carveouts[i] * 1024 >= wanted)
            return least((size_t)carveouts[i] * 1024, most);
    }
    return most;
}

int cushim__mock_function_blocks(const struct mock_function *function, unsigned threads,
                                 size_t dynamic_shared_bytes)
{
    const struct mock_image_kernel *kernel = function->kernel;
    const size_t warps = round_up(threads, WARP) / WARP;
    const size_t shared = round_up(kernel->shared_bytes + dynamic_shared_bytes, SHARED_STEP) +
                          (size_t)cushim__mock_attribute(RESERVED_SHARED_PER_BLOCK);
    size_t blocks = (size_t)cushim__mock_attribute(BLOCKS_PER_MULTIPROCESSOR), registers;
    struct mock_function_settings settings;

    /* .maxntid and a lowered limit of dynamic shared memory do not count (#161). */
    cushim__mock_function_defaults(kernel, &settings);
    if (threads > (unsigned)cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK) ||
        (dynamic_shared_bytes > (size_t)settings.dynamic_shared_bytes &&
         dynamic_shared_bytes > (size_t)function->settings.dynamic_shared_bytes))
        return 0;
    blocks = least(
        blocks, (size_t)cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) /
                    (warps * WARP));
    if (shared > 0)
        blocks = least(blocks, cushim__mock_function_capacity(function, shared) / shared);
    registers = round_up((size_t)kernel->registers * WARP, REGISTER_STEP) * warps;
    if (registers > 0)
        blocks = least(blocks, (size_t)cushim__mock_attribute(
                                   CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR) /
                                   registers);
    return (int)blocks;
}

unsigned cushim__mock_function_cluster_most(const struct mock_function *function)
{
    enum { PORTABLE = 8, LARGEST = 16 };

    return function->settings.non_portable_cluster ? LARGEST : PORTABLE;
}

CUresult cushim__mock_function_cluster(const struct mock_function *function, const unsigned grid[3],
                                       const unsigned dimensions[3], unsigned *blocks)
{
    /* CUDA_ERROR_INVALID_CLUSTER_SIZE, which older headers lack. */
    enum { INVALID_CLUSTER_SIZE = 912 };
    const unsigned most = cushim__mock_function_cluster_most(function);

    *blocks = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (dimensions[i] == 0 || dimensions[i] > most || grid[i] % dimensions[i] != 0)
            return (CUresult)INVALID_CLUSTER_SIZE;
        *blocks *= dimensions[i];
    }
    return *blocks > most ? (CUresult)INVALID_CLUSTER_SIZE : CUDA_SUCCESS;
}
