/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices, and what neural networks do with them. */
#include "device.h"

KERNEL product_naive(const float *a, const float *b, float *c, int size)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;

    if (x >= size || y >= size)
        return;
    for (int i = 0; i < size; i++)
        sum += a[y * size + i] * b[i * size + x];
    c[y * size + x] = sum;
}

template <typename T, int TILE>
static __device__ void multiply(const T *a, const T *b, T *c, int size)
{
    __shared__ T left[TILE][TILE], right[TILE][TILE + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    T sum = 0;

    for (int tile = 0; tile < size; tile += TILE) {
        left[y][x] = row < size && tile + x < size ? a[row * size + tile + x] : T(0);
        right[y][x] = column < size && tile + y < size ? b[(tile + y) * size + column] : T(0);
        __syncthreads();
#pragma unroll 4
        for (int i = 0; i < TILE; i++)
            sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    if (row < size && column < size)
        c[row * size + column] = sum;
}

KERNEL product_tiled(const float *a, const float *b, float *c, int size)
{
    multiply<float, 16>(a, b, c, size);
}

KERNEL product_double(const double *a, const double *b, double *c, int size)
{
    multiply<double, 8>(a, b, c, size);
}

KERNEL product_integer(const u32 *a, const u32 *b, u32 *c, int size)
{
    multiply<u32, 8>(a, b, c, size);
}

/* Four products of bytes at once. */
KERNEL product_bytes(const int *a, const int *b, int *c, int size, int quads)
{
    const int x = threadIdx.x, y = blockIdx.x;
    int sum = 0;

    for (int i = 0; i < quads; i++)
        sum = __dp4a(a[y * quads + i], b[x * quads + i], sum);
    c[y * size + x] = sum;
}

KERNEL transpose(const float *in, float *out, int width, int height)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

    for (int i = 0; i < 32; i += blockDim.y) {
        if (x < width && y + i < height)
            tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * width + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += blockDim.y) {
        if (x < height && y + i < width)
            out[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
    }
}

/* Sparse rows, a warp for each. */
KERNEL product_sparse(const u32 *starts, const u32 *columns, const float *values,
                      const float *vector, float *out, int rows)
{
    const int row = INDEX / 32;
    float sum = 0;

    if (row >= rows)
        return;
    for (u32 i = starts[row] + threadIdx.x % 32; i < starts[row + 1]; i += 32)
        sum += values[i] * vector[columns[i]];
    for (int by = 16; by > 0; by /= 2)
        sum += __shfl_down_sync(ALL, sum, by);
    if (threadIdx.x % 32 == 0)
        out[row] = sum;
}

/* The lower factor of a symmetric matrix, by one block, in place. */
KERNEL cholesky(double *a, int size)
{
    const int t = threadIdx.x;

    for (int k = 0; k < size; k++) {
        if (t == k)
            a[k * size + k] = root(a[k * size + k]);
        __syncthreads();
        if (t > k)
            a[t * size + k] /= a[k * size + k];
        __syncthreads();
        if (t > k) {
            for (int j = k + 1; j <= t; j++)
                a[t * size + j] -= a[t * size + k] * a[j * size + k];
        }
        __syncthreads();
    }
}

static __device__ float warp_maximum(float value)
{
    for (int with = 16; with > 0; with /= 2) {
        const float other = __shfl_xor_sync(ALL, value, with);

        value = other > value ? other : value;
    }
    return value;
}

static __device__ float warp_sum(float value)
{
    for (int with = 16; with > 0; with /= 2)
        value += __shfl_xor_sync(ALL, value, with);
    return value;
}

/* A row for each warp. */
KERNEL softmax(const float *in, float *out, int columns)
{
    const int row = INDEX / 32, lane = threadIdx.x % 32;
    float most = -3e38f, sum = 0;

    for (int i = lane; i < columns; i += 32)
        most = in[row * columns + i] > most ? in[row * columns + i] : most;
    most = warp_maximum(most);
    for (int i = lane; i < columns; i += 32)
        sum += exponential(in[row * columns + i] - most);
    sum = warp_sum(sum);
    for (int i = lane; i < columns; i += 32)
        out[row * columns + i] = exponential(in[row * columns + i] - most) / sum;
}

KERNEL layernorm(const float *in, const float *gain, const float *bias, float *out, int columns)
{
    const int row = INDEX / 32, lane = threadIdx.x % 32;
    const float *const from = in + row * columns;
    float sum = 0, squares = 0, mean, scale;

    for (int i = lane; i < columns; i += 32)
        sum += from[i];
    mean = warp_sum(sum) / columns;
    for (int i = lane; i < columns; i += 32)
        squares += (from[i] - mean) * (from[i] - mean);
    scale = reciprocal_root(warp_sum(squares) / columns + 1e-5f);
    for (int i = lane; i < columns; i += 32)
        out[row * columns + i] = (from[i] - mean) * scale * gain[i] + bias[i];
}

/* A query for each thread; keys and values come by tiles, and the softmax is kept up to date. */
KERNEL attention(const float *q, const float *k, const float *v, float *out, int length,
                 float scale)
{
    const int size = 16, tile = 32;
    __shared__ float keys[32][16], values[32][16];
    const int query = INDEX;
    float own[16], sums[16], most = -3e38f, total = 0;

    for (int i = 0; i < size; i++) {
        own[i] = q[query * size + i] * scale;
        sums[i] = 0;
    }
    for (int start = 0; start < length; start += tile) {
        __syncthreads();
        for (int i = threadIdx.x; i < tile * size; i += blockDim.x) {
            keys[i / size][i % size] = k[start * size + i];
            values[i / size][i % size] = v[start * size + i];
        }
        __syncthreads();
        for (int j = 0; j < tile && start + j <= query; j++) {
            float score = 0, next, past, now;

            for (int i = 0; i < size; i++)
                score += own[i] * keys[j][i];
            next = score > most ? score : most;
            past = exponential(most - next);
            now = exponential(score - next);
            for (int i = 0; i < size; i++)
                sums[i] = sums[i] * past + now * values[j][i];
            total = total * past + now;
            most = next;
        }
    }
    for (int i = 0; i < size; i++)
        out[query * size + i] = sums[i] / total;
}

KERNEL gelu(float *values, int count)
{
    const int i = INDEX;

    if (i < count) {
        const float x = values[i], inner = 0.797884561f * (x + 0.044715f * x * x * x);
        const float e = exponential(2 * inner);

        values[i] = 0.5f * x * (1 + (e - 1) / (e + 1));
    }
}
