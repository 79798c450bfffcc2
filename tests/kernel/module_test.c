/* SPDX-License-Identifier: Apache-2.0 */
/* What modules declare, what is refused of them, and when. */
#include <string.h>

#include "fixture.h"

static void kernels_have_parameters_and_limits(void **state)
{
    struct ptx_module *module = translate(
        HEAD ".visible .entry a(.param .u8 x, .param .u64 .ptr .global .align 16 y, .param .u16 z,"
             " .param .align 16 .b8 s[24])\n.maxntid 128, 2, 1\n.minnctapersm 3\n{ ret; }\n"
             ".entry b()\n.reqntid 32\n{ .shared .b64 s[3]; .shared .b8 t; .reg .b32 r;\n"
             "mov.u32 r, s; mov.u32 r, t; ret; }\n");
    const struct ptx_kernel *a = &module->kernels[cushim__ptx_find_kernel(module, "a")];
    const struct ptx_kernel *b = &module->kernels[cushim__ptx_find_kernel(module, "b")];

    (void)state;
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

static void globals_have_values_and_addresses(void **state)
{
    static const uint32_t nested[2][3] = {{1, 0, 0}, {2, 3, 0}};
    struct ptx_module *module = translate(HEAD ".visible .global .align 16 .b8 a[5] = {1, 2, 3};\n"
                                               ".const .f32 f[2] = {0f3F800000, -2.5};\n"
                                               ".global .u32 n[2][3] = {{1}, {2, 3}};\n"
                                               ".global .u64 p[2] = {generic(a)+2, a};\n"
                                               ".global .b8 bytes[2] = {0xFF00(a), 0xFF(a)};\n"
                                               ".global .v2 .u16 v = {(1 << 4) | 3, ~0};\n");
    const struct ptx_global *globals = module->globals;
    const float values[2] = {1, -2.5f};

    (void)state;
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

static void texts_share_what_is_visible(void **state)
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

    (void)state;
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

static void errors_have_their_line_and_text(void **state)
{
    static const struct {
        const char *text, *message, *instruction;
        unsigned line;
    } cases[] = {
        {".entry k()\n{\nadd.u32 %r1, %r2, %r3;\n}\n", "'%r1' is not declared",
         "add.u32 %r1, %r2, %r3;", 6},
        {".entry k()\n{\n.reg .b32 r;\nadd.u32\n  r, r\n;\n}\n", "add has 3 operands",
         "add.u32 r, r ;", 9},
        {".entry k()\n{\nbra nowhere;\n}\n", "there is no label 'nowhere'", NULL, 6},
        {".entry k()\n{\n.reg .pred p;\nmov.u32 p, 1;\n}\n",
         "the destination has another type than the instruction", "mov.u32 p, 1;", 7},
        {".entry k()\n{ ret;\n", "'}' expected, not the end of the text", NULL, 6},
        {".entry k()\n{ mystery.b32 r }\n.entry l()\n{ ret; }\n", "';' expected, not '}'", NULL, 5},
        {"nonsense\n", "a declaration expected, not 'nonsense'", NULL, 4},
        {".entry k()\n{ }\n.entry k()\n{ }\n", "'k' is defined twice", NULL, 7},
        {".global .u32 a = 1;\n.global .u32 a = 2;\n", "'a' is defined twice", NULL, 5},
        {".global .u32 a[2] = {1, 2, 3};\n", "there are more values than the variable has elements",
         NULL, 4},
        {".extern .func f();\n.entry k()\n{ call f; ret; }\n", "'f' is not defined", NULL, 0},
        {".entry k()\n{ call f; ret; }\n", "'f' is not declared", "call f;", 5},
        {".entry k()\n{ .reg .b32 r; ld.u32 r, [r+]; }\n", "a number expected, not ']'", NULL, 5},
    };

    (void)state;
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

/* Only a kernel that contains or calls it, and only when it is launched. */
static void unknown_instructions_refuse_their_kernels_alone(void **state)
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
        {"strange", "atom.add.v2.f32", 22},
    };

    (void)state;
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

/* Whose address is taken somewhere may be called by each kernel that calls a pointer. */
static void functions_that_pointers_may_reach_count_as_called(void **state)
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

    (void)state;
    assert_null(takes->refused);
    assert_int_equal(takes->shared_bytes, 0);
    assert_non_null(calls->refused);
    assert_string_equal(calls->refused, "cp.async.bulk.tensor.1d.shared::cluster.global");
    assert_int_equal(calls->refused_line, 6);
    assert_int_equal(calls->shared_bytes, 16);
    cushim__ptx_release(module);
}

static void what_does_no_harm_is_passed_over(void **state)
{
    struct ptx_module *module =
        translate("// comment\n" HEAD "\t.file 1 \"a.cu\"\n.pragma \"nounroll\";\n"
                  ".entry k() /* here */\n{\n.loc 1 2 3\n.pragma \"nounroll\";\nnot_used: ret;\n}\n"
                  ".section .debug_str\n{\n.b8 65, 0\n}\n");

    (void)state;
    assert_int_equal(run(module, "k", (struct run){.block = 1}), PTX_ENDED);
    cushim__ptx_release(module);
}

static void opcodes_are_listed_by_name(void **state)
{
    size_t count = 0;

    (void)state;
    while (cushim__ptx_opcode(count))
        count++;
    assert_in_range(count, 300, 1000);
    assert_string_equal(cushim__ptx_opcode(0), "add.u16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(kernels_have_parameters_and_limits),
        KERNEL_TEST(globals_have_values_and_addresses),
        KERNEL_TEST(texts_share_what_is_visible),
        KERNEL_TEST(errors_have_their_line_and_text),
        KERNEL_TEST(unknown_instructions_refuse_their_kernels_alone),
        KERNEL_TEST(functions_that_pointers_may_reach_count_as_called),
        KERNEL_TEST(what_does_no_harm_is_passed_over),
        KERNEL_TEST(opcodes_are_listed_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
