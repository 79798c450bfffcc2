/* SPDX-License-Identifier: Apache-2.0 */
/* Interprocess events between two processes: statements 74 to 76. */
#include <string.h>

#include "ipc_peer.h"
#include "tests/mock/fixture.h"
#include "tests/support/descriptor.h"
#include "tests/support/gate.h"

static CUevent import(void)
{
    CUipcEventHandle handle;
    CUevent event = NULL;

    peer_get(PEER_FROM, &handle, sizeof handle);
    OK(driver->IpcOpenEventHandle(&event, handle));
    return event;
}

static CUstream stream;
static CUevent event;
static int descriptors_before;

static int begin(void **state)
{
    (void)state;
    descriptors_before = descriptor_count();
    assert_true(descriptors_before >= 0);
    fixture_begin("mode = threaded");
    stream = fixture_stream();
    OK(driver->EventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    return 0;
}

static int end(void **state)
{
    (void)state;
    OK(driver->StreamSynchronize(stream));
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(stream));
    fixture_end();
    assert_int_equal(descriptor_count(), descriptors_before);
    return 0;
}

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
    peer_put(peer->to, &handle, sizeof handle);
}

static void shut(struct gate *gate)
{
    gate_prepare(gate);
    OK(driver->LaunchHostFunc(stream, gate_stand, gate));
    gate_await(gate);
}

static void peer_follows(void)
{
    CUevent shared = import();
    CUstream waiter = fixture_stream();

    peer_report(driver->EventQuery(shared));
    OK(driver->StreamWaitEvent(waiter, shared, 0));
    peer_report(driver->StreamQuery(waiter));
    peer_report(driver->EventSynchronize(shared));
    peer_report(driver->StreamSynchronize(waiter));
    OK(driver->StreamDestroy_v2(waiter));
    OK(driver->EventDestroy_v2(shared));
}

static void follow_a_record(void)
{
    struct gate gate = GATE;
    struct peer peer;

    shut(&gate);
    OK(driver->EventRecord(event, stream));
    start_importer(&peer, "follows");
    CODE(CUDA_ERROR_NOT_READY, peer_step(&peer));
    CODE(CUDA_ERROR_NOT_READY, peer_step(&peer));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(event));
    gate_open(&gate);
    OK(peer_step(&peer));
    OK(peer_step(&peer));
    OK(driver->EventSynchronize(event));
    peer_finish(&peer);
}

static void record_is_seen_by_another_process(void **state)
{
    (void)state;
    exported();
    follow_a_record();
}

static void record_before_the_export_is_seen_as_well(void **state)
{
    (void)state;
    follow_a_record();
}

static void peer_finds_done(void)
{
    CUevent shared = import();
    CUstream waiter = fixture_stream();

    peer_report(driver->EventQuery(shared));
    peer_report(driver->EventSynchronize(shared));
    OK(driver->StreamWaitEvent(waiter, shared, 0));
    peer_report(driver->StreamSynchronize(waiter));
    OK(driver->StreamDestroy_v2(waiter));
    OK(driver->EventDestroy_v2(shared));
}

static void event_that_was_never_recorded_is_done(void **state)
{
    struct peer peer;

    (void)state;
    start_importer(&peer, "finds_done");
    for (int i = 0; i < 3; i++)
        OK(peer_step(&peer));
    peer_finish(&peer);
}

static void peer_records(void)
{
    CUevent shared = import();
    CUstream mine = fixture_stream();
    struct gate gate = GATE;

    gate_prepare(&gate);
    OK(driver->LaunchHostFunc(mine, gate_stand, &gate));
    peer_report(driver->EventRecord(shared, mine));
    gate_open(&gate);
    peer_report(driver->StreamSynchronize(mine));
    OK(driver->StreamDestroy_v2(mine));
    OK(driver->EventDestroy_v2(shared));
}

static void record_of_the_importer_is_seen_by_the_exporter(void **state)
{
    struct peer peer;

    (void)state;
    start_importer(&peer, "records");
    OK(driver->EventQuery(event));
    OK(peer_step(&peer));
    OK(driver->StreamWaitEvent(stream, event, 0));
    OK(peer_step(&peer));
    OK(driver->EventSynchronize(event));
    OK(driver->StreamSynchronize(stream));
    peer_finish(&peer);
}

/* The peer is killed while its work is pending. */
static void peer_dies(void)
{
    CUevent shared = import();
    CUstream mine = fixture_stream();
    static struct gate gate = GATE;

    gate_prepare(&gate);
    OK(driver->LaunchHostFunc(mine, gate_stand, &gate));
    peer_report(driver->EventRecord(shared, mine));
    peer_stay();
}

