/* SPDX-License-Identifier: Apache-2.0 */
/* The computations of bits.cu. */
#include <math.h>
#include <string.h>

#include "job.h"

static uint32_t rotate(uint32_t value, unsigned right)
{
    return value >> right | value << (32 - right);
}

static uint32_t reversed(uint32_t word)
{
    return word << 24 | (word & 0xff00) << 8 | (word >> 8 & 0xff00) | word >> 24;
}

/* The first 32 fractional bits of the cube roots of the first 64 primes. */
static void sha_constants(uint32_t *constants)
{
    unsigned count = 0;

    for (unsigned n = 2; count < 64; n++) {
        unsigned divisor = 2;

        while (n % divisor)
            divisor++;
        if (divisor == n) {
            uint64_t root = 0; /* of n << 96, bit by bit: floor(cbrt(n) * 2^32) */

            for (uint64_t bit = UINT64_C(1) << 35; bit; bit >>= 1) {
                const long double next = (long double)(root | bit) * 0x1p-32L;

                if (next * next * next <= n)
                    root |= bit;
            }
            constants[count++] = (uint32_t)root;
        }
    }
}

static void sha256_block(const uint32_t *k, const uint32_t *in, uint32_t *out)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint32_t w[64], s[8];

    for (int i = 0; i < 64; i++) {
        w[i] = i < 16 ? reversed(in[i])
                      : w[i - 16] + w[i - 7] +
                            (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
                            (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
    }
    memcpy(s, start, sizeof s);
    for (int i = 0; i < 64; i++) {
        const uint32_t one = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
                             ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
        const uint32_t two = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) +
                             ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        out[i] = s[i] + start[i];
}

static void sha256(struct job *job)
{
    const uint32_t *in = words(job, 64 * 16, 0);
    uint32_t *out = words(job, 64 * 8, 1), constants[64];

    sha_constants(constants);
    if (constants[0] != 0x428a2f98 || constants[63] != 0xc67178f2)
        fail(job, "the constants are not those of the standard");
    variable(job, "sha_constants", constants, sizeof constants);
    launch(job, 2, 32);
    for (size_t i = 0; i < 64; i++)
        sha256_block(constants, in + i * 16, out + i * 8);
}

static void crc32(struct job *job)
{
    uint8_t *in = bytes(job, 64 * 33, 0);
    uint32_t *out = words(job, 64, 1), table[256];

    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int j = 0; j < 8; j++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
    }
    variable(job, "crc_table", table, sizeof table);
    number(job, 33);
    launch(job, 2, 32);
    for (size_t i = 0; i < 64; i++) {
        out[i] = ~0u;
        for (size_t j = 0; j < 33; j++) {
            out[i] ^= in[i * 33 + j];
            for (int k = 0; k < 8; k++)
                out[i] = out[i] >> 1 ^ (out[i] & 1 ? 0xedb88320 : 0);
        }
        out[i] = ~out[i];
    }
}

static void fnv(struct job *job)
{
    const uint8_t *in = bytes(job, 64 * 20, 0);
    uint64_t *out = longs(job, 64, 1);

    number(job, 20);
    launch(job, 2, 32);
    for (size_t i = 0; i < 64; i++) {
        out[i] = UINT64_C(0xcbf29ce484222325);
        for (size_t j = 0; j < 20; j++)
            out[i] = (out[i] ^ in[i * 20 + j]) * UINT64_C(0x100000001b3);
    }
}

static void adler(struct job *job)
{
    const uint8_t *in = bytes(job, 64 * 300, 0);
    uint32_t *out = words(job, 64, 1);

    number(job, 300);
    launch(job, 2, 32);
    for (size_t i = 0; i < 64; i++) {
        uint32_t a = 1, b = 0;

        for (size_t j = 0; j < 300; j++) {
            a = (a + in[i * 300 + j]) % 65521;
            b = (b + a) % 65521;
        }
        out[i] = b << 16 | a;
    }
}

static void murmur(struct job *job)
{
    const uint32_t *in = words(job, 64 * 9, 0);
    uint32_t *out = words(job, 64, 1);

    number(job, 9);
    launch(job, 2, 32);
    for (size_t i = 0; i < 64; i++) {
        uint32_t hash = i % 32;

        for (size_t j = 0; j < 9; j++) {
            hash ^= rotate(in[i * 9 + j] * 0xcc9e2d51, 17) * 0x1b873593;
            hash = rotate(hash, 19) * 5 + 0xe6546b64;
        }
        hash = (hash ^ 36) ^ hash >> 16;
        hash *= 0x85ebca6b;
        hash = (hash ^ hash >> 13) * 0xc2b2ae35;
        out[i] = hash ^ hash >> 16;
    }
}

