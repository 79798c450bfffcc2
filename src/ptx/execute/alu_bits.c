/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on bits: logic, shifts, fields, permutations and choices. */
#include "src/ptx/execute/lane_functions.h"
#include "src/ptx/execute/launch_state.h"

#include <string.h>

static uint64_t both(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

LANES3(shf_l_wrap_each, u32, u32, u32, u32, both(x, y) << (z & 31) >> 32)
LANES3(shf_r_wrap_each, u32, u32, u32, u32, both(x, y) >> (z & 31))
/* The low words of 64-bit numbers that are shifted right by 1 to 31 bits. */
static void funnel(lane_u32 *restrict d, const lane_u32 *low, const lane_u32 *high, uint32_t right)
{
    const uint32_t left = 32 - right;

    for (unsigned i = 0; i < PTX_LANES; i++)
        d[i] = low[i] >> right | high[i] << left;
}

#define FUNNEL(function, each, distance)                                                \
    static void function(void *restrict d, const void *a, const void *b, const void *c) \
    {                                                                                   \
        const uint32_t z = *(const lane_u32 *)c & 31;                                   \
                                                                                        \
        if (z && ptx_uniform(c))                                                        \
            funnel(d, a, b, distance);                                                  \
        else                                                                            \
            each(d, a, b, c);                                                           \
    }
FUNNEL(shf_r_wrap, shf_r_wrap_each, z)
FUNNEL(shf_l_wrap, shf_l_wrap_each, 32 - z)

/* The position of the highest bit that is set, or UINT32_MAX if none is. */
static uint32_t highest(uint64_t x)
{
    return x ? 63 - (uint32_t)__builtin_clzll(x) : UINT32_MAX;
}

static uint64_t reversed(uint64_t x)
{
    x = (x >> 1 & UINT64_C(0x5555555555555555)) | (x & UINT64_C(0x5555555555555555)) << 1;
    x = (x >> 2 & UINT64_C(0x3333333333333333)) | (x & UINT64_C(0x3333333333333333)) << 2;
    x = (x >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (x & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
    x = (x >> 8 & UINT64_C(0x00ff00ff00ff00ff)) | (x & UINT64_C(0x00ff00ff00ff00ff)) << 8;
    x = (x >> 16 & UINT64_C(0x0000ffff0000ffff)) | (x & UINT64_C(0x0000ffff0000ffff)) << 16;
    return x >> 32 | x << 32;
}

/* The distance from the highest bit to the left edge. UINT32_MAX, for no bit, is kept. */
static uint32_t shift_amount(uint32_t at, uint32_t edge)
{
    return at == UINT32_MAX ? at : edge - at;
}

/*
 * The position of the n-th set bit of x from a base upwards, or downwards if n is negative. If n is
 * 0, it is the base, if that bit is set.
 */
static uint32_t nth_set(uint32_t x, uint32_t base, int32_t n)
{
    const int step = n < 0 ? -1 : 1;
    int64_t left = n == 0 ? 1 : n < 0 ? -(int64_t)n : n;

    if (n == INT32_MIN)
        return 0;
    if (base > 31)
        return UINT32_MAX;
    if (n == 0)
        return x >> base & 1 ? base : UINT32_MAX;
    for (int at = (int)base; at >= 0 && at < 32; at += step) {
        if (x >> at & 1 && --left == 0)
            return (uint32_t)at;
    }
    return UINT32_MAX;
}

/* A mask of `length` bits from a position, cut at the width. */
static uint64_t field_mask(uint32_t position, uint32_t length, uint32_t width)
{
    if (position >= width || length == 0)
        return 0;
    if (length > width - position)
        length = width - position;
    return (length == 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1) << position;
}

static uint64_t extract(uint64_t x, uint32_t position, uint32_t length, uint32_t width,
                        bool is_signed)
{
    const uint64_t mask = field_mask(position, length, width);
    const uint32_t last = position + length > width ? width - 1 : position + length - 1;
    const bool minus = is_signed && length > 0 && x >> last & 1;
    uint64_t field;

    if (position >= width)
        return minus ? UINT64_MAX : 0;
    field = (x & mask) >> position;
    return minus ? field | ~(mask >> position) : field;
}

void cushim__ptx_compute_insert(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const bool wide = at->bytes == 8;
    const uint32_t cut = wide ? UINT32_MAX : 0xff;
    const void *a = ptx_row(step, at->a), *b = ptx_row(step, at->b);
    const lane_u32 *positions = ptx_row(step, at->c), *lengths = ptx_row(step, at->e);

    for (unsigned i = 0; i < PTX_LANES; i++) {
        const uint32_t position = positions[i] & cut;
        const uint64_t mask = field_mask(position, lengths[i] & cut, wide ? 64 : 32);
        const uint64_t x = ptx_number(a, i, wide), y = ptx_number(b, i, wide);

        ptx_set_number(step->result, i, wide, mask ? (y & ~mask) | (x << position & mask) : y);
    }
}

/* Apply a function of three bits to each bit. `count` is its truth table. */
void cushim__ptx_compute_lop3(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    lane_u32 *const restrict result = (lane_u32 *)step->result;
    const lane_u32 *const x = ptx_row(step, at->a), *const y = ptx_row(step, at->b),
                          *const z = ptx_row(step, at->c);

    for (unsigned i = 0; i < PTX_LANES; i++)
        result[i] = 0;
    for (unsigned bit = 0; bit < 8; bit++) {
        const uint32_t p = bit & 4 ? 0 : PTX_ALL_LANES, q = bit & 2 ? 0 : PTX_ALL_LANES,
                       r = bit & 1 ? 0 : PTX_ALL_LANES;

        if (!(at->count >> bit & 1))
            continue;
        for (unsigned i = 0; i < PTX_LANES; i++)
            result[i] |= (x[i] ^ p) & (y[i] ^ q) & (z[i] ^ r);
    }
}

/* Select four bytes of eight. The upper bit of a selector asks for the sign of the byte instead. */
static uint32_t permuted(uint64_t bytes, uint32_t selector)
{
    uint32_t result = 0;

    for (unsigned i = 0; i < 4; i++) {
        const uint32_t select = selector >> i * 4 & 15;
        const uint32_t byte = (uint32_t)(bytes >> (select & 7) * 8) & 0xff;

        result |= (select & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << i * 8;
    }
    return result;
}

/* The selectors of the other modes of prmt, by the lowest two bits of the third operand. */
static const uint16_t f4e[4] = {0x3210, 0x4321, 0x5432, 0x6543},
                      b4e[4] = {0x5670, 0x6701, 0x7012, 0x0123},
                      rc8[4] = {0x0000, 0x1111, 0x2222, 0x3333},
                      ecl[4] = {0x3210, 0x3211, 0x3222, 0x3333},
                      ecr[4] = {0x0000, 0x1110, 0x2210, 0x3210},
                      rc16[4] = {0x1010, 0x3232, 0x1010, 0x3232};

LANES3(prmt_each, u32, u32, u32, u32, permuted(both(x, y), z))

/* If all lanes have the same selector, each byte of the result comes from the same place. */
static void prmt_b32(void *restrict d, const void *a, const void *b, const void *c)
{
    const uint32_t selector = *(const lane_u32 *)c;
    lane_u32 *const result = d;

    if (!ptx_uniform(c)) {
        prmt_each(d, a, b, c);
        return;
    }
    memset(d, 0, PTX_ROW);
    for (unsigned byte = 0; byte < 4; byte++) {
        const uint32_t select = selector >> byte * 4 & 15, up = 24 - (select & 3) * 8;
        const uint32_t to = byte * 8, sign = select & 8 ? UINT32_MAX : 0;
        const lane_u32 *const from = select & 4 ? b : a;

        for (unsigned i = 0; i < PTX_LANES; i++) {
            const uint32_t x = from[i] << up;

            result[i] |= ((x & ~sign) | (-(x >> 31) & sign)) >> 24 << to;
        }
    }
}

/* A shift by the width or more leaves zeros, or copies of the sign. */
#define SHIFTS(F, bits)                                                    \
    F(2, "shl.b" #bits, shl_b##bits, u##bits, u##bits, u32, 0,             \
      y < bits ? 1u * x << (y & (bits - 1)) : 0)                           \
    F(2, "shr.u" #bits, shr_u##bits, u##bits, u##bits, u32, 0,             \
      y < bits ? x >> (y & (bits - 1)) : 0)                                \
    F(0, "shr.b" #bits, LETTER_u##bits LETTER_u##bits "w", shr_u##bits, 0) \
    F(2, "shr.s" #bits, shr_s##bits, s##bits, s##bits, u32, 0, x >> (y < bits ? y : bits - 1))

#define FINDS(F, sign, bits, magnitude)                                                    \
    F(1, "bfind." #sign #bits, bfind_##sign##bits, u32, sign##bits, 0, highest(magnitude)) \
    F(1, "bfind.shiftamt." #sign #bits, bfind_shift_##sign##bits, u32, sign##bits, 0,      \
      shift_amount(highest(magnitude), bits - 1))

#define PERMUTES(F, mode) \
    F(3, "prmt.b32." #mode, prmt_##mode, u32, u32, u32, u32, 0, permuted(both(x, y), mode[z & 3]))

/*
 * bfe of 64 bits does not cut its position and length to a byte. slct chooses by a sign; no
 * compiler writes its forms for other widths, or by the sign of an f32.
 */
#define BITS(F)                                                                                  \
    WIDTHS2(F, "and", and, b, u, x &y)                                                           \
    WIDTHS2(F, "or", or, b, u, x | y)                                                            \
    WIDTHS2(F, "xor", xor, b, u, x ^ y)                                                          \
    WIDTHS1(F, "not", not, b, u, ~x)                                                             \
    WIDTHS1(F, "cnot", cnot, b, u, x == 0)                                                       \
    SHIFTS(F, 16)                                                                                \
    SHIFTS(F, 32)                                                                                \
    SHIFTS(F, 64)                                                                                \
    F(0, "shf.l.wrap.b32", "wwww", shf_l_wrap, 0)                                                \
    F(0, "shf.r.wrap.b32", "wwww", shf_r_wrap, 0)                                                \
    F(3, "shf.l.clamp.b32", shf_l_clamp, u32, u32, u32, u32, 0,                                  \
      both(x, y) << (z < 32 ? z : 32) >> 32)                                                     \
    F(3, "shf.r.clamp.b32", shf_r_clamp, u32, u32, u32, u32, 0, both(x, y) >> (z < 32 ? z : 32)) \
    F(1, "popc.b32", popc_b32, u32, u32, 0, ptx_count(x))                                        \
    F(1, "popc.b64", popc_b64, u32, u64, 0,                                                      \
      ptx_count((uint32_t)x) + ptx_count((uint32_t)(x >> 32)))                                   \
    F(1, "clz.b32", clz_b32, u32, u32, 0, 31 - highest(x))                                       \
    F(1, "clz.b64", clz_b64, u32, u64, 0, 63 - highest(x))                                       \
    FINDS(F, u, 32, x)                                                                           \
    FINDS(F, u, 64, x)                                                                           \
    FINDS(F, s, 32, (uint64_t)(x < 0 ? ~x : x))                                                  \
    FINDS(F, s, 64, (uint64_t)(x < 0 ? ~x : x))                                                  \
    F(1, "brev.b32", brev_b32, u32, u32, 0, reversed(x) >> 32)                                   \
    F(1, "brev.b64", brev_b64, u64, u64, 0, reversed(x))                                         \
    F(3, "fns.b32", fns_b32, u32, u32, u32, s32, 0, nth_set(x, y, z))                            \
    F(3, "bfe.u32", bfe_u32, u32, u32, u32, u32, 0, extract(x, y & 0xff, z & 0xff, 32, false))   \
    F(3, "bfe.s32", bfe_s32, u32, u32, u32, u32, 0, extract(x, y & 0xff, z & 0xff, 32, true))    \
    F(3, "bfe.u64", bfe_u64, u64, u64, u32, u32, 0,                                              \
      extract(x, y < 64 ? y : 64, z < 64 ? z : 64, 64, false))                                   \
    F(3, "bfe.s64", bfe_s64, u64, u64, u32, u32, 0,                                              \
      extract(x, y < 64 ? y : 64, z < 64 ? z : 64, 64, true))                                    \
    F(2, "bmsk.clamp.b32", bmsk_clamp, u32, u32, u32, 0, field_mask(x, y, 32))                   \
    F(2, "bmsk.wrap.b32", bmsk_wrap, u32, u32, u32, 0, field_mask(x & 31, y & 31, 32))           \
    F(0, "prmt.b32", "wwww", prmt_b32, 0)                                                        \
    PERMUTES(F, f4e)                                                                             \
    PERMUTES(F, b4e)                                                                             \
    PERMUTES(F, rc8)                                                                             \
    PERMUTES(F, ecl)                                                                             \
    PERMUTES(F, ecr)                                                                             \
    PERMUTES(F, rc16)                                                                            \
    F(3, "slct.b32.s32", slct_s32, u32, u32, u32, s32, 0, z >= 0 ? x : y)                        \
    F(0, "slct.u32.s32", "wwww", slct_s32, 0)                                                    \
    F(0, "slct.s32.s32", "wwww", slct_s32, 0)                                                    \
    F(0, "slct.f32.s32", "fffw", slct_s32, 0)

BITS(FUNCTION)

const struct ptx_alu cushim__ptx_alu_bits[] = {BITS(ROW){0}};
