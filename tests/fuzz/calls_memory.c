/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: it contains what was written and waited for, unless other work may have written since.
 * Ranges beyond an allocation are refused and change nothing.
 */
#include <string.h>

#include "tests/fuzz/calls.h"

static void use(struct calls_object *memory, const struct calls_object *stream)
{
    memory->is_touched = true;
    memory->is_used = stream != NULL;
    memory->user = stream ? stream->handle : 0;
}

static void allocate(struct calls *calls)
{
    struct calls_object *object = calls_room(calls, CALLS_MEMORY);
    const size_t bytes = (size_t)fuzz_number(&calls->input, 2) % (2 * CALLS_SHADOW);
    CUdeviceptr address = 0;
    CUresult code;

    if (!object)
        return;
    code = calls_judge(calls, calls->driver->MemAlloc_v2(&address, bytes));
    CLAIM((code == CUDA_SUCCESS) == (address != 0));
    CLAIM(bytes > 0 || code != CUDA_SUCCESS);
    if (code != CUDA_SUCCESS)
        return;
    calls_made(calls, object, address);
    object->bytes = bytes;
    calls_take_memory(calls, object, NULL);
}

/* The live memory at an address, or NULL. */
static struct calls_object *memory_at(struct calls *calls, uint64_t address)
{
    for (unsigned i = 0; i < CALLS_OBJECTS; i++) {
        struct calls_object *memory = &calls->objects[CALLS_MEMORY][i];

        if (memory->state == CALLS_LIVE && address >= memory->handle &&
            address - memory->handle < memory->bytes)
            return memory;
    }
    return NULL;
}

/*
 * Freeing an invalid address returns an error and is no misuse. Addresses are reused, so the
 * address of dead memory may be that of other memory, which is then freed.
 */
static void release(struct calls *calls)
{
    struct calls_object *object;
    const uint64_t address = calls_pick(calls, CALLS_MEMORY, &object);
    const unsigned inside = fuzz_byte(&calls->input) < 32;
    const CUresult code = calls_judge(calls, calls->driver->MemFree_v2(address + inside));

    if (inside)
        CLAIM(code != CUDA_SUCCESS);
    if (code != CUDA_SUCCESS || !address)
        return;
    object = memory_at(calls, address);
    CLAIM(object && object->handle == address);
    calls_free_memory(calls, object);
    calls_end(calls, object, CALLS_DEAD);
}

/*
 * An offset from the input, which may be the end of the memory. If other memory begins there, a
 * call refers to that memory, so `memory` and the offset are changed.
 */
static size_t pick_offset(struct calls *calls, struct calls_object **memory)
{
    const size_t offset = (size_t)fuzz_number(&calls->input, 2) % ((*memory)->bytes + 1);
    struct calls_object *other = memory_at(calls, (*memory)->handle + offset);

    if (!other || other == *memory)
        return offset;
    *memory = other;
    return 0;
}

/* A range of memory from the input; most are within it. */
static size_t pick_range(struct calls *calls, struct calls_object **memory, size_t *offset)
{
    *offset = pick_offset(calls, memory);
    return (size_t)fuzz_number(&calls->input, 2) % ((*memory)->bytes - *offset + 2);
}

static bool is_within(const struct calls_object *memory, size_t offset, size_t bytes)
{
    return offset + bytes <= memory->bytes;
}

static void write_shadow(struct calls *calls, struct calls_object *memory, size_t offset,
                         size_t bytes, uint8_t value, const struct calls_object *stream)
{
    use(memory, stream);
    calls_queue(calls, stream, 0, memory->handle + offset, bytes);
    for (size_t i = offset; i < offset + bytes && i < CALLS_SHADOW; i++) {
        memory->shadow[i] = value;
        memory->is_known[i] = calls_is_known(calls, stream, memory->handle + i);
    }
}

static struct calls_object *pick_memory(struct calls *calls)
{
    struct calls_object *memory;

    calls_pick(calls, CALLS_MEMORY, &memory);
    return memory;
}

