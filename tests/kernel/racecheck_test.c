/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Races between threads of one kernel: each kernel with a race is reported, and the same kernel
 * with the necessary order is not.
 */

#include "fixture.h"

/*
 * The registers of all kernels: %rd1 is global memory, %r1 the thread, %r2 its address in `shared`,
 * and %r3 the block.
 */
#define KERNEL(target, body)                                                             \
    ".version 8.3\n.target " target "\n.address_size 64\n"                               \
    ".visible .entry k(.param .u64 p)\n"                                                 \
    "{\n"                                                                                \
    "    .reg .b32 %r<20>; .reg .b64 %rd<8>; .reg .b16 %h<4>; .reg .pred %p<8>;"         \
    "    .shared .align 8 .b8 shared[1024]; .shared .align 8 .b64 barrier;"              \
    "    ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r4, shared;"              \
    "    shl.b32 %r2, %r1, 2; add.u32 %r2, %r2, %r4; mov.u32 %r3, %ctaid.x;\n" body "\n" \
    "    ret;\n"                                                                         \
    "}\n"

/* Each of 64 threads reads what the thread 32 away, or the next one, has written. */
#define WRITE "st.shared.u32 [%r2], %r1;\n"
#define READ_FAR "xor.b32 %r5, %r2, 128; ld.shared.u32 %r6, [%r5];\n"
#define READ_NEAR "xor.b32 %r5, %r2, 4; ld.shared.u32 %r6, [%r5];\n"
#define BAR "bar.sync 0;\n"

/* Thread 0 passes global word 0 from its block to the next one, with word 16 as a flag. */
#define FLAG_STORE(fence, store)                                                   \
    "setp.ne.u32 %p1, %r1, 0; @%p1 ret; setp.ne.u32 %p2, %r3, 0; @%p2 bra wait;\n" \
    "st.global.u32 [%rd1], 7;\n" fence store "ret;\n"
#define FLAG_WAIT(load, fence) \
    "wait: " load "setp.eq.u32 %p3, %r5, 0; @%p3 bra wait;\n" fence "ld.global.u32 %r6, [%rd1];"
#define SET_VOLATILE "st.volatile.global.u32 [%rd1+64], 1;\n"
#define GET_VOLATILE "ld.volatile.global.u32 %r5, [%rd1+64];\n"

/* A lock in word 16 protects `count++` in word 0, by lane 0 of each warp. */
#define LOCKED(fence)                                                                  \
    "and.b32 %r5, %r1, 31; setp.ne.u32 %p1, %r5, 0; @%p1 ret;\n"                       \
    "take: atom.global.cas.b32 %r6, [%rd1+64], 0, 1;\n"                                \
    "setp.ne.u32 %p2, %r6, 0; @%p2 bra take;\n" fence                                  \
    "ld.global.u32 %r7, [%rd1]; add.u32 %r7, %r7, 1; st.global.u32 [%rd1], %r7;" fence \
    "atom.global.exch.b32 %r8, [%rd1+64], 0;"

/* Each block writes its word; the block that increments the counter last reads all words. */
#define LAST_BLOCK(fence)                                                         \
    "mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd2, %rd1;\n"                      \
    "setp.ne.u32 %p1, %r1, 0; @%p1 bra all; st.global.u32 [%rd2], %r3;\n" fence   \
    "atom.global.add.u32 %r5, [%rd1+64], 1; st.shared.u32 [shared], %r5;\n"       \
    "all: bar.sync 0; ld.shared.u32 %r6, [shared]; mov.u32 %r8, %nctaid.x;\n"     \
    "add.u32 %r6, %r6, 1; setp.ne.u32 %p2, %r6, %r8; @%p2 ret;\n"                 \
    "rem.u32 %r9, %r1, %r8; mul.wide.u32 %rd3, %r9, 4; add.u64 %rd3, %rd3, %rd1;" \
    "ld.global.u32 %r7, [%rd3];"

/* Each block writes its word, and reads that of the next block after a grid barrier. */
#define GRID(before, barrier)                                                      \
    "mov.u32 %r8, %nctaid.x; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd2, %rd1;" \
    "add.u32 %r9, %r3, 1; rem.u32 %r9, %r9, %r8; mul.wide.u32 %rd3, %r9, 4;\n"     \
    "add.u64 %rd3, %rd3, %rd1; setp.eq.u32 %p1, %r1, 33;\n"                        \
    "@%p1 st.global.u32 [%rd2], %r3;\n" before barrier                             \
    "setp.eq.u32 %p1, %r1, 0; @%p1 ld.global.u32 %r7, [%rd3];"
