/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs of copies and memsets, over a mock whose own race detector sees what executes:
 * from the calls alone, check must find as many races. Where check cannot follow everything, it may
 * find no race that the mock does not find.
 */
#include <stdio.h>
#include <string.h>

#include "src/check/finding.h"
#include "src/mock/core/state.h"
#include "src/race/race.h"
#include "tests/check/order_fixture.h"

enum { PROGRAMS = 400, STEPS = 60, STREAMS = 6, EVENTS = 4, MEMORIES = 3, BYTES = 1024 };

static uint64_t random_state;
static CUstream streams[STREAMS]; /* the default streams, two blocking and two non-blocking */
static CUevent events[EVENTS];
static CUdeviceptr memories[MEMORIES];
static char *host;
static CUgraphExec exec;
static CUgraph graph;

static unsigned draw(unsigned below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % below;
}

static CUdeviceptr place(void)
{
    return memories[draw(MEMORIES)] + draw(8) * (BYTES / 16);
}

/*
 * Leaves out small copies from pageable memory to the device, for which the mock waits longer than
 * a driver.
 */
static void copy(CUstream stream)
{
    static char pageable[BYTES];
    const size_t bytes = 1 + draw(BYTES / 2);
    CUDA_MEMCPY2D rows = {
        .srcMemoryType = CU_MEMORYTYPE_DEVICE,
        .srcDevice = memories[0],
        .srcPitch = 64,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
        .dstDevice = memories[1] + draw(64),
        .dstPitch = 128,
        .WidthInBytes = 1 + draw(32),
        .Height = 4,
    };

    switch (draw(11)) {
    case 0:
        OK(driver->MemcpyHtoDAsync_v2(place(), host, bytes, stream));
        break;
    case 1:
        OK(driver->MemcpyDtoHAsync_v2(host, place(), bytes, stream));
        break;
    case 2:
        OK(driver->MemcpyDtoDAsync_v2(memories[0], memories[1], bytes, stream));
        break;
    case 3:
        OK(driver->MemcpyAsync(memories[2], (uintptr_t)host, bytes, stream));
        break;
    case 4:
        OK(driver->MemcpyHtoD_v2(place(), host, bytes));
        break;
    case 5:
        OK(driver->Memcpy(place(), (uintptr_t)host, bytes));
        break;
    case 6:
        OK(driver->MemcpyDtoH_v2(pageable, place(), bytes));
        break;
    case 7:
        OK(driver->MemcpyDtoD_v2(memories[0], memories[1], bytes));
        break;
    case 8:
        OK(driver->MemcpyDtoHAsync_v2(pageable, place(), bytes, stream));
        break;
    case 9:
        OK(driver->MemcpyHtoDAsync_v2(place(), pageable, bytes, stream));
        break;
    default:
        OK(driver->Memcpy2DAsync_v2(&rows, stream));
        break;
    }
}

static void set(CUstream stream)
{
    switch (draw(4)) {
    case 0:
        OK(driver->MemsetD8_v2(place(), 1, 1 + draw(BYTES / 2)));
        break;
    case 1:
        OK(driver->MemsetD2D8Async(place(), 64, 1, 1 + draw(64), 1 + draw(4), stream));
        break;
    default:
        OK(driver->MemsetD32Async(place(), 1, 1 + draw(BYTES / 8), stream));
        break;
    }
}

static void pool(CUstream stream)
{
    CUdeviceptr memory;

    OK(driver->MemAllocAsync(&memory, 64, stream));
    OK(driver->MemsetD8Async(memory, 1, 64, streams[draw(STREAMS)]));
    OK(driver->MemFreeAsync(memory, streams[draw(STREAMS)]));
}

