/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose parameters are prepared; the comments name their sources. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

/* --- bits.cu --- */

static void crc32(struct job *job)
{
    uint32_t table[256];

    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int j = 0; j < 8; j++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
    }
    bytes(job, 64 * 33, 0);
    words(job, 64, 1);
    variable(job, "crc_table", table, sizeof table);
    number(job, 33);
    launch(job, 2, 32);
}

static void search_string(struct job *job)
{
    enum { LENGTH = 3000 };

    bytes(job, LENGTH, 3);
    bytes(job, 4, 3);
    words(job, 1, 1);
    words(job, 1, 1)[0] = ~0u;
    number(job, LENGTH);
    number(job, 4);
    launch(job, 24, 128);
}

static void base64(struct job *job)
{
    static const char digits[65] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    bytes(job, 3 * 64, 0);
    bytes(job, 4 * 64, 1);
    variable(job, "digits", digits, 64);
    launch(job, 2, 32);
}

static void bit_counts(struct job *job)
{
    uint32_t *in = words(job, 256, 0);

    in[3] = 0;
    in[4] = ~0u;
    words(job, 256, 1);
    launch(job, 2, 128);
}

/* --- graph.cu --- */

enum { NODES = 300 };

/* The number of edges of each node, and the index of its first edge. */
static void begin_rows(uint32_t *starts, size_t nodes)
{
    starts[0] = 0;
    for (size_t i = 0; i < nodes; i++)
        starts[i + 1] += starts[i];
}

static void bfs_step(struct job *job)
{
    uint32_t *starts = words(job, NODES + 1, 4), *edges = words(job, NODES * 4, NODES),
             *levels = words(job, NODES, 1), *changed = words(job, 1, 1);

    begin_rows(starts, NODES);
    memset(levels + 1, 0xff, (NODES - 1) * sizeof *levels);
    for (int level = 0; level < 12; level++) {
        next_kernel(job, "bfs_step");
        buffer(job, starts);
        buffer(job, edges);
        buffer(job, levels);
        buffer(job, changed);
        number(job, NODES);
        number(job, level);
        launch(job, 5, 64);
    }
}

/* The root of a set is its smallest member, in whatever order the edges are processed. */
static void union_find(struct job *job)
{
    uint32_t *parents = words(job, NODES, 1);

    for (uint32_t i = 0; i < NODES; i++)
        parents[i] = i;
    words(job, 200, NODES);
    words(job, 200, NODES);
    number(job, 200);
    launch(job, 7, 32);
    next_kernel(job, "union_flatten");
    buffer(job, parents);
    number(job, NODES);
    launch(job, 5, 64);
}

static void atomics(struct job *job)
{
    uint32_t *out;

    words(job, 256, 0);
    out = words(job, 8 + 2 * 8, 1);
    out[1] = out[4] = ~0u;
    launch(job, 2, 128);
}

/* The position of a key depends on the order of threads; its count does not. */
static void table_insert(struct job *job)
{
    enum { KEYS = 400, SIZE = 257 };
    uint64_t *keys = longs(job, KEYS, 150), *slots = longs(job, SIZE, 1);
    uint32_t *counts = words(job, SIZE, 1);

    for (size_t i = 0; i < KEYS; i++)
        keys[i] = (keys[i] + 1) * UINT64_C(0x100000007);
    number(job, KEYS);
    number(job, SIZE);
    launch(job, 4, 128);
    next_kernel(job, "table_find");
    buffer(job, keys);
    buffer(job, slots);
    buffer(job, counts);
    words(job, KEYS, 1);
    number(job, KEYS);
    number(job, SIZE);
    launch(job, 4, 128);
    ignore(job, slots);
    ignore(job, counts);
}

static void pagerank(struct job *job)
{
    uint32_t *starts = words(job, NODES + 1, 5), *degrees;

    words(job, NODES * 5, NODES);
    degrees = words(job, NODES, 9);
    begin_rows(starts, NODES);
    for (size_t i = 0; i < NODES; i++)
        degrees[i]++;
    doubles(job, NODES, 0, 1);
    doubles(job, NODES, 0, 0);
    number(job, NODES);
    launch(job, 5, 64);
}

static void shortest_ways(struct job *job)
{
    enum { SIZE = 20 };
    uint32_t *ways = words(job, SIZE * SIZE, 1000);

    for (size_t i = 0; i < SIZE; i++)
        ways[i * SIZE + i] = 0;
    number(job, SIZE);
    launch(job, 1, 128);
}

/* --- grid.cu and matrix.cu --- */

static void convolution(struct job *job)
{
    enum { WIDTH = 50, HEIGHT = 37 };
    float weights[25];

    for (int i = 0; i < 25; i++)
        weights[i] = (float)(random_bits(job) % 16) / 64;
    floats(job, WIDTH * HEIGHT, 0, 1);
    floats(job, WIDTH * HEIGHT, 0, 0);
    variable(job, "weights", weights, sizeof weights);
    number(job, WIDTH);
    number(job, HEIGHT);
    launch_as(job, (struct geometry){.grid = {4, 3, 1}, .block = {16, 16, 1}});
}

static void product_sparse(struct job *job)
{
    enum { ROWS = 50, COLUMNS = 200 };

    begin_rows(words(job, ROWS + 1, 80), ROWS);
    words(job, ROWS * 80, COLUMNS);
    floats(job, ROWS * 80, -1, 1);
    floats(job, COLUMNS, -1, 1);
    floats(job, ROWS, 0, 0);
    number(job, ROWS);
    launch(job, 13, 128);
}

