/* SPDX-License-Identifier: Apache-2.0 */
/* What modules declare, what is refused, and when. */

#include "fixture.h"

KERNEL_TEST(kernels_have_parameters_and_limits)
{
    struct ptx_module *module = translate(
        HEAD ".visible .entry a(.param .u8 x, .param .u64 .ptr .global .align 16 y, .param .u16 z,"
             " .param .align 16 .b8 s[24])\n.maxntid 128, 2, 1\n.minnctapersm 3\n{ ret; }\n"
             ".entry b()\n.reqntid 32\n{ .shared .b64 s[3]; .shared .b8 t; .reg .b32 r;\n"
             "mov.u32 r, s; mov.u32 r, t; ret; }\n");
    const struct ptx_kernel *a = &module->kernels[cushim__ptx_find_kernel(module, "a")];
    const struct ptx_kernel *b = &module->kernels[cushim__ptx_find_kernel(module, "b")];

    assert_int_equal(a->parameter_count, 4);
    assert_int_equal(a->parameters[1].offset, 8);
    assert_int_equal(a->parameters[3].offset, 32);
    assert_int_equal(a->parameter_bytes, 56);
    assert_int_equal(a->max_threads, 256);
    assert_int_equal(a->min_blocks, 3);
    assert_int_equal(b->required_block[0], 32);
    assert_int_equal(b->shared_bytes, 25);
    assert_int_equal(module->version, 83);
    assert_int_equal(module->target, 90);
    assert_int_equal(cushim__ptx_find_kernel(module, "c"), SIZE_MAX);
    cushim__ptx_release(module);
}

/* The sizes and alignments that ptxas 13.0 reports for the same declarations. */
KERNEL_TEST(dynamic_shared_memory_begins_aligned)
{
    static const struct {
        const char *own, *dynamic;
        size_t bytes;
    } cases[] = {
        {".shared .b32 s;", ".extern .shared .align 16 .b8 d[];", 16},
        {".shared .b8 s[20];", ".extern .shared .align 16 .b8 d[];", 32},
        {".shared .b32 s;", ".extern .shared .align 128 .b8 d[];", 128},
        {".shared .b32 s;", ".extern .shared .align 4 .b8 d[];", 16},
        {".shared .b32 s;", ".shared .align 16 .b8 d[4];", 20},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[400];
        struct ptx_module *module;

        snprintf(text, sizeof text,
                 HEAD "%s\n%s\n.entry k()\n{ .reg .b32 r; mov.u32 r, s; mov.u32 r, d; ret; }\n",
                 cases[i].own, cases[i].dynamic);
        module = translate(text);
        assert_int_equal(module->kernels[0].shared_bytes, cases[i].bytes);
        cushim__ptx_release(module);
    }
}

KERNEL_TEST(globals_have_values_and_addresses)
{
    static const uint32_t nested[2][3] = {{1, 0, 0}, {2, 3, 0}};
    struct ptx_module *module = translate(HEAD ".visible .global .align 16 .b8 a[5] = {1, 2, 3};\n"
                                               ".const .f32 f[2] = {0f3F800000, -2.5};\n"
                                               ".global .u32 n[2][3] = {1, 0, 0, 2, 3};\n"
                                               ".global .u64 p[2] = {generic(a)+2, a};\n"
                                               ".global .b8 bytes[2] = {0xFF00(a), 0xFF(a)};\n"
                                               ".global .v2 .u16 v = {0x13, -1};\n");
    const struct ptx_global *globals = module->globals;
    const float values[2] = {1, -2.5f};

    assert_int_equal(module->global_count, 6);
    assert_int_equal(globals[0].alignment, 16);
    assert_memory_equal(globals[0].initial, "\1\2\3\0\0", 5);
    assert_true(globals[1].constant);
    assert_memory_equal(globals[1].initial, values, 8);
    assert_memory_equal(globals[2].initial, nested, sizeof nested);
    assert_int_equal(globals[3].address_count, 2);
    assert_int_equal(globals[3].addresses[0].global, 0);
    assert_int_equal(globals[3].addresses[0].value, 2);
    assert_int_equal(globals[3].addresses[1].offset, 8);
    assert_int_equal(globals[4].addresses[0].bytes, 1);
    assert_int_equal(globals[4].addresses[0].shift, 8);
    assert_memory_equal(globals[5].initial, "\x13\0\xff\xff", 4);
    cushim__ptx_release(module);
}

