/* SPDX-License-Identifier: Apache-2.0 */
/* The computations of sort.cu. */
#include <stdlib.h>
#include <string.h>

#include "job.h"

#define DEFINE_ORDER(name, type)                               \
    static int name(const void *a, const void *b)              \
    {                                                          \
        const type x = *(const type *)a, y = *(const type *)b; \
        return (x > y) - (x < y);                              \
    }
DEFINE_ORDER(by_word, uint32_t)
DEFINE_ORDER(by_int, int32_t)
DEFINE_ORDER(by_long, uint64_t)
DEFINE_ORDER(by_float, float)
DEFINE_ORDER(by_byte, uint8_t)

static void sort_bitonic(struct job *job)
{
    uint32_t *numbers = words(job, 768, 0);

    launch(job, 3, 256);
    for (size_t i = 0; i < 3; i++)
        qsort(numbers + i * 256, 256, sizeof *numbers, by_word);
}

/* Equal keys keep their order, because the key and its position form one number. */
static void sort_radix(struct job *job)
{
    uint32_t *keys = words(job, 256, 100), *values = words(job, 256, 0);
    uint32_t before[256];
    uint64_t places[256];

    keys[7] = 0xfedcba98;
    keys[8] = 0x12345678;
    launch(job, 1, 256);
    for (size_t i = 0; i < 256; i++)
        places[i] = (uint64_t)keys[i] << 32 | i;
    memcpy(before, values, sizeof before);
    qsort(places, 256, sizeof *places, by_long);
    for (size_t i = 0; i < 256; i++) {
        keys[i] = (uint32_t)(places[i] >> 32);
        values[i] = before[places[i] & 255];
    }
}

static void sort_odd_even(struct job *job)
{
    float *numbers = floats(job, 99, -10, 10);

    number(job, 99);
    launch(job, 1, 64);
    qsort(numbers, 99, sizeof *numbers, by_float);
}

static void sort_local(struct job *job)
{
    uint32_t *numbers = words(job, 64 * 24, 0);

    launch(job, 2, 32);
    for (size_t i = 0; i < 64; i++)
        qsort(numbers + i * 24, 24, sizeof *numbers, by_int);
}

static void merge_path(struct job *job)
{
    uint32_t *a = words(job, 700, 1000), *b = words(job, 500, 1000), *out = words(job, 1200, 1);
    size_t i = 0, j = 0;

    qsort(a, 700, sizeof *a, by_word);
    qsort(b, 500, sizeof *b, by_word);
    number(job, 700);
    number(job, 500);
    number(job, 7);
    launch(job, 6, 32);
    for (size_t k = 0; k < 1200; k++)
        out[k] = j >= 500 || (i < 700 && a[i] <= b[j]) ? a[i++] : b[j++];
}

static void search_binary(struct job *job)
{
    uint64_t *sorted = longs(job, 1000, 5000), *wanted = longs(job, 256, 5000);
    uint32_t *out = words(job, 256, 1);

    qsort(sorted, 1000, sizeof *sorted, by_long);
    number(job, 1000);
    launch(job, 4, 64);
    for (size_t i = 0; i < 256; i++) {
        while (out[i] < 1000 && sorted[out[i]] < wanted[i])
            out[i]++;
    }
}

static void sort_rank(struct job *job)
{
    const uint8_t *in = bytes(job, 300, 0);
    uint8_t *out = bytes(job, 300, 1);

    number(job, 300);
    launch(job, 5, 64);
    memcpy(out, in, 300);
    qsort(out, 300, 1, by_byte);
}

static void top_eight(struct job *job)
{
    const float *in = floats(job, 64 * 100, 0, 1);
    float *out = floats(job, 64 * 8, 0, 0);
    uint32_t *where = words(job, 64 * 8, 1);

    number(job, 100);
    launch(job, 2, 32);
    for (size_t row = 0; row < 64; row++) {
        bool taken[100] = {false};

        for (size_t i = 0; i < 8; i++) {
            size_t best = SIZE_MAX;

            for (size_t j = 0; j < 100; j++) {
                if (!taken[j] && (best == SIZE_MAX || in[row * 100 + j] > in[row * 100 + best]))
                    best = j;
            }
            taken[best] = true;
            out[row * 8 + i] = in[row * 100 + best];
            where[row * 8 + i] = (uint32_t)best;
        }
    }
}

const struct kernel_case sort_cases[] = {
    {"sort_bitonic", sort_bitonic, 0, 0},
    {"sort_radix", sort_radix, 0, 0},
    {"sort_odd_even", sort_odd_even, 0, 0},
    {"sort_local", sort_local, 0, 0},
    {"merge_path", merge_path, 0, 0},
    {"search_binary", search_binary, 0, 0},
    {"sort_rank", sort_rank, 0, 0},
    {"top_eight", top_eight, 0, 0},
    {0},
};
