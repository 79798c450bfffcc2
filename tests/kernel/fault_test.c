/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of kernels, each with its place. No access leaves the allocations of the fixture. */

#include "fixture.h"

/* The fault is in line 8 of the text, in one thread of the second block. */
#define KERNEL(body)                                                                             \
    HEAD ".visible .entry k(.param .u64 out)\n{\n"                                               \
         ".reg .b64 %rd<10>; .reg .b32 %r<30>; .reg .pred %p<10>; .shared .align 8 .b8 s[64];\n" \
         ".local .align 8 .b8 own[16]; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; "          \
         "mov.u32 %r2, %ctaid.x; "                                                               \
         "setp.ne.u32 %p1, %r1, 5; @%p1 exit; setp.ne.u32 %p1, %r2, 1; @%p1 exit;\n" body        \
         "\nret;\n}\n"

static void kernel_faults(const char *text, enum ptx_fault_kind kind, unsigned line)
{
    struct ptx_module *module = translate(text);
    const uint64_t out = device_memory(64);

    assert_int_equal(
        run(module, "k", (struct run){.grid = 2, .block = 40, .parameters = &out, .bytes = 8}),
        PTX_FAULT);
    assert_int_equal(fault.kind, kind);
    assert_int_equal(fault.line, line);
    assert_string_equal(fault.kernel, "k");
    assert_int_equal(fault.block[0], 1);
    assert_int_equal(fault.thread[0], 5);
    cushim__ptx_release(module);
}

KERNEL_TEST(addresses_outside_of_allocations)
{
    kernel_faults(KERNEL("ld.global.u32 %r3, [%rd1+64];"), PTX_OUT_OF_BOUNDS, 8);
    assert_int_equal(fault.address, UINT64_C(0x700000000040));
    assert_int_equal(fault.use, PTX_READ);
    assert_int_equal(fault.bytes, 4);
    kernel_faults(KERNEL("st.global.v2.u32 [%rd1-8], {%r1, %r1};"), PTX_OUT_OF_BOUNDS, 8);
    assert_int_equal(fault.use, PTX_WRITE);
    kernel_faults(KERNEL("mov.u64 %rd2, 0;\nld.u8 %r3, [%rd2];"), PTX_OUT_OF_BOUNDS, 9);
    kernel_faults(KERNEL("ld.shared.u32 %r3, [s+64];"), PTX_OUT_OF_BOUNDS, 8);
    kernel_faults(KERNEL("st.shared.u32 [s-4], %r3;"), PTX_OUT_OF_BOUNDS, 8);
    kernel_faults(KERNEL("st.local.u32 [own+4096], %r3;"), PTX_OUT_OF_BOUNDS, 8);
    kernel_faults(KERNEL("mov.u64 %rd2, own; add.u64 %rd2, %rd2, 0xfffffff0;\n"
                         "ld.local.u64 %rd3, [%rd2];"),
                  PTX_OUT_OF_BOUNDS, 9);
    kernel_faults(KERNEL("mov.u64 %rd2, -4; ld.global.u32 %r3, [%rd2];"), PTX_OUT_OF_BOUNDS, 8);
    kernel_faults(KERNEL("mov.u32 %r3, s; cp.async.ca.shared.global [%r3+60], [%rd1], 4;\n"
                         "cp.async.ca.shared.global [%r3], [%rd1+56], 16;"),
                  PTX_MISALIGNED, 9);
    kernel_faults(KERNEL("cp.async.ca.shared.global [s+64], [%rd1], 4;"), PTX_OUT_OF_BOUNDS, 8);
    kernel_faults(KERNEL("mbarrier.init.shared.b64 [s+64], 1;"), PTX_OUT_OF_BOUNDS, 8);
    kernel_faults(KERNEL("atom.add.u32 %r3, [%rd1+64], 1;"), PTX_OUT_OF_BOUNDS, 8);
    kernel_faults(KERNEL("ld.global.u32 %r3, [16];"), PTX_OUT_OF_BOUNDS, 8);
    assert_int_equal(fault.address, 16);
    kernel_faults(KERNEL("ld.global.u32 %r3, [0x500000000];"), PTX_OUT_OF_BOUNDS, 8);
    assert_int_equal(fault.address, UINT64_C(0x500000000));
}

