/* SPDX-License-Identifier: Apache-2.0 */
/* Branches, calls, barriers, and operations of several lanes. */

#include "fixture.h"

#define KERNEL(body)                                                 \
    HEAD ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"   \
         ".reg .b64 %rd<10>; .reg .b32 %r<30>; .reg .pred %p<10>;\n" \
         "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];\n"      \
         "mov.u32 %r1, %tid.x; mad.wide.u32 %rd3, %r1, 4, %rd1;\n" body "\n}\n"
#define STORE(register) "st.global.u32 [%rd3], " register ";\nret;\n"

static const uint32_t *words(uint64_t address)
{
    return device_bytes(address);
}

KERNEL_TEST(lanes_that_diverge_meet_again)
{
    const uint32_t *result =
        words(run_text(KERNEL("mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
                              "loop: setp.ge.u32 %p1, %r3, %r1; @%p1 bra done;\n"
                              "add.u32 %r2, %r2, %r3; add.u32 %r3, %r3, 1; bra loop;\n"
                              "done: activemask.b32 %r4; popc.b32 %r4, %r4;\n"
                              "mad.lo.u32 %r2, %r4, 1000, %r2;\n" STORE("%r2")),
                       32, NULL, 0, 128));

    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(result[i], 32000 + i * (i - (i > 0)) / 2);
}

/* Lane 0 polls a word that lane 1 writes in later code. */
KERNEL_TEST(lane_that_polls_does_not_keep_others_from_running)
{
    const uint32_t *result =
        words(run_text(KERNEL("setp.ne.u32 %p1, %r1, 0; @%p1 bra writer;\n"
                              "poll: ld.volatile.global.u32 %r2, [%rd2]; setp.eq.u32 %p2, %r2, 0;\n"
                              "@%p2 bra poll; bra out_;\n"
                              "writer: mov.u32 %r2, 5; st.volatile.global.u32 [%rd2], %r2;\n"
                              "out_: " STORE("%r2")),
                       2, "\0\0\0\0", 4, 8));

    assert_int_equal(result[0], 5);
}

static const char functions[] =
    HEAD ".func (.param .b32 r) fib(.param .b32 n)\n{\n"
         ".reg .b32 %r<9>; .reg .pred %p;\n"
         "ld.param.u32 %r1, [n]; setp.lt.u32 %p, %r1, 2; @%p bra one;\n"
         "sub.u32 %r2, %r1, 1; sub.u32 %r3, %r1, 2;\n"
         "{ .param .b32 a; .param .b32 x; st.param.b32 [a], %r2; call.uni (x), fib, (a);\n"
         "ld.param.b32 %r4, [x]; }\n"
         "{ .param .b32 a; .param .b32 x; st.param.b32 [a], %r3; call.uni (x), fib, (a);\n"
         "ld.param.b32 %r5, [x]; }\n"
         "add.u32 %r1, %r4, %r5;\none: st.param.b32 [r], %r1; ret;\n}\n"
         ".func (.param .b32 r) twice(.param .b32 n)\n{ .reg .b32 a; ld.param.u32 a, [n];\n"
         "add.u32 a, a, a; st.param.b32 [r], a; ret; }\n"
         ".func (.param .b32 r) third(.param .align 8 .b8 s[16])\n{ .reg .b32 a; ld.param.u32 a, "
         "[s+8]; st.param.b32 [r], a; ret; }\n"
         ".global .u64 pointers[2] = {fib, generic(fib)};\n"
         ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
         ".reg .b64 %rd<10>; .reg .b32 %r<9>; .reg .pred %p;\n"
         "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd3, %r1, 16, %rd1;\n"
         "{ .param .b32 a; .param .b32 x; st.param.b32 [a], %r1; call (x), fib, (a);\n"
         "ld.param.b32 %r2, [x]; }\n"
         "{ .param .b32 a; .param .b32 x; st.param.b32 [a], %r1; call (x), twice, (a);\n"
         "ld.param.b32 %r3, [x]; }\n"
         "{ .param .align 8 .b8 s[16]; .param .b32 x; st.param.v2.b32 [s+8], {%r1, %r2};\n"
         "call (x), third, (s); ld.param.b32 %r4, [x]; }\n"
         "ld.global.u64 %rd4, [pointers+8];\n"
         "{ proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
         ".param .b32 a; .param .b32 x; st.param.b32 [a], %r1; call (x), %rd4, (a), proto;\n"
         "ld.param.b32 %r5, [x]; }\n"
         "{ .param .b32 family<2>; st.param.b32 [family1], %r5; st.param.b32 [family0], 0;\n"
         "ld.param.b32 %r5, [family1]; }\n"
         "st.global.v4.u32 [%rd3], {%r2, %r3, %r4, %r5};\nret;\n}\n";

KERNEL_TEST(functions_call_each_other_and_themselves)
{
    static const uint32_t fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    const uint32_t *result = words(run_text(functions, 12, NULL, 0, 12 * 16));

    for (uint32_t i = 0; i < 12; i++) {
        assert_int_equal(result[i * 4], fib[i]);
        assert_int_equal(result[i * 4 + 1], i * 2);
        assert_int_equal(result[i * 4 + 2], i);
        assert_int_equal(result[i * 4 + 3], fib[i]);
    }
}

