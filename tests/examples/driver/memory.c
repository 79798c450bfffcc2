/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: the host's, in blocks that know their size; copies and fills happen when they execute. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a transfer costs: a start, and then this many bytes in each nanosecond. */
enum { START_NS = 2048, BYTES_PER_NS = 1024 };

struct block {
    struct block *next;
    char *bytes;
    size_t size;
    bool on_host;
};

static struct block *blocks;

/* A copy (from `source`) or a fill (with `width` bytes of `value`) of rows. */
struct transfer {
    char *target;
    const char *source;
    uint32_t value;
    size_t width, row_bytes, rows, pitch;
};

unsigned driver_memory_left(void)
{
    unsigned count = 0;

    for (const struct block *block = blocks; block; block = block->next)
        count++;
    if (count > 0)
        fprintf(stderr, "simulated driver: %u allocations left\n", count);
    return count;
}

static CUresult allocate(void **bytes, size_t size, bool on_host)
{
    CUcontext context;
    CUresult code = driver_current(&context);
    struct block *block;

    if (code != CUDA_SUCCESS)
        return code;
    if (!bytes || size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    block = malloc(sizeof *block);
    if (!block)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *block = (struct block){.bytes = malloc(size), .size = size, .on_host = on_host};
    if (!block->bytes) {
        free(block);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memset(block->bytes, 0xA5, size); /* nobody may count on zeros */
    pthread_mutex_lock(&driver_lock);
    block->next = blocks;
    blocks = block;
    pthread_mutex_unlock(&driver_lock);
    *bytes = block->bytes;
    return CUDA_SUCCESS;
}

static CUresult release(void *bytes, bool on_host)
{
    CUresult code = driver_enter();
    struct block *block = NULL;

    if (code != CUDA_SUCCESS)
        return code;
    pthread_mutex_lock(&driver_lock);
    for (struct driver_object *object = driver_objects(); object; object = object->next) {
        if (object->kind == DRIVER_STREAM)
            driver_drain((CUstream)object);
    }
    for (struct block **link = &blocks; *link; link = &(*link)->next) {
        if ((*link)->bytes == bytes && (*link)->on_host == on_host) {
            block = *link;
            *link = block->next;
            break;
        }
    }
    pthread_mutex_unlock(&driver_lock);
    if (!block)
        return CUDA_ERROR_INVALID_VALUE;
    free(block->bytes);
    free(block);
    return CUDA_SUCCESS;
}

/* Whether `size` bytes from `address` on are in one block of the device. */
static bool is_inside(const void *address, size_t size)
{
    const char *bytes = address;

    for (const struct block *block = blocks; block; block = block->next) {
        if (!block->on_host && bytes >= block->bytes && bytes < block->bytes + block->size)
            return size <= (size_t)(block->bytes + block->size - bytes);
    }
    return false;
}

static void run(void *data)
{
    const struct transfer *transfer = data;

    for (size_t row = 0; row < transfer->rows; row++) {
        char *target = transfer->target + row * transfer->pitch;

        if (transfer->source)
            memcpy(target, transfer->source, transfer->row_bytes);
        else if (transfer->width == 1)
            memset(target, (int)transfer->value, transfer->row_bytes);
        for (size_t i = 0; transfer->width > 1 && i < transfer->row_bytes; i += transfer->width)
            memcpy(target + i, &transfer->value, transfer->width);
    }
}

static CUresult submit(CUstream handle, const struct transfer *transfer, const void *on_device,
                       const void *also, bool wait)
{
    struct driver_work work = {.run = run, .cost_ns = START_NS};
    size_t extent =
        transfer->rows == 0 ? 0 : (transfer->rows - 1) * transfer->pitch + transfer->row_bytes;
    CUstream stream = NULL;
    CUresult code;

    if (extent == 0)
        return driver_enter();
    work.cost_ns += transfer->rows * transfer->row_bytes / BYTES_PER_NS;
    pthread_mutex_lock(&driver_lock);
    code = driver_stream(handle, &stream);
    if (code == CUDA_SUCCESS && (!is_inside(on_device, extent) || !is_inside(also, extent)))
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS) {
        work.data = malloc(sizeof *transfer);
        if (!work.data)
            driver_violation("the host has no memory");
        *(struct transfer *)work.data = *transfer;
        code = driver_submit(stream, &work);
    }
    if (code == CUDA_SUCCESS && wait)
        driver_drain(stream);
    pthread_mutex_unlock(&driver_lock);
    return code;
}

static CUresult copy(CUstream stream, void *target, const void *source, size_t size,
                     const void *on_device, const void *also, bool wait)
{
    const struct transfer transfer = {
        .target = target, .source = source, .row_bytes = size, .rows = size > 0};

    return submit(stream, &transfer, on_device, also, wait);
}

static CUresult fill(CUstream stream, CUdeviceptr target, size_t pitch, uint32_t value,
                     size_t width, size_t columns, size_t rows, bool wait)
{
    const struct transfer transfer = {
        .target = (char *)target,
        .value = value,
        .width = width,
        .row_bytes = columns * width,
        .rows = columns > 0 ? rows : 0,
        .pitch = pitch,
    };

    return submit(stream, &transfer, (void *)target, (void *)target, wait);
}

CUresult CUDAAPI cuMemAlloc_v2(CUdeviceptr *address, size_t size)
{
    void *bytes = NULL;
    CUresult code = allocate(address ? &bytes : NULL, size, false);

    if (code == CUDA_SUCCESS)
        *address = (CUdeviceptr)bytes;
    return code;
}

CUresult CUDAAPI cuMemFree_v2(CUdeviceptr address)
{
    return release((void *)address, false);
}

CUresult CUDAAPI cuMemAllocHost_v2(void **bytes, size_t size)
{
    return allocate(bytes, size, true);
}

CUresult CUDAAPI cuMemFreeHost(void *bytes)
{
    return release(bytes, true);
}

CUresult CUDAAPI cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void *source, size_t size,
                                      CUstream stream)
{
    return copy(stream, (void *)target, source, size, (void *)target, (void *)target, false);
}

