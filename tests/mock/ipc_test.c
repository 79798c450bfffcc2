/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events and memory that two processes share: what remains of a process that has ended, and damaged
 * handles. tests/conformance has what two processes see of each other (statements 74 to 76, 86, 87).
 */

#include "tests/mock/fixture.h"
#include "tests/support/descriptor.h"
#include "tests/support/gate.h"
#include "tests/support/process.h"

enum { BYTES = 5000, WORDS = BYTES / 4 };

/* Let the peer make its next step; returns the code that it reports. */
static CUresult step(const struct peer *peer)
{
    int code = 0;

    peer_send(peer, "", 1);
    peer_receive(peer, &code, sizeof code);
    return (CUresult)code;
}

/* In the peer: report a code when the test asks for it. */
static void report(CUresult code)
{
    const int number = (int)code;
    char asked;

    peer_receive(&peer_parent, &asked, sizeof asked);
    peer_send(&peer_parent, &number, sizeof number);
}

static void report_true(bool holds)
{
    report(holds ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN);
}

/* --- events --- */

static CUstream stream;
static CUevent event;

static CUipcEventHandle exported(void)
{
    CUipcEventHandle handle;

    OK(driver->IpcGetEventHandle(&handle, event));
    return handle;
}

static void start_importer(struct peer *peer, const char *name)
{
    const CUipcEventHandle handle = exported();

    peer_start(peer, name);
    peer_send(peer, &handle, sizeof handle);
}

static CUevent import(void)
{
    CUipcEventHandle handle;
    CUevent shared = NULL;

    peer_receive(&peer_parent, &handle, sizeof handle);
    OK(driver->IpcOpenEventHandle(&shared, handle));
    return shared;
}

static void peer_follows(void)
{
    CUevent shared = import();

    report(driver->EventQuery(shared));
    report(driver->EventSynchronize(shared));
    OK(driver->EventDestroy_v2(shared));
}

static int descriptors_before;

static int begin(void **state)
{
    descriptors_before = descriptor_count();
    assert_true(descriptors_before >= 0);
    fixture_begin("mode = threaded");
    stream = fixture_stream();
    OK(driver->EventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    return 0;
}

static int end(void **state)
{
    OK(driver->StreamSynchronize(stream));
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(stream));
    assert_int_equal(fixture_state().memory_bytes, 0);
    fixture_end();
    assert_int_equal(descriptor_count(), descriptors_before);
    return 0;
}

#define TEST(name) TEST_BETWEEN(name, begin, end)

TEST(record_after_the_export_is_seen)
{
    struct gate gate = GATE;
    struct peer peer;

    exported();
    gate_prepare(&gate);
    OK(driver->LaunchHostFunc(stream, gate_stand, &gate));
    gate_await(&gate);
    OK(driver->EventRecord(event, stream));
    start_importer(&peer, "follows");
    CODE(CUDA_ERROR_NOT_READY, step(&peer));
    gate_open(&gate);
    OK(step(&peer));
    peer_end(&peer);
}

/* The peer is killed while its work is pending. */
static void peer_dies(void)
{
    static struct gate gate = GATE;
    CUevent shared = import();
    CUstream mine = fixture_stream();

    gate_prepare(&gate);
    OK(driver->LaunchHostFunc(mine, gate_stand, &gate));
    report(driver->EventRecord(shared, mine));
    report(CUDA_SUCCESS); /* the test does not ask again */
}

TEST(record_of_a_process_that_is_gone_holds_nobody_up)
{
    struct peer peer;

    start_importer(&peer, "dies");
    OK(step(&peer));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(event));
    OK(driver->StreamWaitEvent(stream, event, 0));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    peer_kill(&peer);
    OK(driver->EventSynchronize(event));
    OK(driver->StreamSynchronize(stream));
    peer_forget(&peer);
}