static void wait_on_host(CUstream stream, CUevent event)
{
    CUdeviceptr memory;

    switch (draw(8)) {
    case 0:
        OK(driver->CtxSynchronize());
        break;
    case 1:
        OK(driver->EventSynchronize(event));
        break;
    case 2:
    case 3:
        driver->EventQuery(event);
        break;
    case 4:
        driver->StreamQuery(stream);
        break;
    case 5:
        OK(driver->MemAlloc_v2(&memory, 16));
        OK(driver->MemFree_v2(memory));
        break;
    default:
        OK(driver->StreamSynchronize(stream));
        break;
    }
}

static void renew(void)
{
    const unsigned index = 2 + draw(STREAMS - 2);

    OK(driver->StreamDestroy_v2(streams[index]));
    streams[index] = order_stream(index % 2 ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING);
}

static void step(void)
{
    CUstream stream = streams[draw(STREAMS)];
    CUevent event = events[draw(EVENTS)];
    const unsigned kind = draw(24);

    if (kind < 6)
        copy(stream);
    else if (kind < 9)
        set(stream);
    else if (kind < 10)
        pool(stream);
    else if (kind < 11)
        order_spin(stream);
    else if (kind < 12)
        OK(driver->GraphLaunch(exec, stream));
    else if (kind < 16)
        OK(driver->EventRecord(event, stream));
    else if (kind < 20)
        OK(driver->StreamWaitEvent(stream, event, 0));
    else if (kind < 23)
        wait_on_host(stream, event);
    else
        renew();
}

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

/*
 * Calls after which nobody knows what was waited for. The mock in turn knows less than check about
 * streams that wait for a value: see order_test.c.
 */