static void xorshift(struct job *job)
{
    uint64_t *states = longs(job, 96, 0);
    float *out = floats(job, 96, 0, 0);

    number(job, 50);
    launch(job, 3, 32);
    for (size_t i = 0; i < 96; i++) {
        for (int j = 0; j < 50; j++) {
            states[i] ^= states[i] << 13;
            states[i] ^= states[i] >> 7;
            states[i] ^= states[i] << 17;
            out[i] += (float)(uint32_t)(states[i] >> 40) * 0x1p-24f;
        }
    }
    tolerate(job, out, 1e-6, 0);
}

static void philox(struct job *job)
{
    uint32_t *out = words(job, 4 * 96, 1);
    const uint64_t key = random_bits(job);

    number_long(job, key);
    launch(job, 3, 32);
    for (uint32_t i = 0; i < 96; i++) {
        uint32_t c[4] = {i, i / 32, 7, 0x9abcdef0}, low = (uint32_t)key,
                 high = (uint32_t)(key >> 32);

        for (int j = 0; j < 10; j++) {
            const uint64_t a = UINT64_C(0xd2511f53) * c[0], b = UINT64_C(0xcd9e8d57) * c[2];

            c[0] = (uint32_t)(b >> 32) ^ c[1] ^ low;
            c[1] = (uint32_t)b;
            c[2] = (uint32_t)(a >> 32) ^ c[3] ^ high;
            c[3] = (uint32_t)a;
            low += 0x9e3779b9;
            high += 0xbb67ae85;
        }
        memcpy(out + 4 * i, c, sizeof c);
    }
}

static void search_string(struct job *job)
{
    enum { LENGTH = 3000 };
    const uint8_t *text = bytes(job, LENGTH, 3), *word = bytes(job, 4, 3);
    uint32_t *found = words(job, 1, 1), *first = words(job, 1, 1);

    first[0] = ~0u;
    number(job, LENGTH);
    number(job, 4);
    launch(job, 24, 128);
    for (uint32_t i = 0; i + 4 <= LENGTH; i++) {
        if (memcmp(text + i, word, 4) == 0) {
            found[0]++;
            if (first[0] == ~0u)
                first[0] = i;
        }
    }
    if (found[0] == 0)
        fail(job, "there is nothing to find");
}

static void base64(struct job *job)
{
    static const char digits[65] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *in = bytes(job, 3 * 64, 0);
    uint8_t *out = bytes(job, 4 * 64, 1);

    variable(job, "digits", digits, 64);
    launch(job, 2, 32);
    for (size_t i = 0; i < 64; i++) {
        const uint32_t three =
            (uint32_t)in[3 * i] << 16 | (uint32_t)in[3 * i + 1] << 8 | in[3 * i + 2];

        for (int j = 0; j < 4; j++)
            out[4 * i + j] = (uint8_t)digits[three >> (18 - 6 * j) & 63];
    }
}

static void edit_distance(struct job *job)
{
    const uint8_t *a = bytes(job, 64 * 16, 0), *b = bytes(job, 64 * 16, 0);
    uint32_t *out = words(job, 64, 1);

    launch(job, 2, 32);
    for (size_t i = 0; i < 64; i++) {
        uint32_t table[17][17];

        for (uint32_t y = 0; y <= 16; y++) {
            for (uint32_t x = 0; x <= 16; x++) {
                uint32_t best = x + y;

                if (x && y) {
                    best =
                        table[y - 1][x - 1] + ((a[i * 16 + y - 1] & 3) != (b[i * 16 + x - 1] & 3));
                    best = table[y - 1][x] + 1 < best ? table[y - 1][x] + 1 : best;
                    best = table[y][x - 1] + 1 < best ? table[y][x - 1] + 1 : best;
                }
                table[y][x] = best;
            }
        }
        out[i] = table[16][16];
    }
}

static uint64_t high_product(uint64_t a, uint64_t b)
{
    const uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    const uint64_t middle = ah * bl + (al * bl >> 32), other = al * bh + (uint32_t)middle;

    return ah * bh + (middle >> 32) + (other >> 32);
}

