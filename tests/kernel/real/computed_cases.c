/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels with the same computations in C: the results of most depend on approximate instructions,
 * on contracted products and sums or on the order of threads.
 */
#include <math.h>
#include <string.h>

#include "job.h"

/* --- bits.cu --- */

static uint32_t rotate(uint32_t value, unsigned right)
{
    return value >> right | value << (32 - right);
}

static uint32_t reversed(uint32_t word)
{
    return word << 24 | (word & 0xff00) << 8 | (word >> 8 & 0xff00) | word >> 24;
}

/* The first 32 fractional bits of the cube roots of the first 64 primes. */
static void sha_constants(uint32_t *constants)
{
    unsigned count = 0;

    for (unsigned n = 2; count < 64; n++) {
        unsigned divisor = 2;

        while (n % divisor)
            divisor++;
        if (divisor == n) {
            uint64_t root = 0; /* of n << 96, bit by bit: floor(cbrt(n) * 2^32) */

            for (uint64_t bit = UINT64_C(1) << 35; bit; bit >>= 1) {
                const long double next = (long double)(root | bit) * 0x1p-32L;

                if (next * next * next <= n)
                    root |= bit;
            }
            constants[count++] = (uint32_t)root;
        }
    }
}

static void sha256_block(const uint32_t *k, const uint32_t *in, uint32_t *out)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint32_t w[64], s[8];

    for (int i = 0; i < 64; i++) {
        w[i] = i < 16 ? reversed(in[i])
                      : w[i - 16] + w[i - 7] +
                            (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
                            (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
    }
    memcpy(s, start, sizeof s);
    for (int i = 0; i < 64; i++) {
        const uint32_t one = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
                             ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
        const uint32_t two = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) +
                             ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        out[i] = s[i] + start[i];
}

static void sha256(struct job *job)
{
    const uint32_t *in = words(job, 64 * 16, 0);
    uint32_t *out = words(job, 64 * 8, 1), constants[64];

    sha_constants(constants);
    if (constants[0] != 0x428a2f98 || constants[63] != 0xc67178f2)
        fail(job, "the constants are not those of the standard");
    variable(job, "sha_constants", constants, sizeof constants);
    launch(job, 2, 32);
    for (size_t i = 0; i < 64; i++)
        sha256_block(constants, in + i * 16, out + i * 8);
}

static void collatz(struct job *job)
{
    uint32_t *out = words(job, 500, 1);

    number(job, 500);
    launch(job, 4, 128);
    for (size_t i = 0; i < 500; i++) {
        for (uint64_t n = i + 1; n != 1; out[i]++)
            n = n % 2 ? 3 * n + 1 : n / 2;
    }
}

/* --- grid.cu --- */

enum { WIDTH = 50, HEIGHT = 37 };

static void mandelbrot(struct job *job)
{
    uint32_t *steps = words(job, WIDTH * HEIGHT, 1);

    number(job, WIDTH);
    number(job, HEIGHT);
    number(job, 100);
    launch_as(job, (struct geometry){.grid = {4, 3, 1}, .block = {16, 16, 1}});
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const int left = -8192 + 12288 * (i % WIDTH) / WIDTH,
                  top = -6144 + 12288 * (i / WIDTH) / HEIGHT;
        int re = 0, im = 0;

        while (steps[i] < 100 && re * re + im * im < 4 * 4096 * 4096) {
            const int next = (re * re - im * im) / 4096 + left;

            im = 2 * re * im / 4096 + top;
            re = next;
            steps[i]++;
        }
    }
}

/* A point close to the border may take a step more, so the number of steps is small. */
static void julia(struct job *job)
{
    float *out = floats(job, WIDTH * HEIGHT, 0, 0);

    number(job, WIDTH);
    number(job, HEIGHT);
    number_float(job, -0.4f);
    number_float(job, 0.6f);
    launch_as(job, (struct geometry){.grid = {4, 3, 1}, .block = {16, 16, 1}});
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        float re = -1.5f + 3.0f * (float)(i % WIDTH) / WIDTH,
              im = -1 + 2.0f * (float)(i / WIDTH) / HEIGHT;

        for (int j = 0; j < 4 && re * re + im * im < 16; j++) {
            const float next = re * re - im * im - 0.4f;

            im = re * im + im * re + 0.6f;
            re = next;
        }
        out[i] = re * re + im * im;
    }
    tolerate(job, out, 1e-4, 1e-5);
}