CUresult CUDAAPI cuMemcpyDtoHAsync_v2(void *target, CUdeviceptr source, size_t size,
                                      CUstream stream)
{
    return copy(stream, target, (void *)source, size, (void *)source, (void *)source, false);
}

CUresult CUDAAPI cuMemcpyDtoDAsync_v2(CUdeviceptr target, CUdeviceptr source, size_t size,
                                      CUstream stream)
{
    return copy(stream, (void *)target, (void *)source, size, (void *)target, (void *)source,
                false);
}

CUresult CUDAAPI cuMemcpyHtoD_v2(CUdeviceptr target, const void *source, size_t size)
{
    return copy(NULL, (void *)target, source, size, (void *)target, (void *)target, true);
}

CUresult CUDAAPI cuMemcpyDtoH_v2(void *target, CUdeviceptr source, size_t size)
{
    return copy(NULL, target, (void *)source, size, (void *)source, (void *)source, true);
}

CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t count,
                                 CUstream stream)
{
    return fill(stream, target, 0, value, 1, count, 1, false);
}

CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr target, unsigned value, size_t count, CUstream stream)
{
    return fill(stream, target, 0, value, 4, count, 1, false);
}

CUresult CUDAAPI cuMemsetD2D32Async(CUdeviceptr target, size_t pitch, unsigned value,
                                    size_t columns, size_t rows, CUstream stream)
{
    return fill(stream, target, pitch, value, 4, columns, rows, false);
}

CUresult CUDAAPI cuMemsetD8_v2(CUdeviceptr target, unsigned char value, size_t count)
{
    return fill(NULL, target, 0, value, 1, count, 1, true);
}

CUresult CUDAAPI cuMemsetD32_v2(CUdeviceptr target, unsigned value, size_t count)
{
    return fill(NULL, target, 0, value, 4, count, 1, true);
}
