/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of instructions that differential/ does not have: video instructions, vectors of
 * registers, and results that replace an operand.
 */
#include <stdio.h>
#include <string.h>

#include "fixture.h"

/* Loads up to three operands for one instruction; for each lane, they are adjacent in memory. */
static const char narrow[] =
    HEAD ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
         ".reg .b64 %rd<10>; .reg .b32 %r<20>; .reg .b16 %h<10>; .reg .pred %p<10>;\n"
         "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; mov.u32 %r1, %tid.x;\n"
         "mad.wide.u32 %rd3, %r1, 12, %rd2; mad.wide.u32 %rd4, %r1, 4, %rd1;\n"
         "ld.u32 %r2, [%rd3]; ld.u32 %r3, [%rd3+4]; ld.u32 %r4, [%rd3+8];\n";

struct case32 {
    const char *code;
    uint32_t a, b, c, result;
};

static void check32(const struct case32 *cases, size_t count)
{
    char text[4096];

    for (size_t i = 0; i < count; i++) {
        const uint32_t input[3] = {cases[i].a, cases[i].b, cases[i].c};
        uint32_t result;

        snprintf(text, sizeof text, "%s%s\nst.u32 [%%rd4], %%r0;\nret;\n}\n", narrow,
                 cases[i].code);
        result = *(uint32_t *)device_bytes(run_text(text, 1, input, sizeof input, 4));
        if (result != cases[i].result)
            fail_msg("%s of %#x, %#x, %#x: %#x, not %#x", cases[i].code, cases[i].a, cases[i].b,
                     cases[i].c, result, cases[i].result);
        forget_memory(NULL);
    }
}

/* p1 is true where c is 1, and p2 where it is not; the result is p1 + 2 * p2. */
#define TWO "setp.eq.u32 %p1, %r4, 1; setp.ne.u32 %p2, %r4, 1;"
#define BOTH "selp.u32 %r0, 1, 0, %p1; selp.u32 %r5, 2, 0, %p2; or.b32 %r0, %r0, %r5;"

/* Two halves at once; the guard or the third operand is also a result. */
static void predicates_of_two_halves_may_replace_their_guard(void **state)
{
    static const struct case32 cases[] = {
        {TWO "@%p1 setp.lt.f16x2 %p1|%p2, %r2, %r3;" BOTH, 0x3c004000, 0x40003c00, 1, 2},
        {TWO "@%p1 setp.gt.f16x2 %p2|%p1, %r2, %r3;" BOTH, 0x3c004000, 0x40003c00, 1, 2},
        {TWO "setp.lt.and.f16x2 %p1|%p2, %r2, %r3, %p1;" BOTH, 0x3c004000, 0x40003c00, 1, 2},
        {TWO "@%p2 setp.lt.bf16x2 %p1|%p2, %r2, %r3;" BOTH, 0x3f804000, 0x40003f80, 1, 1},
        {TWO "vote.sync.uni.pred %p2, %p1, 1;" BOTH, 0, 0, 0, 2},
    };

    (void)state;
    check32(cases, COUNT(cases));
}

#define VIDEO(name) name " %r0, %r2, %r3, %r4;"

/* Names count the words from the highest. The third operand is used only by sums and cvt.pack. */
static void several_numbers_in_a_word(void **state)
{
    static const struct case32 cases[] = {
        {VIDEO("vadd4.u32.u32.u32"), 0xff01807f, 0x0101ff01, 9, 0x00027f80},
        {VIDEO("vadd4.u32.u32.u32.sat"), 0xff01807f, 0x0101ff01, 9, 0xff02ff80},
        {VIDEO("vadd4.s32.s32.s32.sat"), 0xff01807f, 0x0101ff01, 9, 0x0002807f},
        {VIDEO("vadd2.s32.s32.s32.sat"), 0x7fff8000, 0x0001ffff, 9, 0x7fff8000},
        {VIDEO("vadd.u32.u32.u32.add"), 0xffffffff, 3, 5, 7},
        {VIDEO("vsub.u32.u32.u32.add"), 1, 3, 5, 3},
        {VIDEO("vsub2.u32.u32.u32"), 0x00010005, 0x00020003, 9, 0xffff0002},
        {VIDEO("vsub2.u32.u32.u32.sat"), 0x00010005, 0x00020003, 9, 0x00000002},
        {VIDEO("vavrg4.u32.u32.u32"), 0xff000103, 0xff010204, 9, 0xff010204},
        {VIDEO("vavrg2.s32.s32.s32"), 0xfffd0003, 0xfffe0004, 9, 0xfffd0004},
        {VIDEO("vabsdiff4.u32.u32.u32"), 0xff001005, 0x01ff0f0a, 9, 0xfeff0105},
        {VIDEO("vabsdiff4.u32.u32.u32.add"), 0xff001005, 0x01ff0f0a, 9, 9 + 0xfe + 0xff + 1 + 5},
        {VIDEO("vabsdiff4.s32.s32.s32.sat"), 0x80000000, 0x7f000000, 9, 0x7f000000},
        {VIDEO("vabsdiff4.s32.s32.s32.add"), 0x80000000, 0x7f000000, 9, 9 + 0xff},
        {VIDEO("vsub4.s32.s32.s32.sat"), 0x80007f01, 0x0100ff02, 9, 0x80007fff},
        {VIDEO("vmin4.s32.s32.s32"), 0x80017f00, 0x01020304, 9, 0x80010300},
        {VIDEO("vmax2.u32.u32.u32"), 0x80000001, 0x7fff0002, 9, 0x80000002},
        {VIDEO("vmax2.s32.s32.s32"), 0x80000001, 0x7fff0002, 9, 0x7fff0002},
        {VIDEO("vset4.u32.u32.eq"), 0x01020304, 0x01000300, 9, 0x01000100},
        {VIDEO("vset2.s32.s32.lt"), 0x80000001, 0x00000001, 9, 0x00010000},
        {VIDEO("vset2.u32.u32.ge"), 0x80000001, 0x00000001, 9, 0x00010001},
        {VIDEO("vset4.u32.u32.ne"), 0x01020304, 0x01000300, 9, 0x00010001},
        {VIDEO("vset4.u32.u32.le"), 0x01020304, 0x01030305, 9, 0x01010101},
        {VIDEO("vset4.s32.s32.gt"), 0x8002ff04, 0x01010304, 9, 0x00010000},
        {VIDEO("cvt.pack.sat.u8.s32.b32"), 300, UINT32_C(-5), 0x12345678, 0x5678ff00},
        {VIDEO("cvt.pack.sat.s8.s32.b32"), 300, UINT32_C(-500), 0x12345678, 0x56787f80},
        {"cvt.pack.sat.s16.s32 %r0, %r2, %r3;", 40000, UINT32_C(-40000), 0, 0x7fff8000},
        {"cvt.pack.sat.u16.s32 %r0, %r2, %r3;", 70000, UINT32_C(-1), 0, 0xffff0000},
    };

    (void)state;
    check32(cases, COUNT(cases));
}

