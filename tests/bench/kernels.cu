/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels whose instructions are counted, for blocks of 256 threads. A compiler has made
 * kernels.ptx of this text:
 *
 *     clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib \
 *         -Xclang -target-feature -Xclang +ptx60 -S -O2 -o kernels.ptx kernels.cu
 */
#define KERNEL extern "C" __attribute__((global)) void
#define SHARED __attribute__((shared))
#define THREAD __nvvm_read_ptx_sreg_tid_x()
#define BLOCK __nvvm_read_ptx_sreg_ctaid_x()
#define ROTATED(bits, by) ((bits) << (by) | (bits) >> (32 - (by)))
#define INDEX (BLOCK * 256 + THREAD)

KERNEL add(float *out, const float *in, int count)
{
    if (INDEX < count)
        out[INDEX] = in[INDEX] * 2.0f + INDEX;
}

/* Logic, rotations and permutations of bytes, as hash functions have them. */
KERNEL hash(float *out, const float *in, int count)
{
    unsigned state = 0x6a09e667 + THREAD;

    for (int i = 0; i < 100; i++) {
        const unsigned sum = ROTATED(state, 26) ^ ROTATED(state, 21) ^ ROTATED(state, 7);

        state = sum + (state & 0x12345678) + (~state & i);
        state = __nvvm_prmt(state, sum, 0x2103);
    }
    ((unsigned *)out)[THREAD] = state;
}

/* The sum of a block: in shared memory, and in the end within a warp. */
KERNEL reduce(float *out, const float *in, int count)
{
    SHARED static float sums[256];
    float sum = 0;

    for (int i = THREAD; i < count; i += 256)
        sum += in[i];
    sums[THREAD] = sum;
    __syncthreads();
    for (int half = 128; half >= 32; half /= 2) {
        if (THREAD < half)
            sums[THREAD] += sums[THREAD + half];
        __syncthreads();
    }
    if (THREAD < 32) {
        sum = sums[THREAD];
        for (int distance = 16; distance > 0; distance /= 2)
            sum += __nvvm_shfl_sync_down_f32(0xffffffff, sum, distance, 31);
        if (THREAD == 0)
            out[BLOCK % 16] = sum;
    }
}

/* A tile of a product of matrices. */
KERNEL product(float *out, const float *in, int count)
{
    SHARED static float left[16][16], right[16][16];
    const int x = THREAD % 16, y = THREAD / 16;
    float sum = 0;

    for (int tile = 0; tile < count / 16; tile++) {
        left[y][x] = in[y * count + tile * 16 + x];
        right[y][x] = in[(tile * 16 + y) * count + x];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    out[THREAD] = sum;
}

/* Lanes leave its loop at different times. */
KERNEL mandelbrot(float *out, const float *in, int count)
{
    const int index = INDEX % 4096;
    const float left = -2 + 3.0f * (index % 64) / 64, top = -1.5f + 3.0f * (index / 64) / 64;
    float x = 0, y = 0;
    int steps = 0;

    for (; steps < count && x * x + y * y < 4; steps++) {
        const float next = x * x - y * y + left;

        y = 2 * x * y + top;
        x = next;
    }
    ((int *)out)[THREAD] = steps;
}