KERNEL_TEST(functions_call_each_other_in_turn)
{
    const uint32_t *result = words(run_text(
        HEAD ".func (.param .b32 r) odd(.param .b32 n);\n"
             ".func (.param .b32 r) even(.param .b32 n)\n{ .reg .pred p; .reg .b64 wide<9>;\n"
             ".reg .b32 m, t; ld.param.u32 m, [n]; mov.u32 t, 1; setp.eq.u32 p, m, 0; @p bra end;\n"
             "sub.u32 m, m, 1; { .param .b32 a; .param .b32 x; st.param.b32 [a], m;\n"
             "call (x), odd, (a); ld.param.u32 t, [x]; } end: st.param.b32 [r], t; ret; }\n"
             ".func (.param .b32 r) odd(.param .b32 n)\n{ .reg .pred p; .reg .b32 m, t;\n"
             "ld.param.u32 m, [n]; mov.u32 t, 0; setp.eq.u32 p, m, 0; @p bra end;\n"
             "sub.u32 m, m, 1; { .param .b32 a; .param .b32 x; st.param.b32 [a], m;\n"
             "call (x), even, (a); ld.param.u32 t, [x]; } end: st.param.b32 [r], t; ret; }\n"
             ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
             ".reg .b64 %rd<4>; .reg .b32 %r<3>;\n"
             "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd3, %r1, 4, %rd1;\n"
             "{ .param .b32 a; .param .b32 x; st.param.b32 [a], %r1; call (x), even, (a);\n"
             "ld.param.u32 %r2, [x]; }\nst.u32 [%rd3], %r2; ret; }\n",
        40, NULL, 0, 160));

    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(result[i], i % 2 == 0);
}

