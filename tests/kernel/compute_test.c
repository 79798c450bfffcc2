/* SPDX-License-Identifier: Apache-2.0 */
/* The results of instructions, by groups of opcodes; each lane has its own operands. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"

/*
 * Loads up to three operands of 4 or 8 bytes for one instruction; for each lane, a, b and c are
 * adjacent in memory.
 */
#define PROLOGUE                                                                      \
    HEAD ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"                    \
         ".reg .b64 %rd<10>; .reg .b32 %r<20>; .reg .f32 %f<10>; .reg .f64 %d<10>;\n" \
         ".reg .b16 %h<10>; .reg .pred %p<10>;\n"                                     \
         "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];\n"                       \
         "mov.u32 %r1, %tid.x;\n"

static const char narrow[] =
    PROLOGUE "mad.wide.u32 %rd3, %r1, 12, %rd2; mad.wide.u32 %rd4, %r1, 4, %rd1;\n"
             "ld.u32 %r2, [%rd3]; ld.u32 %r3, [%rd3+4]; ld.u32 %r4, [%rd3+8];\n"
             "mov.b32 %f2, %r2; mov.b32 %f3, %r3; mov.b32 %f4, %r4;\n"
             "cvt.u16.u32 %h2, %r2; cvt.u16.u32 %h3, %r3; cvt.u16.u32 %h4, %r4;\n";
static const char wide[] =
    PROLOGUE "mad.wide.u32 %rd3, %r1, 24, %rd2; mad.wide.u32 %rd4, %r1, 8, %rd1;\n"
             "ld.u64 %rd5, [%rd3]; ld.u64 %rd6, [%rd3+8]; ld.u64 %rd7, [%rd3+16];\n"
             "mov.b64 %d5, %rd5; mov.b64 %d6, %rd6; mov.b64 %d7, %rd7;\n"
             "cvt.u32.u64 %r6, %rd6; cvt.u32.u64 %r7, %rd7;\n";

struct case32 {
    const char *code;
    uint32_t a, b, c, result;
};

