/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures and grids: a thread for each point, which looks at its neighbours. */
#include "device.h"

#define X (int)(blockIdx.x * blockDim.x + threadIdx.x)
#define Y (int)(blockIdx.y * blockDim.y + threadIdx.y)
#define Z (int)(blockIdx.z * blockDim.z + threadIdx.z)

static __device__ int clamp(int value, int limit)
{
    return value < 0 ? 0 : value >= limit ? limit - 1 : value;
}

/* Five points, from a tile with a border. */
KERNEL stencil_2d(const float *in, float *out, int width, int height)
{
    __shared__ float tile[18][18];
    const int x = X, y = Y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
#define AT(column, row) in[clamp(row, height) * width + clamp(column, width)]

    tile[ty][tx] = AT(x, y);
    if (threadIdx.x == 0)
        tile[ty][0] = AT(x - 1, y);
    if (threadIdx.x == 15)
        tile[ty][17] = AT(x + 1, y);
    if (threadIdx.y == 0)
        tile[0][tx] = AT(x, y - 1);
    if (threadIdx.y == 15)
        tile[17][tx] = AT(x, y + 1);
    __syncthreads();
    if (x < width && y < height)
        out[y * width + x] = 0.5f * tile[ty][tx] + 0.125f * (tile[ty][tx - 1] + tile[ty][tx + 1] +
                                                             tile[ty - 1][tx] + tile[ty + 1][tx]);
}

KERNEL stencil_3d(const double *in, double *out, int size)
{
    const int x = X, y = Y, z = Z;
    const int at = (z * size + y) * size + x;

    if (x >= size || y >= size || z >= size)
        return;
    if (x == 0 || y == 0 || z == 0 || x == size - 1 || y == size - 1 || z == size - 1)
        out[at] = in[at];
    else
        out[at] = (in[at - 1] + in[at + 1] + in[at - size] + in[at + size] + in[at - size * size] +
                   in[at + size * size]) /
                      8 +
                  in[at] / 4;
}

__constant__ float weights[5][5];

KERNEL convolution(const float *in, float *out, int width, int height)
{
    const int x = X, y = Y;
    float sum = 0;

    if (x >= width || y >= height)
        return;
    for (int dy = -2; dy <= 2; dy++) {
        for (int dx = -2; dx <= 2; dx++) {
            if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height)
                sum += weights[dy + 2][dx + 2] * in[(y + dy) * width + x + dx];
        }
    }
    out[y * width + x] = sum;
}

/* On a torus. */
KERNEL life(const u8 *in, u8 *out, int width, int height)
{
    const int x = X, y = Y;
    int neighbours = 0;

    if (x >= width || y >= height)
        return;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            if (dx || dy)
                neighbours += in[(y + dy + height) % height * width + (x + dx + width) % width] & 1;
        }
    }
    out[y * width + x] = neighbours == 3 || (neighbours == 2 && (in[y * width + x] & 1));
}

/* In integers, so that the number of steps is the same everywhere. */
KERNEL mandelbrot(u32 *steps, int width, int height, int most)
{
    const int x = X, y = Y;
    const int left = -8192 + 12288 * x / width, top = -6144 + 12288 * y / height;
    int re = 0, im = 0, i = 0;

    if (x >= width || y >= height)
        return;
    for (; i < most && re * re + im * im < 4 * 4096 * 4096; i++) {
        const int next = (re * re - im * im) / 4096 + left;

        im = 2 * re * im / 4096 + top;
        re = next;
    }
    steps[y * width + x] = i;
}

struct complex {
    float re, im;

    __device__ complex operator*(complex other) const
    {
        return {re * other.re - im * other.im, re * other.im + im * other.re};
    }
    __device__ complex operator+(complex other) const
    {
        return {re + other.re, im + other.im};
    }
    __device__ float square() const
    {
        return re * re + im * im;
    }
};

/* A fixed number of steps; what grows is cut off. */
KERNEL julia(float *out, int width, int height, float re, float im)
{
    const int x = X, y = Y;
    complex z = {-1.5f + 3.0f * x / width, -1 + 2.0f * y / height};
    const complex c = {re, im};

    if (x >= width || y >= height)
        return;
    for (int i = 0; i < 4 && z.square() < 16; i++)
        z = z * z + c;
    out[y * width + x] = z.square();
}

/* Edges of a picture of three colours. */
KERNEL sobel(const u8 *in, u8 *out, int width, int height)
{
    const int x = X, y = Y;
    int grey[3][3], across, down, sum;

    if (x >= width || y >= height)
        return;
    for (int dy = 0; dy < 3; dy++) {
        for (int dx = 0; dx < 3; dx++) {
            const u8 *const at =
                in + 3 * (clamp(y + dy - 1, height) * width + clamp(x + dx - 1, width));

            grey[dy][dx] = (77 * at[0] + 151 * at[1] + 28 * at[2]) >> 8;
        }
    }
    across = grey[0][2] + 2 * grey[1][2] + grey[2][2] - grey[0][0] - 2 * grey[1][0] - grey[2][0];
    down = grey[2][0] + 2 * grey[2][1] + grey[2][2] - grey[0][0] - 2 * grey[0][1] - grey[0][2];
    sum = (across < 0 ? -across : across) + (down < 0 ? -down : down);
    out[y * width + x] = sum > 255 ? 255 : sum;
}

/* The mean of a window of a row, which lies in dynamic shared memory. */
KERNEL blur_row(const u8 *in, u8 *out, int width, int radius)
{
    extern __shared__ u8 row[];

    for (int i = threadIdx.x; i < width; i += blockDim.x)
        row[i] = in[blockIdx.x * width + i];
    __syncthreads();
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        int sum = 0;

        for (int j = -radius; j <= radius; j++)
            sum += row[clamp(i + j, width)];
        out[blockIdx.x * width + i] = sum / (2 * radius + 1);
    }
}

struct point {
    float x, y, z, w;
};

/* Rotations of points, four floats at once. */
KERNEL rotate_points(const point *in, point *out, point axis, int count)
{
    const int i = INDEX;

    if (i < count) {
        const point p = in[i];
        const float c = axis.w, s = root(1 - c * c),
                    along = (1 - c) * (p.x * axis.x + p.y * axis.y + p.z * axis.z);

        out[i] = point{c * p.x + s * (axis.y * p.z - axis.z * p.y) + along * axis.x,
                       c * p.y + s * (axis.z * p.x - axis.x * p.z) + along * axis.y,
                       c * p.z + s * (axis.x * p.y - axis.y * p.x) + along * axis.z, p.w};
    }
}

/* Many steps of heat in one launch: all blocks wait for each other between two of them. */
KERNEL heat(float *a, float *b, u32 *barrier, int size, int steps)
{
    for (int step = 1; step <= steps; step++) {
        for (int i = INDEX; i < size; i += STRIDE) {
            const float left = i > 0 ? a[i - 1] : 0, right = i + 1 < size ? a[i + 1] : 0;

            b[i] = 0.25f * left + 0.5f * a[i] + 0.25f * right;
        }
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(barrier, 1u);
            while (*(volatile u32 *)barrier < step * gridDim.x)
                ;
            __threadfence();
        }
        __syncthreads();
        float *const c = a;
        a = b;
        b = c;
    }
}
