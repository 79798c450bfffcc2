/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of shared memory and events that another process has forged. */
#define _GNU_SOURCE
#include <string.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/testing/mock.h>

#include "src/mock/memory/pages.h"
#include "tests/security/segment.h"
#include "tests/support/cmocka.h"

enum { MUTANTS = 20000 };

/* Handles with random changes: the function opens them or refuses them. */
SEGMENT_TEST(handles_of_random_bytes_do_no_harm)
{
    struct cushim_mock *mock;
    const struct cushim_table *driver;
    CUcontext context;
    CUdeviceptr memory = 0, opened;
    CUipcMemHandle handle, mutant;
    CUipcEventHandle event_handle, event_mutant;
    CUevent event, found;
    unsigned seed = 1;

    assert_int_equal(cushim_mock_create(NULL, &mock), CUDA_SUCCESS);
    driver = cushim_mock_table(mock);
    assert_int_equal(driver->Init(0), CUDA_SUCCESS);
    assert_int_equal(driver->DevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    assert_int_equal(driver->CtxSetCurrent(context), CUDA_SUCCESS);
    assert_int_equal(driver->MemAlloc_v2(&memory, 5000), CUDA_SUCCESS);
    assert_int_equal(driver->IpcGetMemHandle(&handle, memory), CUDA_SUCCESS);
    assert_int_equal(driver->EventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING),
                     CUDA_SUCCESS);
    assert_int_equal(driver->IpcGetEventHandle(&event_handle, event), CUDA_SUCCESS);
    for (unsigned i = 0; i < MUTANTS; i++) {
        mutant = handle;
        event_mutant = event_handle;
        for (int k = 0; k < 1 + (int)(i % 4); k++) {
            seed = seed * 1103515245 + 12345;
            mutant.reserved[8 + (seed >> 16) % 56] ^= (char)(seed >> 8);
            event_mutant.reserved[(seed >> 16) % 40] ^= (char)(seed >> 8);
        }
        segment_tried += 2;
        if (driver->IpcOpenMemHandle_v2(&opened, mutant, 1) == CUDA_SUCCESS)
            assert_int_equal(driver->IpcCloseMemHandle(opened), CUDA_SUCCESS);
        else
            segment_refused++;
        segment_refused += driver->IpcOpenEventHandle(&found, event_mutant) != CUDA_SUCCESS;
    }
    assert_int_equal(driver->EventDestroy_v2(event), CUDA_SUCCESS);
    assert_int_equal(driver->MemFree_v2(memory), CUDA_SUCCESS);
    assert_int_equal(driver->DevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    assert_int_equal(cushim_mock_destroy(mock), CUDA_SUCCESS);
}

/* The contents of the mock's CUipcMemHandle. */
struct memory_handle {
    char magic[8];
    struct mock_shared_pages shared;
    uint64_t offset, bytes;
};

/* Open the memory, access every byte, and close it. */
static bool memory_is_found(const struct cushim_table *driver, const struct memory_handle *known)
{
    CUipcMemHandle handle;
    CUdeviceptr opened;

    memset(&handle, 0, sizeof handle);
    memcpy(&handle, known, sizeof *known);
    segment_tried++;
    if (driver->IpcOpenMemHandle_v2(&opened, handle, 1) != CUDA_SUCCESS) {
        segment_refused++;
        return false;
    }
    assert_int_equal(driver->MemsetD8_v2(opened, 1, known->bytes), CUDA_SUCCESS);
    assert_int_equal(driver->CtxSynchronize(), CUDA_SUCCESS);
    assert_int_equal(driver->IpcCloseMemHandle(opened), CUDA_SUCCESS);
    return true;
}

SEGMENT_TEST(part_of_shared_memory_that_is_not_in_it_is_refused)
{
    static const uint64_t numbers[] = {0,
                                       1,
                                       SEGMENT_PAGE - 1,
                                       SEGMENT_PAGE,
                                       SEGMENT_PAGE + 1,
                                       SEGMENT_PAGE + SEGMENT_MAGIC + SEGMENT_KEY,
                                       1u << 31,
                                       (uint64_t)1 << 32,
                                       INT64_MAX,
                                       UINT64_MAX,
                                       -(uint64_t)SEGMENT_PAGE,
                                       -(uint64_t)SEGMENT_PAGE + 1};
    const size_t count = sizeof numbers / sizeof numbers[0];
    struct memory_handle handle = {.magic = "cuSHIMe"};
    const struct cushim_table *driver;
    struct cushim_mock *mock;
    CUcontext context;
    int status, file = segment_seal(segment_write_pages(segment_create()));
    pid_t other = fork();

    if (other == 0)
        for (;;)
            pause();
    handle.magic[7] = 'm';
    handle.shared.process = (int32_t)other;
    handle.shared.file = file;
    memcpy(handle.shared.key, segment_key, SEGMENT_KEY);
    assert_int_equal(cushim_mock_create(NULL, &mock), CUDA_SUCCESS);
    driver = cushim_mock_table(mock);
    assert_int_equal(driver->Init(0), CUDA_SUCCESS);
    assert_int_equal(driver->DevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    assert_int_equal(driver->CtxSetCurrent(context), CUDA_SUCCESS);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            const bool is_in = numbers[i] <= SEGMENT_PAGE && numbers[k] > 0 &&
                               numbers[k] <= SEGMENT_PAGE &&
                               numbers[i] + numbers[k] <= SEGMENT_PAGE;

            handle.offset = numbers[i];
            handle.bytes = numbers[k];
            assert_int_equal(memory_is_found(driver, &handle), is_in);
        }
    }
    assert_int_equal(driver->DevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    assert_int_equal(cushim_mock_destroy(mock), CUDA_SUCCESS);
    kill(other, SIGKILL);
    waitpid(other, &status, 0);
    close(file);
}

int main(void)
{
    return run_all_tests(segment_begin, segment_report);
}
