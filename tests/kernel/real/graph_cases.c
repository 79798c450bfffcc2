/* SPDX-License-Identifier: Apache-2.0 */
/* The computations of graph.cu. */
#include <math.h>
#include <string.h>

#include "job.h"

enum { NODES = 300, EDGES = 1200 };

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
    uint32_t expected = 0;

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
    for (uint32_t level = 0; level < 12; level++) {
        for (size_t node = 0; node < NODES; node++) {
            for (size_t i = starts[node]; levels[node] == level && i < starts[node + 1]; i++) {
                if (levels[edges[i]] == ~0u) {
                    levels[edges[i]] = level + 1;
                    expected++;
                }
            }
        }
    }
    changed[0] = expected;
}

/* The root of a set is its smallest member, in whatever order the edges are processed. */
static void union_find(struct job *job)
{
    uint32_t *parents = words(job, NODES, 1);
    const uint32_t *from = words(job, 200, NODES), *to = words(job, 200, NODES);
    bool changed = true;

    for (uint32_t i = 0; i < NODES; i++)
        parents[i] = i;
    number(job, 200);
    launch(job, 7, 32);
    next_kernel(job, "union_flatten");
    buffer(job, parents);
    number(job, NODES);
    launch(job, 5, 64);
    while (changed) {
        changed = false;
        for (size_t i = 0; i < 200; i++) {
            uint32_t *a = parents + from[i], *b = parents + to[i];

            changed = changed || *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
}

static void histogram_shared(struct job *job)
{
    const uint8_t *in = bytes(job, 5000, 0);
    uint32_t *out = words(job, 256, 1);

    number(job, 5000);
    launch(job, 3, 256);
    for (size_t i = 0; i < 5000; i++)
        out[in[i]]++;
}

static void histogram_global(struct job *job)
{
    const uint32_t *in = words(job, 5000, 0);
    uint32_t *out = words(job, 37, 1);

    number(job, 5000);
    number(job, 37);
    launch(job, 4, 128);
    for (size_t i = 0; i < 5000; i++)
        out[in[i] % 37]++;
}

static void histogram_long(struct job *job)
{
    const uint16_t *in = shorts(job, 1000, 0);
    uint64_t *out = longs(job, 64, 1);

    number(job, 1000);
    launch(job, 8, 128);
    for (size_t i = 0; i < 1000; i++)
        out[in[i] % 64] += UINT64_C(0x100000001);
}

/* These sums are exact. */
static void histogram_float(struct job *job)
{
    const uint16_t *in = shorts(job, 1000, 0);
    float *out = floats(job, 64, 0, 0);

    number(job, 1000);
    launch(job, 8, 128);
    for (size_t i = 0; i < 1000; i++)
        out[in[i] % 64] += 0.25f;
}

static void histogram_int(struct job *job)
{
    const uint16_t *in = shorts(job, 1000, 0);
    uint32_t *out = words(job, 64, 1);

    number(job, 1000);
    launch(job, 8, 128);
    for (size_t i = 0; i < 1000; i++)
        out[in[i] % 64] -= 3;
}

static void combine(uint32_t *at, uint32_t x)
{
    at[0] |= x & 0x55555555;
    at[1] &= x | 0xff;
    at[2] ^= x;
    at[3] = (int32_t)at[3] > (int32_t)x ? at[3] : x;
    at[4] = at[4] < x ? at[4] : x;
    at[5] -= x;
    at[6] = at[6] >= 99 ? 0 : at[6] + 1;
}

static void atomics(struct job *job)
{
    const uint32_t *in = words(job, 256, 0);
    uint32_t *out = words(job, 8 + 2 * 8, 1);

    out[1] = out[4] = ~0u;
    launch(job, 2, 128);
    out[8 + 1] = out[8 + 4] = out[16 + 1] = out[16 + 4] = ~0u;
    for (size_t i = 0; i < 256; i++) {
        combine(out, in[i]);
        combine(out + 8 + i / 128 * 8, in[i]);
    }
}

/* The position of a key depends on the order of threads; its count does not. */
static void table_insert(struct job *job)
{
    enum { KEYS = 400, SIZE = 257 };
    uint64_t *keys = longs(job, KEYS, 150), *slots = longs(job, SIZE, 1);
    uint32_t *counts = words(job, SIZE, 1), *out;

    for (size_t i = 0; i < KEYS; i++)
        keys[i] = (keys[i] + 1) * UINT64_C(0x100000007);
    number(job, KEYS);
    number(job, SIZE);
    launch(job, 4, 128);
    next_kernel(job, "table_find");
    buffer(job, keys);
    buffer(job, slots);
    buffer(job, counts);
    out = words(job, KEYS, 1);
    number(job, KEYS);
    number(job, SIZE);
    launch(job, 4, 128);
    ignore(job, slots);
    ignore(job, counts);
    for (size_t i = 0; i < KEYS; i++) {
        for (size_t j = 0; j < KEYS; j++)
            out[i] += keys[i] == keys[j];
    }
}

static void pagerank(struct job *job)
{
    uint32_t *starts = words(job, NODES + 1, 5), *from = words(job, NODES * 5, NODES),
             *degrees = words(job, NODES, 9);
    const double *ranks = doubles(job, NODES, 0, 1);
    double *out = doubles(job, NODES, 0, 0);

    begin_rows(starts, NODES);
    for (size_t i = 0; i < NODES; i++)
        degrees[i]++;
    number(job, NODES);
    launch(job, 5, 64);
    for (size_t node = 0; node < NODES; node++) {
        for (size_t i = starts[node]; i < starts[node + 1]; i++)
            out[node] += 0.85 * ranks[from[i]] / degrees[from[i]];
        out[node] += 0.15 / NODES;
    }
    tolerate(job, out, 1e-13, 0);
}

static void shortest_ways(struct job *job)
{
    enum { SIZE = 20 };
    uint32_t *ways = words(job, SIZE * SIZE, 1000);

    for (size_t i = 0; i < SIZE; i++)
        ways[i * SIZE + i] = 0;
    number(job, SIZE);
    launch(job, 1, 128);
    for (size_t k = 0; k < SIZE; k++) {
        for (size_t i = 0; i < SIZE * SIZE; i++) {
            const uint32_t over = ways[i / SIZE * SIZE + k] + ways[k * SIZE + i % SIZE];

            if (over < ways[i])
                ways[i] = over;
        }
    }
}

static void group_sums(struct job *job)
{
    const uint32_t *keys = words(job, 1000, 0);
    uint32_t *sums = words(job, 10, 1);

    number(job, 1000);
    launch(job, 8, 128);
    for (size_t i = 0; i < 1000; i++)
        sums[keys[i] % 10]++;
}

const struct kernel_case graph_cases[] = {
    {"bfs_step", bfs_step, 0, 0},
    {"union_find", union_find, "union_flatten", 0},
    {"histogram_shared", histogram_shared, 0, 0},
    {"histogram_global", histogram_global, 0, 0},
    {"histogram_long", histogram_long, 0, 0},
    {"histogram_float", histogram_float, 0, 0},
    {"histogram_int", histogram_int, 0, 0},
    {"atomics", atomics, 0, 0},
    {"table_insert", table_insert, "table_find", 0},
    {"pagerank", pagerank, 0, 0},
    {"shortest_ways", shortest_ways, 0, 0},
    {"group_sums", group_sums, 0, 0},
    {0},
};