static void record_of_a_process_that_is_gone_holds_nobody_up(void **state)
{
    struct peer peer;

    (void)state;
    start_importer(&peer, "dies");
    OK(peer_step(&peer));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(event));
    OK(driver->StreamWaitEvent(stream, event, 0));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    peer_kill(&peer);
    OK(driver->EventSynchronize(event));
    OK(driver->StreamSynchronize(stream));
    peer_forget(&peer);
}

static void peer_is_limited(void)
{
    CUevent shared = import(), own = fixture_event();
    CUstream mine = fixture_stream();
    CUipcEventHandle handle;
    float ms = -7;

    OK(driver->EventRecord(own, mine));
    OK(driver->EventRecord(shared, mine));
    OK(driver->StreamSynchronize(mine));
    peer_report(driver->EventElapsedTime(&ms, own, shared));
    peer_report(driver->IpcGetEventHandle(&handle, shared));
    OK(driver->EventDestroy_v2(own));
    OK(driver->StreamDestroy_v2(mine));
    OK(driver->EventDestroy_v2(shared));
}

static void imported_event_has_no_time_and_no_handle(void **state)
{
    struct peer peer;

    (void)state;
    start_importer(&peer, "is_limited");
    CODE(CUDA_ERROR_INVALID_HANDLE, peer_step(&peer));
    CODE(CUDA_ERROR_INVALID_HANDLE, peer_step(&peer));
    peer_finish(&peer);
}

/* Exports an event, and ends when the test asks for it. */
static void peer_exports(void)
{
    CUipcEventHandle handle;
    CUevent shared;

    OK(driver->EventCreate(&shared, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    OK(driver->IpcGetEventHandle(&handle, shared));
    peer_put(PEER_TO, &handle, sizeof handle);
    peer_report(CUDA_SUCCESS);
    OK(driver->EventDestroy_v2(shared));
}

static void handle_of_an_event_that_is_gone_is_not_found(void **state)
{
    CUipcEventHandle handle;
    CUevent shared = NULL;
    struct peer peer;

    (void)state;
    peer_start(&peer, "exports");
    peer_get(peer.from, &handle, sizeof handle);
    OK(driver->IpcOpenEventHandle(&shared, handle));
    OK(driver->EventDestroy_v2(shared));
    OK(peer_step(&peer));
    peer_finish(&peer);
    CODE(CUDA_ERROR_MAP_FAILED, driver->IpcOpenEventHandle(&shared, handle));
}

static void handles_that_make_no_sense_are_refused(void **state)
{
    CUipcEventHandle handle = exported(), zero, damaged;
    CUevent shared = NULL, other = fixture_event();

    (void)state;
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->IpcOpenEventHandle(&shared, handle));
    memset(&zero, 0, sizeof zero);
    CODE(CUDA_ERROR_MAP_FAILED, driver->IpcOpenEventHandle(&shared, zero));
    for (size_t i = 0; i < 40; i++) {
        damaged = handle;
        damaged.reserved[i] ^= 0x10;
        CODE(CUDA_ERROR_MAP_FAILED, driver->IpcOpenEventHandle(&shared, damaged));
    }
    CODE(CUDA_ERROR_INVALID_VALUE, driver->IpcOpenEventHandle(NULL, handle));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->IpcGetEventHandle(NULL, event));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->IpcGetEventHandle(&handle, NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->IpcGetEventHandle(&handle, other));
    OK(driver->EventDestroy_v2(other));
    assert_null(shared);
}

static void handle_of_an_event_stays_the_same(void **state)
{
    const CUipcEventHandle one = exported(), two = exported();

    (void)state;
    assert_memory_equal(&one, &two, sizeof one);
}

static const struct {
    const char *name;
    void (*run)(void);
} peers[] = {
    {"follows", peer_follows}, {"finds_done", peer_finds_done}, {"records", peer_records},
    {"dies", peer_dies},       {"is_limited", peer_is_limited}, {"exports", peer_exports},
};

/* Standard output is the pipe to the test. */
static int play(const char *name)
{
    peer_begin();
    fixture_begin("mode = threaded");
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) {
        if (strcmp(peers[i].name, name) == 0)
            peers[i].run();
    }
    fixture_end();
    return 0;
}

#define IPC_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        IPC_TEST(record_is_seen_by_another_process),
        IPC_TEST(record_before_the_export_is_seen_as_well),
        IPC_TEST(event_that_was_never_recorded_is_done),
        IPC_TEST(record_of_the_importer_is_seen_by_the_exporter),
        IPC_TEST(record_of_a_process_that_is_gone_holds_nobody_up),
        IPC_TEST(imported_event_has_no_time_and_no_handle),
        IPC_TEST(handle_of_an_event_that_is_gone_is_not_found),
        IPC_TEST(handles_that_make_no_sense_are_refused),
        IPC_TEST(handle_of_an_event_stays_the_same),
    };

    peer_program = argv[0];
    if (argc == 3 && strcmp(argv[1], "--peer") == 0)
        return play(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
