/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes, random numbers, texts, and arithmetic of long integers. */
#include "device.h"

__constant__ u32 sha_constants[64];

/* One block of 64 bytes for each thread. */
KERNEL sha256(const u32 *in, u32 *out)
{
    static const u32 start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    u32 w[64], s[8];

    for (int i = 0; i < 16; i++)
        w[i] = __byte_perm(in[INDEX * 16 + i], 0, 0x0123);
#pragma unroll 1
    for (int i = 16; i < 64; i++) {
        const u32 a = w[i - 15], b = w[i - 2];

        w[i] = w[i - 16] + (rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3) + w[i - 7] +
               (rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10);
    }
    for (int i = 0; i < 8; i++)
        s[i] = start[i];
#pragma unroll 1
    for (int i = 0; i < 64; i++) {
        const u32 one = s[7] +
                        (rotate_right(s[4], 6) ^ rotate_right(s[4], 11) ^ rotate_right(s[4], 25)) +
                        ((s[4] & s[5]) ^ (~s[4] & s[6])) + sha_constants[i] + w[i];
        const u32 two = (rotate_right(s[0], 2) ^ rotate_right(s[0], 13) ^ rotate_right(s[0], 22)) +
                        ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

        for (int j = 7; j > 0; j--)
            s[j] = s[j - 1];
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        out[INDEX * 8 + i] = s[i] + start[i];
}

__constant__ u32 crc_table[256];

KERNEL crc32(const u8 *in, u32 *out, int length)
{
    const u8 *const text = in + INDEX * length;
    u32 crc = ~0u;

    for (int i = 0; i < length; i++)
        crc = crc_table[(crc ^ text[i]) & 255] ^ crc >> 8;
    out[INDEX] = ~crc;
}

KERNEL fnv(const u8 *in, u64 *out, int length)
{
    u64 hash = 0xcbf29ce484222325;

    for (int i = 0; i < length; i++)
        hash = (hash ^ in[INDEX * length + i]) * 0x100000001b3;
    out[INDEX] = hash;
}

KERNEL adler(const u8 *in, u32 *out, int length)
{
    u32 a = 1, b = 0;

    for (int i = 0; i < length; i++) {
        a = (a + in[INDEX * length + i]) % 65521;
        b = (b + a) % 65521;
    }
    out[INDEX] = b << 16 | a;
}

KERNEL murmur(const u32 *in, u32 *out, int words)
{
    u32 hash = threadIdx.x;

    for (int i = 0; i < words; i++) {
        hash ^= rotate_left(in[INDEX * words + i] * 0xcc9e2d51, 15) * 0x1b873593;
        hash = rotate_left(hash, 13) * 5 + 0xe6546b64;
    }
    hash = (hash ^ words * 4) ^ hash >> 16;
    hash *= 0x85ebca6b;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35;
    out[INDEX] = hash ^ hash >> 16;
}

KERNEL xorshift(u64 *states, float *out, int rounds)
{
    u64 state = states[INDEX];
    float sum = 0;

    for (int i = 0; i < rounds; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        sum += (u32)(state >> 40) * 0x1p-24f;
    }
    states[INDEX] = state;
    out[INDEX] = sum;
}

/* Philox 4x32 with ten rounds. */
KERNEL philox(u32 *out, u64 key)
{
    u32 c[4] = {INDEX, blockIdx.x, 7, 0x9abcdef0}, low = (u32)key, high = (u32)(key >> 32);

    for (int i = 0; i < 10; i++) {
        const u32 a = __umulhi(0xd2511f53, c[0]), b = __umulhi(0xcd9e8d57, c[2]);
        const u32 d = 0xd2511f53 * c[0], e = 0xcd9e8d57 * c[2];

        c[0] = b ^ c[1] ^ low;
        c[1] = e;
        c[2] = a ^ c[3] ^ high;
        c[3] = d;
        low += 0x9e3779b9;
        high += 0xbb67ae85;
    }
    for (int i = 0; i < 4; i++)
        out[INDEX * 4 + i] = c[i];
}

/* Count a word in a text; each thread looks at one place. */
KERNEL search_string(const char *text, const char *word, u32 *found, u32 *first, int length,
                     int letters)
{
    const int i = INDEX;
    bool same = i + letters <= length;

    for (int j = 0; same && j < letters; j++)
        same = text[i + j] == word[j];
    if (same) {
        atomicAdd(found, 1u);
        atomicMin(first, (u32)i);
    }
}

__constant__ char digits[64];

KERNEL base64(const u8 *in, u8 *out)
{
    const u8 *const three = in + INDEX * 3;
    const u32 bits = three[0] << 16 | three[1] << 8 | three[2];

    for (int i = 0; i < 4; i++)
        out[INDEX * 4 + i] = digits[bits >> (18 - 6 * i) & 63];
}

/* Of each pair of words of 16 letters, in local memory. */
KERNEL edit_distance(const u8 *a, const u8 *b, int *out)
{
    const u8 *const word = a + INDEX * 16, *const other = b + INDEX * 16;
    int row[17];

    for (int j = 0; j <= 16; j++)
        row[j] = j;
    for (int i = 1; i <= 16; i++) {
        int corner = row[0];

        row[0] = i;
        for (int j = 1; j <= 16; j++) {
            const int change = corner + ((word[i - 1] & 3) != (other[j - 1] & 3));

            corner = row[j];
            row[j] = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            if (change < row[j])
                row[j] = change;
        }
    }
    out[INDEX] = row[16];
}

KERNEL arithmetic_64(const u64 *a, const s64 *b, u64 *out)
{
    const u64 x = a[INDEX];
    const s64 y = b[INDEX] | 1;
    u64 *const at = out + INDEX * 8;

    at[0] = x * (u64)y;
    at[1] = __umul64hi(x, (u64)y);
    at[2] = x / (u64)(y < 0 ? -(y + 1) + 1 : y);
    at[3] = (u64)((s64)(x >> 1) % y);
    at[4] = (u64)((s64)x >> (y & 63)) + (x << (y & 31));
    at[5] = __popcll(x) + (x > (u64)y) + 2 * ((s64)x > y);
    at[6] = (u64)((s64)(x >> 1) / y);
    at[7] = x % 1000000007;
}

KERNEL bit_counts(const u32 *in, u32 *out)
{
    const u32 x = in[INDEX];

    out[INDEX] = __popc(x) | __clz(x) << 8 | __ffs(x) << 16;
    out[INDEX] ^= __brev(x) ^ __byte_perm(x, ~x, 0x5140);
}

static __device__ u64 multiply_modulo(u64 a, u64 b, u64 modulus)
{
    u64 sum = 0;

    for (; b; b >>= 1) {
        if (b & 1)
            sum = sum >= modulus - a ? sum - (modulus - a) : sum + a;
        a = a >= modulus - a ? a - (modulus - a) : a + a;
    }
    return sum;
}

KERNEL power_modulo(const u64 *bases, const u32 *exponents, u64 *out, u64 modulus)
{
    u64 base = bases[INDEX] % modulus, result = 1;

    for (u32 e = exponents[INDEX]; e; e >>= 1) {
        if (e & 1)
            result = multiply_modulo(result, base, modulus);
        base = multiply_modulo(base, base, modulus);
    }
    out[INDEX] = result;
}

KERNEL greatest_divisor(const u32 *a, const u32 *b, u32 *out)
{
    u32 x = a[INDEX], y = b[INDEX];

    while (y) {
        const u32 rest = x % y;

        x = y;
        y = rest;
    }
    out[INDEX] = x;
}

KERNEL collatz(u32 *out, int count)
{
    const int i = INDEX;
    u64 n = i + 1;
    u32 steps = 0;

    if (i >= count)
        return;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps++;
    }
    out[i] = steps;
}