static void rotate_points(struct job *job)
{
    const float *in = floats(job, 4 * 100, -1, 1);
    float *out = floats(job, 4 * 100, 0, 0);
    const float axis[4] = {0.6f, 0, 0.8f, 0.5f}, c = axis[3], s = sqrtf(1 - c * c);

    structure(job, axis, sizeof axis);
    number(job, 100);
    launch(job, 2, 64);
    for (int i = 0; i < 100; i++) {
        const float *p = in + 4 * i;
        const float along = (1 - c) * (p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2]);

        for (int j = 0; j < 3; j++) {
            const int k = (j + 1) % 3, l = (j + 2) % 3;

            out[4 * i + j] = c * p[j] + s * (axis[k] * p[l] - axis[l] * p[k]) + along * axis[j];
        }
        out[4 * i + 3] = p[3];
    }
    tolerate(job, out, 1e-5, 1e-5);
}

/* --- matrix.cu --- */

static void product_float(struct job *job)
{
    const size_t size = 40;
    const float *a = floats(job, size * size, -1, 1), *b = floats(job, size * size, -1, 1);
    float *c = floats(job, size * size, 0, 0);

    number(job, (int)size);
    launch_as(job, (struct geometry){.grid = {3, 3, 1}, .block = {16, 16, 1}});
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

/* --- numeric.cu --- */

static const double pi = 3.14159265358979323846;

/* The Fourier transform by its definition. */
static void fft(struct job *job)
{
    enum { N = 256, BLOCKS = 2 };
    float *re = floats(job, N * BLOCKS, -1, 1), *im = floats(job, N * BLOCKS, -1, 1);
    float *cosine = floats(job, N / 2, 0, 0), *sine = floats(job, N / 2, 0, 0);
    double x[N], y[N];

    for (size_t i = 0; i < N / 2; i++) {
        cosine[i] = (float)cos(2 * pi * (double)i / N);
        sine[i] = (float)sin(2 * pi * (double)i / N);
    }
    launch(job, BLOCKS, 128);
    for (size_t block = 0; block < BLOCKS; block++) {
        for (size_t i = 0; i < N; i++) {
            x[i] = y[i] = 0;
            for (size_t j = 0; j < N; j++) {
                const double angle = 2 * pi * (double)(i * j % N) / N;
                const double a = re[block * N + j], b = im[block * N + j];

                x[i] += a * cos(angle) + b * sin(angle);
                y[i] += b * cos(angle) - a * sin(angle);
            }
        }
        for (size_t i = 0; i < N; i++) {
            re[block * N + i] = (float)x[i];
            im[block * N + i] = (float)y[i];
        }
    }
    tolerate(job, re, 1e-5, 1e-4);
    tolerate(job, im, 1e-5, 1e-4);
}

static void nbody(struct job *job)
{
    enum { N = 128 };
    const float *bodies = floats(job, 4 * N, 0, 1);
    float *forces = floats(job, 3 * N, 0, 0);

    number(job, N);
    launch(job, 2, 64);
    for (size_t i = 0; i < N; i++) {
        float sum[3] = {0};

        for (size_t j = 0; j < N; j++) {
            float d[3], square = 0.01f, force;

            for (size_t k = 0; k < 3; k++) {
                d[k] = bodies[4 * j + k] - bodies[4 * i + k];
                square += d[k] * d[k];
            }
            force = bodies[4 * j + 3] / (square * sqrtf(square));
            for (size_t k = 0; k < 3; k++)
                sum[k] += force * d[k];
        }
        memcpy(forces + 3 * i, sum, sizeof sum);
    }
    tolerate(job, forces, 1e-4, 1e-2);
}

static double normal(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752);
}