/* The last row may lack values, which are then zero. */
KERNEL_TEST(array_without_a_size_has_that_of_its_values)
{
    static const uint16_t rows[2][2] = {{1, 2}, {3, 0}};
    struct ptx_module *module =
        translate(HEAD ".global .u16 a[][2] = {1, 2, 3};\n.global .f32 b[] = {3, -4};\n");
    const float floats[2] = {3, -4};

    assert_int_equal(module->globals[0].bytes, sizeof rows);
    assert_memory_equal(module->globals[0].initial, rows, sizeof rows);
    assert_int_equal(module->globals[1].bytes, sizeof floats);
    assert_memory_equal(module->globals[1].initial, floats, sizeof floats);
    cushim__ptx_release(module);
}

KERNEL_TEST(texts_share_what_is_visible)
{
    static const char *const texts[] = {
        HEAD ".extern .global .u32 n; .extern .func (.param .b32 r) f(.param .b32 a);\n"
             ".entry k(.param .u64 out, .param .u64 in)\n{ .reg .b32 a, b; .reg .b64 o;\n"
             "ld.param.u64 o, [out]; ld.global.u32 a, [n];\n"
             "{ .param .b32 p; .param .b32 x; st.param.b32 [p], a; call (x), f, (p);\n"
             "ld.param.b32 b, [x]; } st.u32 [o], b; ret; }\n",
        HEAD ".visible .global .u32 n = 20; .global .u32 own = 1;\n"
             ".visible .func (.param .b32 r) f(.param .b32 a)\n{ .reg .b32 x, y;\n"
             "ld.param.b32 x, [a]; ld.global.u32 y, [own]; add.u32 x, x, y;\n"
             "st.param.b32 [r], x; ret; }\n",
        HEAD ".global .u32 own = 500;\n",
    };
    struct ptx_module *module = cushim__ptx_create(&any_target);
    const uint64_t pointers[2] = {device_memory(4), 0};
    struct ptx_error error;

    for (size_t i = 0; i < COUNT(texts); i++)
        assert_true(cushim__ptx_add(module, texts[i], strlen(texts[i]), &error));
    assert_true(cushim__ptx_link(module, &error));
    assert_int_equal(module->global_count, 3);
    assert_int_equal(
        run(module, "k", (struct run){.parameters = pointers, .bytes = sizeof pointers}),
        PTX_ENDED);
    assert_int_equal(*(uint32_t *)device_bytes(pointers[0]), 21);
    cushim__ptx_release(module);
}

