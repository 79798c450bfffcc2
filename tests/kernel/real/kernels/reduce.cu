/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, extremes and scans: in shared memory, by shuffles, by atomic operations. */
#include "device.h"

/* Halves of a block, in shared memory. */
KERNEL sum_shared(const u32 *in, u32 *out, int count)
{
    __shared__ u32 sums[256];
    const u32 t = threadIdx.x;
    u32 sum = 0;

    for (int i = INDEX; i < count; i += STRIDE)
        sum += in[i];
    sums[t] = sum;
    __syncthreads();
    for (u32 half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

static __device__ u32 warp_sum(u32 value)
{
    for (int by = 16; by > 0; by /= 2)
        value += __shfl_down_sync(ALL, value, by);
    return value;
}

KERNEL sum_shuffle(const u32 *in, u32 *out, int count)
{
    __shared__ u32 sums[32];
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    u32 sum = 0;

    for (int i = INDEX; i < count; i += STRIDE)
        sum += in[i];
    sum = warp_sum(sum);
    if (lane == 0)
        sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = warp_sum(lane < blockDim.x / 32 ? sums[lane] : 0);
        if (lane == 0)
            out[blockIdx.x] = sum;
    }
}

KERNEL sum_atomic(const float *in, float *out, int count)
{
    for (int i = INDEX; i < count; i += STRIDE)
        atomicAdd(out + i % 4, in[i]);
}

/* Groups of a power of two threads, as cooperative groups have them. */
template <int SIZE> struct tile {
    u32 rank, mask;

    __device__ tile()
    {
        const u32 lane = threadIdx.x % 32;

        rank = lane % SIZE;
        mask = (SIZE == 32 ? ALL : (1u << SIZE % 32) - 1) << (lane - rank);
    }
    template <typename T, typename F> __device__ T reduce(T value, F join)
    {
        for (int with = SIZE / 2; with > 0; with /= 2)
            value = join(value, __shfl_xor_sync(mask, value, with));
        return value;
    }
};

struct larger {
    template <typename T> __device__ T operator()(T a, T b) const
    {
        return a > b ? a : b;
    }
};

struct plus {
    template <typename T> __device__ T operator()(T a, T b) const
    {
        return a + b;
    }
};

KERNEL sum_tiles(const u32 *in, u32 *sums, u32 *largest, int count)
{
    tile<8> eight;
    tile<16> sixteen;
    const u32 i = INDEX, value = i < (u32)count ? in[i] : 0;
    const u32 sum = eight.reduce(value, plus()), most = sixteen.reduce(value, larger());

    if (eight.rank == 0)
        sums[i / 8] = sum;
    if (sixteen.rank == 0)
        largest[i / 16] = most;
}

/* There is no atomic maximum of doubles: it is made of compare and swap. */
KERNEL maximum_double(const double *in, double *out, int count)
{
    u64 *const at = (u64 *)out;

    for (int i = INDEX; i < count; i += STRIDE) {
        u64 old = *(volatile u64 *)at, expected;

        do {
            expected = old;
            if (__longlong_as_double(expected) >= in[i])
                break;
            old = atomicCAS(at, expected, (u64)__double_as_longlong(in[i]));
        } while (old != expected);
    }
}

KERNEL dot(const float *a, const float *b, float *out, int count)
{
    float sum = 0;

    for (int i = INDEX; i < count; i += STRIDE)
        sum += a[i] * b[i];
    for (int by = 16; by > 0; by /= 2)
        sum += __shfl_down_sync(ALL, sum, by);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, sum);
}

/* The block that ends last adds up what all have left. */
KERNEL sum_last_block(const u32 *in, u32 *partial, u32 *ticket, u64 *out, int count)
{
    __shared__ u32 sum;
    __shared__ volatile bool last; /* clang 14 moves a load before the barrier otherwise */

    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    for (int i = INDEX; i < count; i += STRIDE)
        atomicAdd(&sum, in[i] >> 8);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(ticket, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x)
        atomicAdd(out, (u64)((volatile u32 *)partial)[threadIdx.x]);
}

