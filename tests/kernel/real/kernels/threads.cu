/* SPDX-License-Identifier: Apache-2.0 */
/* Threads among themselves: votes, matches, locks; and what they print, claim and allocate. */
#include "device.h"

KERNEL votes(const u32 *in, u32 *out)
{
    const u32 x = in[INDEX];

    out[INDEX * 6] = __ballot_sync(ALL, x & 1);
    out[INDEX * 6 + 1] = __any_sync(ALL, x % 37 == 0) | __all_sync(ALL, x % 37 != 1) << 1;
    out[INDEX * 6 + 2] = __syncthreads_count(x & 2);
    out[INDEX * 6 + 3] = __syncthreads_or(x % 97 == 0) != 0;
    out[INDEX * 6 + 4] = __syncthreads_and(x % 97 != 5) != 0;
    if (threadIdx.x % 4 == 1)
        out[INDEX * 6 + 5] = __ballot_sync(0x22222222, x & 4);
}

KERNEL matches(const u32 *in, u32 *out)
{
    const u32 x = in[INDEX] % 5;
    int all;
    u32 mask = __match_all_sync(ALL, threadIdx.x / 32 == 1 ? 7 : x, &all);

    out[INDEX * 2] = __match_any_sync(ALL, x);
    out[INDEX * 2 + 1] = mask ^ (all ? 0x80 : 0);
}

/* Which lanes run together: all that hold a lock in turn, and all of a warp at the start. */
KERNEL active_masks(u32 *out)
{
    out[INDEX * 2] = __activemask();
    if (threadIdx.x % 2) {
        const u32 mask = __activemask();

        out[INDEX * 2 + 1] = (mask & 0x55555555) == 0 && mask >> threadIdx.x % 32 & 1;
    }
    __syncwarp();
}

/* Lanes of one warp wait for each other: the loop must let the owner go on. */
KERNEL spin_lock(u32 *lock, u32 *counter, u32 *list)
{
    bool done = false;

    while (!done) {
        if (atomicCAS(lock, 0u, 1u) == 0) {
            const u32 place = *(volatile u32 *)counter;

            *(volatile u32 *)counter = place + 1;
            list[place] = 1;
            __threadfence();
            atomicExch(lock, 0u);
            done = true;
        }
    }
}

/* As one writes it since threads of a warp have counters of their own. */
KERNEL spin_lock_waiting(u32 *lock, u64 *sum)
{
    while (atomicCAS(lock, 0u, 1u))
        ;
    *(volatile u64 *)sum += threadIdx.x * 3 + 1;
    __threadfence();
    atomicExch(lock, 0u);
}

KERNEL prints(const u32 *in)
{
    if (threadIdx.x == 0)
        printf("%d %u %x %s %c %5.2f %lld %%\n", (int)in[0], in[1], in[2], "text", 'z',
               in[3] * 0.25, (long long)in[4] << 20);
}

KERNEL asserts(const u32 *in)
{
    assert(in[threadIdx.x] != 7);
}

struct node {
    node *next;
    u32 value;
};

/* A list of nodes from the heap, turned around and given back. */
KERNEL device_malloc(const u32 *in, u32 *out, int count)
{
    node *first = nullptr;
    u32 hash = 0;

    for (int i = 0; i < count; i++) {
        node *const one = (node *)malloc(sizeof(node));

        if (!one)
            break;
        one->next = first;
        one->value = in[i] + threadIdx.x;
        first = one;
    }
    while (first) {
        node *const next = first->next;

        hash = hash * 31 + first->value;
        free(first);
        first = next;
    }
    out[INDEX] = hash;
}
