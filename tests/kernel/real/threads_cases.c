/* SPDX-License-Identifier: Apache-2.0 */
/* The computations of threads.cu. */
#include <stdio.h>
#include <string.h>

#include "job.h"

static void votes(struct job *job)
{
    const uint32_t *in = words(job, 256, 0);
    uint32_t *out = words(job, 6 * 256, 1);

    launch(job, 2, 128);
    for (size_t i = 0; i < 256; i++) {
        const uint32_t *warp = in + i / 32 * 32, *block = in + i / 128 * 128;
        uint32_t *at = out + 6 * i;

        at[1] = 2;
        at[4] = 1;
        for (size_t j = 0; j < 32; j++) {
            at[0] |= (warp[j] & 1) << j;
            at[1] |= warp[j] % 37 == 0;
            at[1] &= warp[j] % 37 == 1 ? 1 : 3;
            at[5] |= i % 4 == 1 && j % 4 == 1 && warp[j] & 4 ? 1u << j : 0;
        }
        for (size_t j = 0; j < 128; j++) {
            at[2] += block[j] >> 1 & 1;
            at[3] |= block[j] % 97 == 0;
            at[4] &= block[j] % 97 != 5;
        }
    }
}

static void matches(struct job *job)
{
    const uint32_t *in = words(job, 128, 0);
    uint32_t *out = words(job, 2 * 128, 1);

    launch(job, 2, 64);
    for (size_t i = 0; i < 128; i++) {
        bool same = true;

        for (size_t j = 0; j < 32; j++) {
            const uint32_t other = in[i / 32 * 32 + j] % 5;

            same = same && other == in[i] % 5;
            if (other == in[i] % 5)
                out[2 * i] |= 1u << j;
        }
        same = same || i / 32 % 2 == 1;
        out[2 * i + 1] = same ? ~0u ^ 0x80 : 0;
    }
}

static void active_masks(struct job *job)
{
    uint32_t *out = words(job, 128, 1);

    launch(job, 2, 32);
    for (size_t i = 0; i < 64; i++) {
        out[2 * i] = ~0u;
        out[2 * i + 1] = i % 2;
    }
}

static void spin_lock(struct job *job)
{
    uint32_t *lock = words(job, 1, 1), *counter = words(job, 1, 1), *list = words(job, 128, 1);

    (void)lock;
    launch(job, 2, 64);
    counter[0] = 128;
    for (size_t i = 0; i < 128; i++)
        list[i] = 1;
}

static void spin_lock_waiting(struct job *job)
{
    uint32_t *lock = words(job, 1, 1);
    uint64_t *sum = longs(job, 1, 1);

    (void)lock;
    launch(job, 2, 64);
    for (uint64_t i = 0; i < 64; i++)
        sum[0] += 2 * (i * 3 + 1);
}

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

static void device_malloc(struct job *job)
{
    const uint32_t *in = words(job, 10, 0);
    uint32_t *out = words(job, 64, 1);

    number(job, 10);
    launch(job, 2, 32);
    for (uint32_t i = 0; i < 64; i++) {
        for (size_t j = 10; j-- > 0;)
            out[i] = out[i] * 31 + in[j] + i % 32;
    }
}

const struct kernel_case threads_cases[] = {
    {"votes", votes, 0, 0},
    {"matches", matches, 0, 0},
    {"active_masks", active_masks, 0, 0},
    {"spin_lock", spin_lock, 0, 0},
    {"spin_lock_waiting", spin_lock_waiting, 0, 0},
    {"prints", prints, 0, 0},
    {"asserts", asserts, 0, CUDA_ERROR_ASSERT},
    {"device_malloc", device_malloc, 0, 0},
    {0},
};
