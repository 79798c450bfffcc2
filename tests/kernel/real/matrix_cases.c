/* SPDX-License-Identifier: Apache-2.0 */
/* The computations of matrix.cu. */
#include <math.h>

#include "job.h"

static void launch_plane(struct job *job, unsigned width, unsigned height, unsigned tile)
{
    launch_as(job,
              (struct geometry){.grid = {(width + tile - 1) / tile, (height + tile - 1) / tile, 1},
                                .block = {tile, tile, 1}});
}

static void product_float(struct job *job)
{
    const size_t size = 40;
    const float *a = floats(job, size * size, -1, 1), *b = floats(job, size * size, -1, 1);
    float *c = floats(job, size * size, 0, 0);

    number(job, (int)size);
    launch_plane(job, (unsigned)size, (unsigned)size, 16);
    for (size_t y = 0; y < size; y++) {
        for (size_t x = 0; x < size; x++) {
            float sum = 0;

            for (size_t i = 0; i < size; i++)
                sum += a[y * size + i] * b[i * size + x];
            c[y * size + x] = sum;
        }
    }
    tolerate(job, c, 1e-5, 1e-5);
}

static void product_double(struct job *job)
{
    const size_t size = 20;
    const double *a = doubles(job, size * size, -1, 1), *b = doubles(job, size * size, -1, 1);
    double *c = doubles(job, size * size, 0, 0);

    number(job, (int)size);
    launch_plane(job, (unsigned)size, (unsigned)size, 8);
    for (size_t i = 0; i < size * size; i++) {
        for (size_t j = 0; j < size; j++)
            c[i] += a[i / size * size + j] * b[j * size + i % size];
    }
    tolerate(job, c, 1e-13, 1e-13);
}

static void product_integer(struct job *job)
{
    const size_t size = 21;
    const uint32_t *a = words(job, size * size, 0), *b = words(job, size * size, 0);
    uint32_t *c = words(job, size * size, 1);

    number(job, (int)size);
    launch_plane(job, (unsigned)size, (unsigned)size, 8);
    for (size_t i = 0; i < size * size; i++) {
        for (size_t j = 0; j < size; j++)
            c[i] += a[i / size * size + j] * b[j * size + i % size];
    }
}

static int byte_of(uint32_t word, size_t i)
{
    return (int8_t)(word >> 8 * i);
}

static void product_bytes(struct job *job)
{
    const size_t size = 32, quads = 10;
    const uint32_t *a = words(job, size * quads, 0), *b = words(job, size * quads, 0);
    uint32_t *c = words(job, size * size, 1);

    number(job, (int)size);
    number(job, (int)quads);
    launch(job, (unsigned)size, (unsigned)size);
    for (size_t i = 0; i < size * size; i++) {
        int sum = 0;

        for (size_t j = 0; j < quads * 4; j++)
            sum += byte_of(a[i / size * quads + j / 4], j % 4) *
                   byte_of(b[i % size * quads + j / 4], j % 4);
        c[i] = (uint32_t)sum;
    }
}

static void transpose(struct job *job)
{
    const size_t width = 70, height = 45;
    const float *in = floats(job, width * height, -1, 1);
    float *out = floats(job, width * height, 0, 0);

    number(job, (int)width);
    number(job, (int)height);
    launch_as(job, (struct geometry){.grid = {3, 2, 1}, .block = {32, 8, 1}});
    for (size_t i = 0; i < width * height; i++)
        out[i % width * height + i / width] = in[i];
}

static void product_sparse(struct job *job)
{
    enum { ROWS = 50, COLUMNS = 200 };
    uint32_t *starts = words(job, ROWS + 1, 80), *columns = words(job, ROWS * 80, COLUMNS);
    const float *values = floats(job, ROWS * 80, -1, 1), *vector = floats(job, COLUMNS, -1, 1);
    float *out = floats(job, ROWS, 0, 0);

    starts[0] = 0;
    for (size_t i = 0; i < ROWS; i++)
        starts[i + 1] += starts[i];
    number(job, ROWS);
    launch(job, 13, 128);
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0;

        for (size_t j = starts[i]; j < starts[i + 1]; j++)
            sum += values[j] * vector[columns[j]];
        out[i] = (float)sum;
    }
    tolerate(job, out, 1e-5, 1e-5);
}