static void step_unknown(void)
{
    CUstream stream = streams[2 + draw(STREAMS - 2)];
    CUevent event;
    CUgraph captured;

    switch (draw(12)) {
    case 0:
        OK(driver->LaunchHostFunc(stream, do_nothing, NULL));
        break;
    case 1:
        OK(driver->StreamWriteValue32_v2(stream, (uintptr_t)host, 0, 0));
        break;
    case 2:
        event = order_event(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
        OK(driver->EventRecord(event, streams[draw(STREAMS)]));
        OK(driver->StreamWaitEvent(stream, event, 0));
        OK(driver->EventDestroy_v2(event));
        break;
    case 3:
        stream = order_stream(CU_STREAM_NON_BLOCKING);
        OK(driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
        OK(driver->MemsetD8Async(place(), 1, 64, stream));
        OK(driver->MemsetD8Async(place(), 1, 64, streams[2]));
        OK(driver->StreamEndCapture(stream, &captured));
        OK(driver->GraphDestroy(captured));
        OK(driver->StreamDestroy_v2(stream));
        break;
    default:
        step();
        break;
    }
}

/* Both detectors look for races, and the mock hands over none, so that they can be compared. */

static bool finds_none(void)
{
    return false;
}

static bool hand_over_none(const struct cushim__mock_finding *finding, char *line, size_t size)
{
    snprintf(line, size, "%s", finding->what);
    return true;
}

static void separate(void)
{
    static struct cushim__mock_callbacks callbacks;

    callbacks = *cushim__layer_mock;
    callbacks.finds_races = finds_none;
    cushim__layer_set_mock(&callbacks);
    order_mock->report = hand_over_none;
}

static void begin(unsigned seed, const char *settings)
{
    void *memory;

    order_begin(settings);
    separate();
    random_state = 0x9e3779b97f4a7c15u * (seed + 1);
    streams[0] = NULL;
    streams[1] = CU_STREAM_PER_THREAD;
    for (unsigned i = 2; i < STREAMS; i++)
        streams[i] = order_stream(i % 2 ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING);
    for (unsigned i = 0; i < EVENTS; i++) {
        events[i] = order_event(0);
        OK(driver->EventRecord(events[i], NULL));
    }
    for (unsigned i = 0; i < MEMORIES; i++)
        OK(driver->MemAlloc_v2(&memories[i], BYTES));
    OK(driver->MemAllocHost_v2(&memory, BYTES));
    host = memory;
    OK(driver->GraphCreate(&graph, 0));
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
}

static size_t races_of_mock(void)
{
    struct cushim_mock_state state = {.size = sizeof state};

    OK(cushim_mock_get_state(order_mock, &state));
    return state.races;
}

static size_t races_of_check(void)
{
    size_t count;

    cushim__race_user = RACE_OF_CHECK;
    count = cushim__race_count();
    cushim__race_user = RACE_OF_MOCK;
    return count;
}

static void end(void)
{
    OK(driver->CtxSynchronize());
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphDestroy(graph));
    for (unsigned i = 2; i < STREAMS; i++)
        OK(driver->StreamDestroy_v2(streams[i]));
    for (unsigned i = 0; i < EVENTS; i++)
        OK(driver->EventDestroy_v2(events[i]));
    for (unsigned i = 0; i < MEMORIES; i++)
        OK(driver->MemFree_v2(memories[i]));
    OK(driver->MemFreeHost(host));
    order_take_all();
    order_end();
}

/*
 * Copies a report without the numbers of bytes and without what follows: of several races between
 * two streams and one memory, only the first is reported.
 */
static void strip(const char *from, char *to, size_t size)
{
    size_t length = 0;

    while (*from && *from != ';' && length + 1 < size) {
        if (strncmp(from, "bytes ", 6) == 0)
            from += strcspn(from, " ") + 1 + strspn(strchr(from, ' ') + 1, "0123456789");
        else if (strncmp(from, " to ", 4) == 0)
            from += 4 + strspn(from + 4, "0123456789");
        else
            to[length++] = *from++;
    }
    to[length] = '\0';
}

static bool mock_has_found(const char *what)
{
    const char *race;
    char wanted[600], found[600];

    strip(what, wanted, sizeof wanted);
    for (size_t i = 0; (race = cushim_mock_race(order_mock, i)); i++) {
        strip(race, found, sizeof found);
        if (strcmp(wanted, found) == 0)
            return true;
    }
    return false;
}

static void print_difference(unsigned seed, unsigned after)
{
    const struct cushim__finding *finding = NULL;
    const char *race;

    print_error("seed %u, step %u\n", seed, after);
    for (size_t i = 0; (race = cushim_mock_race(order_mock, i)); i++)
        print_error("mock: %s\n", race);
    cushim_check_count(order_layer, NULL);
    while ((finding = cushim__finding_next(finding)) != NULL)
        print_error("check: %s\n", finding->what);
}

TEST_ALONE(as_many_races_are_found_as_there_are)
{
    static const char *const settings[] = {"races = report", "races = report\nschedule = lazy",
                                           "races = report\nschedule = random"};
    unsigned racy = 0;

    for (unsigned seed = 0; seed < PROGRAMS; seed++) {
        begin(seed, settings[seed % 3]);
        for (unsigned i = 0; i < 4 + seed % STEPS; i++) {
            step();
            if (races_of_check() != races_of_mock())
                print_difference(seed, i);
            assert_int_equal(races_of_check(), races_of_mock());
        }
        racy += races_of_check() > 0;
        end();
    }
    /* Both kinds of programs have occurred. */
    assert_in_range(racy, PROGRAMS / 8, PROGRAMS - PROGRAMS / 8);
}

TEST_ALONE(where_not_all_is_known_what_is_found_is_there)
{
    unsigned racy = 0;

    for (unsigned seed = 0; seed < PROGRAMS; seed++) {
        const struct cushim__finding *finding = NULL;

        begin(seed, "races = report");
        for (unsigned i = 0; i < 4 + seed % STEPS; i++)
            step_unknown();
        cushim_check_count(order_layer, NULL);
        while ((finding = cushim__finding_next(finding)) != NULL) {
            if (finding->id != CUSHIM__CHECK_RACE)
                continue;
            if (races_of_mock() < 64 && !mock_has_found(finding->what))
                fail_msg("seed %u: %s", seed, finding->what);
            racy++;
        }
        end();
    }
    assert_true(racy > PROGRAMS / 8);
}
