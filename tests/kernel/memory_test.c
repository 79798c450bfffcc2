/* SPDX-License-Identifier: Apache-2.0 */
/* Memory spaces, atomic operations, special registers, and functions that the driver provides. */

#include "fixture.h"

#define KERNEL(body)                                                                  \
    HEAD ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"                    \
         ".reg .b64 %rd<10>; .reg .b32 %r<30>; .reg .pred %p<10>; .reg .b16 %h<9>;\n" \
         ".reg .f32 %f<9>; .reg .f64 %d<9>;\n"                                        \
         "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];\n" body "ret;\n}\n"

static const char spaces[] =
    HEAD ".const .align 4 .u32 table[4] = {10, 20, 30, 40};\n"
         ".global .align 8 .u64 where = table+4;\n"
         ".extern .shared .align 16 .b8 dynamic[];\n"
         ".visible .entry k(.param .u64 out, .param .align 8 .b8 s[16])\n{\n"
         ".reg .b64 %rd<12>; .reg .b32 %r<30>; .reg .pred %p<10>;\n"
         ".shared .align 4 .b8 fixed[20]; .local .align 8 .b8 own[64];\n"
         "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [s+12]; st.u32 [%rd1], %r1;\n"
         "ld.const.u32 %r1, [table+8]; st.u32 [%rd1+4], %r1;\n"
         "ld.global.u64 %rd2, [where]; ld.u32 %r1, [%rd2]; st.u32 [%rd1+8], %r1;\n"
         "mov.u32 %r2, dynamic; st.u32 [%rd1+12], %r2;\n"
         "cvta.shared.u64 %rd3, fixed; st.u32 [%rd3+4], 77; ld.shared.u32 %r3, [fixed+4];\n"
         "st.u32 [%rd1+16], %r3;\n"
         "st.local.u32 [own+8], 99; mov.u64 %rd4, own; cvta.local.u64 %rd4, %rd4;\n"
         "ld.u32 %r4, [%rd4+8]; st.u32 [%rd1+20], %r4;\n"
         "isspacep.shared %p1, %rd3; isspacep.local %p2, %rd4; isspacep.global %p3, %rd1;\n"
         "isspacep.global %p4, %rd3; selp.u32 %r5, 1, 0, %p1; selp.u32 %r6, 2, 0, %p2;\n"
         "selp.u32 %r7, 4, 0, %p3; selp.u32 %r8, 8, 0, %p4; add.u32 %r5, %r5, %r6;\n"
         "add.u32 %r5, %r5, %r7; add.u32 %r5, %r5, %r8; st.u32 [%rd1+24], %r5;\n"
         "cvta.to.shared.u64 %rd5, %rd3; cvt.u32.u64 %r9, %rd5; st.u32 [%rd1+28], %r9;\n"
         "mov.b64 %rd6, s; cvta.param.u64 %rd7, %rd6; ld.u32 %r10, [%rd7+12];\n"
         "st.u32 [%rd1+32], %r10; cp.async.ca.shared.global [%r2], [%rd1], 16, 8;\n"
         "cp.async.commit_group; cp.async.wait_group 0; ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, "
         "[dynamic];\n"
         "st.u32 [%rd1+36], %r2; st.u32 [%rd1+40], %r3; mov.u32 %r1, %dynamic_smem_size;\n"
         "st.u32 [%rd1+44], %r1;\nret;\n}\n";

KERNEL_TEST(spaces_are_seen_by_their_own_and_generic_addresses)
{
    static const uint32_t expected[] = {123, 30, 20, 32, 77, 99, 7, 0, 123, 30, 0, 64};
    struct ptx_module *module = translate(spaces);
    struct {
        uint64_t out;
        uint32_t s[4];
    } parameters = {device_memory(64), {0, 0, 0, 123}};

    assert_int_equal(module->kernels[0].shared_bytes, 32);
    assert_int_equal(module->kernels[0].local_bytes, 64);
    assert_int_equal(
        run(module, "k",
            (struct run){.shared = 64, .parameters = &parameters, .bytes = sizeof parameters}),
        PTX_ENDED);
    assert_memory_equal(device_bytes(parameters.out), expected, sizeof expected);
    cushim__ptx_release(module);
}