KERNEL_TEST(errors_have_their_line_and_text)
{
    static const struct {
        const char *text, *message, *instruction;
        unsigned line;
    } cases[] = {
        {".entry k()\n{\nadd.u32 %r1, %r2, %r3;\n}\n", "'%r1' is not declared",
         "add.u32 %r1, %r2, %r3;", 6},
        {".entry k()\n{\n.reg .b32 r;\nactivemask.b32 r, r;\n}\n", "activemask has 1 operands",
         "activemask.b32 r, r;", 7},
        {".entry k()\n{\n.reg .b32 r;\nadd.u32\n  r, r\n;\n}\n", "add has 3 operands",
         "add.u32 r, r ;", 9},
        {".entry k()\n{\nbra nowhere;\n}\n", "there is no label 'nowhere'", NULL, 6},
        {".entry k()\n{\n.reg .pred p;\nmov.u32 p, 1;\n}\n",
         "the destination has another type than the instruction", "mov.u32 p, 1;", 7},
        {".entry k()\n{ ret;\n", "'}' expected, not the end of the text", NULL, 6},
        {".entry k()\n{ wmma.b32 r }\n.entry l()\n{ ret; }\n", "';' expected, not '}'", NULL, 5},
        {"nonsense\n", "a declaration expected, not 'nonsense'", NULL, 4},
        {".entry k()\n{ }\n.entry k()\n{ }\n", "'k' is defined twice", NULL, 7},
        {".global .u32 a = 1;\n.global .u32 a = 2;\n", "'a' is defined twice", NULL, 5},
        {".global .u32 a[2] = {1, 2, 3};\n", "there are more values than the variable has elements",
         NULL, 4},
        {".extern .func f();\n.entry k()\n{ call f; ret; }\n", "'f' is not defined", NULL, 0},
        {".entry k()\n{ call f; ret; }\n", "'f' is not declared", "call f;", 5},
        {".entry k()\n{ .reg .b32 r; ld.u32 r, [r+]; }\n", "a number expected, not ']'", NULL, 5},
        {".global .u32 a = 1 / 2;\n", "';' expected, not '/'", NULL, 4},
        {".global .u32 a[2] = {{1}, {2}};\n", "a name expected, not '{'", NULL, 4},
        {".global .u64 a = nothing;\n",
         "'nothing' is not a variable or function whose address is known", NULL, 4},
        {".global .u32 a[][0] = {1};\n", "a size expected, not '{'", NULL, 4},
        {".global .u32 a[0x20000000000];\n", "the variable is too large", NULL, 4},
        {".global .u64 a[0x8000000000];\n", "the variable is too large", NULL, 4},
        {".global .u32 a<0>;\n", "so many variables are not possible", NULL, 4},
        {".entry k(.param .b8 a[65537])\n{ }\n", "the parameters have more than 64 KiB", NULL, 4},
        {".func f(.param .b8 a[65537])\n{ }\n", "more parameters than are possible", NULL, 4},
        {".entry k()\n{ .reg .b32 r; mov.b64 r, {{{{r}}}}; }\n", "an element expected, not '{'",
         NULL, 5},
        {".func f(.param .b32 a .param .b32 b)\n{ }\n", "',' or ')' expected, not '.param'", NULL,
         4},
        {".entry k()\n.maxfoo 3\n{ ret; }\n", "a directive expected, not '.maxfoo'", NULL, 5},
        {".entry k()\n{\n.foo 3; ret; }\n", "an instruction or a directive expected, not '.foo'",
         NULL, 6},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[400] = HEAD;
        struct ptx_error error;

        error = refused(strcat(text, cases[i].text));
        assert_string_equal(error.text, cases[i].message);
        assert_int_equal(error.line, cases[i].line);
        if (cases[i].instruction)
            assert_string_equal(error.instruction, cases[i].instruction);
    }
}

/* Make a kernel with one statement, in line 9. */
static void kernel_with(char text[1024], const char *statement)
{
    snprintf(text, 1024,
             HEAD
             ".func callee() { ret; }\n.global .texref t;\n.visible .entry k()\n{\n"
             ".reg .pred p<8>; .reg .b16 h<8>; .reg .b32 r<12>; .reg .b64 d<4>; .reg .f32 f<9>;"
             " .shared .align 16 .b8 s[256];\n%s\nlabel: ret;\n}\n",
             statement);
}