static void carry_is_added_at_the_end(void **state)
{
    static const struct case32 cases[] = {
        {"mad.lo.cc.u32 %r2, %r2, %r3, %r4; madc.hi.u32 %r0, 0, 0, 6;", 0x80000000, 1, 0x80000000,
         7},
    };

    (void)state;
    check32(cases, COUNT(cases));
}

static void vectors_are_packed_and_unpacked(void **state)
{
    static const struct case32 cases[] = {
        {"mov.b32 {%h5, %h6}, %r2; mov.b32 %r0, {%h6, %h5};", 0x12345678, 0, 0, 0x56781234},
        {"{.reg .b8 a, b, c, d; cvt.u8.u32 a, %r2; cvt.u8.u32 b, %r3; mov.b32 %r0, {a, b, b, a};}",
         0x11, 0x22, 0, 0x11222211},
        {"{.reg .v2 .u32 v; mov.v2.u32 v, {%r3, %r2}; shl.b32 v.x, v.x, 8; or.b32 %r0, v.x, v.y;}",
         1, 2, 0, 0x201},
        {"mov.v2.u32 {%r3, %r2}, {%r2, %r3}; sub.u32 %r0, %r2, %r3;", 1, 3, 0, 2},
        {"{.reg .v2 .u32 v; mov.b64 %rd5, {%r2, %r3}; mov.b64 {v.x, v.y}, %rd5; mov.u32 %r0, v.y;}",
         1, 2, 0, 2},
    };

    (void)state;
    check32(cases, COUNT(cases));
}

static uint32_t permuted(uint32_t low, uint32_t high, uint32_t selector)
{
    uint32_t result = 0;

    for (unsigned i = 0; i < 4; i++) {
        const uint32_t select = selector >> 4 * i & 15;
        const uint32_t byte = (select & 4 ? high : low) >> 8 * (select & 3) & 0xff;

        result |= (select & 8 ? byte >> 7 ? 0xff : 0 : byte) << 8 * i;
    }
    return result;
}

/* All lanes have the same selector or distance; the result may replace an operand. */
static void all_lanes_share_a_selector_or_a_distance(void **state)
{
    uint32_t input[96];
    const uint32_t *result;

    (void)state;
    for (unsigned i = 0; i < COUNT(input); i++)
        input[i] = (i + 1) * 0x9e3779b1;
    result = device_bytes(
        run_text(strcat(strcpy((char[2048]){0}, narrow),
                        "mad.wide.u32 %rd4, %r1, 24, %rd1;\n"
                        "prmt.b32 %r5, %r2, %r3, 0x2103; st.u32 [%rd4], %r5;\n"
                        "prmt.b32 %r5, %r2, %r3, 0x8fd6; st.u32 [%rd4+4], %r5;\n"
                        "shf.l.wrap.b32 %r5, %r2, %r3, 7; st.u32 [%rd4+8], %r5;\n"
                        "shf.r.wrap.b32 %r5, %r2, %r3, 39; st.u32 [%rd4+12], %r5;\n"
                        "shf.l.wrap.b32 %r5, %r2, %r3, 32; st.u32 [%rd4+16], %r5;\n"
                        "prmt.b32 %r2, %r3, %r2, 0x7041; st.u32 [%rd4+20], %r2;\nret;\n}\n"),
                 32, input, sizeof input, 32 * 24));
    for (unsigned i = 0; i < 32; i++, result += 6) {
        const uint32_t a = input[3 * i], b = input[3 * i + 1];

        assert_int_equal(result[0], permuted(a, b, 0x2103));
        assert_int_equal(result[1], permuted(a, b, 0x8fd6));
        assert_int_equal(result[2], b << 7 | a >> 25);
        assert_int_equal(result[3], b << 25 | a >> 7);
        assert_int_equal(result[4], b);
        assert_int_equal(result[5], permuted(b, a, 0x7041));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(predicates_of_two_halves_may_replace_their_guard),
        KERNEL_TEST(all_lanes_share_a_selector_or_a_distance),
        KERNEL_TEST(several_numbers_in_a_word),
        KERNEL_TEST(carry_is_added_at_the_end),
        KERNEL_TEST(vectors_are_packed_and_unpacked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