/* Exports an event, and ends when the test asks for it. */
static void peer_exports(void)
{
    CUipcEventHandle handle;
    CUevent shared;

    OK(driver->EventCreate(&shared, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    OK(driver->IpcGetEventHandle(&handle, shared));
    peer_send(&peer_parent, &handle, sizeof handle);
    report(CUDA_SUCCESS);
    OK(driver->EventDestroy_v2(shared));
}

TEST(event_of_a_process_that_has_ended_is_not_found)
{
    CUipcEventHandle handle;
    CUevent shared = NULL;
    struct peer peer;

    peer_start(&peer, "exports");
    peer_receive(&peer, &handle, sizeof handle);
    OK(driver->IpcOpenEventHandle(&shared, handle));
    OK(driver->EventQuery(shared)); /* never recorded */
    OK(driver->EventSynchronize(shared));
    OK(driver->StreamWaitEvent(stream, shared, 0));
    OK(driver->StreamSynchronize(stream));
    OK(driver->EventDestroy_v2(shared));
    OK(step(&peer));
    peer_end(&peer);
    CODE(CUDA_ERROR_MAP_FAILED, driver->IpcOpenEventHandle(&shared, handle));
}

TEST(damaged_handles_are_refused)
{
    const CUipcEventHandle handle = exported(), again = exported();
    CUevent shared = NULL;

    assert_memory_equal(&handle, &again, sizeof handle);
    for (size_t i = 0; i < 40; i++) {
        CUipcEventHandle damaged = handle;

        damaged.reserved[i] ^= 0x10;
        CODE(CUDA_ERROR_MAP_FAILED, driver->IpcOpenEventHandle(&shared, damaged));
    }
    assert_null(shared);
}

/* --- memory --- */

static unsigned value_at(CUdeviceptr memory)
{
    unsigned value = 0;

    OK(driver->MemcpyDtoH_v2(&value, memory, sizeof value));
    return value;
}

static void peer_shares(void)
{
    CUdeviceptr memory = 0, again = 0, base = 0;
    CUipcMemHandle handle;

    peer_receive(&peer_parent, &handle, sizeof handle);
    OK(driver->IpcOpenMemHandle_v2(&memory, handle, 1));
    OK(driver->IpcOpenMemHandle_v2(&again, handle, 1));
    report_true(value_at(memory + BYTES - 4) == 0x11111111);
    OK(driver->MemGetAddressRange_v2(&base, NULL, memory + 10));
    report_true(base == memory);
    report(driver->MemsetD8_v2(memory, 1, BYTES + 1));
    report(CUDA_SUCCESS); /* reported after the test has written */
    report_true(value_at(memory + BYTES - 4) == 0x33333333);
    OK(driver->IpcCloseMemHandle(memory));
    report_true(value_at(memory) == 0x33333333);
    OK(driver->IpcCloseMemHandle(memory));
    report(driver->MemsetD8_v2(memory, 1, 1));
    report(CUDA_SUCCESS); /* reported after the test has freed the memory */
    report(driver->IpcOpenMemHandle_v2(&memory, handle, 1));
}

TEST(imported_memory_ends_with_its_last_handle)
{
    CUdeviceptr memory, plain, other;
    CUipcMemHandle handle;
    struct peer peer;

    OK(driver->MemAlloc_v2(&plain, 3 << 20));
    OK(driver->MemAlloc_v2(&other, 3 << 20));
    OK(driver->IpcGetMemHandle(&handle, other));
    OK(driver->MemAlloc_v2(&memory, BYTES));
    OK(driver->MemsetD32_v2(memory, 0x11111111, WORDS));
    OK(driver->CtxSynchronize());
    OK(driver->IpcGetMemHandle(&handle, memory));
    peer_start(&peer, "shares");
    peer_send(&peer, &handle, sizeof handle);
    OK(step(&peer));                             /* the last word */
    OK(step(&peer));                             /* found by an address within */
    CODE(CUDA_ERROR_INVALID_VALUE, step(&peer)); /* beyond the end */
    OK(driver->MemsetD32_v2(memory, 0x33333333, WORDS));
    OK(driver->CtxSynchronize());
    OK(step(&peer));
    OK(step(&peer));                             /* the peer sees what the test has written, */
    OK(step(&peer));                             /* also when one of two handles is closed; */
    CODE(CUDA_ERROR_INVALID_VALUE, step(&peer)); /* after the last one the memory is unknown */
    OK(driver->MemFree_v2(memory));
    OK(step(&peer));
    CODE(CUDA_ERROR_INVALID_VALUE, step(&peer)); /* memory that is freed is not found */
    peer_end(&peer);
    OK(driver->MemFree_v2(plain));
    OK(driver->MemFree_v2(other));
}

/* --- both --- */

static const struct {
    const char *name;
    void (*run)(void);
} peers[] = {
    {"follows", peer_follows},
    {"dies", peer_dies},
    {"exports", peer_exports},
    {"shares", peer_shares},
};

/* Standard output is the pipe to the test. */
static int play(const char *name)
{
    process_begin();
    fixture_begin("mode = threaded");
    for (size_t i = 0; i < COUNT(peers); i++) {
        if (strcmp(peers[i].name, name) == 0)
            peers[i].run();
    }
    fixture_end();
    return 0;
}

int main(int argc, char **argv)
{
    process_arguments((const char *const[]){argv[0], NULL});
    if (argc == 3 && strcmp(argv[1], "--run") == 0)
        return play(argv[2]);
    return run_all_tests(NULL, NULL);
}
