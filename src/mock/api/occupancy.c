/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Occupancy: how many blocks of a kernel run at once on a multiprocessor, by the limits that the
 * device has for threads, blocks, registers and shared memory.
 */
#include "src/mock/api/api.h"
#include "src/mock/api/context.h"
#include "src/mock/api/module.h"
#include "src/mock/core/state.h"

enum {
    /* Attributes by number: older headers do not know them. */
    BLOCKS_PER_MULTIPROCESSOR = 106,
    RESERVED_SHARED_PER_BLOCK = 111,
    /* In what steps a multiprocessor gives away what it has. */
    WARP = 32,
    SHARED_STEP = 128,
    REGISTER_STEP = 256, /* for a warp */
};

/* How much of its memory a multiprocessor can set aside as shared memory, in KiB. */
static const int carveouts[] = {8, 16, 32, 64, 100, 132, 164, 196, 228};

static int attribute(int number)
{
    return cushim__mock->settings.profile.attributes[number];
}

static size_t round_up(size_t value, size_t step)
{
    return (value + step - 1) / step * step;
}

static size_t least(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* The shared memory of a multiprocessor, under a function's preference, so that one block fits. */
static size_t capacity(const struct mock_function *function, size_t block_bytes)
{
    const size_t most = (size_t)attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
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
                          (size_t)attribute(RESERVED_SHARED_PER_BLOCK);
    size_t blocks = (size_t)attribute(BLOCKS_PER_MULTIPROCESSOR), registers;

    if (threads > cushim__mock_function_threads(kernel) ||
        dynamic_shared_bytes > (size_t)function->settings.dynamic_shared_bytes)
        return 0;
    blocks = least(blocks, (size_t)attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) /
                               (warps * WARP));
    if (shared > 0)
        blocks = least(blocks, capacity(function, shared) / shared);
    registers = round_up((size_t)kernel->registers * WARP, REGISTER_STEP) * warps;
    if (registers > 0)
        blocks =
            least(blocks, (size_t)attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR) /
                              registers);
    return (int)blocks;
}

MOCK_ALSO(OccupancyMaxActiveBlocksPerMultiprocessor)
MOCK_APPROXIMATE(OccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                 "registers of PTX are not known")
(struct mock_context *current, int *NOT_NULL numBlocks, struct mock_function *function,
 int blockSize, size_t dynamicSMemSize, unsigned int flags)
{
    if (blockSize <= 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        return CUDA_ERROR_INVALID_VALUE;
    *numBlocks = cushim__mock_function_blocks(function, (unsigned)blockSize, dynamicSMemSize);
    return CUDA_SUCCESS;
}

/* The largest of the block sizes that occupy most threads. */
MOCK_ALSO(OccupancyMaxPotentialBlockSize)
MOCK_APPROXIMATE(OccupancyMaxPotentialBlockSizeWithFlags, "registers of PTX are not known")
(struct mock_context *current, int *NOT_NULL minGridSize, int *NOT_NULL blockSize,
 struct mock_function *function, CUoccupancyB2DSize blockSizeToDynamicSMemSize,
 size_t dynamicSMemSize, int blockSizeLimit, unsigned int flags)
{
    int most = (int)cushim__mock_function_threads(function->kernel), best = 0, best_blocks = 0;

    if (blockSizeLimit < 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        return CUDA_ERROR_INVALID_VALUE;
    if (blockSizeLimit > 0 && blockSizeLimit < most)
        most = blockSizeLimit;
    for (int threads = (int)round_up((size_t)most, WARP); threads > 0; threads -= WARP) {
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
    *minGridSize = best_blocks * attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    return CUDA_SUCCESS;
}

MOCK_APPROXIMATE(OccupancyAvailableDynamicSMemPerBlock,
                 "the preference for a carveout counts approximately")
(struct mock_context *current, size_t *NOT_NULL dynamicSmemSize, struct mock_function *function,
 int numBlocks, int blockSize)
{
    if (numBlocks <= 0 || blockSize <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    *dynamicSmemSize = least(capacity(function, 0) / (size_t)numBlocks,
                             (size_t)function->settings.dynamic_shared_bytes);
    return CUDA_SUCCESS;
}