#define GRID_BARRIER(fence)                                                                      \
    "setp.ne.u32 %p2, %r1, 0; @%p2 bra met;\n" fence "atom.global.add.u32 %r10, [%rd1+64], 1;\n" \
    "poll: ld.volatile.global.u32 %r11, [%rd1+64]; setp.lt.u32 %p3, %r11, %r8;\n"                \
    "@%p3 bra poll;\n" fence "met: bar.sync 0;\n"

/* Warp 0 writes, and warp 1 reads after a phase of an mbarrier. */
#define MBARRIER(arrive, wait)                                                             \
    "setp.ne.u32 %p1, %r1, 0; mov.u32 %r9, 32; @%p1 bra ready;\n"                          \
    "mbarrier.init.shared.b64 [barrier], %r9;\n"                                           \
    "ready: bar.sync 0; setp.ge.u32 %p2, %r1, 32; @%p2 bra reads;\n" WRITE arrive "ret;\n" \
    "reads:\n" wait READ_FAR
#define ARRIVE "mbarrier.arrive.shared.b64 %rd2, [barrier];\n"
#define WAIT "again: mbarrier.test_wait.parity.shared.b64 %p3, [barrier], 0; @!%p3 bra again;\n"

struct row {
    const char *name;
    unsigned grid, block;
    size_t races;
    const char *text;
};