/* --- language.cu --- */

/* The layout of the kernel's parameter and results. */
struct settings {
    char letter;
    int16_t pair[2];
    int32_t number;
    double factor;
    uint8_t colours[3][3];
    uint64_t mask;
};

static void structures(struct job *job)
{
    struct settings *out, value;

    memset(&value, 0, sizeof value);
    value.letter = 'A';
    value.pair[0] = -300;
    value.pair[1] = 1000;
    value.factor = 3.25;
    value.colours[0][1] = 250;
    value.colours[2][1] = 3;
    value.mask = UINT64_C(0x0123456789abcdef);
    structure(job, &value, sizeof value);
    out = room(job, 64 * sizeof *out);
    /* The padding between letter and pair, pair and number, number and factor, colours and mask. */
    ignore_padding(job, out, sizeof *out, 0x2 | 0xc0 | 0xf000 | UINT64_C(0xfe00000000));
    structure(job, &(uint8_t){9}, 1);
    launch(job, 2, 32);
}

/* --- numeric.cu --- */

/* Also numbers that are subnormal as halves, that overflow, and that lie between two halves. */
static void half_round_trip(struct job *job)
{
    float *in = floats(job, 256, -3, 3);

    for (size_t i = 0; i < 256; i += 3)
        in[i] *= 0x1p-28f * (float)(UINT64_C(1) << i % 50);
    in[1] = 70000;
    in[2] = 65519;
    in[4] = 2049;
    shorts(job, 256, 1);
    floats(job, 256, 0, 0);
    launch(job, 4, 64);
}

/* Two halves in each word, positive and below 2; the factors are 1.5 and -0.3. */
static void half_axpy(struct job *job)
{
    const uint32_t factors = 0x3e00b4cd;
    uint32_t *x = words(job, 128, 0), *y = words(job, 128, 0);

    for (size_t i = 0; i < 128; i++) {
        x[i] &= 0x3fff3fff;
        y[i] &= 0x3fff3fff;
    }
    structure(job, &factors, sizeof factors);
    launch(job, 2, 64);
}

/* --- sort.cu --- */

static int by_word(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static int by_long(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void sort_radix(struct job *job)
{
    uint32_t *keys = words(job, 256, 100);

    keys[7] = 0xfedcba98;
    keys[8] = 0x12345678;
    words(job, 256, 0);
    launch(job, 1, 256);
}

static void merge_path(struct job *job)
{
    qsort(words(job, 700, 1000), 700, sizeof(uint32_t), by_word);
    qsort(words(job, 500, 1000), 500, sizeof(uint32_t), by_word);
    words(job, 1200, 1);
    number(job, 700);
    number(job, 500);
    number(job, 7);
    launch(job, 6, 32);
}

static void search_binary(struct job *job)
{
    qsort(longs(job, 1000, 5000), 1000, sizeof(uint64_t), by_long);
    longs(job, 256, 5000);
    words(job, 256, 1);
    number(job, 1000);
    launch(job, 4, 64);
}

/* --- threads.cu --- */

static void prints(struct job *job)
{
    uint32_t *in = words(job, 5, 1000);
    char expected[200];
    const char *printed;

    in[0] = (uint32_t)-5;
    snprintf(expected, sizeof expected, "%d %u %x %s %c %5.2f %lld %%\n", (int)in[0], in[1], in[2],
             "text", 'z', in[3] * 0.25, (long long)in[4] << 20);
    capture_begin(job, 1);
    launch(job, 1, 32);
    printed = capture_end(job);
    if (strcmp(printed, expected) != 0)
        fail(job, "printed was '%s' and not '%s'", printed, expected);
}

static void asserts(struct job *job)
{
    uint32_t *in = words(job, 32, 1);
    const char *printed;

    in[3] = 7;
    capture_begin(job, 2);
    launch(job, 1, 32);
    printed = capture_end(job);
    if (!strstr(printed, "block: [0,0,0], thread: [3,0,0] Assertion `in[threadIdx.x] != 7` failed"))
        fail(job, "printed was '%s'", printed);
}

const struct kernel_case prepared_cases[] = {
    {.kernel = "crc32", .run = crc32},
    {.kernel = "search_string", .run = search_string},
    {.kernel = "base64", .run = base64},
    {.kernel = "bit_counts", .run = bit_counts},
    {.kernel = "bfs_step", .run = bfs_step},
    {.kernel = "union_find", .run = union_find, .second = "union_flatten"},
    {.kernel = "atomics", .run = atomics},
    {.kernel = "table_insert", .run = table_insert, .second = "table_find"},
    {.kernel = "pagerank", .run = pagerank},
    {.kernel = "shortest_ways", .run = shortest_ways},
    {.kernel = "convolution", .run = convolution},
    {.kernel = "product_sparse", .run = product_sparse},
    {.kernel = "structures", .run = structures},
    {.kernel = "half_round_trip", .run = half_round_trip},
    {.kernel = "half_axpy", .run = half_axpy},
    {.kernel = "sort_radix", .run = sort_radix},
    {.kernel = "merge_path", .run = merge_path},
    {.kernel = "search_binary", .run = search_binary},
    {.kernel = "prints", .run = prints},
    {.kernel = "asserts", .run = asserts, .computed = true, .faults = CUDA_ERROR_ASSERT},
    {0},
};