/* No compiler passes arguments like this. */
KERNEL_TEST(arguments_in_registers_are_refused)
{
    static const struct {
        const char *call, *reason;
    } cases[] = {
        {"call (%r1), sum, (a);", "call"},
        {"call (x), sum, (%r1);", "call"},
        {"call (x), sum, (5);", "call"},
        {"call (_), sum, (a);", "call"},
        {"call (x), twice, (a);", "parameters in registers"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ptx_module *module;
        char text[1024];

        snprintf(text, sizeof text,
                 HEAD ".func (.param .b32 r) sum(.param .b32 n) { ret; }\n"
                      ".func (.reg .b32 r) twice(.reg .b32 n) { add.u32 r, n, n; ret; }\n"
                      ".entry k() { .reg .b32 %%r<9>; .param .b32 a; .param .b32 x;\n%s ret; }\n",
                 cases[i].call);
        module = translate(text);
        assert_string_equal(module->kernels[0].refused, cases[i].reason);
        cushim__ptx_release(module);
    }
}

/* The call has a list of the functions that the pointer may refer to. */
KERNEL_TEST(pointers_may_have_a_list_of_targets)
{
    const uint32_t *result = words(run_text(
        HEAD ".func (.param .b32 r) twice(.param .b32 n)\n{ .reg .b32 x; ld.param.u32 x, [n];\n"
             "add.u32 x, x, x; st.param.b32 [r], x; ret; }\n"
             ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
             ".reg .b64 %rd<9>; .reg .b32 %r<9>; ld.param.u64 %rd1, [out];\n"
             "functions: .calltargets twice; mov.u64 %rd4, twice;\n"
             "{ .param .b32 a; .param .b32 x; st.param.b32 [a], 21;\n"
             "call (x), %rd4, (a), functions; ld.param.u32 %r1, [x]; }\n"
             "st.u32 [%rd1], %r1; ret; }\n",
        1, NULL, 0, 4));

    assert_int_equal(result[0], 42);
}

/*
 * Even lanes wait, inside a function with wide registers, for odd lanes inside another function at
 * the same call depth. The functions have different frames, which must not overlap.
 */
KERNEL_TEST(lanes_in_two_functions_keep_their_values)
{
    static const char text[] = HEAD
        ".func (.param .b64 r) wait(.param .b64 word, .param .b32 own)\n{\n"
        ".reg .b64 from, sum, x, y, z; .reg .b32 lane, w; .reg .pred p; ld.param.u64 from, [word];\n"
        "ld.param.u32 lane, [own]; cvt.u64.u32 x, lane; mul.lo.u64 y, x, x;\n"
        "mul.lo.u64 z, y, x; poll: ld.volatile.u32 w, [from]; setp.lt.u32 p, w, 16; @p bra poll;\n"
        "add.u64 sum, x, y; add.u64 sum, sum, z; st.param.b64 [r], sum; ret;\n}\n"
        ".func (.param .b32 r) give(.param .b64 word, .param .b32 own)\n{\n"
        ".reg .b64 to; .reg .b32 lane, sum, a, b, c, d; ld.param.u64 to, [word];\n"
        "ld.param.u32 lane, [own]; not.b32 a, lane; mul.lo.u32 b, a, a; mul.lo.u32 c, b, a;\n"
        "atom.add.u32 d, [to], 1; add.u32 sum, a, b; add.u32 sum, sum, c;\n"
        "st.param.b32 [r], sum; ret;\n}\n"
        ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
        ".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p;\n"
        "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; mov.u32 %r1, %tid.x;\n"
        "mad.wide.u32 %rd3, %r1, 8, %rd1; and.b32 %r2, %r1, 1; setp.eq.u32 %p, %r2, 0;\n"
        ".param .b64 a; .param .b32 b; .param .b64 x; .param .b32 y;\n"
        "st.param.b64 [a], %rd2; st.param.b32 [b], %r1;\n"
        "@!%p bra odd; call (x), wait, (a, b); ld.param.u64 %rd4, [x]; bra both;\n"
        "odd: call (y), give, (a, b); ld.param.u32 %r3, [y]; cvt.u64.u32 %rd4, %r3;\n"
        "both: st.global.u64 [%rd3], %rd4; ret;\n}\n";
    const uint64_t *result = device_bytes(run_text(text, 32, "\0\0\0\0\0\0\0\0", 8, 32 * 8));

    for (uint64_t i = 0; i < 32; i++) {
        const uint32_t a = ~(uint32_t)i;

        assert_int_equal(result[i], i % 2 ? a + a * a + a * a * a : i + i * i + i * i * i);
    }
}

/* With a full mask, the lanes of both paths wait for each other. */
KERNEL_TEST(lanes_on_two_ways_exchange_values)
{
    const uint32_t *result =
        words(run_text(KERNEL("setp.lt.u32 %p1, %r1, 16; @%p1 bra low; mov.u32 %r2, 100;\n"
                              "shfl.sync.bfly.b32 %r3, %r1, 16, 31, -1; bra out_;\n"
                              "low: mov.u32 %r2, 200; shfl.sync.bfly.b32 %r3, %r1, 16, 31, -1;\n"
                              "out_: add.u32 %r3, %r3, %r2;\n" STORE("%r3")),
                       32, NULL, 0, 128));

    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(result[i], (i ^ 16) + (i < 16 ? 200 : 100));
}

static const char grid_barrier[] =
    KERNEL("mov.u32 %r2, %nctaid.x; atom.global.add.u32 %r3, [%rd2], 1;\n"
           "wait: ld.acquire.gpu.global.u32 %r4, [%rd2]; setp.lt.u32 %p1, %r4, %r2;\n"
           "@%p1 bra wait; mov.u32 %r5, %ctaid.x; mad.wide.u32 %rd3, %r5, 4, %rd1;\n" STORE("%r4"));

/* The values that 100 blocks read at the end; each block waits for all others. */
static const uint32_t *run_grid_barrier(struct run options)
{
    struct ptx_module *module = translate(grid_barrier);
    const uint64_t pointers[2] = {device_memory(400), device_memory(8)};

    options.grid = 100;
    options.block = 1;
    options.parameters = pointers;
    options.bytes = sizeof pointers;
    assert_int_equal(run(module, "k", options), PTX_ENDED);
    cushim__ptx_release(module);
    return words(pointers[0]);
}

KERNEL_TEST(blocks_of_a_cooperative_launch_are_all_resident)
{
    assert_int_equal(run_grid_barrier((struct run){.cooperative = true})[99], 100);
    assert_int_equal(counts.blocks, 100);
}

/*
 * As on a GPU with 32 resident blocks per multiprocessor: the first blocks wait for the last one.
 */
KERNEL_TEST(blocks_that_wait_for_others_are_resident)
{
    assert_int_equal(run_grid_barrier((struct run){.multiprocessors = 4})[0], 100);
}

KERNEL_TEST(slices_do_not_change_the_result)
{
    struct ptx_module *module = translate(functions);
    uint64_t total = 0;

    for (uint64_t slice = 1; slice < 4000; slice = slice * 7 + 1) {
        const uint64_t pointers[2] = {device_memory(12 * 16), 0};

        assert_int_equal(
            run(module, "k",
                (struct run){
                    .block = 12, .slice = slice, .parameters = pointers, .bytes = sizeof pointers}),
            PTX_ENDED);
        assert_int_equal(words(pointers[0])[11 * 4], 89);
        if (total)
            assert_int_equal(counts.instructions, total);
        total = counts.instructions;
        forget_memory(NULL);
    }
    cushim__ptx_release(module);
}

KERNEL_TEST(threads_that_wait_for_ever_are_stuck)
{
    struct ptx_module *module =
        translate(KERNEL("setp.eq.u32 %p1, %r1, 0; @%p1 bra out_; bar.sync 1, 64; ret;\n"
                         "out_: bar.sync 2, 64; ret;"));
    const uint64_t pointers[2] = {device_memory(4), device_memory(4)};

    assert_int_equal(
        run(module, "k",
            (struct run){.block = 32, .parameters = pointers, .bytes = sizeof pointers}),
        PTX_STUCK);
    cushim__ptx_release(module);
}