static const struct row rows[] = {
    /* --- within a block --- */
    {"no barrier", 1, 64, 1, KERNEL("sm_70", WRITE READ_FAR)},
    {"a barrier", 1, 64, 0, KERNEL("sm_70", WRITE BAR READ_FAR)},
    {"a barrier that reduces", 1, 64, 0,
     KERNEL("sm_70", WRITE "bar.red.popc.u32 %r9, 0, 1;\n" READ_FAR)},
    {"read, then written", 1, 64, 1, KERNEL("sm_70", READ_FAR WRITE)},
    {"tiles without the second barrier", 1, 64, 1,
     KERNEL("sm_70", "mov.u32 %r7, 0;\n"
                     "next:\n" WRITE BAR READ_FAR
                     "add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 4; @%p1 bra next;")},
    {"tiles", 1, 64, 0,
     KERNEL("sm_70", "mov.u32 %r7, 0;\n"
                     "next:\n" WRITE BAR READ_FAR BAR
                     "add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 4; @%p1 bra next;")},
    {"more blocks than are resident", 50, 64, 0, KERNEL("sm_70", WRITE BAR READ_FAR)},
    {"a fence is no barrier", 1, 64, 1, KERNEL("sm_70", WRITE "membar.gl;\n" READ_FAR)},
    {"generic addresses", 1, 64, 1,
     KERNEL("sm_70", "cvt.u64.u32 %rd2, %r2; cvta.shared.u64 %rd2, %rd2; st.u32 [%rd2], %r1;\n"
                     "xor.b64 %rd2, %rd2, 128; ld.u32 %r6, [%rd2];")},
    {"a vector", 1, 64, 2,
     KERNEL("sm_70", "and.b32 %r5, %r1, 32; xor.b32 %r5, %r5, 32; add.u32 %r5, %r5, %r4;\n"
                     "st.shared.v2.u32 [shared+32], {%r5, %r5}; ld.shared.u32 %r6, [shared+36];")},
    {"bytes of a word", 1, 64, 0,
     KERNEL("sm_70", "add.u32 %r5, %r4, %r1; st.shared.u8 [%r5], %r1; ld.shared.u8 %r6, [%r5];")},
    {"cp.async", 1, 64, 1,
     KERNEL("sm_80", "cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.wait_all;\n" READ_FAR)},
    /* --- barriers of some warps --- */
    {"a barrier of other warps", 1, 128, 1,
     KERNEL("sm_70", WRITE "setp.ge.u32 %p1, %r1, 64; @%p1 bra apart; bar.sync 1, 64;\n"
                           "apart: xor.b32 %r5, %r2, 256; ld.shared.u32 %r6, [%r5];")},
    {"a barrier of two warps", 1, 128, 0,
     KERNEL("sm_70", WRITE "setp.ge.u32 %p1, %r1, 64; @%p1 ret; bar.sync 1, 64;\n" READ_FAR)},
    {"arrive and sync", 1, 64, 0,
     KERNEL("sm_70", "setp.ge.u32 %p1, %r1, 32; @%p1 bra reads;\n" WRITE "bar.arrive 1, 64; ret;\n"
                     "reads: bar.sync 1, 64;\n" READ_FAR)},
    {"arrive, and write again", 1, 64, 1,
     KERNEL("sm_70", "setp.ge.u32 %p1, %r1, 32; @%p1 bra reads;\n" WRITE "bar.arrive 1, 64;\n"
                     "mov.u32 %r9, 0;\n"
                     "delay: add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 2000; @%p2 bra delay;\n"
                     "st.shared.u32 [%r2], %r9; ret;\n"
                     "reads: bar.sync 1, 64;\n" READ_FAR)},
    /* --- within a warp --- */
    {"no bar.warp.sync", 1, 32, 1, KERNEL("sm_70", WRITE READ_NEAR)},
    {"lockstep", 1, 32, 0, KERNEL("sm_60", WRITE READ_NEAR)},
    {"bar.warp.sync", 1, 32, 0, KERNEL("sm_70", WRITE "bar.warp.sync -1;\n" READ_NEAR)},
    {"bar.warp.sync of other lanes", 1, 32, 1,
     KERNEL("sm_70", WRITE "mov.u32 %r7, 0x55555555; and.b32 %r8, %r1, 1; shl.b32 %r7, %r7, %r8;\n"
                           "bar.warp.sync %r7;\n" READ_NEAR)},
    {"bar.warp.sync of pairs", 1, 32, 0,
     KERNEL("sm_70", WRITE "mov.u32 %r7, 3; and.b32 %r8, %r1, 30; shl.b32 %r7, %r7, %r8;\n"
                           "bar.warp.sync %r7;\n" READ_NEAR)},
    {"by way of a third lane", 1, 32, 0,
     KERNEL("sm_70", WRITE "bar.warp.sync -1; setp.ne.u32 %p1, %r1, 1; @%p1 bra other;\n"
                           "st.shared.u32 [shared], 9; bar.warp.sync 6; ret;\n"
                           "other: setp.ne.u32 %p2, %r1, 2; @%p2 bra third;\n"
                           "bar.warp.sync 6; bar.warp.sync 12; ret;\n"
                           "third: setp.ne.u32 %p3, %r1, 3; @%p3 ret;\n"
                           "bar.warp.sync 12; ld.shared.u32 %r6, [shared];")},
    {"a shuffle is no order", 1, 32, 1,
     KERNEL("sm_70", WRITE "shfl.sync.bfly.b32 %r7, %r1, 1, 31, -1;\n" READ_NEAR)},
    {"one instruction, two values", 1, 32, 1, KERNEL("sm_70", "st.shared.u32 [shared], %r1;")},
    {"one value", 4, 64, 0, KERNEL("sm_70", "st.shared.u32 [shared], 5;")},
    {"bytes of one value, and of another", 4, 1, 1,
     KERNEL("sm_70", "shl.b32 %r5, %r3, 8; or.b32 %r5, %r5, 3; cvt.u16.u32 %h1, %r5;\n"
                     "st.global.u8 [%rd1], %h1; st.global.u16 [%rd1+8], %h1;")},
    /* --- atomic operations --- */
    {"blocks that write one word", 2, 1, 1, KERNEL("sm_60", "st.global.u32 [%rd1], %r3;")},
    {"blocks that add to one word", 8, 64, 0,
     KERNEL("sm_60", "atom.global.add.u32 %r5, [%rd1], 1; red.global.add.u32 [%rd1], 1;")},
    {"an atomic and a plain access", 2, 1, 1,
     KERNEL("sm_60", "setp.eq.u32 %p1, %r3, 0; @%p1 red.global.add.u32 [%rd1], 1;\n"
                     "@!%p1 ld.global.u32 %r5, [%rd1];")},
    {"volatile accesses", 8, 64, 0,
     KERNEL("sm_60", "st.volatile.global.u32 [%rd1], %r3; ld.volatile.global.u32 %r5, [%rd1];\n"
                     "ld.relaxed.gpu.global.u32 %r5, [%rd1];")},
    {"a histogram", 4, 64, 0,
     KERNEL("sm_70", "mov.u32 %r9, 0; st.shared.u32 [%r2], %r9;\n" BAR
                     "and.b32 %r5, %r2, 0xffffffcf; atom.shared.add.u32 %r6, [%r5], 1;\n" BAR
                     "ld.shared.u32 %r6, [%r2];")},
    {"a histogram without its first barrier", 4, 64, 1,
     KERNEL("sm_70", "mov.u32 %r9, 0; st.shared.u32 [%r2], %r9;\n"
                     "and.b32 %r5, %r1, 3; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r4;\n"
                     "atom.shared.add.u32 %r6, [%r5], 1;\n" BAR "ld.shared.u32 %r6, [%r2];")},
    {"a lock", 4, 128, 0, KERNEL("sm_70", LOCKED("membar.gl;\n"))},
    {"a lock without fences", 4, 32, 2, KERNEL("sm_70", LOCKED(""))},
    {"a flag", 2, 32, 0,
     KERNEL("sm_70", FLAG_STORE("membar.gl;\n", SET_VOLATILE) FLAG_WAIT(GET_VOLATILE, ""))},
    {"a flag without a fence", 2, 32, 1,
     KERNEL("sm_70", FLAG_STORE("", SET_VOLATILE) FLAG_WAIT(GET_VOLATILE, "membar.gl;\n"))},
    {"release and acquire", 2, 32, 0,
     KERNEL("sm_70", FLAG_STORE("", "st.release.gpu.global.u32 [%rd1+64], 1;\n")
                         FLAG_WAIT("ld.acquire.gpu.global.u32 %r5, [%rd1+64];\n", ""))},
    {"relaxed is no release", 2, 32, 1,
     KERNEL("sm_70", FLAG_STORE("", "st.relaxed.gpu.global.u32 [%rd1+64], 1;\n")
                         FLAG_WAIT("ld.acquire.gpu.global.u32 %r5, [%rd1+64];\n", ""))},
    {"the last block", 8, 64, 0, KERNEL("sm_70", LAST_BLOCK("membar.gl;\n"))},
    {"the last block without a fence", 8, 64, 1, KERNEL("sm_70", LAST_BLOCK(""))},
    /* --- mbarrier --- */
    {"mbarrier", 1, 64, 0, KERNEL("sm_80", MBARRIER(ARRIVE, WAIT))},
    {"mbarrier without waiting", 1, 64, 1, KERNEL("sm_80", MBARRIER(ARRIVE, ""))},
};

