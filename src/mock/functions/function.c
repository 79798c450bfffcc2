/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of modules: names, parameters, attributes, occupancy. */
#include <stdlib.h>
#include <string.h>

#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"
#include "src/mock/module/module.h"

CUresult cushim__mock_FuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc)
{
    struct mock_function *function;
    /* Unlike a launch, this call does not accept a CUkernel. */
    CUresult code = cushim__mock_object_find(hfunc, MOCK_FUNCTION, &function);

    if (code != CUDA_SUCCESS)
        return code;
    return cushim__mock_function_attribute(function->module->code, function->kernel,
                                           &function->settings, attrib, pi);
}

CUresult cushim__mock_FuncSetAttribute(struct mock_function *function, CUfunction_attribute attrib,
                                       int value)
{
    return cushim__mock_function_set(function->kernel, &function->settings, attrib, value);
}

CUresult cushim__mock_FuncSetCacheConfig(struct mock_function *function, CUfunc_cache config)
{
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        return CUDA_ERROR_INVALID_VALUE;
    function->settings.cache = config;
    return CUDA_SUCCESS;
}

/* No current device has a choice of banks, so the value is only checked. */
CUresult cushim__mock_FuncSetSharedMemConfig(CUsharedconfig config)
{
    if ((unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_FuncGetName(const char **name, CUfunction hfunc)
{
    struct mock_function *function;
    CUresult code = cushim__mock_object_find(hfunc, MOCK_FUNCTION, &function);

    if (code == CUDA_SUCCESS)
        *name = function->kernel->name;
    return code;
}

CUresult cushim__mock_FuncGetModule(struct mock_module **module, struct mock_function *function)
{
    *module = function->module;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_FuncGetParamInfo(struct mock_function *function, size_t paramIndex,
                                       size_t *paramOffset, size_t *paramSize)
{
    return cushim__mock_kernel_parameter(function->kernel, paramIndex, paramOffset, paramSize);
}

CUresult cushim__mock_FuncGetParamCount(struct mock_function *function, size_t *paramCount)
{
    *paramCount = function->kernel->parameter_count;
    return CUDA_SUCCESS;
}

/* A function that is loaded lazily counts as loaded as soon as its handle is asked for. */
CUresult cushim__mock_FuncIsLoaded(cushim_CUfunctionLoadingState *state,
                                   struct mock_function *function)
{
    *state = (cushim_CUfunctionLoadingState)function->loaded;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_FuncLoad(struct mock_function *function)
{
    function->loaded = true;
    return CUDA_SUCCESS;
}

/* Occupancy: how many blocks of a kernel run at once on a multiprocessor. */

enum { WARP = 32 };

/* Also cuOccupancyMaxActiveBlocksPerMultiprocessor. */
CUresult cushim__mock_OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, struct mock_function *function, int blockSize, size_t dynamicSMemSize,
    unsigned int flags)
{
    if (blockSize <= 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        return CUDA_ERROR_INVALID_VALUE;
    *numBlocks = cushim__mock_function_blocks(function, (unsigned)blockSize, dynamicSMemSize);
    return CUDA_SUCCESS;
}

/*
 * Also cuOccupancyMaxPotentialBlockSize. The largest of the block sizes that occupy the most
 * threads.
 */
CUresult cushim__mock_OccupancyMaxPotentialBlockSizeWithFlags(
    int *minGridSize, int *blockSize, struct mock_function *function,
    CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize, int blockSizeLimit,
    unsigned int flags)
{
    int most = (int)cushim__mock_function_threads(function->kernel), best = 0, best_blocks = 0;

    if (blockSizeLimit < 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        return CUDA_ERROR_INVALID_VALUE;
    if (blockSizeLimit > 0 && blockSizeLimit < most)
        most = blockSizeLimit;
    for (int threads = (most + WARP - 1) / WARP * WARP; threads > 0; threads -= WARP) {
        const int tried = threads < most ? threads : most;
        const int blocks = cushim__mock_function_blocks(
            function, (unsigned)tried,
            blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(tried) : dynamicSMemSize);

        if (blocks * tried > best_blocks * best) {
            best = tried;
            best_blocks = blocks;
        }
    }
    *blockSize = best;
    *minGridSize = best_blocks * cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_OccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize,
                                                            struct mock_function *function,
                                                            int numBlocks, int blockSize)
{
    const size_t most = (size_t)function->settings.dynamic_shared_bytes;
    const size_t own = function->kernel->shared_bytes;
    size_t share;

    if (numBlocks <= 0 || blockSize <= 0 ||
        numBlocks > cushim__mock_function_blocks(function, (unsigned)blockSize, 0))
        return CUDA_ERROR_INVALID_VALUE;
    share = cushim__mock_function_capacity(function, 0) / (size_t)numBlocks;
    share = share > own ? share - own : 0;
    *dynamicSmemSize = share < most ? share : most;
    return CUDA_SUCCESS;
}

/* Clusters of blocks that run at once (driver-semantics.md #210). */

enum {
    CLUSTER_DIMENSION = 4,  /* the attribute of a launch */
    BLOCKS_IN_CLUSTERS = 8, /* that run at once on a multiprocessor */
};

/* How many blocks of a launch run at once on a multiprocessor. */
static CUresult blocks_at_once(const struct mock_function *function,
                               const cushim_CUlaunchConfig *config, int *blocks)
{
    const unsigned threads = config->blockDimX * config->blockDimY * config->blockDimZ;

    if (threads == 0)
        return CUDA_ERROR_INVALID_VALUE;
    *blocks = cushim__mock_function_blocks(function, threads, config->sharedMemBytes);
    return CUDA_SUCCESS;
}

/* Find the cluster that a launch asks for, or the function requires. Returns whether there is one. */
static bool find_cluster(const struct mock_function *function, const cushim_CUlaunchConfig *config,
                         unsigned dimensions[3])
{
    for (unsigned i = 0; i < config->numAttrs; i++) {
        /* Older headers have a union with fewer members in launches than in streams. */
        const CUstreamAttrValue *value = (const void *)&config->attrs[i].value;

        if ((int)config->attrs[i].id != CLUSTER_DIMENSION)
            continue;
        dimensions[0] = value->clusterDim.x;
        dimensions[1] = value->clusterDim.y;
        dimensions[2] = value->clusterDim.z;
        return true;
    }
    for (unsigned i = 0; i < 3; i++)
        dimensions[i] = (unsigned)function->settings.cluster[i];
    return dimensions[0] > 0;
}

CUresult cushim__mock_OccupancyMaxPotentialClusterSize(int *clusterSize,
                                                       struct mock_function *function,
                                                       const cushim_CUlaunchConfig *config)
{
    int blocks;
    CUresult code = blocks_at_once(function, config, &blocks);

    if (code == CUDA_SUCCESS)
        *clusterSize = blocks > 0 ? (int)cushim__mock_function_cluster_most(function) : 0;
    return code;
}

CUresult cushim__mock_OccupancyMaxActiveClusters(int *numClusters, struct mock_function *function,
                                                 const cushim_CUlaunchConfig *config)
{
    const int multiprocessors = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    const unsigned grid[3] = {config->gridDimX, config->gridDimY, config->gridDimZ};
    unsigned dimensions[3], size = 0;
    int blocks;
    CUresult code;

    if (config->numAttrs > 0 && !config->attrs)
        return CUDA_ERROR_INVALID_VALUE;
    code = blocks_at_once(function, config, &blocks);
    if (code == CUDA_SUCCESS && find_cluster(function, config, dimensions))
        code = cushim__mock_function_cluster(function, grid, dimensions, &size);
    if (code)
        return code;
    if (blocks > BLOCKS_IN_CLUSTERS)
        blocks = BLOCKS_IN_CLUSTERS;
    *numClusters = size > 0 ? multiprocessors * blocks / (int)size : 0;
    return CUDA_SUCCESS;
}