KERNEL_TEST(allocation_that_is_too_small_for_the_last_number)
{
    struct ptx_module *module =
        translate(HEAD ".entry k(.param .u64 p)\n{ .reg .b64 a, b; ld.param.u64 a, [p];"
                       " ld.u64 b, [a+8]; ret; }\n");
    const uint64_t out = device_memory(12);

    assert_int_equal(run(module, "k", (struct run){.parameters = &out, .bytes = 8}), PTX_FAULT);
    assert_int_equal(fault.kind, PTX_OUT_OF_BOUNDS);
    cushim__ptx_release(module);
}

/* All lanes access memory at once; the last ones are outside. */
KERNEL_TEST(addresses_of_whole_warps)
{
    static const struct {
        const char *code;
        unsigned thread;
    } cases[] = {
        {"mad.wide.u32 %rd2, %r1, 4, %rd1; st.u32 [%rd2], %r1;", 16},
        {"mul.lo.u32 %r2, %r1, 4; st.shared.u32 [%r2], %r1;", 8},
        {"sub.u32 %r2, 28, %r1; mad.wide.s32 %rd2, %r2, 2, %rd1; ld.u16 %r3, [%rd2];", 29},
        {"mad.wide.u32 %rd2, %r1, 1, %rd1; ld.u16 %r3, [%rd2];", 1},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[600] = HEAD ".entry k(.param .u64 out)\n{ .reg .b64 %rd<9>; .reg .b32 %r<9>;\n"
                              ".shared .align 8 .b8 s[32]; mov.u32 %r2, s;\n"
                              "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n";
        const uint64_t out = device_memory(64);
        struct ptx_module *module = translate(strcat(strcat(text, cases[i].code), "\nret; }\n"));

        assert_int_equal(
            run(module, "k", (struct run){.block = 32, .parameters = &out, .bytes = 8}), PTX_FAULT);
        assert_int_equal(fault.kind, i == 3 ? PTX_MISALIGNED : PTX_OUT_OF_BOUNDS);
        assert_int_equal(fault.thread[0], cases[i].thread);
        cushim__ptx_release(module);
    }
}

KERNEL_TEST(addresses_that_are_not_aligned)
{
    kernel_faults(KERNEL("ld.global.u32 %r3, [%rd1+2];"), PTX_MISALIGNED, 8);
    kernel_faults(KERNEL("ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd1+8];"), PTX_MISALIGNED, 8);
    kernel_faults(KERNEL("st.shared.u64 [s+4], %rd1;"), PTX_MISALIGNED, 8);
}

KERNEL_TEST(spaces_that_cannot_be_written_so)
{
    kernel_faults(KERNEL("mov.u64 %rd2, own; cvta.local.u64 %rd2, %rd2;"
                         " atom.add.u32 %r3, [%rd2], 1;"),
                  PTX_WRONG_SPACE, 8);
    kernel_faults(KERNEL("mov.b64 %rd2, out; cvta.param.u64 %rd2, %rd2; st.u32 [%rd2], %r3;"),
                  PTX_WRONG_SPACE, 8);
}

KERNEL_TEST(textures_and_surfaces_that_are_none)
{
    kernel_faults(KERNEL("sust.b.2d.b32.trap [5, {0, 0}], {%r3};"), PTX_TRAP, 8);
    assert_string_equal(fault.text, "0x5 is no surface, or nothing is bound to it");
    kernel_faults(KERNEL("suld.b.2d.b32.trap {%r3}, [%rd1, {16, 2}];"), PTX_TRAP, 8);
    assert_string_equal(fault.text, "a surface is used outside, at byte 16 of row 2 of layer 0");
    kernel_faults(KERNEL("add.u64 %rd1, %rd1, 64;\n"
                         "tex.2d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%rd1, {1, 0}];"),
                  PTX_OUT_OF_BOUNDS, 9);
    assert_int_equal(fault.address & 0xffffff, 0x44);
    kernel_faults(
        KERNEL("add.u64 %rd1, %rd1, 64;\n"
               "tld4.r.2d.v4.u32.f32 {%r3, %r4, %r5, %r6}, [%rd1, {0f3F800000, 0f3F800000}];"),
        PTX_OUT_OF_BOUNDS, 9);
}