KERNEL_TEST(special_registers_describe_the_launch)
{
    static const struct {
        const char *name;
        uint64_t value;
    } cases[] = {
        {"WARP_SZ", 32},
        {"%nwarpid", 64},
        {"%smid", 2},
        {"%nsmid", 5},
        {"%gridid", 77},
        {"%total_smem_size", 80},
        {"%aggr_smem_size", 80},
        {"%dynamic_smem_size", 64},
        {"%cluster_ctarank", 0},
        {"%cluster_nctarank", 1},
        {"%is_explicit_cluster", 0},
        {"%clusterid.x", 2},
        {"%clock_hi", 0},
        {"%globaltimer_hi", TIMER >> 32},
        {"%envreg3", 0},
        {"%pm0", 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const uint64_t out = device_memory(8);
        struct ptx_module *module;
        char text[500];

        snprintf(text, sizeof text,
                 HEAD ".visible .entry k(.param .u64 out)\n{ .reg .b64 a, b; .reg .b32 r;\n"
                      ".reg .pred p; .shared .align 16 .b8 s[16]; ld.param.u64 a, [out];\n"
                      "mov.u32 r, %%ctaid.x; setp.ne.u32 p, r, 2; @p exit;\n"
                      "mov.u32 r, s; mov.u64 b, %s; st.u64 [a], b; ret; }\n",
                 cases[i].name);
        module = translate(text);
        assert_int_equal(run(module, "k",
                             (struct run){.grid = 3,
                                          .shared = 64,
                                          .multiprocessors = 5,
                                          .number = 77,
                                          .parameters = &out,
                                          .bytes = 8}),
                         PTX_ENDED);
        if (*(uint64_t *)device_bytes(out) != cases[i].value)
            fail_msg("%s is %llu", cases[i].name,
                     (unsigned long long)*(uint64_t *)device_bytes(out));
        cushim__ptx_release(module);
    }
}

KERNEL_TEST(clocks_go_forward)
{
#define CLOCK(name)                                            \
    KERNEL("mov.u64 %rd3, " name "; mov.u64 %rd4, " name ";\n" \
           "st.v2.u64 [%rd1], {%rd3, %rd4};\n")
    static const struct {
        const char *text;
        uint64_t high;
    } cases[] = {
        {CLOCK("%clock"), 0},
        {CLOCK("%clock64"), 0},
        {CLOCK("%globaltimer"), TIMER >> 32},
        {CLOCK("%globaltimer_lo"), 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const uint64_t *result = device_bytes(run_text(cases[i].text, 1, NULL, 0, 16));

        assert_true(result[1] > result[0]);
        assert_int_equal(result[0] >> 32, cases[i].high);
        forget_memory(NULL);
    }
}

/* The memory of the runtime's grid barrier, whose address is in %envreg1 and %envreg2. */
KERNEL_TEST(blocks_of_a_cooperative_launch_share_memory)
{
    struct ptx_module *module = translate(
        HEAD ".visible .entry k(.param .u64 out)\n{ .reg .b64 a, b; .reg .b32 high, low, r;\n"
             "ld.param.u64 a, [out]; mov.u32 high, %envreg1; mov.u32 low, %envreg2;\n"
             "mov.b64 b, {low, high}; atom.add.u32 r, [b+8], 1; atom.max.u32 r, [a], r; ret; }\n");
    const uint64_t out = device_memory(4);
    struct run options = {.grid = 9, .cooperative = true, .parameters = &out, .bytes = 8};

    assert_int_equal(run(module, "k", options), PTX_ENDED);
    assert_int_equal(*(uint32_t *)device_bytes(out), 8);
    options.cooperative = false;
    assert_int_equal(run(module, "k", options), PTX_FAULT);
    assert_int_equal(fault.kind, PTX_OUT_OF_BOUNDS);
    assert_int_equal(fault.address, 8);
    cushim__ptx_release(module);
}

/* Surfaces address bytes of a row, and textures texels; a coordinate may be far outside. */
KERNEL_TEST(surfaces_and_textures_are_read_and_written)
{
    static const uint32_t words[16] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};
    static const uint32_t expected[] = {14, 15, 10, 13, 1, 0};
    const uint64_t out = run_text(
        KERNEL("suld.b.2d.v2.b64.trap {%rd3, _}, [%rd2, {0, 1}];\n"
               "sust.b.2d.b64.trap [%rd2, {8, 3}], {%rd3};\n"
               "tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd2, {0fF1000000, 0f00000000}];\n"
               "tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%rd2, {0f71000000, 0f00000000}];\n"
               "txq.array_size.b32 %r4, [%rd2]; txq.normalized_coords.b32 %r5, [%rd2];\n"
               "st.u64 [%rd1], %rd3; st.v4.u32 [%rd1+16], {%r1, %r2, %r4, %r5};\n"
               "suld.b.2d.v2.b32.trap {%r6, %r7}, [%rd2, {8, 3}]; st.v2.u32 [%rd1+8], {%r6, %r7};"),
        1, words, sizeof words, 32);
    const uint32_t *result = device_bytes(out);

    assert_memory_equal(result, expected, 8);
    assert_memory_equal(result + 2, expected, 8);
    assert_memory_equal(result + 4, expected + 2, 16);
}

/* The output and result of vprintf(), whose format and values are in memory. */
static enum ptx_state print(const char *format, uint64_t values, uint32_t *returned)
{
    struct ptx_module *module = translate(
        HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
             ".visible .entry k(.param .u64 out, .param .u64 format, .param .u64 values)\n"
             "{ .reg .b64 a, b, c; .reg .b32 r; ld.param.u64 a, [out];\n"
             "ld.param.u64 b, [format]; ld.param.u64 c, [values];\n"
             "{ .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x], b;\n"
             "st.param.b64 [y], c; call (z), vprintf, (x, y); ld.param.u32 r, [z]; }\n"
             "st.u32 [a], r; ret; }\n");
    const uint64_t parameters[3] = {device_memory(4), device_memory(strlen(format) + 1), values};
    enum ptx_state state;

    strcpy(device_bytes(parameters[1]), format);
    state = run(module, "k", (struct run){.parameters = parameters, .bytes = sizeof parameters});
    *returned = *(uint32_t *)device_bytes(parameters[0]);
    cushim__ptx_release(module);
    return state;
}

KERNEL_TEST(formats_are_those_of_c)
{
    enum { TEXT = 64 };
    static const struct {
        const char *format, *printed;
        uint64_t values[3];
        uint32_t returned;
    } cases[] = {
        {"%d %i %u\n", "-1 7 42\n", {UINT32_MAX | UINT64_C(7) << 32, 42}, 3},
        {"%o %x %#X", "17 ff 0XAB", {15 | UINT64_C(255) << 32, 0xab}, 3},
        {"%lld %zu", "-2 9", {(uint64_t)-2, 9}, 2},
        {"%e %G",
         "1.500000e+00 -2",
         {UINT64_C(0x3ff8000000000000), UINT64_C(0xc000000000000000)},
         2},
        {"%*d|%.*f", "   42|1.500", {5 | UINT64_C(42) << 32, 3, UINT64_C(0x3ff8000000000000)}, 2},
        {"%p", "0x1234", {0x1234}, 1},
        {"%c%-4s|", "Ahi  |", {65, TEXT}, 2},
        {"%s|%5s|", "(null)|   hi|", {0, TEXT}, 2},
        {"%y 5%", "%y 5%", {0}, 2},
    };
    const uint64_t values = device_memory(80);
    uint32_t returned;

    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t *to = device_bytes(values);

        for (size_t j = 0; j < COUNT(cases[i].values); j++)
            to[j] = cases[i].values[j] == TEXT ? values + TEXT : cases[i].values[j];
        strcpy((char *)to + TEXT, "hi");
        printed[0] = '\0';
        assert_int_equal(print(cases[i].format, values, &returned), PTX_ENDED);
        assert_string_equal(printed, cases[i].printed);
        assert_int_equal(returned, cases[i].returned);
    }
}

