/* SPDX-License-Identifier: Apache-2.0 */
/* Races of executed kernels: the detector uses the bytes that a kernel really accesses. */

#include "tests/mock/race_fixture.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/*
 * Each thread of `writes` writes a word, and each thread of `reads` reads one; the words are `step`
 * words apart.
 */
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
    /* dereferences a pointer from memory */
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
    fixture_end();
}

static void launch(const char *name, CUdeviceptr address, uint32_t step, CUstream stream)
{
    void *parameters[] = {&address, &step};
    CUfunction function;

    OK(driver->ModuleGetFunction(&function, module, name));
    OK(driver->LaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, stream, parameters, NULL));
}

/* The number of races between two kernels on two streams, with arguments this many bytes apart. */
static size_t races_of(const char *one, const char *other, size_t apart, uint32_t step)
{
    size_t before;
    CUstream streams[2] = {fixture_stream(), fixture_stream()};

    OK(driver->CtxSynchronize());
    before = race_count();
    launch(one, race_memory, step, streams[0]);
    launch(other, race_memory + apart, step, streams[1]);
    /*
     * In this order: the first kernel is finished for the host now, but it was not when the second
     * was launched.
     */
    OK(driver->StreamSynchronize(streams[0]));
    OK(driver->StreamSynchronize(streams[1]));
    for (unsigned i = 0; i < 2; i++)
        OK(driver->StreamDestroy_v2(streams[i]));
    return race_count() - before;
}

TEST_ALONE(kernels_race_by_the_bytes_that_they_use)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        begin(settings[i]);
        assert_int_equal(races_of("e_writes", "e_writes", 0, 1), 1);
        assert_int_equal(races_of("e_writes", "e_reads", 0, 1), 1);
        assert_int_equal(races_of("e_reads", "e_reads", 0, 1), 0);
        assert_int_equal(races_of("e_adds", "e_adds", 0, 1), 0);
        assert_int_equal(races_of("e_adds", "e_reads", 0, 1), 1);
        /* Adjacent words, one common word, and interleaved words. */
        assert_int_equal(races_of("e_writes", "e_writes", 4 * THREADS, 1), 0);
        assert_int_equal(races_of("e_writes", "e_writes", 4 * THREADS - 4, 1), 1);
        assert_int_equal(races_of("e_writes", "e_writes", 4, 2), 0);
        end();
    }
}

TEST_ALONE(kernel_races_with_a_copy_that_comes_later)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        begin(settings[i]);
        launch("e_writes", race_memory, 1, race_streams[0]);
        race_download(race_streams[1]);
        OK(driver->StreamSynchronize(race_streams[1]));
        OK(driver->StreamSynchronize(race_streams[0]));
        assert_int_equal(race_count(), 1);
        CONTAINS(cushim_mock_race(fixture_mock, 0), "kernel \"e_writes\"");
        CONTAINS(cushim_mock_race(fixture_mock, 0), "bytes 0 to 128 of memory#");
        end();
    }
}

/* Work that the host knows to be finished now was not finished when the kernel was launched. */
TEST_ALONE(late_kernel_races_with_what_is_finished_meanwhile)
{
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
        CONTAINS(cushim_mock_race(fixture_mock, 0), "copy");
        end();
    }
}

TEST_ALONE(copy_that_waits_for_a_kernel_does_not_race)
{
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

TEST_ALONE(pointers_in_memory_are_followed)
{
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
        CONTAINS(cushim_mock_race(fixture_mock, 0), "bytes 0 to 4 of memory#");
        OK(driver->MemFree_v2(pointer));
        end();
    }
}

/* --- between threads of one kernel --- */

/*
 * Thread 0 of each block writes its number; in shared memory, threads read what another thread
 * writes.
 */
static const char threads_image[] =
    HEAD ".visible .entry t_blocks(.param .u64 p)\n"
         "{\n"
         "    .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
         "    ld.param.u64 %rd1, [p]; mov.u32 %r1, %ctaid.x;\n"
         "    st.global.u32 [%rd1+8], %r1;\n"
         "    ret;\n"
         "}\n"
         ".visible .entry t_threads(.param .u64 p)\n"
         "{\n"
         "    .reg .b32 %r<6>; .shared .align 4 .b8 words[256];\n"
         "    mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, words;\n"
         "    add.u32 %r2, %r2, %r3; xor.b32 %r4, %r2, 128;\n"
         "    st.shared.u32 [%r2], %r1;\n"
         "    ld.shared.u32 %r5, [%r4];\n"
         "    ret;\n"
         "}\n"
         ".visible .entry t_right(.param .u64 p)\n"
         "{\n"
         "    .reg .b32 %r<6>; .reg .b64 %rd<4>;\n"
         "    ld.param.u64 %rd1, [p]; red.global.add.u32 [%rd1], 1;\n"
         "    ret;\n"
         "}\n"
         ".visible .entry t_same(.param .u64 p)\n"
         "{\n"
         "    .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
         "    ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;\n"
         "    st.global.u32 [%rd1+12], %r1;\n"
         "    ret;\n"
         "}\n"
         /* reads a word in each 256 bytes, more words than the detector tracks */
         ".visible .entry t_large(.param .u64 p)\n"
         "{\n"
         "    .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;\n"
         "    ld.param.u64 %rd1, [p]; mov.u32 %r1, 0;\n"
         "next:\n"
         "    ld.global.u32 %r2, [%rd1]; add.u64 %rd1, %rd1, 256;\n"
         "    add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 65546; @%p bra next;\n"
         "    ret;\n"
         "}\n";

