/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operands. Each tuple has edge cases of the types, random values, and values that are close to
 * each other or whose product is at a limit of the type. So sums cancel, and results are subnormal,
 * overflow, or lie exactly between two numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "program.h"

/*
 * No expression draws two random numbers, because the order of evaluation differs between
 * compilers.
 */
static uint64_t state;

static uint64_t next_random(void)
{
    uint64_t value = state += UINT64_C(0x9e3779b97f4a7c15);

    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

static unsigned below(unsigned limit)
{
    return (unsigned)(next_random() >> 33) % limit;
}

static const uint64_t edges8[] = {0, 1, 2, 3, 0x7e, 0x7f, 0x80, 0x81, 0xfe, 0xff, 0x55, 0x10};
static const uint64_t edges16[] = {0,      1,      2,      3,      7,      15,     0x7f,   0x80,
                                   0xff,   0x100,  0x5555, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xff7f,
                                   0xff80, 0xfffe, 0xffff, 10,     0xaaaa, 0x4000, 0xc000, 1000};
static const uint64_t edges32[] = {
    0,          1,          2,          3,          7,          10,         31,         32,
    33,         0x7f,       0x80,       0xff,       0x100,      0x7fff,     0x8000,     0xffff,
    0x10000,    0x7fffff,   0x800000,   0xffffff,   0x1000000,  0x1000001,  0x2000001,  0x55555555,
    0xaaaaaaaa, 0x3fffffff, 0x40000000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xbfffffff,
    0xc0000000, 0xffff0000, 0xffff7fff, 0xffff8000, 0xffffff7f, 0xffffff80, 0xfffffff0, 0xfffffffe,
    0xffffffff, 0x7fffff80, 0x7fffffc0, 0xffffff40, 0x12345678, 0x80808080, 0x7f7f7f7f, 0x01020304};
static const uint64_t edges64[] = {
    0x0000000000000000, 0x0000000000000001, 0x0000000000000002, 0x0000000000000003,
    0x000000000000000a, 0x000000000000003f, 0x0000000000000040, 0x000000000000007f,
    0x0000000000000080, 0x00000000000000ff, 0x0000000000000100, 0x000000000000ffff,
    0x0000000000010000, 0x000000007fffffff, 0x0000000080000000, 0x00000000ffffffff,
    0x0000000100000000, 0x0000000100000001, 0x000000ffffffffff, 0x001fffffffffffff,
    0x0020000000000000, 0x0020000000000001, 0x0020000000000003, 0x003fffffffffffff,
    0x007fffffffffff80, 0x7fffffbfffffffff, 0x7fffffc000000000, 0x7ffffffffffffdff,
    0x7ffffffffffffe00, 0x7ffffffffffffffe, 0x7fffffffffffffff, 0x8000000000000000,
    0x8000000000000001, 0x8000008000000000, 0xffffff7fffffffff, 0xffffff8000000000,
    0xfffffffffffff3ff, 0xffffffff00000000, 0xffffffff7fffffff, 0xffffffff80000000,
    0xfffffffffffffffe, 0xffffffffffffffff, 0xaaaaaaaaaaaaaaaa, 0x0123456789abcdef,
    0x0000ffff0000ffff, 0xc000000000000000, 0x4000000000000000, 0xffff800000000000};
static const uint64_t edges_f16[] = {
    0,      0x8000, 0x0001, 0x8001, 0x0002, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401, 0x3c00, 0xbc00,
    0x3c01, 0x3bff, 0x4000, 0xc000, 0x3800, 0xb800, 0x3e00, 0x4100, 0x7bff, 0xfbff, 0x7bfe, 0x7c00,
    0xfc00, 0x7c01, 0x7e00, 0x7fff, 0xfe00, 0xffff, 0xfd55, 0x6400, 0x6401, 0x6800, 0x6801, 0x4248,
    0x5bf8, 0x5c00, 0xd800, 0x77ff, 0x7800, 0x1400, 0x2400, 0x3555, 0xb555, 0x4900, 0x57f0, 0x0200};
static const uint64_t edges_bf16[] = {
    0,      0x8000, 0x0001, 0x8001, 0x0040, 0x007f, 0x807f, 0x0080, 0x8080, 0x0081, 0x3f80,
    0xbf80, 0x3f81, 0x3f7f, 0x4000, 0xc000, 0x3f00, 0xbf00, 0x3fc0, 0x4020, 0x7f7f, 0xff7f,
    0x7f7e, 0x7f80, 0xff80, 0x7f81, 0x7fc0, 0x7fff, 0xffc0, 0xffff, 0x4300, 0x4301, 0x4380,
    0x4f00, 0xcf00, 0x5f00, 0x4049, 0x2000, 0x1f80, 0x5f80, 0x3eaa, 0x4120, 0x437f, 0x0100};
static const uint64_t edges_f32[] = {
    0,          0x80000000, 0x00000001, 0x80000001, 0x00000002, 0x00400000, 0x007fffff, 0x807fffff,
    0x00800000, 0x80800000, 0x00800001, 0x00ffffff, 0x01000000, 0x3f800000, 0xbf800000, 0x3f800001,
    0x3f7fffff, 0x40000000, 0xc0000000, 0x3f000000, 0xbf000000, 0x3effffff, 0x3f000001, 0x3fc00000,
    0xbfc00000, 0x40200000, 0xc0200000, 0x40600000, 0x7f7fffff, 0xff7fffff, 0x7f7ffffe, 0x7f800000,
    0xff800000, 0x7f800001, 0x7fc00000, 0x7fffffff, 0xffc00000, 0xffffffff, 0xff812345, 0x7fc12345,
    0x4b000000, 0x4b7fffff, 0x4b800000, 0x4b800001, 0xcb800000, 0x4effffff, 0x4f000000, 0xcf000000,
    0xcf000001, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000, 0x5f7fffff, 0x5f800000,
    0x437f0000, 0x437f8000, 0x43800000, 0x42fe0000, 0x43000000, 0xc3000000, 0x46fffe00, 0x47000000,
    0x477fff00, 0x477fff80, 0x47800000, 0x477fe000, 0x477fefff, 0x477ff000, 0x387fc000, 0x387fe000,
    0x33000000, 0x33000001, 0x33800000, 0x3f808000, 0x3f801000, 0x3f803000, 0x40490fdb, 0xc0490fdb,
    0x3fc90fdb, 0x3f490fdb, 0x42c80000, 0x43e00000, 0x43e80000, 0x47600000, 0x47700000, 0x3b000000,
    0x3a800000, 0x37800000, 0x37000000, 0x7e800000, 0x7e800001, 0x7f000000, 0xfe800000, 0x00200000,
    0x1f800000, 0x20000000, 0x5f7ffffe, 0x3eaaaaab, 0x41200000, 0x7effffff, 0x40c90fdb, 0x477f8000,
    0x7f7f8000, 0x7f7f7fff, 0x00008000, 0x00018000, 0x00010000, 0x00007fff, 0x7f7fefff, 0x7f7ff000};
static const uint64_t edges_f64[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001,
    0x0008000000000000, 0x000fffffffffffff, 0x800fffffffffffff, 0x0010000000000000,
    0x8010000000000000, 0x0010000000000001, 0x001fffffffffffff, 0x3ff0000000000000,
    0xbff0000000000000, 0x3ff0000000000001, 0x3fefffffffffffff, 0x4000000000000000,
    0xc000000000000000, 0x3fe0000000000000, 0xbfe0000000000000, 0x3fdfffffffffffff,
    0x3ff8000000000000, 0xbff8000000000000, 0x4004000000000000, 0xc004000000000000,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x7feffffffffffffe, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000, 0x7fffffffffffffff,
    0xfff8000000000000, 0xffffffffffffffff, 0x7ff8000012345678, 0xfff0123400000005,
    0x4330000000000000, 0x4330000000000001, 0x4340000000000000, 0x41dfffffffc00000,
    0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000,
    0x41effffffff00000, 0x41f0000000000000, 0x43dfffffffffffff, 0x43e0000000000000,
    0xc3e0000000000000, 0x43efffffffffffff, 0x43f0000000000000, 0x406fe00000000000,
    0x4070000000000000, 0xc060000000000000, 0x40dfffc000000000, 0x40efffe000000000,
    0x40efffffffffffff, 0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000,
    0x47f0000000000000, 0x3810000000000000, 0x380fffffffffffff, 0x36a0000000000000,
    0x3690000000000000, 0x3690000000000001, 0x3ff0000010000000, 0x3ff0000030000000,
    0x3ff0000010000001, 0x3ff0020000000000, 0x3ff0020000000001, 0x3ff0060000000000,
    0x40effc0000000000, 0x40effdffffffffff, 0x40effe0000000000, 0x3e60000000000000,
    0x3e70000000000000, 0x400921fb54442d18, 0x7fd0000000000000, 0x7fd0000000000001,
    0x3fd5555555555555, 0x3f00000000000001};
static const uint64_t edges_e4m3[] = {0,    1,    7,    8,    9,    0x38, 0x39, 0x7e, 0x7f,
                                      0x80, 0x81, 0x87, 0x88, 0xb8, 0xfe, 0xff, 0x77, 0x78};
static const uint64_t edges_e5m2[] = {0,    1,    3,    4,    5,    0x3c, 0x3d, 0x7b, 0x7c, 0x7d,
                                      0x7e, 0x7f, 0x80, 0x83, 0x84, 0xbc, 0xfb, 0xfc, 0xff};

enum family { WHOLE, REAL, COUNT, TRUTH, WARP };

/* An operand holds `parts` values of `bits` bits; reals have a significand of `fraction` bits. */
static const struct kind {
    const char *name;
    enum family family;
    unsigned bits, parts, fraction;
    const uint64_t *edges;
    unsigned edge_count;
} kinds[] = {
#define EDGES(array) array, sizeof(array) / sizeof *(array)
    {"i8", WHOLE, 8, 1, 0, EDGES(edges8)},
    {"i16", WHOLE, 16, 1, 0, EDGES(edges16)},
    {"i32", WHOLE, 32, 1, 0, EDGES(edges32)},
    {"i64", WHOLE, 64, 1, 0, EDGES(edges64)},
    {"f16", REAL, 16, 1, 10, EDGES(edges_f16)},
    {"bf16", REAL, 16, 1, 7, EDGES(edges_bf16)},
    {"f32", REAL, 32, 1, 23, EDGES(edges_f32)},
    {"f64", REAL, 64, 1, 52, EDGES(edges_f64)},
    {"f16x2", REAL, 16, 2, 10, EDGES(edges_f16)},
    {"bf16x2", REAL, 16, 2, 7, EDGES(edges_bf16)},
    {"i16x2", WHOLE, 16, 2, 0, EDGES(edges16)},
    {"i8x4", WHOLE, 8, 4, 0, EDGES(edges8)},
    {"e4m3x2", WHOLE, 8, 2, 0, EDGES(edges_e4m3)},
    {"e5m2x2", WHOLE, 8, 2, 0, EDGES(edges_e5m2)},
    {"count", COUNT, 32, 1, 0, EDGES(edges32)},
    {"pred", TRUTH, 32, 1, 0, NULL, 0},
    {"warp", WARP, 32, 1, 0, NULL, 0},
};

unsigned operand_kind(const char *name)
{
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name) == 0)
            return i;
    }
    abort();
}

