/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fuzz target for GPU code: for every input, nothing may leak or be used after its destruction.
 *
 *     clang -g -fsanitize=fuzzer,address -DFUZZER fuzz_upload.c $(pkg-config --cflags --libs cushim-mock)
 *     cc fuzz_upload.c $(pkg-config --cflags --libs cushim-mock)
 *
 * Without -DFUZZER, it has a main() that generates its inputs, for a compiler without libFuzzer.
 * Built with -DWITH_BUG, the program forgets an event when it refuses a part that does not fit.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cushim/cushim.h>
#include <cushim/testing/test.h>

enum { BYTES = 64 };

/* One part of the input: where it goes, how long it is, and its bytes. */
static CUresult upload_part(CUdeviceptr memory, const uint8_t *part, size_t size)
{
    const struct cushim_table *driver = cushim_driver();
    const size_t at = part[0], length = part[1];
    CUevent event = NULL;
    CUresult code = driver->EventCreate(&event, CU_EVENT_DISABLE_TIMING);

    if (code != CUDA_SUCCESS)
        return code;
    if (length > size - 2 || at + length > BYTES) {
#ifndef WITH_BUG
        driver->EventDestroy_v2(event);
#endif
        return CUDA_ERROR_INVALID_VALUE;
    }
    code = driver->MemcpyHtoDAsync_v2(memory + at, part + 2, length, NULL);
    if (code == CUDA_SUCCESS)
        code = driver->EventRecord(event, NULL);
    if (code == CUDA_SUCCESS)
        code = driver->EventSynchronize(event);
    driver->EventDestroy_v2(event);
    return code;
}

/* The tested function: copy the parts of a message into memory of the GPU. */
static CUresult upload(const uint8_t *message, size_t size)
{
    CUdeviceptr memory = 0;
    CUresult code = cushim_driver()->MemAlloc_v2(&memory, BYTES);

    if (code != CUDA_SUCCESS)
        return code;
    for (size_t at = 0; code == CUDA_SUCCESS && at + 2 <= size; at += 2 + (size_t)message[at + 1])
        code = upload_part(memory, message + at, size - at);
    cushim_driver()->MemFree_v2(memory);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each input has its own simulated GPU, so its result does not depend on earlier inputs. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct cushim_test_options options = {.size = sizeof options, .context = true};
    struct cushim_test *test = NULL;
    char text[4096] = "";

    if (cushim_test_begin(&options, &test) != CUDA_SUCCESS)
        abort();
    upload(data, size);
    if (cushim_test_end(test, text, sizeof text) != CUDA_SUCCESS) {
        fprintf(stderr, "%s", text);
        abort();
    }
    return 0;
}

#ifndef FUZZER
int main(void)
{
    uint8_t bytes[40];
    uint32_t random = 1;

    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            random = random * 1664525 + 1013904223;
            bytes[i] = (uint8_t)(random >> 24) % (BYTES / 4);
        }
        /* The length of a part may be wrong, and longer than the bytes that follow. */
        LLVMFuzzerTestOneInput(bytes, random % sizeof bytes);
    }
    return 0;
}
#endif