static char last_line[600];

static void keep_line(void *data, const char *line)
{
    (void)data;
    snprintf(last_line, sizeof last_line, "%s", line);
}

static void run_threads(const char *name, CUdeviceptr address, unsigned blocks, unsigned threads)
{
    void *parameters[] = {&address};
    CUfunction function;

    OK(driver->ModuleGetFunction(&function, module, name));
    OK(driver->LaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, race_streams[0], parameters,
                            NULL));
    OK(driver->StreamSynchronize(race_streams[0]));
}

static void assert_says(size_t index, const char *const *texts)
{
    const char *race = cushim_mock_race(fixture_mock, index);

    assert_non_null(race);
    for (; *texts; texts++) {
        if (!strstr(race, *texts))
            fail_msg("%s: no '%s'", race, *texts);
    }
}

TEST_ALONE(threads_of_a_kernel_race)
{
    static const char *const of_blocks[] = {
        "kernel \"t_blocks\" (",
        "): line 8 of its PTX, block (1,0,0), thread (0,0,0), writes, and line 8, block (0,0,0), "
        "thread (0,0,0), writes, 4 bytes at memory#",
        "+8: nothing orders them; make it atomic, give each block its own memory, or let one block do "
        "it; in cuLaunchKernel, call ",
        NULL};
    static const char *const of_threads[] = {
        "kernel \"t_threads\" (", "line 16 of its PTX, block (0,0,0), thread (32,0,0), ",
        "writes, and line 17, block (0,0,0), thread (0,0,0), reads, 4 bytes at shared memory+128: ",
        "nothing orders them; put a __syncthreads() between them", NULL};

    static const char *const of_one_line[] = {
        "kernel \"t_same\" (",
        "line 30 of its PTX, block (0,0,0), thread (1,0,0), writes, and "
        "line 30, ",
        "make it atomic, give each thread its own memory, let one thread do it, or, in "
        "a loop, put a __syncthreads() between two rounds",
        NULL};

    for (size_t i = 0; i < SETTINGS; i++) {
        char text[200];

        snprintf(text, sizeof text, "%s\nraces = kernels", settings[i]);
        race_begin(text);
        OK(driver->ModuleLoadData(&module, threads_image));
        /* One report for each pair of lines, however often the kernel is launched. */
        for (unsigned j = 0; j < 3; j++) {
            run_threads("t_blocks", race_memory, 2, 1);
            run_threads("t_threads", race_memory, 1, 64);
            run_threads("t_right", race_memory, 2, 64);
            run_threads("t_same", race_memory, 1, 2);
        }
        assert_int_equal(race_count(), 3);
        assert_says(0, of_blocks);
        assert_says(1, of_threads);
        assert_says(2, of_one_line);
        end();
    }
}

TEST_ALONE(other_settings_look_at_no_threads)
{
    race_begin("mode = auto");
    OK(driver->ModuleLoadData(&module, threads_image));
    run_threads("t_blocks", race_memory, 2, 1);
    assert_int_equal(race_count(), 0);
    end();
}

TEST_ALONE(operations_race_with_races_of_kernels_too)
{
    begin("mode = auto\nraces = kernels");
    assert_int_equal(races_of("e_writes", "e_writes", 0, 1), 1);
    end();
}

TEST_ALONE(log_says_what_was_not_watched)
{
    CUdeviceptr large;

    race_begin("mode = auto\nraces = kernels");
    OK(driver->ModuleLoadData(&module, threads_image));
    OK(driver->MemAlloc_v2(&large, 65546 * 256));
    cushim_mock_set_log(fixture_mock, keep_line, NULL);
    run_threads("t_large", large, 1, 1);
    CONTAINS(last_line, "the kernel 't_large'");
    CONTAINS(last_line, "accesses of 40 bytes are beyond the memory that is watched");
    OK(driver->MemFree_v2(large));
    end();
}