/* Large numbers on the diagonal make the matrix positive definite. */
static void cholesky(struct job *job)
{
    enum { SIZE = 24 };
    double *a = doubles(job, SIZE * SIZE, -1, 1);

    for (size_t i = 0; i < SIZE; i++) {
        for (size_t j = 0; j < i; j++)
            a[j * SIZE + i] = a[i * SIZE + j];
        a[i * SIZE + i] = SIZE + 1;
    }
    number(job, SIZE);
    launch(job, 1, 32 - 8);
    for (size_t k = 0; k < SIZE; k++) {
        a[k * SIZE + k] = sqrt(a[k * SIZE + k]);
        for (size_t i = k + 1; i < SIZE; i++)
            a[i * SIZE + k] /= a[k * SIZE + k];
        for (size_t i = k + 1; i < SIZE; i++) {
            for (size_t j = k + 1; j <= i; j++)
                a[i * SIZE + j] -= a[i * SIZE + k] * a[j * SIZE + k];
        }
    }
    tolerate(job, a, 1e-12, 1e-12);
}

static void softmax(struct job *job)
{
    enum { ROWS = 8, COLUMNS = 75 };
    const float *in = floats(job, ROWS * COLUMNS, -5, 5);
    float *out = floats(job, ROWS * COLUMNS, 0, 0);

    number(job, COLUMNS);
    launch(job, 4, 64);
    for (size_t row = 0; row < ROWS; row++) {
        double sum = 0;

        for (size_t i = 0; i < COLUMNS; i++)
            sum += exp(in[row * COLUMNS + i]);
        for (size_t i = 0; i < COLUMNS; i++)
            out[row * COLUMNS + i] = (float)(exp(in[row * COLUMNS + i]) / sum);
    }
    tolerate(job, out, 2e-5, 1e-9);
}

static void layernorm(struct job *job)
{
    enum { ROWS = 6, COLUMNS = 100 };
    const float *in = floats(job, ROWS * COLUMNS, -3, 8), *gain = floats(job, COLUMNS, 0, 2),
                *bias = floats(job, COLUMNS, -1, 1);
    float *out = floats(job, ROWS * COLUMNS, 0, 0);

    number(job, COLUMNS);
    launch(job, 3, 64);
    for (size_t row = 0; row < ROWS; row++) {
        const float *from = in + row * COLUMNS;
        double mean = 0, squares = 0;

        for (size_t i = 0; i < COLUMNS; i++)
            mean += from[i] / COLUMNS;
        for (size_t i = 0; i < COLUMNS; i++)
            squares += (from[i] - mean) * (from[i] - mean) / COLUMNS;
        for (size_t i = 0; i < COLUMNS; i++)
            out[row * COLUMNS + i] =
                (float)((from[i] - mean) / sqrt(squares + 1e-5) * gain[i] + bias[i]);
    }
    tolerate(job, out, 2e-5, 2e-5);
}

/* Causal attention: a query sees its own key and earlier ones. */
static void attention(struct job *job)
{
    enum { LENGTH = 96, SIZE = 16 };
    const float *q = floats(job, LENGTH * SIZE, -1, 1), *k = floats(job, LENGTH * SIZE, -1, 1),
                *v = floats(job, LENGTH * SIZE, -1, 1);
    float *out = floats(job, LENGTH * SIZE, 0, 0);

    number(job, LENGTH);
    number_float(job, 0.25f);
    launch(job, 3, 32);
    for (size_t query = 0; query < LENGTH; query++) {
        double sums[SIZE] = {0}, total = 0;

        for (size_t key = 0; key <= query; key++) {
            double score = 0;

            for (size_t i = 0; i < SIZE; i++)
                score += 0.25 * q[query * SIZE + i] * k[key * SIZE + i];
            total += exp(score);
            for (size_t i = 0; i < SIZE; i++)
                sums[i] += exp(score) * v[key * SIZE + i];
        }
        for (size_t i = 0; i < SIZE; i++)
            out[query * SIZE + i] = (float)(sums[i] / total);
    }
    tolerate(job, out, 2e-5, 2e-5);
}

static void gelu(struct job *job)
{
    float *values = floats(job, 200, -4, 4);

    number(job, 200);
    launch(job, 4, 64);
    for (size_t i = 0; i < 200; i++) {
        const double x = values[i];

        values[i] = (float)(0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x))));
    }
    tolerate(job, values, 2e-5, 2e-6);
}

const struct kernel_case matrix_cases[] = {
    {"product_naive", product_float, 0, 0},
    {"product_tiled", product_float, 0, 0},
    {"product_double", product_double, 0, 0},
    {"product_integer", product_integer, 0, 0},
    {"product_bytes", product_bytes, 0, 0},
    {"transpose", transpose, 0, 0},
    {"product_sparse", product_sparse, 0, 0},
    {"cholesky", cholesky, 0, 0},
    {"softmax", softmax, 0, 0},
    {"layernorm", layernorm, 0, 0},
    {"attention", attention, 0, 0},
    {"gelu", gelu, 0, 0},
    {0},
};