static uint64_t mask_of(unsigned bits)
{
    return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* An operand close to another one, or one with which the product reaches a limit of the range. */
static uint64_t related(const struct kind *kind, uint64_t other)
{
    const unsigned exponent_bits = kind->bits - 1 - kind->fraction;
    const uint64_t largest = mask_of(exponent_bits), fraction = mask_of(kind->fraction);
    const uint64_t sign = (next_random() & 1) << (kind->bits - 1);
    const unsigned bias = (unsigned)(largest >> 1);
    const unsigned exponent = (unsigned)(other >> kind->fraction & largest);
    long wanted;

    switch (below(4)) {
    case 0: /* differs by a few units of the last place */
        return (other + below(5) - 2) ^ sign;
    case 1: /* a similar exponent */
        wanted = (long)exponent + (long)below(2 * kind->fraction + 5) - (long)kind->fraction - 2;
        break;
    case 2: /* the product is subnormal, or almost */
        wanted = (long)bias + 1 - (long)exponent + (long)below(kind->fraction + 4) -
                 (long)kind->fraction - 1;
        break;
    default: /* the quotient is, or product or quotient overflows */
        wanted = below(2) ? (long)(3 * bias) - (long)exponent + (long)below(4) - 2
                          : (long)exponent - (long)bias - (long)below(kind->fraction + 4) + 2;
    }
    if (wanted < 0)
        wanted = 0;
    if (wanted > (long)largest)
        wanted = (long)largest - 1;
    return (uint64_t)wanted << kind->fraction | (next_random() & fraction) | sign;
}

static uint64_t random_real(const struct kind *kind)
{
    const unsigned exponent_bits = kind->bits - 1 - kind->fraction;
    const uint64_t bias = mask_of(exponent_bits) >> 1, sign = (next_random() & 1)
                                                              << (kind->bits - 1);
    const uint64_t fraction = mask_of(kind->fraction);
    uint64_t bits = next_random() & fraction;

    switch (below(4)) {
    case 0:
        return next_random() & mask_of(kind->bits);
    case 1: /* few bits: results are exact, or halfway between two numbers */
        bits &= fraction << (kind->fraction - below(kind->fraction));
        break;
    case 2: /* many bits set */
        bits |= fraction >> below(kind->fraction) & fraction;
        break;
    default:
        break;
    }
    return sign | (bias - 8 + below(20)) << kind->fraction | bits;
}

static uint64_t value_of(const struct kind *kind, const uint64_t *other)
{
    const uint64_t mask = mask_of(kind->bits);
    uint64_t value, more;

    switch (kind->family) {
    case TRUTH:
        return below(2);
    case WARP: /* for shfl: a lane, or a clamp value with a segment mask */
        value = below(4);
        more = next_random();
        return value == 0   ? more % 33
               : value == 1 ? 0x1f
               : value == 2 ? more & 0x1f1f
                            : more & mask;
    case COUNT:
        value = below(8);
        if (value < 5)
            return below(70);
        if (value == 5)
            return below(300);
        break;
    case REAL:
        if (other && below(3) == 0)
            return related(kind, *other) & mask;
        if (below(2))
            return random_real(kind);
        break;
    case WHOLE:
        value = below(8);
        if (value == 0 && other)
            return (*other + below(3) - 1) & mask;
        more = next_random() & mask;
        if (value == 1)
            return more >> below(kind->bits);
        if (value < 4)
            return more;
        break;
    }
    return kind->edges[below(kind->edge_count)] & mask;
}

/* The rounded negation of a product, so that fma cancels. */
static uint64_t minus_product(const struct kind *kind, uint64_t a, uint64_t b)
{
    double x, y;
    float narrow_x, narrow_y;

    if (kind->bits == 32) {
        const uint32_t low_a = (uint32_t)a, low_b = (uint32_t)b;
        uint32_t result;

        memcpy(&narrow_x, &low_a, sizeof low_a);
        memcpy(&narrow_y, &low_b, sizeof low_b);
        narrow_x *= -narrow_y;
        memcpy(&result, &narrow_x, sizeof result);
        return narrow_x == narrow_x ? result : 0x7fc00000;
    }
    memcpy(&x, &a, sizeof a);
    memcpy(&y, &b, sizeof b);
    x *= -y;
    memcpy(&a, &x, sizeof a);
    return x == x ? a : UINT64_C(0x7ff8000000000000);
}

/* An operand that makes the product or quotient approximately the least normal number. */
static uint64_t at_the_bottom(const struct kind *kind, uint64_t a)
{
    const bool quotient = below(2);

    if (kind->bits == 32) {
        const uint32_t low = (uint32_t)a;
        uint32_t result;
        float x;

        memcpy(&x, &low, sizeof low);
        x = quotient ? x / 0x1p-126f : 0x1p-126f / x;
        memcpy(&result, &x, sizeof result);
        return x == x ? result : 0x00800000;
    } else {
        double x;

        memcpy(&x, &a, sizeof a);
        x = quotient ? x / 0x1p-1022 : 0x1p-1022 / x;
        memcpy(&a, &x, sizeof a);
        return x == x ? a : UINT64_C(0x0010000000000000);
    }
}

/* The third operand of fma: the sum becomes small, or has the size of the product. */
static uint64_t third(const struct kind *kind, const uint64_t *slots)
{
    const unsigned more = below(3);

    if (below(2))
        return minus_product(kind, slots[0], slots[1]) + more;
    return (next_random() & 1) << (kind->bits - 1) | more;
}

void operands_fill(const struct kernel *kernel, uint64_t seed, uint64_t *slots)
{
    state = digest_of(DIGEST_START ^ seed, kernel->name, strlen(kernel->name));
    for (size_t thread = 0; thread < kernel->count; thread++, slots += kernel->operand_count) {
        for (unsigned i = 0; i < kernel->operand_count; i++) {
            const struct kind *kind = &kinds[kernel->operands[i]];
            const bool same = i > 0 && kernel->operands[i] == kernel->operands[i - 1];
            uint64_t value = 0;

            for (unsigned part = 0; part < kind->parts; part++) {
                const uint64_t other = same ? slots[i - 1] >> part * kind->bits : 0;

                value |= value_of(kind, same ? &other : NULL) << part * kind->bits;
            }
            if (same && kind->family == REAL && kind->parts == 1 && kind->bits >= 32) {
                if (i == 1 && below(12) == 0) {
                    value = at_the_bottom(kind, slots[0]);
                    value = value + below(3) - 1;
                }
                if (i == 2 && kernel->operands[0] == kernel->operands[1] && below(3) == 0)
                    value = third(kind, slots);
                value &= mask_of(kind->bits);
            }
            /* The bits above the operand must not matter. */
            if (kind->bits * kind->parts < 32 && kind->family == WHOLE)
                value |= next_random() << kind->bits * kind->parts;
            slots[i] = value;
        }
    }
}