static struct calls_object *user_of(struct calls *calls, const struct calls_object *memory)
{
    for (unsigned i = 0; memory && memory->is_used && i < CALLS_OBJECTS; i++) {
        struct calls_object *stream = &calls->objects[CALLS_STREAM][i];

        if (stream->state == CALLS_LIVE && stream->handle == memory->user)
            return stream;
    }
    return NULL;
}

/* Most work on memory uses the stream that used the memory last. */
static uint64_t pick_stream(struct calls *calls, const struct calls_object *memory,
                            struct calls_object **stream)
{
    if (fuzz_byte(&calls->input) < 224 && user_of(calls, memory)) {
        *stream = user_of(calls, memory);
        return (*stream)->handle;
    }
    return calls_pick(calls, CALLS_STREAM, stream);
}

static void set(struct calls *calls)
{
    struct calls_object *memory = pick_memory(calls), *stream;
    const uint64_t handle = pick_stream(calls, memory, &stream);
    const uint8_t value = fuzz_byte(&calls->input);
    size_t offset, bytes;
    CUresult code;

    if (!memory) {
        calls_drop(calls);
        return;
    }
    bytes = pick_range(calls, &memory, &offset);
    code = calls_judge(calls, calls->driver->MemsetD8Async(memory->handle + offset, value, bytes,
                                                           CALLS_HANDLE(CUstream, handle)));
    CLAIM(is_within(memory, offset, bytes) || code != CUDA_SUCCESS);
    if (code != CUDA_SUCCESS)
        return;
    write_shadow(calls, memory, offset, bytes, value, stream);
}

/*
 * The source is pageable, so the caller may reuse it when the call returns. But a captured copy
 * reads it at each launch.
 */
static void upload(struct calls *calls)
{
    struct calls_object *memory = pick_memory(calls), *stream;
    const uint64_t handle = pick_stream(calls, memory, &stream);
    const uint8_t value = fuzz_byte(&calls->input);
    size_t offset, count;
    CUresult code;

    if (!memory) {
        calls_drop(calls);
        return;
    }
    count = pick_range(calls, &memory, &offset);
    memset(calls->host, value, sizeof calls->host);
    code = calls_judge(calls,
                       calls->driver->MemcpyHtoDAsync_v2(memory->handle + offset, calls->host,
                                                         count, CALLS_HANDLE(CUstream, handle)));
    memset(calls->host, 0xee, sizeof calls->host);
    CLAIM(is_within(memory, offset, count) || code != CUDA_SUCCESS);
    if (code != CUDA_SUCCESS)
        return;
    write_shadow(calls, memory, offset, count, value, stream);
}

static void copy_shadow(struct calls *calls, const struct calls_object *from, size_t source,
                        struct calls_object *to, size_t place, size_t bytes,
                        const struct calls_object *stream)
{
    /* The result of overlapping ranges is undefined. */
    const bool overlap = from == to && source < place + bytes && place < source + bytes;

    calls_queue(calls, stream, from->handle + source, to->handle + place, bytes);
    for (size_t i = 0; i < bytes && place + i < CALLS_SHADOW; i++) {
        to->is_known[place + i] = !overlap && source + i < CALLS_SHADOW &&
                                  from->is_known[source + i] &&
                                  calls_is_known(calls, stream, from->handle + source + i) &&
                                  calls_is_known(calls, stream, to->handle + place + i);
        if (to->is_known[place + i])
            to->shadow[place + i] = from->shadow[source + i];
    }
}

static void copy(struct calls *calls)
{
    struct calls_object *from = pick_memory(calls), *to = pick_memory(calls), *stream;
    const uint64_t handle = pick_stream(calls, from, &stream);
    size_t source, place, bytes;
    CUresult code;

    if (!from || !to || from == to) {
        calls_drop(calls);
        return;
    }
    bytes = pick_range(calls, &from, &source);
    place = pick_offset(calls, &to);
    code = calls_judge(calls,
                       calls->driver->MemcpyDtoDAsync_v2(to->handle + place, from->handle + source,
                                                         bytes, CALLS_HANDLE(CUstream, handle)));
    CLAIM((is_within(from, source, bytes) && is_within(to, place, bytes)) || code != CUDA_SUCCESS);
    if (code != CUDA_SUCCESS)
        return;
    use(from, stream);
    use(to, stream);
    copy_shadow(calls, from, source, to, place, bytes, stream);
}