KERNEL_TEST(what_is_printed_at_once_has_an_end)
{
    const uint64_t values = device_memory(40);
    uint32_t returned;

    assert_int_equal(print("%1000d%1000d%1000d%1000d%1000d", values, &returned), PTX_ENDED);
    assert_int_equal(strlen(printed), 4096);
}

KERNEL_TEST(values_that_cannot_be_read_are_faults)
{
    static const char *const formats[] = {"%d", "%*d", "%c", "%f", "%p", "%s"};
    const uint64_t values = device_memory(8);
    uint32_t returned;

    for (size_t i = 0; i < COUNT(formats); i++) {
        assert_int_equal(print(formats[i], 64, &returned), PTX_FAULT);
        assert_int_equal(fault.kind, PTX_OUT_OF_BOUNDS);
        assert_int_equal(fault.address, 64);
    }
    *(uint64_t *)device_bytes(values) = 72;
    assert_int_equal(print("%s", values, &returned), PTX_FAULT);
    assert_int_equal(fault.address, 72);
    assert_string_equal(printed, "");
}

/* A kernel that prints -7, 42 and 1.5 with a format. */
static const char *printing(const char *format)
{
    static char text[4096];
    char bytes[512] = "";

    for (size_t i = 0; format[i]; i++)
        snprintf(bytes + strlen(bytes), 8, "%d, ", format[i]);
    snprintf(text, sizeof text,
             HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                  ".global .align 1 .b8 format[100] = {%s0};\n"
                  ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
                  ".local .align 8 .b8 list[16]; .reg .b64 %%rd<9>; .reg .b32 %%r<9>;\n"
                  "mov.u64 %%rd1, list; cvta.local.u64 %%rd2, %%rd1; mov.u64 %%rd4, format;\n"
                  "mov.u32 %%r1, -7; st.local.u32 [list], %%r1; mov.u32 %%r1, 42;\n"
                  "st.local.u32 [list+4], %%r1; st.local.f64 [list+8], 0d3FF8000000000000;\n"
                  "{ .param .b64 a; .param .b64 b; .param .b32 x; st.param.b64 [a], %%rd4;\n"
                  "st.param.b64 [b], %%rd2; call.uni (x), vprintf, (a, b); }\nret;\n}\n",
             bytes);
    return text;
}