/* Launches whose blocks wait for each other. */
static const struct row cooperative_rows[] = {
    {"a grid without a barrier", 4, 64, 1, KERNEL("sm_70", GRID("", ""))},
    {"a barrier of the grid", 4, 64, 0, KERNEL("sm_70", GRID(BAR, GRID_BARRIER("membar.gl;\n")))},
    {"a barrier of the grid, but not of the block", 4, 64, 1,
     KERNEL("sm_70", GRID("", GRID_BARRIER("membar.gl;\n")))},
    {"a barrier of the grid without fences", 4, 64, 1,
     KERNEL("sm_70", GRID(BAR, GRID_BARRIER("")))},
};

static bool finds_its_races(const struct row *row, bool cooperative)
{
    struct ptx_module *module = translate(row->text);
    const uint64_t memory = device_memory(4096);
    const struct run how = {.grid = row->grid,
                            .block = row->block,
                            .cooperative = cooperative,
                            .hooked = true,
                            .parameters = &memory,
                            .bytes = sizeof memory};
    const bool ended = run(module, "k", how) == PTX_ENDED;
    const bool well = ended && race_count == row->races;

    if (!ended)
        print_error("%s: %u in line %u: %s\n", row->name, (unsigned)fault.kind, fault.line,
                    fault.text);
    else if (!well)
        print_error("%s: %zu races, not %zu\n", row->name, race_count, row->races);
    for (size_t i = 0; !well && i < race_count && i < COUNT(races); i++)
        print_error("    lines %u and %u, at 0x%llx\n", races[i].earlier.line, races[i].later.line,
                    (unsigned long long)races[i].address);
    cushim__ptx_release(module);
    forget_memory(NULL);
    return well;
}

KERNEL_TEST(each_race_is_found_and_nothing_else)
{
    size_t wrong = 0;

    for (size_t i = 0; i < COUNT(rows); i++)
        wrong += !finds_its_races(&rows[i], false);
    for (size_t i = 0; i < COUNT(cooperative_rows); i++)
        wrong += !finds_its_races(&cooperative_rows[i], true);
    assert_int_equal(wrong, 0);
}