static void compare(struct calls *calls, const struct calls_object *memory)
{
    uint8_t bytes[2 * CALLS_SHADOW];
    const CUresult code =
        calls_judge(calls, calls->driver->MemcpyDtoH_v2(bytes, memory->handle, memory->bytes));

    for (size_t i = 0; code == CUDA_SUCCESS && i < memory->bytes && i < CALLS_SHADOW; i++)
        CLAIM(!memory->is_known[i] || !calls_is_known(calls, NULL, memory->handle + i) ||
              memory->shadow[i] == bytes[i]);
}

/* A copy waits for the legacy default stream, which a capture may forbid. */
void calls_compare_memory(struct calls *calls, uint64_t stream)
{
    calls_wait_stream(calls, stream);
    for (unsigned i = 0; i < CALLS_OBJECTS && !calls->captures; i++) {
        const struct calls_object *memory = &calls->objects[CALLS_MEMORY][i];

        if (memory->state == CALLS_LIVE && memory->is_used && memory->user == stream)
            compare(calls, memory);
    }
}

/* Wait for the stream that used the memory, and compare. */
static void check(struct calls *calls)
{
    const struct calls_object *stream = user_of(calls, pick_memory(calls));

    if (stream && calls_judge(calls, calls->driver->StreamSynchronize(
                                         CALLS_HANDLE(CUstream, stream->handle))) == CUDA_SUCCESS)
        calls_compare_memory(calls, stream->handle);
}

static void allocate_async(struct calls *calls)
{
    struct calls_object *object = calls_room(calls, CALLS_MEMORY), *stream;
    const uint64_t handle = calls_pick(calls, CALLS_STREAM, &stream);
    const size_t bytes = 1 + fuzz_byte(&calls->input);
    CUdeviceptr address = 0;

    if (!object) {
        calls_drop(calls);
        return;
    }
    if (calls_judge(calls, calls->driver->MemAllocAsync(
                               &address, bytes, CALLS_HANDLE(CUstream, handle))) != CUDA_SUCCESS)
        return;
    calls_made(calls, object, address);
    object->bytes = bytes;
    object->is_pooled = true;
    use(object, stream);
    calls_take_memory(calls, object, stream);
    calls_queue(calls, stream, 0, address, bytes);
}

static void release_async(struct calls *calls)
{
    struct calls_object *memory = pick_memory(calls), *stream;
    const uint64_t handle = calls_pick(calls, CALLS_STREAM, &stream);

    if (!memory) {
        calls_drop(calls);
        return;
    }
    if (calls_judge(calls, calls->driver->MemFreeAsync(
                               memory->handle, CALLS_HANDLE(CUstream, handle))) != CUDA_SUCCESS)
        return;
    calls_free_memory_async(calls, memory, stream);
    calls_end(calls, memory, CALLS_DEAD);
}

static void ask(struct calls *calls)
{
    const struct calls_object *memory = pick_memory(calls);
    CUdeviceptr base = 0;
    size_t bytes = 0;

    if (memory && calls_judge(calls, calls->driver->MemGetAddressRange_v2(
                                         &base, &bytes, memory->handle)) == CUDA_SUCCESS)
        CLAIM(base == memory->handle && bytes >= memory->bytes);
}

void calls_step_memory(struct calls *calls)
{
    static void (*const steps[])(struct calls * calls) = {
        allocate, release, set, upload, copy, allocate_async, release_async, ask, check, check};

    steps[fuzz_below(&calls->input, sizeof steps / sizeof steps[0])](calls);
}