KERNEL_TEST(statements_that_are_wrong_are_errors)
{
    static const struct {
        const char *statement, *message;
    } cases[] = {
        {"5;", "an instruction expected, not '5'"},
        {"@r0 ret;", "the guard is not a predicate"},
        {"twice: twice: ret;", "the label is there twice"},
        {".extern .reg .b32 q;", "'.shared' expected, not '.reg'"},
        {".local .b8 big[20000000];", "more local memory than there is"},
        {".param .b32 many<2000>;", "so many variables are not possible"},
        {".reg .b32 many<2000000>;", "so many variables are not possible"},
        {"add.u32 r0 r1, r2;", "',' or ';' expected, not 'r1'"},
        {"add.u32 5, r0, r1;", "the destination is not a register"},
        {"add.u32 r0, r1, {{r2}};", "an element expected, not '}'"},
        {"add.u32 r0, {r1, r2}, r3;", "an operand has another kind than the instruction needs"},
        {"add.u32 r0, r1, {r1,r1,r1,r1,r1,r1,r1,r1,r1};", "the vector has too many elements"},
        {"add.u32 r0, r1, r2, r3, r4, r5, r6, r7, r8, r9;",
         "the instruction has too many operands"},
        {"and.b32 r0, p0, r1;", "an operand has another type than the instruction"},
        {"not.pred p0, !_;", "a predicate expected, not ';'"},
        {"mov.u32 r0, 08;", "a number expected, not '08'"},
        {"mov.v2.u32 {r0, r1}, r2;", "an operand is no vector of 2 elements"},
        {"setp.eq.f16 p0|p1, h0, h1;", "setp of one f16 or bf16 has one result"},
        {"lop3.b32 r0, r1, r2, r3, r4;", "the table of lop3 is not a constant"},
        {".param .b32 x; call callee, (x r1);", "',' or ')' expected, not 'r1'"},
        {"brx.idx r0, nowhere;", "a list of targets expected, not 'nowhere'"},
        {"shfl.sync.idx.b32 r0, r1, 5;", "shfl has 5 operands"},
        {"ld.global.u32 r0, r1;", "an address in brackets expected"},
        {"ld.global.u32 r0, [_];", "an address expected, not ']'"},
        {"ld.global.u32 r0, [p0];", "a predicate is no address"},
        {"ld.global.v2.u32 r0, [d0];", "the destination does not have 2 elements"},
        {"st.global.v2.u32 [d0], r0;", "the source does not have 2 elements"},
        {"atom.add.u32 r0, [d0];", "atom has another number of operands"},
        {"mbarrier.init.shared.b64 r0, 1;", "an address in brackets expected"},
        {"mbarrier.init.shared.b64 [s], 1, 2, 3;", "mbarrier has 2 operands"},
        {"tex.2d.v4.f32.f32 {f0, f1, f2, f3}, [t, {f4}];",
         "there are fewer coordinates than the geometry has"},
        {"tex.2d.v4.f32.f32 {f0, f1, f2}, [t, {f4, f5}];", "tex has a vector of 4 elements"},
        {"tex.2d.v4.f32.f32 {f0, f1, f2, f3, f4}, [t, {f5, f6}];",
         "the vector has too many elements"},
        {"addd.u32 r0, r1, r2;", "'addd' is not the name of an instruction"},
        {"ADD.u32 r0, r1, r2;", "'ADD' is not the name of an instruction"},
        {"@p0 vma;", "'vma' is not the name of an instruction"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[1024];
        struct ptx_error error;

        kernel_with(text, cases[i].statement);
        error = refused(text);
        if (strcmp(error.text, cases[i].message) != 0)
            fail_msg("%s: %s", cases[i].statement, error.text);
        assert_int_equal(error.line, 9);
    }
}

/* Known instructions in unknown forms: their kernels are refused. */
KERNEL_TEST(forms_that_are_not_known_are_refused)
{
    static const char *const cases[] = {
        "atom.add.b32 r0, [d0], r1;",
        "atom.add.u32 d0, [d1], r1;",
        "atom.frob.b32 r0, [d0], r1;",
        "bar.red.sync r0, 1;",
        "barrier.cluster.arrive;",
        "bfi.b16 h0, h1, h2, 1, 2;",
        "add.cc.f32 f0, f1, f2;",
        "add.rm.u32 r0, r1, r2;",
        "add.u32 r0, r1, (1 << 4) | 3;",
        "mov.u32 r0, ~1;",
        "add.rz.f16 h0, h1, h2;",
        "mad.lo.cc.b32 r0, r1, r2, r3;",
        "brx.frob r0, r1;",
        "cp.async.ca.shared.global [r0], [d0], r1;",
        "cp.async.ca.shared.global [r0], [d0], 32;",
        "cp.async.ca.shared.global.L2::cache_hint [r0], [d0], 16;",
        "createpolicy.fractional.L2::evict_first.b64;",
        "cvt.rn.f16x2.bf16x2 r0, r1;",
        "cvt.rs.f16x2.f32 r0, f0, f1, r1;",
        "cvt.u32 r0, r1;",
        "cvta.frob.global.u64 d0, d1;",
        "cvta.global.u32 r0, r1;",
        "isspacep.frob p0, d0;",
        "ld.global.u32 r0;",
        "st.global.u32 [d0];",
        "lop3.b64 d0, d1, d2, d3, 5;",
        "lop3.or.b32 r0, r1, r2, r3, 5, p1;",
        "mbarrier.arrive.shared.b64 r0, [s];",
        "mbarrier.frob.shared.b64 [s], 1;",
        "mbarrier.init.shared.b32 [s], 1;",
        "mov.b32 {d0, d1}, r0;",
        "mov.b64 d0, {_, r1};",
        "mov.b64 {d0}, d1;",
        "cp.async.ca.shared.global [r0], [d0], 8, p1;",
        "cvt.rna.tf32.f32 r0, f0;",
        "mbarrier.arrive.expect_tx.shared.b64 d0, [s], 16;",
        "mbarrier.complete_tx.shared.b64 [s], 16;",
        "mad24.lo.u32 r0, r1, r2, r3;",
        "mov.frob r0, r1;",
        "mul24.hi.u32 r0, r1, r2;",
        "redux.sync.add.f32 f0, f1, -1;",
        "redux.sync.frob.s32 r0, r1, -1;",
        "selp.pred p0, p1, p2, p3;",
        "set.eq.u64.u32 d0, r1, r2;",
        "setp.eq.f16x2 p0, r0, r1;",
        "setp.frob.u32 p0, r0, r1;",
        "shfl.sync.idx.f32 r0, r1, 5, 31, -1;",
        "slct.f32.f32 f0, f1, f2, f3;",
        "slct.b64.s32 d0, d1, d2, r0;",
        "sust.p.2d.b32.trap [t, {r0, r1}], {r2};",
        "szext.clamp.s32 r0, r1, r2;",
        "testp.frob.f32 p0, f0;",
        "tex.2d.v4.f32.f32 {f0, f1, f2, f3};",
        "tex.2d.v4.f32.f32 {f0, f1, f2, f3}, [t, t, {f4, f5}];",
        "vadd.u32.u32.u32 r0, r1, r2;",
        "vadd2.s32.u32.s32 r0, r1, r2, r3;",
        "vadd2.u32.u32.u32.add r0, r1, r2, r3;",
        "vset4.u32.u32.eq.add r0, r1, r2, r3;",
        "clusterlaunchcontrol.try_cancel.async.shared::cta.b128 [s], [s];",
        "tcgen05.ld.sync.aligned.16x64b.x1.b32 {r0}, [r1];",
        "tensormap.replace.tile.rank.global.b1024.b32 [d0], 3;",
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const size_t length = strcspn(cases[i], " ;");
        struct ptx_module *module;
        char text[1024];

        kernel_with(text, cases[i]);
        module = translate(text);
        if (!module->kernels[0].refused)
            fail_msg("%s is executed", cases[i]);
        assert_int_equal(strlen(module->kernels[0].refused), length);
        assert_memory_equal(module->kernels[0].refused, cases[i], length);
        assert_int_equal(module->kernels[0].refused_line, 9);
        cushim__ptx_release(module);
    }
}

/* PTX that is newer than the mock's list of instructions may have others. */
KERNEL_TEST(names_of_instructions_are_checked_up_to_a_version)
{
    static const char rest[] = "\n.target sm_90\n.entry k() .new 3\n{ .also new; fabric.wait; }\n";
    char text[200];
    struct ptx_module *module;

    snprintf(text, sizeof text, ".version 9.5%s", rest);
    module = translate(text);
    assert_string_equal(module->kernels[0].refused, "fabric.wait");
    cushim__ptx_release(module);
    text[sizeof ".version 9." - 1] = '0';
    assert_string_equal(refused(text).text, "a directive expected, not '.new'");
}

/* If only the form is unknown, kernels that contain or call it fail, at their launch. */
KERNEL_TEST(unknown_instructions_refuse_their_kernels_alone)
{
    struct ptx_module *module = translate(
        HEAD ".entry good()\n{ ret; }\n"
             ".entry bad()\n{ .reg .f32 %f<9>; .reg .b32 %r<9>;\n"
             "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1}, %rd0, %rd1, 1;\n"
             "ret; }\n"
             ".func f()\n{ .reg .b64 %rd<3>;\n"
             "cp.async.bulk.tensor.1d.shared::cluster.global [%rd0], [%rd1, {%rd2}], [%rd0]; ret;"
             " }\n.entry calls()\n{ call f; ret; }\n"
             ".entry width()\n{ .reg .b128 x; ret; }\n"
             ".entry kind()\n{ .reg .f32 x; add.frob.f32 x, x, x; ret; }\n"
             ".entry byte()\n{ .reg .b32 x; vadd.u32.u32.u32 x, x.b0, x; ret; }\n"
             ".extern .entry elsewhere();\n"
             ".entry strange()\n{ .reg .f32 x; atom.add.v2.f32 {x, x}, [0], {x, x}; ret; }\n");
    static const struct {
        const char *name, *refused;
        unsigned line;
    } cases[] = {
        {"good", NULL, 0},
        {"bad", "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", 8},
        {"calls", "cp.async.bulk.tensor.1d.shared::cluster.global", 12},
        {"width", "registers of 128 bits", 16},
        {"kind", "add.frob.f32", 18},
        {"byte", "vadd.u32.u32.u32", 20},
        {"strange", "atom.add.v2.f32", 23},
        {"elsewhere", "it is only declared", 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const size_t index = cushim__ptx_find_kernel(module, cases[i].name);
        const struct ptx_kernel *kernel = &module->kernels[index];

        if (!cases[i].refused) {
            assert_null(kernel->refused);
            continue;
        }
        assert_non_null(kernel->refused);
        assert_string_equal(kernel->refused, cases[i].refused);
        assert_int_equal(kernel->refused_line, cases[i].line);
    }
    assert_int_equal(run(module, "good", (struct run){.block = 1}), PTX_ENDED);
    cushim__ptx_release(module);
}

/* A kernel that calls through a pointer may call any function whose address is taken. */
KERNEL_TEST(functions_that_pointers_may_reach_count_as_called)
{
    struct ptx_module *module = translate(
        HEAD ".func bad()\n{ .reg .b64 %rd<3>;\n"
             "cp.async.bulk.tensor.1d.shared::cluster.global [%rd0], [%rd1, {%rd2}], [%rd0]; ret;"
             " }\n.func unused() { .reg .f32 x; add.frob.f32 x, x, x; ret; }\n"
             ".func holds() { .shared .align 4 .b32 s[4]; st.shared.u32 [s+12], 5; ret; }\n"
             ".global .u64 table[1] = {bad};\n"
             ".entry takes()\n{ .reg .u64 p; mov.u64 p, holds; ret; }\n"
             ".entry calls()\n{ .reg .u64 p; mov.u64 p, holds;\n"
             "none: .callprototype _();\ncall p, none; ret; }\n");
    const struct ptx_kernel *takes = &module->kernels[cushim__ptx_find_kernel(module, "takes")];
    const struct ptx_kernel *calls = &module->kernels[cushim__ptx_find_kernel(module, "calls")];

    assert_null(takes->refused);
    assert_int_equal(takes->shared_bytes, 0);
    assert_non_null(calls->refused);
    assert_string_equal(calls->refused, "cp.async.bulk.tensor.1d.shared::cluster.global");
    assert_int_equal(calls->refused_line, 6);
    assert_int_equal(calls->shared_bytes, 16);
    cushim__ptx_release(module);
}

KERNEL_TEST(what_does_no_harm_is_passed_over)
{
    struct ptx_module *module =
        translate("// comment\n" HEAD "\t.file 1 \"a.cu\"\n.pragma \"nounroll\";\n"
                  ".entry k() /* here */\n{\n.loc 1 2 3\n.pragma \"nounroll\";\nnot_used: ret;\n}\n"
                  ".section .debug_str\n{\n.b8 65, 0\n}\n");

    assert_int_equal(run(module, "k", (struct run){.block = 1}), PTX_ENDED);
    cushim__ptx_release(module);
}

KERNEL_TEST(opcodes_are_listed_by_name)
{
    size_t count = 0;

    while (cushim__ptx_opcode(count))
        count++;
    assert_in_range(count, 300, 1000);
    assert_string_equal(cushim__ptx_opcode(0), "add.u16");
}
