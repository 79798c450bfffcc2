/* SPDX-License-Identifier: Apache-2.0 */
/* Races of kernels that are executed: they are judged by the bytes that they really use. */
#include <stdio.h>
#include <string.h>

#include "tests/mock/race_fixture.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/* Each thread of `writes` writes a word, of `reads` reads one; `step` words apart. */
#define WORDS(name, access)                                                \
    ".visible .entry " name "(.param .u64 p, .param .u32 step)\n"          \
    "{\n"                                                                  \
    "    .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"                             \
    "    ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [step];\n"              \
    "    mov.u32 %r2, %tid.x; mul.lo.u32 %r2, %r2, %r1; mov.u32 %r3, 1;\n" \
    "    mad.wide.u32 %rd2, %r2, 4, %rd1;\n"                               \
    "    " access "\n"                                                     \
    "    ret;\n"                                                           \
    "}\n"

static const char image[] = HEAD WORDS("e_writes", "st.global.u32 [%rd2], %r3;")
    WORDS("e_reads", "ld.global.u32 %r3, [%rd2];")
        WORDS("e_adds", "red.global.add.u32 [%rd2], %r3;")
    /* follows the pointer that it finds in memory */
    ".visible .entry e_follows(.param .u64 p)\n"
    "{\n"
    "    .reg .b32 %r; .reg .b64 %rd<3>;\n"
    "    ld.param.u64 %rd1, [p]; ld.global.u64 %rd2, [%rd1]; mov.u32 %r, 1;\n"
    "    st.global.u32 [%rd2], %r;\n"
    "    ret;\n"
    "}\n";

static const char *const settings[] = {
    "mode = auto",
    "mode = auto\nschedule = eager",
    "mode = auto\nschedule = lazy",
    "mode = auto\nschedule = random\nseed = 5",
    "mode = threaded",
};

enum { SETTINGS = sizeof settings / sizeof *settings, THREADS = 32 };

static CUmodule module;

static void begin(const char *text)
{
    race_begin(text);
    OK(driver->ModuleLoadData(&module, image));
}

static void end(void)
{
    OK(driver->ModuleUnload(module));
    race_end();
}

static void launch(const char *name, CUdeviceptr address, uint32_t step, CUstream stream)
{
    void *parameters[] = {&address, &step};
    CUfunction function;

    OK(driver->ModuleGetFunction(&function, module, name));
    OK(driver->LaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, stream, parameters, NULL));
}

/* How many races two kernels have, on two streams, that lie so many bytes apart. */
static size_t races_of(const char *one, const char *other, size_t apart, uint32_t step)
{
    size_t before;
    CUstream streams[2] = {fixture_stream(), fixture_stream()};

    OK(driver->CtxSynchronize());
    before = race_count();
    launch(one, race_memory, step, streams[0]);
    launch(other, race_memory + apart, step, streams[1]);
    /* In this order: what the host has seen then to be finished was not when the other came. */
    OK(driver->StreamSynchronize(streams[0]));
    OK(driver->StreamSynchronize(streams[1]));
    for (unsigned i = 0; i < 2; i++)
        OK(driver->StreamDestroy_v2(streams[i]));
    return race_count() - before;
}

static void kernels_race_by_the_bytes_that_they_use(void **state)
{
    (void)state;
    for (size_t i = 0; i < SETTINGS; i++) {
        begin(settings[i]);
        assert_int_equal(races_of("e_writes", "e_writes", 0, 1), 1);
        assert_int_equal(races_of("e_writes", "e_reads", 0, 1), 1);
        assert_int_equal(races_of("e_reads", "e_reads", 0, 1), 0);
        assert_int_equal(races_of("e_adds", "e_adds", 0, 1), 0);
        assert_int_equal(races_of("e_adds", "e_reads", 0, 1), 1);
        /* Behind each other, with one word in common, and between each other. */
        assert_int_equal(races_of("e_writes", "e_writes", 4 * THREADS, 1), 0);
        assert_int_equal(races_of("e_writes", "e_writes", 4 * THREADS - 4, 1), 1);
        assert_int_equal(races_of("e_writes", "e_writes", 4, 2), 0);
        end();
    }
}

static void kernel_races_with_a_copy_that_comes_later(void **state)
{
    (void)state;
    for (size_t i = 0; i < SETTINGS; i++) {
        begin(settings[i]);
        launch("e_writes", race_memory, 1, race_streams[0]);
        race_download(race_streams[1]);
        OK(driver->StreamSynchronize(race_streams[1]));
        OK(driver->StreamSynchronize(race_streams[0]));
        assert_int_equal(race_count(), 1);
        assert_non_null(strstr(cushim_mock_race(fixture_mock, 0), "kernel \"e_writes\""));
        assert_non_null(strstr(cushim_mock_race(fixture_mock, 0), "bytes 0 to 128 of memory#"));
        end();
    }
}

/* What the host has seen to be finished was not when the kernel was launched. */
static void late_kernel_races_with_what_is_finished_meanwhile(void **state)
{
    (void)state;
    for (size_t i = 0; i < SETTINGS; i++) {
        if (strstr(settings[i], "eager"))
            continue;
        begin(settings[i]);
        fixture_spin(race_streams[1], 1000000000);
        race_upload(race_streams[0]);
        launch("e_reads", race_memory, 1, race_streams[1]);
        OK(driver->StreamSynchronize(race_streams[0]));
        OK(driver->MemsetD8Async(race_memory + 2048, 0, 16, race_streams[0]));
        OK(driver->StreamSynchronize(race_streams[1]));
        assert_int_equal(race_count(), 1);
        assert_non_null(strstr(cushim_mock_race(fixture_mock, 0), "copy"));
        end();
    }
}

static void copy_that_waits_for_a_kernel_does_not_race(void **state)
{
    (void)state;
    for (size_t i = 0; i < SETTINGS; i++) {
        CUevent event;

        begin(settings[i]);
        event = fixture_event();
        race_upload(race_streams[1]);
        OK(driver->EventRecord(event, race_streams[1]));
        OK(driver->StreamWaitEvent(race_streams[0], event, 0));
        launch("e_writes", race_memory, 1, race_streams[0]);
        OK(driver->EventRecord(event, race_streams[0]));
        OK(driver->StreamWaitEvent(race_streams[1], event, 0));
        race_download(race_streams[1]);
        OK(driver->StreamSynchronize(race_streams[1]));
        assert_int_equal(race_count(), 0);
        OK(driver->EventDestroy_v2(event));
        end();
    }
}

static void pointers_in_memory_are_followed(void **state)
{
    (void)state;
    for (size_t i = 0; i < SETTINGS; i++) {
        CUdeviceptr pointer;

        begin(settings[i]);
        OK(driver->MemAlloc_v2(&pointer, sizeof pointer));
        memcpy(cushim_mock_memory(fixture_mock, pointer, sizeof pointer), &race_memory,
               sizeof pointer);
        launch("e_follows", pointer, 0, race_streams[0]);
        race_upload(race_streams[1]);
        OK(driver->CtxSynchronize());
        assert_int_equal(race_count(), 1);
        assert_non_null(strstr(cushim_mock_race(fixture_mock, 0), "bytes 0 to 4 of memory#"));
        OK(driver->MemFree_v2(pointer));
        end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_race_by_the_bytes_that_they_use),
        cmocka_unit_test(kernel_races_with_a_copy_that_comes_later),
        cmocka_unit_test(late_kernel_races_with_what_is_finished_meanwhile),
        cmocka_unit_test(copy_that_waits_for_a_kernel_does_not_race),
        cmocka_unit_test(pointers_in_memory_are_followed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
