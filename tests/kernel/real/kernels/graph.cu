/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs and tables, in which threads meet: atomic operations in shared and global memory. */
#include "device.h"

/* Who is reached at `level`: a thread for each node. */
KERNEL bfs_step(const u32 *starts, const u32 *edges, int *levels, u32 *changed, int nodes,
                int level)
{
    const int node = INDEX;

    if (node >= nodes || levels[node] != level)
        return;
    for (u32 i = starts[node]; i < starts[node + 1]; i++) {
        if (atomicCAS((u32 *)levels + edges[i], ~0u, level + 1) == ~0u)
            atomicAdd(changed, 1u);
    }
}

static __device__ u32 root_of(volatile u32 *parents, u32 node)
{
    while (parents[node] != node)
        node = parents[node];
    return node;
}

/* Join the ends of each edge; the smaller root becomes the parent. */
KERNEL union_find(u32 *parents, const u32 *from, const u32 *to, int edges)
{
    const int i = INDEX;
    u32 a, b;

    if (i >= edges)
        return;
    a = root_of(parents, from[i]);
    b = root_of(parents, to[i]);
    while (a != b) {
        const u32 low = a < b ? a : b, high = a < b ? b : a;
        const u32 old = atomicCAS(parents + high, high, low);

        if (old == high)
            break;
        a = root_of(parents, old);
        b = root_of(parents, low);
    }
}

KERNEL union_flatten(u32 *parents, int nodes)
{
    const int i = INDEX;

    if (i < nodes)
        parents[i] = root_of(parents, i);
}

KERNEL histogram_shared(const u8 *in, u32 *out, int count)
{
    __shared__ u32 bins[256];

    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = INDEX; i < count; i += STRIDE)
        atomicAdd(&bins[in[i]], 1u);
    __syncthreads();
    atomicAdd(out + threadIdx.x, bins[threadIdx.x]);
}

KERNEL histogram_global(const u32 *in, u32 *out, int count, u32 bins)
{
    for (int i = INDEX; i < count; i += STRIDE)
        atomicAdd(out + in[i] % bins, 1u);
}

template <typename T> static __device__ void weigh(const u16 *in, T *out, int count, T weight)
{
    const int i = INDEX;

    if (i < count)
        atomicAdd(out + in[i] % 64, weight);
}

KERNEL histogram_long(const u16 *in, u64 *out, int count)
{
    weigh<u64>(in, out, count, 0x100000001ull);
}

KERNEL histogram_float(const u16 *in, float *out, int count)
{
    weigh<float>(in, out, count, 0.25f);
}

KERNEL histogram_int(const u16 *in, int *out, int count)
{
    weigh<int>(in, out, count, -3);
}

/* Every kind of atomic operation, in shared memory and then in global memory. */
template <typename F> static __device__ void combine(u32 *shared, u32 *out, F with)
{
    __syncthreads();
    with(shared);
    __syncthreads();
    with(out);
}

KERNEL atomics(const u32 *in, u32 *out)
{
    __shared__ u32 of[8];
    const u32 x = in[INDEX];

    if (threadIdx.x < 8)
        of[threadIdx.x] = threadIdx.x == 1 || threadIdx.x == 4 ? ~0u : 0;
    combine(of, out, [=](u32 *at) { atomicOr(at + 0, x & 0x55555555); });
    combine(of, out, [=](u32 *at) { atomicAnd(at + 1, x | 0xff); });
    combine(of, out, [=](u32 *at) { atomicXor(at + 2, x); });
    combine(of, out, [=](u32 *at) { atomicMax((int *)at + 3, (int)x); });
    combine(of, out, [=](u32 *at) { atomicMin(at + 4, x); });
    combine(of, out, [=](u32 *at) { atomicSub(at + 5, x); });
    combine(of, out, [=](u32 *at) { atomicInc(at + 6, 99); });
    __syncthreads();
    if (threadIdx.x < 8)
        out[8 + blockIdx.x * 8 + threadIdx.x] = of[threadIdx.x];
}

/* Keys into an open table; how often each came. */
KERNEL table_insert(const u64 *keys, u64 *slots, u32 *counts, int count, u32 size)
{
    const int i = INDEX;

    if (i >= count)
        return;
    for (u32 at = (u32)(keys[i] * 0x9e3779b97f4a7c15 >> 40) % size;; at = (at + 1) % size) {
        const u64 old = atomicCAS(slots + at, 0ull, keys[i]);

        if (old == 0 || old == keys[i]) {
            atomicAdd(counts + at, 1u);
            break;
        }
    }
}

KERNEL table_find(const u64 *keys, const u64 *slots, const u32 *counts, u32 *out, int count,
                  u32 size)
{
    const int i = INDEX;

    if (i >= count)
        return;
    for (u32 at = (u32)(keys[i] * 0x9e3779b97f4a7c15 >> 40) % size; slots[at];
         at = (at + 1) % size) {
        if (slots[at] == keys[i]) {
            out[i] = counts[at];
            break;
        }
    }
}

KERNEL pagerank(const u32 *starts, const u32 *from, const u32 *degrees, const double *ranks,
                double *out, int nodes)
{
    const int node = INDEX;
    double sum = 0;

    if (node >= nodes)
        return;
    for (u32 i = starts[node]; i < starts[node + 1]; i++)
        sum += ranks[from[i]] / degrees[from[i]];
    out[node] = 0.15 / nodes + 0.85 * sum;
}

/* All pairs of shortest ways: one block, one step for each node between. */
KERNEL shortest_ways(int *ways, int nodes)
{
    for (int middle = 0; middle < nodes; middle++) {
        for (int i = threadIdx.x; i < nodes * nodes; i += blockDim.x) {
            const int over = ways[i / nodes * nodes + middle] + ways[middle * nodes + i % nodes];

            if (over < ways[i])
                ways[i] = over;
        }
        __syncthreads();
    }
}

/* Warps add up for their group, one atomic operation for all that have the same key. */
KERNEL group_sums(const u32 *keys, u32 *sums, int count)
{
    const int i = INDEX;
    const u32 key = i < count ? keys[i] % 10 : 10;
    const u32 same = __match_any_sync(ALL, key);

    if (i < count && __ffs(same) - 1 == (int)threadIdx.x % 32)
        atomicAdd(sums + key, (u32)__popc(same));
}