KERNEL_TEST(traps)
{
    kernel_faults(KERNEL("trap;"), PTX_TRAP, 8);
    kernel_faults(KERNEL("brkpt;"), PTX_TRAP, 8);
    kernel_faults(KERNEL("bar.sync 17;"), PTX_ILLEGAL_INSTRUCTION, 8);
    kernel_faults(KERNEL("call %rd1, ();"), PTX_INVALID_PC, 8);
    kernel_faults(KERNEL("mov.u32 %r3, 2; t: .branchtargets a, a;\n brx.idx %r3, t; a:"),
                  PTX_INVALID_PC, 9);
}

/* With local memory in the frames, and with registers only. */
KERNEL_TEST(endless_recursion_ends)
{
    static const char *const texts[] = {
        HEAD ".func f()\n{ .local .b8 a[4096]; .reg .b32 r; st.local.u32 [a], 1;\n"
             "call f; ld.local.u32 r, [a]; ret; }\n.entry k()\n{ call f; ret; }\n",
        HEAD ".func f()\n{ call f; ret; }\n.entry k()\n{ call f; ret; }\n",
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct ptx_module *module = translate(texts[i]);

        assert_int_equal(run(module, "k", (struct run){.block = 1}), PTX_FAULT);
        assert_int_equal(fault.kind, PTX_TRAP);
        CONTAINS(fault.text, "stack");
        cushim__ptx_release(module);
    }
}

KERNEL_TEST(assertion_says_what_a_gpu_prints)
{
    kernel_faults(
        HEAD
        ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d,"
        " .param .b64 e);\n"
        ".global .b8 text[8] = {120, 32, 62, 32, 48, 0}; .global .b8 file[4] = {97, 46, 99, 0};\n"
        ".global .b8 where[3] = {102, 40, 0};\n"
        ".entry k(.param .u64 out)\n{ .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p1;\n"
        "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 ret; mov.u32 %r1, %tid.x;\n"
        "setp.ne.u32 %p1, %r1, 5; @%p1 ret; mov.u64 %rd1, text; mov.u64 %rd2, file;\n"
        "{ .param .b64 a, b, d, e; .param .b32 c; mov.u64 %rd3, where; st.param.u64 [a], %rd1;\n"
        "st.param.u64 [b], %rd2; st.param.u64 [d], %rd3; st.param.u64 [e], 1; st.param.u32 [c], 7;\n"
        "call __assertfail, (a, b, c, d, e); }\nret; }\n",
        PTX_ASSERTION, 13);
    assert_string_equal(fault.text,
                        "a.c:7: f(: block: [1,0,0], thread: [5,0,0] Assertion `x > 0` failed.");
}

KERNEL_TEST(state_after_a_fault_remains)
{
    struct ptx_module *module = translate(HEAD ".entry k()\n{ trap; }\n");
    const struct ptx_shape shape = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    struct ptx_launch *launch =
        cushim__ptx_launch_create(module, 0, &shape, "", 0, NULL, &callbacks, NULL);

    cushim__ptx_release(module); /* the launch keeps a reference */
    assert_int_equal(cushim__ptx_run(launch, 100), PTX_FAULT);
    assert_int_equal(cushim__ptx_run(launch, 100), PTX_FAULT);
    assert_int_equal(cushim__ptx_fault(launch)->kind, PTX_TRAP);
    cushim__ptx_launch_destroy(launch);
}
