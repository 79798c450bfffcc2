/* SPDX-License-Identifier: Apache-2.0 */
/* The computations of reduce.cu. */
#include <math.h>
#include <string.h>

#include "job.h"

enum { N = 10000, BLOCKS = 6, THREADS = 128 };

/* The sum over a block, whose threads stride over all numbers by the size of the grid. */
static uint32_t sum_of_block(const uint32_t *in, size_t block)
{
    uint32_t sum = 0;

    for (size_t i = block * THREADS; i < N; i += BLOCKS * THREADS) {
        for (size_t j = i; j < i + THREADS && j < N; j++)
            sum += in[j];
    }
    return sum;
}

static void sums_of_blocks(struct job *job)
{
    const uint32_t *in = words(job, N, 0);
    uint32_t *out = words(job, BLOCKS, 1);

    number(job, N);
    launch(job, BLOCKS, THREADS);
    for (size_t i = 0; i < BLOCKS; i++)
        out[i] = sum_of_block(in, i);
}

static void sum_atomic(struct job *job)
{
    const float *in = floats(job, 2000, -1, 1);
    float *out = floats(job, 4, 0, 0);

    number(job, 2000);
    launch(job, 4, 64);
    for (size_t i = 0; i < 2000; i++)
        out[i % 4] += in[i];
    tolerate(job, out, 1e-4, 1e-4);
}

static void sum_tiles(struct job *job)
{
    const uint32_t *in = words(job, 500, 1 << 20);
    uint32_t *sums = words(job, 64, 1), *largest = words(job, 32, 1);

    number(job, 500);
    launch(job, 4, 128);
    for (size_t i = 0; i < 500; i++) {
        sums[i / 8] += in[i];
        if (in[i] > largest[i / 16])
            largest[i / 16] = in[i];
    }
}

static void maximum_double(struct job *job)
{
    const double *in = doubles(job, 3000, 0, 1e9);
    double *out = doubles(job, 1, 0, 0);

    number(job, 3000);
    launch(job, 3, 96);
    for (size_t i = 0; i < 3000; i++)
        out[0] = fmax(out[0], in[i]);
}

static void dot(struct job *job)
{
    const float *a = floats(job, N, -1, 1), *b = floats(job, N, -1, 1);
    float *out = floats(job, 1, 0, 0);
    double sum = 0;

    number(job, N);
    launch(job, BLOCKS, THREADS);
    for (size_t i = 0; i < N; i++)
        sum += (double)a[i] * b[i];
    out[0] = (float)sum;
    tolerate(job, out, 1e-4, 1e-3);
}

static void sum_last_block(struct job *job)
{
    const uint32_t *in = words(job, N, 0);
    uint32_t *partial = words(job, BLOCKS, 1), *ticket = words(job, 1, 1);
    uint64_t *out = longs(job, 1, 1);

    number(job, N);
    launch(job, BLOCKS, THREADS);
    for (size_t block = 0; block < BLOCKS; block++) {
        for (size_t i = block * THREADS; i < N; i += BLOCKS * THREADS) {
            for (size_t j = i; j < i + THREADS && j < N; j++)
                partial[block] += in[j] >> 8;
        }
        out[0] += partial[block];
    }
    ticket[0] = BLOCKS;
}

static void variance(struct job *job)
{
    const double *in = doubles(job, 1000, 5, 6);
    double *out = doubles(job, 2, 0, 0);

    number(job, 1000);
    launch(job, 1, 128);
    for (size_t i = 0; i < 1000; i++)
        out[0] += in[i] / 1000;
    for (size_t i = 0; i < 1000; i++)
        out[1] += (in[i] - out[0]) * (in[i] - out[0]) / 1000;
    out[1] = sqrt(out[1]);
    tolerate(job, out, 1e-12, 0);
}

/* A sum within each `group`, with or without the element itself. */
static void scan(const uint32_t *in, uint32_t *out, size_t count, size_t group, bool inclusive)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        sum = i % group ? sum : 0;
        out[i] = inclusive ? sum + in[i] : sum;
        sum += in[i];
    }
}

static void scan_inclusive(struct job *job)
{
    const uint32_t *in = words(job, 1024, 0);
    uint32_t *out = words(job, 1024, 1);

    launch(job, 4, 256);
    scan(in, out, 1024, 256, true);
}

static void scan_exclusive(struct job *job)
{
    const uint32_t *in = words(job, 1024, 0);
    uint32_t *out = words(job, 1024, 1);

    launch_as(job, (struct geometry){.grid = {2, 1, 1}, .block = {256, 1, 1}, .shared = 2048});
    scan(in, out, 1024, 512, false);
}

static void scan_warp(struct job *job)
{
    const uint32_t *in = words(job, 512, 0);
    uint32_t *out = words(job, 512, 1);

    launch(job, 4, 128);
    scan(in, out, 512, 32, true);
}

static void compact(struct job *job)
{
    const uint32_t *in = words(job, 512, 0);
    uint32_t *out = words(job, 512, 1), *kept = words(job, 1, 1);

    launch(job, 1, 512);
    for (size_t i = 0; i < 512; i++) {
        if (in[i] & 1)
            out[kept[0]++] = in[i];
    }
}

const struct kernel_case reduce_cases[] = {
    {"sum_shared", sums_of_blocks, 0, 0},
    {"sum_shuffle", sums_of_blocks, 0, 0},
    {"sum_atomic", sum_atomic, 0, 0},
    {"sum_tiles", sum_tiles, 0, 0},
    {"maximum_double", maximum_double, 0, 0},
    {"dot", dot, 0, 0},
    {"sum_last_block", sum_last_block, 0, 0},
    {"variance", variance, 0, 0},
    {"scan_inclusive", scan_inclusive, 0, 0},
    {"scan_exclusive", scan_exclusive, 0, 0},
    {"scan_warp", scan_warp, 0, 0},
    {"compact", compact, 0, 0},
    {0},
};