struct case64 {
    const char *code;
    uint64_t a, b, c, result;
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

static void check64(const struct case64 *cases, size_t count)
{
    char text[4096];

    for (size_t i = 0; i < count; i++) {
        const uint64_t input[3] = {cases[i].a, cases[i].b, cases[i].c};
        uint64_t result;

        snprintf(text, sizeof text, "%s%s\nst.u64 [%%rd4], %%rd0;\nret;\n}\n", wide, cases[i].code);
        result = *(uint64_t *)device_bytes(run_text(text, 1, input, sizeof input, 8));
        if (result != cases[i].result)
            fail_msg("%s of %#llx, %#llx, %#llx: %#llx, not %#llx", cases[i].code,
                     (unsigned long long)cases[i].a, (unsigned long long)cases[i].b,
                     (unsigned long long)cases[i].c, (unsigned long long)result,
                     (unsigned long long)cases[i].result);
        forget_memory(NULL);
    }
}

static void integers_of_32_bits(void **state)
{
    static const struct case32 cases[] = {
        {"add.u32 %r0, %r2, %r3;", 0xffffffff, 2, 0, 1},
        {"sub.s32 %r0, %r2, %r3;", 1, 2, 0, 0xffffffff},
        {"mul.lo.s32 %r0, %r2, %r3;", 0xffffffff, 7, 0, 0xfffffff9},
        {"mul.hi.u32 %r0, %r2, %r3;", 0xffffffff, 0xffffffff, 0, 0xfffffffe},
        {"mul.hi.s32 %r0, %r2, %r3;", 0xffffffff, 5, 0, 0xffffffff},
        {"mad.lo.u32 %r0, %r2, %r3, %r4;", 3, 4, 5, 17},
        {"mad.hi.s32 %r0, %r2, %r3, %r4;", 0x80000000, 2, 5, 4},
        {"mad.hi.sat.s32 %r0, %r2, %r3, %r4;", 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff},
        {"mul24.lo.s32 %r0, %r2, %r3;", 0xffffff, 3, 0, 0xfffffffd},
        {"sad.s32 %r0, %r2, %r3, %r4;", 0x80000000, 0x7fffffff, 1, 0},
        {"sad.u32 %r0, %r2, %r3, %r4;", 2, 9, 1, 8},
        {"div.u32 %r0, %r2, %r3;", 7, 2, 0, 3},
        {"div.s32 %r0, %r2, %r3;", 0xfffffff9, 2, 0, 0xfffffffd},
        {"div.s32 %r0, %r2, %r3;", 0x80000000, 0xffffffff, 0, 0x80000000},
        {"rem.s32 %r0, %r2, %r3;", 0xfffffff9, 2, 0, 0xffffffff},
        {"rem.u32 %r0, %r2, %r3;", 7, 4, 0, 3},
        {"abs.s32 %r0, %r2;", 0xfffffff9, 0, 0, 7},
        {"neg.s32 %r0, %r2;", 7, 0, 0, 0xfffffff9},
        {"min.s32 %r0, %r2, %r3;", 0xffffffff, 1, 0, 0xffffffff},
        {"min.u32 %r0, %r2, %r3;", 0xffffffff, 1, 0, 1},
        {"max.s32 %r0, %r2, %r3;", 0xffffffff, 1, 0, 1},
        {"max.relu.s32 %r0, %r2, %r3;", 0xffffffff, 0x80000000, 0, 0},
        {"min.u16x2 %r0, %r2, %r3;", 0x00010009, 0x00020003, 0, 0x00010003},
        {"add.sat.s32 %r0, %r2, %r3;", 0x7fffffff, 1, 0, 0x7fffffff},
        {"sub.sat.s32 %r0, %r2, %r3;", 0x80000000, 1, 0, 0x80000000},
        {"dp4a.s32.s32 %r0, %r2, %r3, %r4;", 0xff020304, 0x01010101, 10, 18},
        {"dp4a.u32.u32 %r0, %r2, %r3, %r4;", 0xff020304, 0x01010101, 10, 274},
        {"dp2a.lo.s32.u32 %r0, %r2, %r3, %r4;", 0xffff0002, 0x04030201, 100, 100},
        {"dp2a.hi.s32.u32 %r0, %r2, %r3, %r4;", 0xffff0002, 0x04030201, 100, 102},
    };

    (void)state;
    check32(cases, COUNT(cases));
}

static void integers_of_64_and_16_bits(void **state)
{
    static const struct case64 longs[] = {
        {"add.s64 %rd0, %rd5, %rd6;", UINT64_MAX, 2, 0, 1},
        {"mul.lo.u64 %rd0, %rd5, %rd6;", UINT64_C(0x100000001), UINT64_C(0x100000001), 0,
         UINT64_C(0x200000001)},
        {"mul.hi.u64 %rd0, %rd5, %rd6;", UINT64_MAX, UINT64_MAX, 0, UINT64_MAX - 1},
        {"mul.hi.s64 %rd0, %rd5, %rd6;", UINT64_MAX, 3, 0, UINT64_MAX},
        {"mad.lo.s64 %rd0, %rd5, %rd6, %rd7;", 3, 4, 5, 17},
        {"div.s64 %rd0, %rd5, %rd6;", UINT64_C(0) - 9, 2, 0, UINT64_C(0) - 4},
        {"rem.u64 %rd0, %rd5, %rd6;", 9, 4, 0, 1},
        {"min.s64 %rd0, %rd5, %rd6;", UINT64_MAX, 4, 0, UINT64_MAX},
        {"max.u64 %rd0, %rd5, %rd6;", UINT64_MAX, 4, 0, UINT64_MAX},
        {"abs.s64 %rd0, %rd5;", UINT64_MAX, 0, 0, 1},
        {"mul.wide.s32 %rd0, %r6, %r7;", 0, 0xffffffff, 5, UINT64_C(0) - 5},
        {"mul.wide.u32 %rd0, %r6, %r7;", 0, 0xffffffff, 5, UINT64_C(0x4fffffffb)},
        {"mad.wide.s32 %rd0, %r6, %r7, %rd5;", 7, 0xffffffff, 5, 2},
    };
    static const struct case32 vectors[] = {
        {"{.reg .v2 .u32 v; mov.v2.u32 v, {%r3, %r2}; shl.b32 v.x, v.x, 8; or.b32 %r0, v.x, v.y;}",
         1, 2, 0, 0x201},
        {"mov.v2.u32 {%r3, %r2}, {%r2, %r3}; sub.u32 %r0, %r2, %r3;", 1, 3, 0, 2},
    };
    static const struct case32 shorts[] = {
        {"add.u16 %h0, %h2, %h3; cvt.u32.u16 %r0, %h0;", 0xffff, 2, 0, 1},
        {"sub.s16 %h0, %h2, %h3; cvt.s32.s16 %r0, %h0;", 1, 2, 0, 0xffffffff},
        {"mul.lo.u16 %h0, %h2, %h3; cvt.u32.u16 %r0, %h0;", 0xffff, 0xffff, 0, 1},
        {"mul.hi.s16 %h0, %h2, %h3; cvt.u32.u16 %r0, %h0;", 0xffff, 3, 0, 0xffff},
        {"mul.wide.u16 %r0, %h2, %h3;", 0xffff, 0xffff, 0, 0xfffe0001},
        {"mul.wide.s16 %r0, %h2, %h3;", 0xffff, 0x7fff, 0, 0xffff8001},
        {"div.s16 %h0, %h2, %h3; cvt.s32.s16 %r0, %h0;", 0xfff9, 2, 0, 0xfffffffd},
        {"min.s16 %h0, %h2, %h3; cvt.u32.u16 %r0, %h0;", 0x8000, 2, 0, 0x8000},
        {"neg.s16 %h0, %h2; cvt.u32.u16 %r0, %h0;", 1, 0, 0, 0xffff},
        {"shl.b16 %h0, %h2, %r3; cvt.u32.u16 %r0, %h0;", 0xffff, 8, 0, 0xff00},
        {"shr.s16 %h0, %h2, %r3; cvt.u32.u16 %r0, %h0;", 0x8000, 20, 0, 0xffff},
        {"mad.wide.u16 %r0, %h2, %h3, %r4;", 0xffff, 0xffff, 0xffffffff, 0xfffe0000},
    };

    (void)state;
    check64(longs, COUNT(longs));
    check32(shorts, COUNT(shorts));
    check32(vectors, COUNT(vectors));
}

static void carries_are_passed_on(void **state)
{
    static const struct case64 cases[] = {
        {"{.reg .b32 a, b, c, d; mov.b64 {a, b}, %rd5; mov.b64 {c, d}, %rd6;"
         "add.cc.u32 a, a, c; addc.u32 b, b, d; mov.b64 %rd0, {a, b};}",
         UINT64_C(0x1ffffffff), 1, 0, UINT64_C(0x200000000)},
        {"{.reg .b32 a, b, c, d; mov.b64 {a, b}, %rd5; mov.b64 {c, d}, %rd6;"
         "sub.cc.u32 a, a, c; subc.u32 b, b, d; mov.b64 %rd0, {a, b};}",
         UINT64_C(0x100000000), 1, 0, UINT64_C(0xffffffff)},
        {"{.reg .b32 a, b; mov.b64 {a, b}, %rd5;"
         "mad.lo.cc.u32 a, a, %r6, %r7; madc.hi.u32 b, b, 0, 0; mov.b64 %rd0, {a, b};}",
         0x80000000, 1, 0x80000000, UINT64_C(0x100000000)},
        {"add.cc.u64 %rd5, %rd5, %rd6; addc.cc.u64 %rd0, %rd7, 0; addc.u64 %rd0, %rd0, 0;",
         UINT64_MAX, 1, UINT64_MAX, 1},
    };

    (void)state;
    check64(cases, COUNT(cases));
}

static void bits(void **state)
{
    static const struct case32 cases[] = {
        {"and.b32 %r0, %r2, %r3;", 0xff0f, 0x0ff0, 0, 0x0f00},
        {"or.b32 %r0, %r2, %r3;", 0xff00, 0x00f0, 0, 0xfff0},
        {"xor.b32 %r0, %r2, %r3;", 0xff00, 0x0ff0, 0, 0xf0f0},
        {"not.b32 %r0, %r2;", 0xff00ff00, 0, 0, 0x00ff00ff},
        {"cnot.b32 %r0, %r2;", 0, 0, 0, 1},
        {"shl.b32 %r0, %r2, %r3;", 1, 31, 0, 0x80000000},
        {"shl.b32 %r0, %r2, %r3;", 1, 32, 0, 0},
        {"shr.u32 %r0, %r2, %r3;", 0x80000000, 31, 0, 1},
        {"shr.s32 %r0, %r2, %r3;", 0x80000000, 99, 0, 0xffffffff},
        {"shf.l.wrap.b32 %r0, %r2, %r3, %r4;", 0x80000000, 0x7, 33, 0xf},
        {"shf.r.clamp.b32 %r0, %r2, %r3, %r4;", 0x80000000, 0x7, 40, 0x7},
        {"shf.r.wrap.b32 %r0, %r2, %r3, %r4;", 0x80000000, 0x7, 4, 0x78000000},
        {"popc.b32 %r0, %r2;", 0xf0f0f0f1, 0, 0, 17},
        {"clz.b32 %r0, %r2;", 0x00ffffff, 0, 0, 8},
        {"clz.b32 %r0, %r2;", 0, 0, 0, 32},
        {"bfind.u32 %r0, %r2;", 0x00800000, 0, 0, 23},
        {"bfind.s32 %r0, %r2;", 0xfffffff0, 0, 0, 3},
        {"bfind.shiftamt.u32 %r0, %r2;", 0x00800000, 0, 0, 8},
        {"bfind.u32 %r0, %r2;", 0, 0, 0, 0xffffffff},
        {"brev.b32 %r0, %r2;", 0x1, 0, 0, 0x80000000},
        {"fns.b32 %r0, %r2, %r3, %r4;", 0xaaaaaaaa, 3, 1, 3},
        {"fns.b32 %r0, %r2, %r3, %r4;", 0xaaaaaaaa, 3, (uint32_t)-3, 0xffffffff},
        {"bfe.u32 %r0, %r2, %r3, %r4;", 0x12345678, 8, 8, 0x56},
        {"bfe.s32 %r0, %r2, %r3, %r4;", 0x00008000, 8, 8, 0xffffff80},
        {"bfe.s32 %r0, %r2, %r3, %r4;", 0x80000000, 28, 8, 0xfffffff8},
        {"bfe.s32 %r0, %r2, %r3, %r4;", 0x80000000, 40, 8, 0xffffffff},
        {"bfi.b32 %r0, %r2, %r3, 8, 4;", 0xff, 0x12340078, 0, 0x12340f78},
        {"lop3.b32 %r0, %r2, %r3, %r4, 0x96;", 0xff00ff00, 0x0ff00ff0, 0x12345678, 0xe2c4a688},
        {"lop3.b32 %r0, %r2, %r3, %r4, 0xe8;", 0xff00ff00, 0x0ff00ff0, 0x12345678, 0x1f305f70},
        {"prmt.b32 %r0, %r2, %r3, %r4;", 0x33221100, 0x77665544, 0x7520, 0x77552200},
        {"prmt.b32 %r0, %r2, %r3, %r4;", 0x33228800, 0x77665544, 0x9999, 0xffffffff},
        {"prmt.b32.f4e %r0, %r2, %r3, %r4;", 0x33221100, 0x77665544, 1, 0x44332211},
        {"slct.b32.s32 %r0, %r2, %r3, %r4;", 1, 2, 0xffffffff, 2},
        {"bmsk.clamp.b32 %r0, %r2, %r3;", 4, 8, 0, 0xff0},
    };
    static const struct case64 longs[] = {
        {"popc.b64 %r0, %rd5; cvt.u64.u32 %rd0, %r0;", UINT64_C(0xf00000000000000f), 0, 0, 8},
        {"clz.b64 %r0, %rd5; cvt.u64.u32 %rd0, %r0;", 1, 0, 0, 63},
        {"brev.b64 %rd0, %rd5;", 1, 0, 0, UINT64_C(1) << 63},
        {"bfe.s64 %rd0, %rd5, %r6, %r7;", UINT64_C(0x8000000000000000), 60, 4, UINT64_MAX - 7},
        {"bfi.b64 %rd0, %rd5, %rd6, 32, 32;", 0xabcd, 0x1234, 0, UINT64_C(0xabcd00001234)},
        {"shl.b64 %rd0, %rd5, %r6;", 1, 64, 0, 0},
        {"shr.s64 %rd0, %rd5, %r6;", UINT64_C(1) << 63, 63, 0, UINT64_MAX},
    };

    (void)state;
    check32(cases, COUNT(cases));
    check64(longs, COUNT(longs));
}

/* p1 is true where c is 1, and p2 where it is not; the result is p1 + 2 * p2. */
#define TWO "setp.eq.u32 %p1, %r4, 1; setp.ne.u32 %p2, %r4, 1;"
#define BOTH "selp.u32 %r0, 1, 0, %p1; selp.u32 %r5, 2, 0, %p2; or.b32 %r0, %r0, %r5;"

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

static void comparisons_and_choices(void **state)
{
    static const struct case32 cases[] = {
        {"setp.lt.s32 %p1, %r2, %r3; selp.u32 %r0, 1, 0, %p1;", 0xffffffff, 1, 0, 1},
        {"setp.lt.u32 %p1, %r2, %r3; selp.u32 %r0, 1, 0, %p1;", 0xffffffff, 1, 0, 0},
        {"setp.hs.u32 %p1, %r2, %r3; selp.u32 %r0, 1, 0, !%p1;", 3, 3, 0, 0},
        {"setp.eq.f32 %p1|%p2, %f2, %f3; selp.u32 %r0, 2, 0, %p2;", 0x7fc00000, 0, 0, 2},
        {"setp.equ.f32 %p1, %f2, %f3; selp.u32 %r0, 1, 0, %p1;", 0x7fc00000, 0, 0, 1},
        {"setp.ne.f32 %p1, %f2, %f3; selp.u32 %r0, 1, 0, %p1;", 0x7fc00000, 0, 0, 0},
        {"setp.num.f32 %p1, %f2, %f3; selp.u32 %r0, 1, 0, %p1;", 0x3f800000, 0, 0, 1},
        {"setp.gt.ftz.f32 %p1, %f2, %f3; selp.u32 %r0, 1, 0, %p1;", 1, 0, 0, 0},
        {"setp.eq.u32 %p2, %r3, 1; setp.lt.and.s32 %p1, %r2, %r3, !%p2; selp.u32 %r0, 1, 0, %p1;",
         0, 1, 0, 0},
        {"setp.eq.u32 %p1, %r2, 1; setp.eq.u32 %p2, %r3, 2; xor.pred %p3, %p1, %p2;"
         "not.pred %p3, %p3; selp.u32 %r0, 1, 0, %p3;",
         1, 2, 0, 1},
        {"set.lt.u32.s32 %r0, %r2, %r3;", 0xffffffff, 1, 0, 0xffffffff},
        {"set.gt.f32.s32 %f0, %r2, %r3; mov.b32 %r0, %f0;", 2, 1, 0, 0x3f800000},
        {"setp.lt.f16 %p1, %h2, %h3; selp.u32 %r0, 1, 0, %p1;", 0xbc00, 0x3c00, 0, 1},
        {"testp.subnormal.f32 %p1, %f2; selp.u32 %r0, 1, 0, %p1;", 1, 0, 0, 1},
        {"setp.ge.s16 %p1, %h2, %h3; selp.u32 %r0, 1, 0, %p1;", 0x8000, 0, 0, 0},
        /* Two halves at once; the guard or the third operand is also a result. */
        {TWO "@%p1 setp.lt.f16x2 %p1|%p2, %r2, %r3;" BOTH, 0x3c004000, 0x40003c00, 1, 2},
        {TWO "@%p1 setp.gt.f16x2 %p2|%p1, %r2, %r3;" BOTH, 0x3c004000, 0x40003c00, 1, 2},
        {TWO "setp.lt.and.f16x2 %p1|%p2, %r2, %r3, %p1;" BOTH, 0x3c004000, 0x40003c00, 1, 2},
        {TWO "@%p2 setp.lt.bf16x2 %p1|%p2, %r2, %r3;" BOTH, 0x3f804000, 0x40003f80, 1, 1},
        {"set.lt.bf16x2.bf16x2 %r0, %r2, %r3;", 0x3f804000, 0x40003f80, 0, 0x3f800000},
        {TWO "vote.sync.uni.pred %p2, %p1, 1;" BOTH, 0, 0, 0, 2},
    };

    (void)state;
    check32(cases, COUNT(cases));
}

static void floats(void **state)
{
    static const struct case32 cases[] = {
        {"add.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0x3f800000, 0x33800000, 0, 0x3f800000},
        {"add.rp.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0x3f800000, 0x33800000, 0, 0x3f800001},
        {"add.rz.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0xbf800000, 0xb3ffffff, 0, 0xbf800000},
        {"sub.rm.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0x3f800000, 0x3f800000, 0, 0x80000000},
        {"mul.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 1, 0x3f000000, 0, 0},
        {"mul.rp.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 1, 0x3f000000, 0, 1},
        {"mul.ftz.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0x80000001, 0x3f800000, 0, 0x80000000},
        {"add.ftz.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0x00800001, 0x80800000, 0, 0},
        {"add.sat.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0x3f800000, 0x3f800000, 0, 0x3f800000},
        {"add.sat.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0x7fc00000, 0x3f800000, 0, 0},
        {"add.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0x7f800000, 0xff800000, 0, 0x7fffffff},
        {"fma.rn.f32 %f0, %f2, %f3, %f4; mov.b32 %r0, %f0;", 0x3f800001, 0x3f800001, 0xbf800002,
         0x28800000},
        {"mad.rz.f32 %f0, %f2, %f3, %f4; mov.b32 %r0, %f0;", 0x3f800001, 0x3f800001, 0x3f800000,
         0x40000001},
        {"div.rn.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0x3f800000, 0x40400000, 0, 0x3eaaaaab},
        {"div.rm.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0x3f800000, 0x40400000, 0, 0x3eaaaaaa},
        {"rcp.rn.f32 %f0, %f2; mov.b32 %r0, %f0;", 0x40400000, 0, 0, 0x3eaaaaab},
        {"sqrt.rn.f32 %f0, %f2; mov.b32 %r0, %f0;", 0x40000000, 0, 0, 0x3fb504f3},
        {"sqrt.rp.f32 %f0, %f2; mov.b32 %r0, %f0;", 0x40000000, 0, 0, 0x3fb504f4},
        {"min.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0x7fc00000, 0x3f800000, 0, 0x3f800000},
        {"min.NaN.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0x7fc00000, 0x3f800000, 0, 0x7fffffff},
        {"min.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0, 0x80000000, 0, 0x80000000},
        {"max.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0x80000000, 0, 0, 0},
        {"max.xorsign.abs.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0xc0000000, 0x3f800000, 0,
         0xc0000000},
        {"copysign.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0x80000000, 0x3f800000, 0, 0xbf800000},
        {"ex2.approx.f32 %f0, %f2; mov.b32 %r0, %f0;", 0x40400000, 0, 0, 0x41000000},
        {"lg2.approx.f32 %f0, %f2; mov.b32 %r0, %f0;", 0x41000000, 0, 0, 0x40400000},
        {"rsqrt.approx.f32 %f0, %f2; mov.b32 %r0, %f0;", 0x40800000, 0, 0, 0x3f000000},
        {"cos.approx.f32 %f0, %f2; mov.b32 %r0, %f0;", 0, 0, 0, 0x3f800000},
        {"div.approx.f32 %f0, %f2, %f3; mov.b32 %r0, %f0;", 0x3f800000, 0x7f000001, 0, 0},
        {"mov.f32 %f0, 0f3F800000; add.f32 %f0, %f0, 1.5; mov.b32 %r0, %f0;", 0, 0, 0, 0x40200000},
    };
    static const struct case64 doubles[] = {
        {"add.f64 %d0, %d5, %d6; mov.b64 %rd0, %d0;", UINT64_C(0x3ff0000000000000),
         UINT64_C(0x3ca0000000000000), 0, UINT64_C(0x3ff0000000000000)},
        {"add.rp.f64 %d0, %d5, %d6; mov.b64 %rd0, %d0;", UINT64_C(0x3ff0000000000000),
         UINT64_C(0x3ca0000000000000), 0, UINT64_C(0x3ff0000000000001)},
        {"fma.rn.f64 %d0, %d5, %d6, %d7; mov.b64 %rd0, %d0;", UINT64_C(0x3ff0000000000001),
         UINT64_C(0x3ff0000000000001), UINT64_C(0xbff0000000000002), UINT64_C(0x3970000000000000)},
        {"sub.f64 %d0, %d5, %d6; mov.b64 %rd0, %d0;", UINT64_C(0x7ff0000000000000),
         UINT64_C(0x7ff0000000000000), 0, UINT64_C(0xfff8000000000000)},
        {"div.rn.f64 %d0, %d5, %d6; mov.b64 %rd0, %d0;", UINT64_C(0x3ff0000000000000),
         UINT64_C(0x4008000000000000), 0, UINT64_C(0x3fd5555555555555)},
        {"sqrt.rn.f64 %d0, %d5; mov.b64 %rd0, %d0;", UINT64_C(0x4000000000000000), 0, 0,
         UINT64_C(0x3ff6a09e667f3bcd)},
        {"min.f64 %d0, %d5, 0d0000000000000000; mov.b64 %rd0, %d0;", UINT64_C(0x8000000000000000),
         0, 0, UINT64_C(0x8000000000000000)},
        {"rcp.approx.ftz.f64 %d0, %d5; mov.b64 %rd0, %d0;", UINT64_C(0x4008000000000000), 0, 0,
         UINT64_C(0x3fd5555500000000)},
        {"neg.f64 %d0, %d5; mov.b64 %rd0, %d0;", 0, 0, 0, UINT64_C(1) << 63},
    };

    (void)state;
    check32(cases, COUNT(cases));
    check64(doubles, COUNT(doubles));
}

static void halves(void **state)
{
    static const struct case32 cases[] = {
        {"add.f16 %h0, %h2, %h3; cvt.u32.u16 %r0, %h0;", 0x3c00, 0x1000, 0, 0x3c00},
        {"add.f16 %h0, %h2, %h3; cvt.u32.u16 %r0, %h0;", 0x3c01, 0x1000, 0, 0x3c02},
        {"mul.f16x2 %r0, %r2, %r3;", 0x40003c00, 0x42004000, 0, 0x46004000},
        {"fma.rn.f16 %h0, %h2, %h3, %h4; cvt.u32.u16 %r0, %h0;", 0x3c01, 0x3c01, 0xbc02, 0x0010},
        {"add.sat.f16 %h0, %h2, %h3; cvt.u32.u16 %r0, %h0;", 0x3c00, 0x3c00, 0, 0x3c00},
        {"fma.rn.relu.bf16 %h0, %h2, %h3, %h4; cvt.u32.u16 %r0, %h0;", 0xbf80, 0x3f80, 0, 0},
        {"fma.rn.bf16x2 %r0, %r2, %r3, %r4;", 0x3f804000, 0x3f803f80, 0x3f803f80, 0x40004040},
        {"add.f16 %h0, %h2, %h3; cvt.u32.u16 %r0, %h0;", 0x7bff, 0x7bff, 0, 0x7c00},
        {"add.f16 %h0, %h2, %h3; cvt.u32.u16 %r0, %h0;", 0x7c00, 0xfc00, 0, 0x7fff},
        {"max.f16 %h0, %h2, %h3; cvt.u32.u16 %r0, %h0;", 0x7e00, 0xbc00, 0, 0xbc00},
        {"neg.f16x2 %r0, %r2;", 0x3c003c00, 0, 0, 0xbc00bc00},
        {"mul.ftz.f16 %h0, %h2, %h3; cvt.u32.u16 %r0, %h0;", 0x0001, 0x3c00, 0, 0},
    };

    (void)state;
    check32(cases, COUNT(cases));
}

static void conversions(void **state)
{
    static const struct case32 cases[] = {
        {"cvt.s32.s8 %r0, %r2;", 0x80, 0, 0, 0xffffff80},
        {"cvt.u32.u8 %r0, %r2;", 0x1ff, 0, 0, 0xff},
        {"cvt.s8.s32 %r0, %r2;", 0x1ff, 0, 0, 0xffffffff},
        {"cvt.sat.u8.s32 %r0, %r2;", 300, 0, 0, 255},
        {"cvt.sat.u8.s32 %r0, %r2;", (uint32_t)-3, 0, 0, 0},
        {"cvt.sat.s8.s32 %r0, %r2;", (uint32_t)-300, 0, 0, 0xffffff80},
        {"cvt.sat.s32.u32 %r0, %r2;", 0xffffffff, 0, 0, 0x7fffffff},
        {"cvt.rzi.s32.f32 %r0, %f2;", 0xc0200000, 0, 0, (uint32_t)-2},
        {"cvt.rni.s32.f32 %r0, %f2;", 0x40200000, 0, 0, 2},
        {"cvt.rmi.s32.f32 %r0, %f2;", 0xc0200000, 0, 0, (uint32_t)-3},
        {"cvt.rpi.s32.f32 %r0, %f2;", 0x40200000, 0, 0, 3},
        {"cvt.rzi.s32.f32 %r0, %f2;", 0x7f800000, 0, 0, 0x7fffffff},
        {"cvt.rzi.u32.f32 %r0, %f2;", 0xbf800000, 0, 0, 0},
        {"cvt.rzi.s32.f32 %r0, %f2;", 0x7fc00000, 0, 0, 0},
        {"cvt.rn.f32.s32 %f0, %r2; mov.b32 %r0, %f0;", 0x7fffffff, 0, 0, 0x4f000000},
        {"cvt.rz.f32.u32 %f0, %r2; mov.b32 %r0, %f0;", 0xffffffff, 0, 0, 0x4f7fffff},
        {"cvt.rm.f32.s32 %f0, %r2; mov.b32 %r0, %f0;", 0x80000081, 0, 0, 0xceffffff},
        {"cvt.rni.f32.f32 %f0, %f2; mov.b32 %r0, %f0;", 0x40600000, 0, 0, 0x40800000},
        {"cvt.rni.ftz.f32.f32 %f0, %f2; mov.b32 %r0, %f0;", 0x40200000, 0, 0, 0x40000000},
        {"cvt.sat.f32.f32 %f0, %f2; mov.b32 %r0, %f0;", 0x40200000, 0, 0, 0x3f800000},
        {"cvt.rn.f16.f32 %h0, %f2; cvt.u32.u16 %r0, %h0;", 0x3f801000, 0, 0, 0x3c00},
        {"cvt.rn.f16.f32 %h0, %f2; cvt.u32.u16 %r0, %h0;", 0x3f803000, 0, 0, 0x3c02},
        {"cvt.rz.f16.f32 %h0, %f2; cvt.u32.u16 %r0, %h0;", 0x477fffff, 0, 0, 0x7bff},
        {"cvt.f32.f16 %f0, %h2; mov.b32 %r0, %f0;", 0x0001, 0, 0, 0x33800000},
        {"cvt.f32.bf16 %f0, %h2; mov.b32 %r0, %f0;", 0xc040, 0, 0, 0xc0400000},
        {"cvt.rn.bf16.f32 %h0, %f2; cvt.u32.u16 %r0, %h0;", 0x3f818000, 0, 0, 0x3f82},
        {"cvt.rn.f16x2.f32 %r0, %f2, %f3;", 0x3f800000, 0x40000000, 0, 0x3c004000},
        {"cvt.rn.satfinite.e4m3x2.f32 %h0, %f2, %f3; cvt.u32.u16 %r0, %h0;", 0x3f800000, 0x7f800000,
         0, 0x387e},
        {"cvt.rni.s16.f16 %h0, %h2; cvt.s32.s16 %r0, %h0;", 0xc200, 0, 0, (uint32_t)-3},
    };
    static const struct case64 longs[] = {
        {"cvt.s64.s32 %rd0, %r6;", 0, 0xffffffff, 0, UINT64_MAX},
        {"cvt.u64.u32 %rd0, %r6;", 0, 0xffffffff, 0, 0xffffffff},
        {"cvt.s64.s8 %rd0, %r6;", 0, 0x80, 0, UINT64_C(0xffffffffffffff80)},
        {"cvt.rzi.s64.f64 %rd0, %d5;", UINT64_C(0x7ff8000000000000), 0, 0, UINT64_C(1) << 63},
        {"cvt.rzi.u64.f64 %rd0, %d5;", UINT64_C(0x43f0000000000000), 0, 0, UINT64_MAX},
        {"cvt.rn.f64.s64 %d0, %rd5; mov.b64 %rd0, %d0;", UINT64_MAX, 0, 0,
         UINT64_C(0xbff0000000000000)},
        {"cvt.rn.f64.u64 %d0, %rd5; mov.b64 %rd0, %d0;", UINT64_MAX, 0, 0,
         UINT64_C(0x43f0000000000000)},
        {"{.reg .f32 x; cvt.rn.f32.f64 x, %d5; cvt.f64.f32 %d0, x; mov.b64 %rd0, %d0;}",
         UINT64_C(0x3ff0000010000001), 0, 0, UINT64_C(0x3ff0000020000000)},
        {"cvt.rn.f64.s32 %d0, %r6; mov.b64 %rd0, %d0;", 0, 0xffffffff, 0,
         UINT64_C(0xbff0000000000000)},
    };

    (void)state;
    check32(cases, COUNT(cases));
    check64(longs, COUNT(longs));
}

static void vectors_are_packed_and_unpacked(void **state)
{
    static const struct case32 cases[] = {
        {"mov.b32 {%h5, %h6}, %r2; mov.b32 %r0, {%h6, %h5};", 0x12345678, 0, 0, 0x56781234},
        {"{.reg .b8 a, b, c, d; cvt.u8.u32 a, %r2; cvt.u8.u32 b, %r3; mov.b32 %r0, {a, b, b, a};}",
         0x11, 0x22, 0, 0x11222211},
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
        KERNEL_TEST(integers_of_32_bits),
        KERNEL_TEST(all_lanes_share_a_selector_or_a_distance),
        KERNEL_TEST(integers_of_64_and_16_bits),
        KERNEL_TEST(carries_are_passed_on),
        KERNEL_TEST(bits),
        KERNEL_TEST(several_numbers_in_a_word),
        KERNEL_TEST(comparisons_and_choices),
        KERNEL_TEST(floats),
        KERNEL_TEST(halves),
        KERNEL_TEST(conversions),
        KERNEL_TEST(vectors_are_packed_and_unpacked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
