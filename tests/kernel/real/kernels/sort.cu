/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting, merging and searching. */
#include "device.h"

/* A block sorts 256 numbers in shared memory. */
KERNEL sort_bitonic(u32 *numbers)
{
    __shared__ u32 keys[256];
    const u32 t = threadIdx.x;

    keys[t] = numbers[INDEX];
    for (u32 size = 2; size <= blockDim.x; size *= 2) {
        for (u32 by = size / 2; by > 0; by /= 2) {
            const u32 other = t ^ by;

            __syncthreads();
            if (other > t) {
                const u32 a = keys[t], b = keys[other];

                if ((a > b) == ((t & size) == 0)) {
                    keys[t] = b;
                    keys[other] = a;
                }
            }
        }
    }
    __syncthreads();
    numbers[INDEX] = keys[t];
}

/* Keys with values, four bits at a time, by the votes of warps: equal keys keep their order. */
KERNEL sort_radix(u32 *keys, u32 *values)
{
    __shared__ u32 counts[16][8], starts[16][8], key_at[256], value_at[256];
    const u32 t = threadIdx.x, lane = t % 32, warp = t / 32;
    u32 key = keys[t], value = values[t];

    for (u32 shift = 0; shift < 32; shift += 4) {
        const u32 digit = key >> shift & 15;
        u32 before = 0;

        for (u32 d = 0; d < 16; d++) {
            const u32 votes = __ballot_sync(ALL, digit == d);

            if (lane == 0)
                counts[d][warp] = __popc(votes);
            if (digit == d)
                before = __popc(votes & ((1u << lane) - 1));
        }
        __syncthreads();
        if (t < 128) {
            u32 sum = 0;

            for (u32 i = 0; i < t; i++)
                sum += counts[i / 8][i % 8];
            starts[t / 8][t % 8] = sum;
        }
        __syncthreads();
        key_at[starts[digit][warp] + before] = key;
        value_at[starts[digit][warp] + before] = value;
        __syncthreads();
        key = key_at[t];
        value = value_at[t];
    }
    keys[t] = key;
    values[t] = value;
}

KERNEL sort_odd_even(float *numbers, int count)
{
    for (int round = 0; round < count; round++) {
        const int i = 2 * threadIdx.x + round % 2;

        if (i + 1 < count && numbers[i] > numbers[i + 1]) {
            const float larger = numbers[i];

            numbers[i] = numbers[i + 1];
            numbers[i + 1] = larger;
        }
        __syncthreads();
    }
}

/* Each thread sorts its own numbers in local memory, without recursion but with a stack. */
KERNEL sort_local(int *numbers)
{
    int own[24], from[24], to[24], depth = 1;
    int *const mine = numbers + INDEX * 24;

    for (int i = 0; i < 24; i++)
        own[i] = mine[i];
    from[0] = 0;
    to[0] = 23;
    while (depth > 0) {
        int low = from[--depth], high = to[depth], i = low, j = high;
        const int pivot = own[(low + high) / 2];

        while (i <= j) {
            while (own[i] < pivot)
                i++;
            while (own[j] > pivot)
                j--;
            if (i <= j) {
                const int kept = own[i];

                own[i++] = own[j];
                own[j--] = kept;
            }
        }
        if (low < j) {
            from[depth] = low;
            to[depth++] = j;
        }
        if (i < high) {
            from[depth] = i;
            to[depth++] = high;
        }
    }
    for (int i = 0; i < 24; i++)
        mine[i] = own[i];
}

/* Each thread finds where its part of the result comes from, and merges it. */
KERNEL merge_path(const u32 *a, const u32 *b, u32 *out, int count_a, int count_b, int part)
{
    const int diagonal = INDEX * part;
    int low, high, i, j;

    if (diagonal >= count_a + count_b)
        return;
    low = diagonal > count_b ? diagonal - count_b : 0;
    high = diagonal < count_a ? diagonal : count_a;
    while (low < high) {
        const int middle = (low + high) / 2;

        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    i = low;
    j = diagonal - low;
    for (int k = diagonal; k < diagonal + part && k < count_a + count_b; k++)
        out[k] = j >= count_b || (i < count_a && a[i] <= b[j]) ? a[i++] : b[j++];
}

KERNEL search_binary(const u64 *sorted, const u64 *wanted, int *out, int count)
{
    const u64 value = wanted[INDEX];
    int low = 0, high = count;

    while (low < high) {
        const int middle = low + (high - low) / 2;

        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    out[INDEX] = low;
}

/* Where each number stands among all. */
KERNEL sort_rank(const u8 *in, u8 *out, int count)
{
    const int i = INDEX;
    int rank = 0;

    if (i >= count)
        return;
    for (int j = 0; j < count; j++)
        rank += in[j] < in[i] || (in[j] == in[i] && j < i);
    out[rank] = in[i];
}

/* The largest eight of each row, by insertion. */
KERNEL top_eight(const float *in, float *out, int *where, int columns)
{
    float best[8];
    int at[8];
    const float *const row = in + INDEX * columns;

    for (int i = 0; i < 8; i++) {
        best[i] = -1e30f;
        at[i] = -1;
    }
    for (int column = 0; column < columns; column++) {
        int place = 8;

        while (place > 0 && row[column] > best[place - 1])
            place--;
        for (int i = 7; i > place; i--) {
            best[i] = best[i - 1];
            at[i] = at[i - 1];
        }
        if (place < 8) {
            best[place] = row[column];
            at[place] = column;
        }
    }
    for (int i = 0; i < 8; i++) {
        out[INDEX * 8 + i] = best[i];
        where[INDEX * 8 + i] = at[i];
    }
}