/* The host's printf() would produce gigabytes for some formats; others are printed as requested. */
KERNEL_TEST(widths_and_precisions_are_limited)
{
    enum { MOST = 1023 };
    static const struct {
        const char *format, *end; /* the end of the output, which is padded before it */
        int length;
        char fill;
    } cases[] = {
        {"%2000000000d", "-7", MOST, ' '},
        {"%99999999999999999999d", "-7", MOST, ' '},
        {"%02000000000d|", "7|", MOST + 1, '0'},
        {"%.2000000000x|", "0fffffff9|", MOST + 1, '0'},
        {"%d %u %.2000000000f", "0", MOST + 6, '0'},
        {"%d %u %2000000000.1f", "1.5", MOST + 6, ' '},
        {"%*d|", "42     |", 8, ' '},
        {"%.*d|", "42|", 3, ' '},
        {"%--++  d|", "-7|", 3, ' '},
        {"%d%%|", "-7%|", 4, ' '},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const size_t end = strlen(cases[i].end);

        printed[0] = '\0';
        run_text(printing(cases[i].format), 1, NULL, 0, 8);
        if (strlen(printed) != (size_t)cases[i].length ||
            strcmp(printed + cases[i].length - end, cases[i].end) != 0 ||
            (cases[i].length > MOST && printed[MOST / 2] != cases[i].fill))
            fail_msg("%s: %u characters are printed: %s", cases[i].format,
                     (unsigned)strlen(printed), printed);
    }
}

/* The second warp has used the memory before the first one frees it. */
KERNEL_TEST(memory_that_another_warp_has_freed_is_not_used)
{
    struct ptx_module *module = translate(
        HEAD ".extern .func (.param .b64 r) malloc(.param .b64 a);\n"
             ".extern .func free(.param .b64 a);\n"
             ".visible .entry k(.param .u64 out)\n{\n"
             ".shared .u64 made; .reg .pred %p; .reg .b64 %rd<9>; .reg .b32 %r<9>;\n"
             "mov.u32 %r1, %tid.x; setp.ne.u32 %p, %r1, 0; @%p bra made_it;\n"
             "{ .param .b64 a; .param .b64 x; st.param.b64 [a], 16; call.uni (x), malloc, (a);\n"
             "ld.param.b64 %rd1, [x]; }\nst.shared.u64 [made], %rd1;\n"
             "made_it: bar.sync 0; ld.shared.u64 %rd1, [made]; st.u32 [%rd1], 1; bar.sync 0;\n"
             "@%p bra freed_it;\n"
             "{ .param .b64 a; st.param.b64 [a], %rd1; call.uni free, (a); }\n"
             "freed_it: bar.sync 0; setp.lt.u32 %p, %r1, 32; @%p bra end;\n"
             "ld.u32 %r2, [%rd1];\nend: ret;\n}\n");
    const uint64_t out = device_memory(4);

    assert_int_equal(
        run(module, "k", (struct run){.block = 64, .parameters = &out, .bytes = sizeof out}),
        PTX_FAULT);
    assert_int_equal(fault.kind, PTX_OUT_OF_BOUNDS);
    assert_int_equal(fault.use, PTX_READ);
    cushim__ptx_release(module);
}

KERNEL_TEST(every_access_is_reported_to_the_hook)
{
    struct ptx_module *module =
        translate(KERNEL(".shared .u32 s; st.shared.u32 [s], 1; ld.shared.u32 %r1, [s];\n"
                         "ld.u32 %r2, [%rd2]; atom.add.u32 %r3, [%rd1], 1; st.u32 [%rd1+4], 7;\n"));
    const uint64_t pointers[2] = {device_memory(8), device_memory(4)};

    assert_int_equal(
        run(module, "k",
            (struct run){
                .block = 3, .hooked = true, .parameters = pointers, .bytes = sizeof pointers}),
        PTX_ENDED);
    assert_int_equal(accesses[PTX_READ], 6);
    assert_int_equal(accesses[PTX_WRITE], 6);
    assert_int_equal(accesses[PTX_ATOMIC], 3);
    assert_int_equal(counts.bytes_written, 12);
    cushim__ptx_release(module);
}