/* Mean and variance in one pass: pairs of moments are joined. */
struct moments {
    double count, mean, squares;
};

static __device__ moments join(const moments &a, const moments &b)
{
    const double count = a.count + b.count, delta = b.mean - a.mean;
    moments both = a;

    if (count > 0) {
        both.count = count;
        both.mean = a.mean + delta * b.count / count;
        both.squares = a.squares + b.squares + delta * delta * a.count * b.count / count;
    }
    return both;
}

KERNEL variance(const double *in, double *out, int count)
{
    __shared__ moments of[128];
    moments mine = {0, 0, 0};

    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        const double delta = in[i] - mine.mean;

        mine.count += 1;
        mine.mean += delta / mine.count;
        mine.squares += delta * (in[i] - mine.mean);
    }
    of[threadIdx.x] = mine;
    for (u32 half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            of[threadIdx.x] = join(of[threadIdx.x], of[threadIdx.x + half]);
    }
    if (threadIdx.x == 0) {
        out[0] = of[0].mean;
        out[1] = root(of[0].squares / of[0].count);
    }
}

KERNEL scan_inclusive(const u32 *in, u32 *out)
{
    __shared__ u32 sums[2][256];
    const u32 t = threadIdx.x;
    u32 now = 0;

    sums[0][t] = in[INDEX];
    __syncthreads();
    for (u32 by = 1; by < blockDim.x; by *= 2) {
        sums[1 - now][t] = sums[now][t] + (t >= by ? sums[now][t - by] : 0);
        now = 1 - now;
        __syncthreads();
    }
    out[INDEX] = sums[now][t];
}

/* Up and down a tree, two numbers for each thread, in dynamic shared memory. */
KERNEL scan_exclusive(const u32 *in, u32 *out)
{
    extern __shared__ u32 tree[];
    const u32 t = threadIdx.x, size = 2 * blockDim.x, base = blockIdx.x * size;
    u32 step = 1;

    tree[2 * t] = in[base + 2 * t];
    tree[2 * t + 1] = in[base + 2 * t + 1];
    for (u32 active = size / 2; active > 0; active /= 2, step *= 2) {
        __syncthreads();
        if (t < active)
            tree[step * (2 * t + 2) - 1] += tree[step * (2 * t + 1) - 1];
    }
    if (t == 0)
        tree[size - 1] = 0;
    for (u32 active = 1; active < size; active *= 2) {
        step /= 2;
        __syncthreads();
        if (t < active) {
            const u32 left = tree[step * (2 * t + 1) - 1];

            tree[step * (2 * t + 1) - 1] = tree[step * (2 * t + 2) - 1];
            tree[step * (2 * t + 2) - 1] += left;
        }
    }
    __syncthreads();
    out[base + 2 * t] = tree[2 * t];
    out[base + 2 * t + 1] = tree[2 * t + 1];
}

KERNEL scan_warp(const u32 *in, u32 *out)
{
    const u32 lane = threadIdx.x % 32;
    u32 sum = in[INDEX];

    for (u32 by = 1; by < 32; by *= 2) {
        const u32 left = __shfl_up_sync(ALL, sum, by);

        if (lane >= by)
            sum += left;
    }
    out[INDEX] = sum;
}

/* Keep the odd numbers, in their order. */
KERNEL compact(const u32 *in, u32 *out, u32 *kept)
{
    __shared__ u32 before[32];
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const bool keep = in[threadIdx.x] & 1;
    const u32 votes = __ballot_sync(ALL, keep);
    u32 place = __popc(votes & ((1u << lane) - 1));

    if (lane == 0)
        before[warp] = __popc(votes);
    __syncthreads();
    for (u32 i = 0; i < warp; i++)
        place += before[i];
    if (keep)
        out[place] = in[threadIdx.x];
    if (threadIdx.x == 0) {
        u32 all = 0;

        for (u32 i = 0; i < warps; i++)
            all += before[i];
        *kept = all;
    }
}