static void black_scholes(struct job *job)
{
    enum { N = 128 };
    const float *prices = floats(job, N, 10, 100), *strikes = floats(job, N, 10, 100),
                *years = floats(job, N, 0.25, 3);
    float *calls = floats(job, N, 0, 0), *puts = floats(job, N, 0, 0);
    const double rate = 0.03f, volatility = 0.25f;

    number_float(job, 0.03f);
    number_float(job, 0.25f);
    launch(job, 2, 64);
    for (size_t i = 0; i < N; i++) {
        const double width = volatility * sqrt(years[i]), x = strikes[i] * exp(-rate * years[i]);
        const double d1 = (log((double)prices[i] / strikes[i]) +
                           (rate + volatility * volatility / 2) * years[i]) /
                          width;

        calls[i] = (float)(prices[i] * normal(d1) - x * normal(d1 - width));
        puts[i] = (float)(x * normal(width - d1) - prices[i] * normal(-d1));
    }
    tolerate(job, calls, 1e-4, 1e-3);
    tolerate(job, puts, 1e-4, 1e-3);
}

static void trigonometry(struct job *job)
{
    const float *in = floats(job, 128, -3.14, 3.14);
    float *out = floats(job, 3 * 128, 0, 0);

    launch(job, 2, 64);
    for (size_t i = 0; i < 128; i++) {
        out[3 * i] = sinf(in[i]);
        out[3 * i + 1] = cosf(in[i]);
        out[3 * i + 2] = 1;
    }
    tolerate(job, out, 0, 2e-6);
}

static void exponentials(struct job *job)
{
    const double *in = doubles(job, 128, -20, 20);
    double *out = doubles(job, 2 * 128, 0, 0);

    launch(job, 2, 64);
    for (size_t i = 0; i < 128; i++) {
        out[2 * i] = exp(in[i]);
        out[2 * i + 1] = exp(exp(in[i] / 20));
    }
    tolerate(job, out, 1e-13, 0);
}

/* --- reduce.cu --- */

enum { N = 10000, BLOCKS = 6, THREADS = 128 };

static void sum_atomic(struct job *job)
{
    const float *in = floats(job, 2000, -1, 1);
    float *out = floats(job, 4, 0, 0);

    number(job, 2000);
    launch(job, 4, 64);
    for (size_t i = 0; i < 2000; i++)
        out[i % 4] += in[i];
    tolerate(job, out, 1e-4, 1e-4);
}

static void dot(struct job *job)
{
    const float *a = floats(job, N, -1, 1), *b = floats(job, N, -1, 1);
    float *out = floats(job, 1, 0, 0);
    double sum = 0;

    number(job, N);
    launch(job, BLOCKS, THREADS);
    for (size_t i = 0; i < N; i++)
        sum += (double)a[i] * b[i];
    out[0] = (float)sum;
    tolerate(job, out, 1e-4, 1e-3);
}

#define COMPUTED(name, function)                          \
    {                                                     \
        .kernel = name, .run = function, .computed = true \
    }

const struct kernel_case computed_cases[] = {
    COMPUTED("sha256", sha256),
    COMPUTED("collatz", collatz),
    COMPUTED("mandelbrot", mandelbrot),
    COMPUTED("julia", julia),
    COMPUTED("rotate_points", rotate_points),
    COMPUTED("product_naive", product_float),
    COMPUTED("product_tiled", product_float),
    COMPUTED("cholesky", cholesky),
    COMPUTED("softmax", softmax),
    COMPUTED("layernorm", layernorm),
    COMPUTED("attention", attention),
    COMPUTED("gelu", gelu),
    COMPUTED("fft", fft),
    COMPUTED("nbody", nbody),
    COMPUTED("black_scholes", black_scholes),
    COMPUTED("trigonometry", trigonometry),
    COMPUTED("exponentials", exponentials),
    COMPUTED("sum_atomic", sum_atomic),
    COMPUTED("dot", dot),
    {0},
};
