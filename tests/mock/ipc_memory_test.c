/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that two processes share (statements 86 and 87). */
#include <string.h>

#include "ipc_peer.h"
#include "tests/mock/fixture.h"
#include "tests/support/descriptor.h"

enum { MIB = 1 << 20 };

/* --- the peer process --- */

static CUipcMemHandle received(void)
{
    CUipcMemHandle handle;

    peer_get(PEER_FROM, &handle, sizeof handle);
    return handle;
}

static unsigned value_at(CUdeviceptr memory)
{
    unsigned value = 0;

    OK(driver->MemcpyDtoH_v2(&value, memory, sizeof value));
    return value;
}

/* Report, as a code, whether the memory has the value. */
static void report_value(CUdeviceptr memory, unsigned value)
{
    peer_report(value_at(memory) == value ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

static void peer_shares(void)
{
    const CUipcMemHandle handle = received();
    CUdeviceptr memory = 0, base = 0;
    size_t bytes = 0;

    peer_report(driver->IpcOpenMemHandle_v2(&memory, handle, 1));
    report_value(memory, 0x11111111);
    OK(driver->MemGetAddressRange_v2(&base, &bytes, memory + 10));
    peer_report(base == memory && bytes == 5000 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
    peer_report(driver->MemsetD32_v2(memory, 0x22222222, 1250));
    peer_report(driver->CtxSynchronize());
    peer_report(CUDA_SUCCESS); /* reported after the test has written */
    report_value(memory + 4996, 0x33333333);
    peer_report(driver->IpcCloseMemHandle(memory));
}

static void peer_is_limited(void)
{
    CUipcMemHandle handle = received(), again;
    CUdeviceptr memory = 0, second = 0;

    peer_report(driver->IpcOpenMemHandle_v2(&memory, handle, 0));
    OK(driver->IpcOpenMemHandle_v2(&memory, handle, 1));
    OK(driver->IpcOpenMemHandle_v2(&second, handle, 1));
    peer_report(memory == second ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
    peer_report(driver->IpcGetMemHandle(&again, memory));
    peer_report(driver->MemFree_v2(memory));
    peer_report(driver->MemsetD8_v2(memory, 1, 5001));
    OK(driver->IpcCloseMemHandle(memory));
    report_value(memory, 0x11111111);
    OK(driver->IpcCloseMemHandle(memory));
    peer_report(driver->IpcCloseMemHandle(memory));
    peer_report(driver->MemsetD8_v2(memory, 1, 1));
    memset(&handle, 0, sizeof handle);
    peer_report(driver->IpcOpenMemHandle_v2(&memory, handle, 1));
}

static void peer_comes_late(void)
{
    const CUipcMemHandle handle = received();
    CUdeviceptr memory = 0;

    peer_report(CUDA_SUCCESS);
    peer_report(CUDA_SUCCESS); /* reported after the test has freed the memory */
    peer_report(driver->IpcOpenMemHandle_v2(&memory, handle, 1));
}

static CUdeviceptr before, memory;
static int descriptors_before;

static int begin(void **state)
{
    (void)state;
    descriptors_before = descriptor_count();
    assert_true(descriptors_before >= 0);
    fixture_begin("mode = auto");
    OK(driver->MemAlloc_v2(&before, 64));
    OK(driver->MemAlloc_v2(&memory, 5000));
    OK(driver->MemsetD32_v2(memory, 0x11111111, 1250));
    OK(driver->CtxSynchronize());
    return 0;
}

static int end(void **state)
{
    (void)state;
    OK(driver->MemFree_v2(before));
    if (memory)
        OK(driver->MemFree_v2(memory));
    assert_int_equal(fixture_state().memory_bytes, 0);
    assert_int_equal(descriptor_count(), descriptors_before);
    fixture_end();
    return 0;
}

static void start(struct peer *peer, const char *name)
{
    CUipcMemHandle handle;

    OK(driver->IpcGetMemHandle(&handle, memory));
    peer_start(peer, name);
    peer_put(peer->to, &handle, sizeof handle);
}

static void both_processes_see_what_either_writes(void **state)
{
    struct peer peer;

    (void)state;
    start(&peer, "shares");
    OK(peer_step(&peer)); /* the peer has opened the memory, */
    OK(peer_step(&peer)); /* finds the contents from before the export, */
    OK(peer_step(&peer)); /* and the exact size; */
    OK(peer_step(&peer));
    OK(peer_step(&peer)); /* the peer has written */
    assert_int_equal(value_at(memory), 0x22222222);
    assert_int_equal(value_at(memory + 4996), 0x22222222);
    OK(driver->MemsetD32_v2(memory, 0x33333333, 1250));
    OK(driver->CtxSynchronize());
    OK(peer_step(&peer));
    OK(peer_step(&peer)); /* the peer finds the value, */
    OK(peer_step(&peer)); /* and has closed the memory */
    peer_finish(&peer);
    assert_int_equal(value_at(memory), 0x33333333);
}

static void imported_memory_is_the_exporters(void **state)
{
    struct peer peer;

    (void)state;
    start(&peer, "is_limited");
    CODE(CUDA_ERROR_INVALID_VALUE, peer_step(&peer)); /* flags 0 */
    OK(peer_step(&peer));                             /* opened twice: the same address */
    CODE(CUDA_ERROR_INVALID_VALUE, peer_step(&peer)); /* exported again */
    CODE(CUDA_ERROR_INVALID_VALUE, peer_step(&peer)); /* freed */
    CODE(CUDA_ERROR_INVALID_VALUE, peer_step(&peer)); /* beyond its end */
    OK(peer_step(&peer));                             /* still mapped after one close */
    CODE(CUDA_ERROR_INVALID_VALUE, peer_step(&peer)); /* closed a third time */
    CODE(CUDA_ERROR_INVALID_VALUE, peer_step(&peer)); /* used after the last close */
    CODE(CUDA_ERROR_INVALID_VALUE, peer_step(&peer)); /* a handle of zeros */
    peer_finish(&peer);
}

static void freed_memory_is_not_found(void **state)
{
    struct peer peer;

    (void)state;
    OK(driver->MemFree_v2(memory));
    OK(driver->MemAlloc_v2(&memory, 3 * MIB));
    start(&peer, "comes_late");
    OK(peer_step(&peer));
    OK(driver->MemFree_v2(memory));
    memory = 0;
    OK(peer_step(&peer));
    CODE(CUDA_ERROR_INVALID_VALUE, peer_step(&peer));
    peer_finish(&peer);
}

static void only_ordinary_device_memory_is_exported(void **state)
{
    CUipcMemHandle handle;
    CUdeviceptr other;
    void *pinned;

    (void)state;
    OK(driver->IpcGetMemHandle(&handle, memory + 16));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->IpcOpenMemHandle_v2(&other, handle, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->IpcGetMemHandle(NULL, memory));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->IpcGetMemHandle(&handle, 0x1234));
    OK(driver->MemAllocHost_v2(&pinned, 64));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->IpcGetMemHandle(&handle, (uintptr_t)pinned));
    OK(driver->MemFreeHost(pinned));
    OK(driver->MemAllocManaged(&other, 64, CU_MEM_ATTACH_GLOBAL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->IpcGetMemHandle(&handle, other));
    OK(driver->MemFree_v2(other));
    OK(driver->MemAllocAsync(&other, 64, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->IpcGetMemHandle(&handle, other));
    OK(driver->MemFreeAsync(other, NULL));
    OK(driver->CtxSynchronize());
    CODE(CUDA_ERROR_INVALID_VALUE, driver->IpcCloseMemHandle(memory));
}

static const struct {
    const char *name;
    void (*run)(void);
} peers[] = {
    {"shares", peer_shares},
    {"is_limited", peer_is_limited},
    {"comes_late", peer_comes_late},
};

/* Standard output is the pipe to the test. */
static int play(const char *name)
{
    peer_begin();
    fixture_begin("mode = auto");
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) {
        if (strcmp(peers[i].name, name) == 0)
            peers[i].run();
    }
    fixture_end();
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
        TEST(both_processes_see_what_either_writes),
        TEST(imported_memory_is_the_exporters),
        TEST(freed_memory_is_not_found),
        TEST(only_ordinary_device_memory_is_exported),
    };

    peer_program = argv[0];
    if (argc == 3 && strcmp(argv[1], "--peer") == 0)
        return play(argv[2]);
    return cmocka_run_group_tests_name("ipc_memory", tests, NULL, NULL);
}
