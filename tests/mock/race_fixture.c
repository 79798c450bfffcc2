/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/mock/race_fixture.h"

#include "src/mock/core/state.h"

CUstream race_streams[2];
CUdeviceptr race_memory;
char *race_host;
CUfunction race_reads, race_writes, race_unknown;
uint64_t race_random_state = 0x9e3779b97f4a7c15u;

static CUmodule module;

static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                            ".visible .entry reads(.param .u64 p) { ret; }\n"
                            ".visible .entry writes(.param .u64 p) { ret; }\n"
                            ".visible .entry unknown(.param .u64 p) { ret; }\n";

static CUfunction find(const char *name, const enum cushim_mock_access *access)
{
    const struct cushim_mock_kernel kernel = {.size = sizeof kernel,
                                              .name = name,
                                              .duration_ns = 2000,
                                              .accesses = access,
                                              .parameter_count = access ? 1 : 0};
    CUfunction function;

    OK(cushim_mock_register_kernel(fixture_mock, &kernel));
    OK(driver->ModuleGetFunction(&function, module, name));
    return function;
}

void race_begin(const char *settings)
{
    static const enum cushim_mock_access reads = CUSHIM_MOCK_ACCESS_READ;
    static const enum cushim_mock_access writes = CUSHIM_MOCK_ACCESS_WRITE;
    char text[200];
    void *host;

    snprintf(text, sizeof text, "races = report\n%s", settings);
    fixture_begin(text);
    OK(driver->ModuleLoadData(&module, image));
    race_reads = find("reads", &reads);
    race_writes = find("writes", &writes);
    race_unknown = find("unknown", NULL);
    race_streams[0] = fixture_stream();
    race_streams[1] = fixture_stream();
    OK(driver->MemAlloc_v2(&race_memory, RACE_BYTES));
    OK(driver->MemHostAlloc(&host, RACE_BYTES, 0));
    race_host = host;
}

int race_auto(void **state)
{
    race_begin("mode = auto");
    return 0;
}

CUstream race_stream(bool blocking)
{
    CUstream stream;

    OK(driver->StreamCreate(&stream, blocking ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING));
    return stream;
}

unsigned race_draw(unsigned below)
{
    race_random_state ^= race_random_state << 13;
    race_random_state ^= race_random_state >> 7;
    race_random_state ^= race_random_state << 17;
    return (unsigned)(race_random_state >> 33) % below;
}

size_t race_count(void)
{
    return fixture_state().races;
}

enum race_order race_order(uint64_t first, uint64_t second)
{
    enum race_order order;

    cushim__mock_lock(fixture_mock);
    order = cushim__race_order(first, second);
    cushim__mock_unlock(fixture_mock);
    return order;
}

void race_launch(CUfunction function, CUdeviceptr memory, CUstream stream)
{
    void *parameters[] = {&memory};

    OK(driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
}

void race_upload(CUstream stream)
{
    OK(driver->MemcpyHtoDAsync_v2(race_memory, race_host, RACE_BYTES, stream));
}

void race_download(CUstream stream)
{
    OK(driver->MemcpyDtoHAsync_v2(race_host, race_memory, RACE_BYTES, stream));
}

void race_write(CUstream stream)
{
    race_launch(race_writes, race_memory, stream);
}

void race_read(CUstream stream)
{
    race_launch(race_reads, race_memory, stream);
}

/* --- edges --- */

static const char *const settings[] = {
    "mode = auto",     "mode = threaded",   "schedule = eager",
    "schedule = lazy", "schedule = random", "schedule = random\nseed = 7",
};

static const struct race_edge *edges;

/* Run one case, and return the number of races. */
static size_t races_of(const struct race_edge *edge, bool ordered, const char *text)
{
    size_t count;

    race_begin(text);
    edge->run(ordered);
    count = race_count();
    if (ordered && count > 0)
        print_error("%s, %s: %s\n", edge->name, text, cushim_mock_race(fixture_mock, 0));
    if (!ordered && count != 1)
        print_error("%s, %s: %zu races\n", edge->name, text, count);
    fixture_end();
    return count;
}

/* Assert that each case has this many races. */
static void check(bool ordered, size_t want)
{
    size_t wrong = 0;

    for (const struct race_edge *edge = edges; edge->name; edge++) {
        for (size_t i = 0; i < COUNT(settings); i++)
            wrong += races_of(edge, ordered, settings[i]) != want;
    }
    assert_int_equal(wrong, 0);
}

static void what_is_ordered_is_no_race(void **state)
{
    check(true, 0);
}

static void what_nothing_orders_is_one_race_in_every_schedule(void **state)
{
    check(false, 1);
}

int race_edges_check(const struct race_edge *these)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_ordered_is_no_race),
        cmocka_unit_test(what_nothing_orders_is_one_race_in_every_schedule),
    };

    edges = these;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