static void arithmetic_64(struct job *job)
{
    const uint64_t *a = longs(job, 128, 0), *b = longs(job, 128, 0);
    uint64_t *out = longs(job, 128 * 8, 1);

    launch(job, 4, 32);
    for (size_t i = 0; i < 128; i++) {
        const uint64_t x = a[i];
        const int64_t y = (int64_t)(b[i] | 1), half = (int64_t)(x >> 1);
        uint64_t *at = out + i * 8;

        at[0] = x * (uint64_t)y;
        at[1] = high_product(x, (uint64_t)y);
        at[2] = x / (y < 0 ? (uint64_t)0 - (uint64_t)y : (uint64_t)y);
        at[3] = (uint64_t)(half % y);
        at[4] = (uint64_t)((int64_t)x >> (y & 63)) + (x << (y & 31));
        at[5] = (uint64_t)(__builtin_popcountll(x) + (x > (uint64_t)y) + 2 * ((int64_t)x > y));
        at[6] = (uint64_t)(half / y);
        at[7] = x % 1000000007;
    }
}

static uint32_t byte_at(uint64_t both, unsigned place)
{
    return (uint32_t)(both >> 8 * place) & 255;
}

static void bit_counts(struct job *job)
{
    uint32_t *in = words(job, 256, 0), *out = words(job, 256, 1);

    in[3] = 0;
    in[4] = ~0u;
    launch(job, 2, 128);
    for (size_t i = 0; i < 256; i++) {
        const uint32_t x = in[i];
        const uint64_t both = (uint64_t)~x << 32 | x;
        uint32_t backwards = 0, ones = 0, leading = 32, first = 0;

        for (unsigned bit = 0; bit < 32; bit++) {
            if (x >> bit & 1) {
                backwards |= 0x80000000u >> bit;
                ones++;
                leading = 31 - bit;
                first = first ? first : bit + 1;
            }
        }
        out[i] = ones | leading << 8 | first << 16;
        out[i] ^= backwards ^ (byte_at(both, 0) | byte_at(both, 4) << 8 | byte_at(both, 1) << 16 |
                               byte_at(both, 5) << 24);
    }
}

static uint64_t product_modulo(uint64_t a, uint64_t b, uint64_t modulus)
{
    uint64_t sum = 0;

    for (; b; b >>= 1) {
        if (b & 1)
            sum = (sum + a) % modulus;
        a = a * 2 % modulus;
    }
    return sum;
}

static void power_modulo(struct job *job)
{
    const uint64_t modulus = UINT64_C(0x1fffffffffffffff), *bases = longs(job, 32, 0);
    const uint32_t *exponents = words(job, 32, 1000);
    uint64_t *out = longs(job, 32, 1);

    number_long(job, modulus);
    launch(job, 1, 32);
    for (size_t i = 0; i < 32; i++) {
        out[i] = 1;
        for (uint32_t j = 0; j < exponents[i]; j++)
            out[i] = product_modulo(out[i], bases[i] % modulus, modulus);
    }
}

static void greatest_divisor(struct job *job)
{
    const uint32_t *a = words(job, 256, 100000), *b = words(job, 256, 100000);
    uint32_t *out = words(job, 256, 1);

    launch(job, 4, 64);
    for (size_t i = 0; i < 256; i++) {
        uint32_t x = a[i], y = b[i];

        while (y) {
            const uint32_t rest = x % y;

            x = y;
            y = rest;
        }
        out[i] = x;
    }
}

static void collatz(struct job *job)
{
    uint32_t *out = words(job, 500, 1);

    number(job, 500);
    launch(job, 4, 128);
    for (size_t i = 0; i < 500; i++) {
        for (uint64_t n = i + 1; n != 1; out[i]++)
            n = n % 2 ? 3 * n + 1 : n / 2;
    }
}

const struct kernel_case bits_cases[] = {
    {"sha256", sha256, 0, 0},
    {"crc32", crc32, 0, 0},
    {"fnv", fnv, 0, 0},
    {"adler", adler, 0, 0},
    {"murmur", murmur, 0, 0},
    {"xorshift", xorshift, 0, 0},
    {"philox", philox, 0, 0},
    {"search_string", search_string, 0, 0},
    {"base64", base64, 0, 0},
    {"edit_distance", edit_distance, 0, 0},
    {"arithmetic_64", arithmetic_64, 0, 0},
    {"bit_counts", bit_counts, 0, 0},
    {"power_modulo", power_modulo, 0, 0},
    {"greatest_divisor", greatest_divisor, 0, 0},
    {"collatz", collatz, 0, 0},
    {0},
};