/* Run a kernel with the hooks in one block; returns the memory of its parameter. */
static uint64_t run_hooked(const char *text, uint32_t threads, size_t bytes)
{
    struct ptx_module *module = translate(text);
    const uint64_t memory = device_memory(bytes);

    assert_int_equal(
        run(module, "k",
            (struct run){
                .block = threads, .hooked = true, .parameters = &memory, .bytes = sizeof memory}),
        PTX_ENDED);
    cushim__ptx_release(module);
    return memory;
}

KERNEL_TEST(race_says_who_did_what_where)
{
    uint64_t memory;

    run_hooked(KERNEL("sm_70", WRITE "\n" READ_FAR), 64, 4);
    assert_int_equal(race_count, 1);
    assert_int_equal(races[0].space, PTX_SHARED);
    assert_int_equal(races[0].address, 128);
    assert_int_equal(races[0].bytes, 4);
    assert_int_equal(races[0].earlier.use, PTX_READ);
    assert_int_equal(races[0].earlier.line, 9);
    assert_int_equal(races[0].earlier.thread[0], 0);
    assert_int_equal(races[0].later.use, PTX_WRITE);
    assert_int_equal(races[0].later.line, 7);
    assert_int_equal(races[0].later.thread[0], 32);
    forget_memory(NULL);
    memory =
        run_hooked(KERNEL("sm_70", "setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%rd1+8], %r1;\n"
                                   "@!%p1 red.global.add.u32 [%rd1+8], 1;"),
                   32, 64);
    assert_int_equal(race_count, 1);
    assert_int_equal(races[0].space, PTX_GLOBAL);
    assert_int_equal(races[0].address, memory + 8);
    assert_int_equal(races[0].later.use, PTX_ATOMIC);
    assert_true(races[0].later.is_strong);
    assert_false(races[0].earlier.is_strong);
}

/* A thread may get memory that another thread has freed. */
KERNEL_TEST(memory_that_was_freed_is_new)
{
    static const char text[] =
        HEAD ".extern .func (.param .b64 r) malloc(.param .b64 a);\n"
             ".extern .func free(.param .b64 a);\n"
             ".visible .entry k(.param .u64 p)\n"
             "{\n"
             "    .reg .b64 %rd<4>; .reg .b32 %r<4>;\n"
             "    mov.u32 %r1, %tid.x; mov.u64 %rd1, 64;\n"
             "    { .param .b64 a; .param .b64 r; st.param.b64 [a], %rd1;\n"
             "      call.uni (r), malloc, (a); ld.param.b64 %rd2, [r]; }\n"
             "    st.u32 [%rd2], %r1; ld.u32 %r2, [%rd2];\n"
             "    { .param .b64 a; st.param.b64 [a], %rd2; call.uni free, (a); }\n"
             "    ret;\n"
             "}\n";

    reuse_memory = true;
    run_hooked(text, 33, 4);
    reuse_memory = false;
    assert_int_equal(race_count, 0);
}

KERNEL_TEST(pairs_of_one_launch_are_limited)
{
    static const char frame[] = KERNEL("sm_70", "@");
    static char text[8192], body[4096];

    for (unsigned i = 0; i < 70; i++)
        sprintf(body + strlen(body), "st.shared.u32 [shared+%u], %%r1;\n", i * 4);
    snprintf(text, sizeof text, "%.*s%s%s", (int)strcspn(frame, "@"), frame, body,
             strchr(frame, '@') + 1);
    run_hooked(text, 32, 4);
    assert_int_equal(race_count, 64);
    assert_true(counts.unreported_races > 0);
    assert_int_equal(counts.unwatched_bytes, 0);
}

/*
 * One word in each 256 bytes: accesses beyond 16 MiB are counted as untracked, and the others are
 * compared.
 */
KERNEL_TEST(memory_beyond_the_limit_is_counted)
{
    enum { PAGES = 65536, MORE = 100 };

    run_hooked(KERNEL("sm_70", "mov.u32 %r5, 0; st.global.u32 [%rd1], %r1; mov.u64 %rd2, %rd1;\n"
                               "next: ld.global.u32 %r6, [%rd2]; add.u64 %rd2, %rd2, 256;\n"
                               "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 65636; @%p1 bra next;"),
               2, (PAGES + MORE) * 256);
    assert_int_equal(race_count, 2);
    assert_int_equal(counts.unwatched_bytes, 2 * MORE * 4);
}
