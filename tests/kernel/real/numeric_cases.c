/* SPDX-License-Identifier: Apache-2.0 */
/* The computations of numeric.cu. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

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

static void sine_double(struct job *job)
{
    const double *in = doubles(job, 128, -50, 50);
    double *out = doubles(job, 128, 0, 0);

    launch(job, 2, 64);
    for (size_t i = 0; i < 128; i++)
        out[i] = sin(in[i]);
    tolerate(job, out, 0, 1e-10);
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

static void cube_root(struct job *job)
{
    const double *in = doubles(job, 64, 0.001, 1e6);
    double *out = doubles(job, 64, 0, 0);
    uint32_t *steps = words(job, 64, 1);

    launch(job, 1, 64);
    for (size_t i = 0; i < 64; i++) {
        out[i] = cbrt(in[i]);
        steps[i] = 1;
    }
    tolerate(job, out, 1e-14, 0);
}

static void integral(struct job *job)
{
    enum { PARTS = 200 };
    double *out = doubles(job, PARTS, 0, 0);

    number_double(job, 0);
    number_double(job, 1);
    number(job, PARTS);
    launch(job, 4, 64);
    for (size_t i = 0; i < PARTS; i++)
        out[i] = atan((double)(i + 1) / PARTS) - atan((double)i / PARTS);
    tolerate(job, out, 1e-9, 0);
}

/* Rounded to a multiple of the last place of a half. */
static uint16_t half_of(float x)
{
    const double size = fabs((double)x);
    int exponent;

    frexp(size, &exponent);
    exponent = exponent < -13 ? -13 : exponent;
    if (size >= 65520)
        return (uint16_t)((x < 0 ? 0x8000 : 0) | 0x7c00);
    return (uint16_t)((x < 0 ? 0x8000 : 0) + ((exponent + 13) << 10) +
                      (int)nearbyint(ldexp(size, 11 - exponent)));
}

static float float_of(uint16_t half)
{
    const int exponent = half >> 10 & 31, mantissa = half & 1023;
    const double size = exponent == 31  ? HUGE_VAL
                        : exponent == 0 ? ldexp(mantissa, -24)
                                        : ldexp(mantissa + 1024, exponent - 25);

    return (float)(half & 0x8000 ? -size : size);
}

static void half_round_trip(struct job *job)
{
    float *in = floats(job, 256, -3, 3);
    uint16_t *halves = shorts(job, 256, 1);
    float *out = floats(job, 256, 0, 0);

    for (size_t i = 0; i < 256; i += 3)
        in[i] = ldexpf(in[i], (int)(i % 50) - 28);
    in[1] = 70000;
    in[2] = 65519;
    in[4] = 2049;
    launch(job, 4, 64);
    for (size_t i = 0; i < 256; i++) {
        halves[i] = half_of(in[i]);
        out[i] = float_of(halves[i]);
    }
}

static void half_axpy(struct job *job)
{
    const uint32_t two = (uint32_t)half_of(1.5f) << 16 | half_of(-0.3f);
    uint32_t *x = words(job, 128, 1), *y = words(job, 128, 1);

    for (size_t i = 0; i < 128; i++) {
        x[i] = (uint32_t)half_of((float)(random_bits(job) % 64) / 8) << 16 | half_of((float)i / 16);
        y[i] = (uint32_t)half_of((float)(random_bits(job) % 64) / 4) << 16 | half_of(-(float)i);
    }
    structure(job, &two, sizeof two);
    launch(job, 2, 64);
    for (size_t i = 0; i < 128; i++) {
        uint32_t sums = 0;

        for (unsigned shift = 0; shift < 32; shift += 16) {
            /* The product of two halves and this sum are exact in single precision, or almost. */
            const double sum = (double)float_of((uint16_t)(two >> shift)) *
                                   (double)float_of((uint16_t)(x[i] >> shift)) +
                               (double)float_of((uint16_t)(y[i] >> shift));

            sums |= (uint32_t)half_of((float)sum) << shift;
        }
        y[i] = sums;
    }
}

static void bfloat_round_trip(struct job *job)
{
    const float *in = floats(job, 128, -1e6, 1e6);
    uint16_t *bfloats = shorts(job, 128, 1);
    float *out = floats(job, 128, 0, 0);

    launch(job, 2, 64);
    for (size_t i = 0; i < 128; i++) {
        int exponent;
        const double part = frexp((double)in[i], &exponent);
        uint32_t bits;

        out[i] = (float)ldexp(nearbyint(part * 256), exponent - 8);
        memcpy(&bits, out + i, sizeof bits);
        bfloats[i] = (uint16_t)(bits >> 16);
    }
}

static uint32_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void conversions(struct job *job)
{
    const float *in = floats(job, 256, -40000, 40000);
    uint32_t *out = words(job, 6 * 256, 1);

    launch(job, 4, 64);
    for (size_t i = 0; i < 256; i++) {
        const float x = in[i];
        const double d = x;
        const uint32_t whole = (uint32_t)(int)x;
        uint32_t *at = out + 6 * i;

        at[0] = whole;
        at[1] = (uint32_t)(int16_t)whole;
        at[2] = (uint32_t)(int8_t)whole;
        at[3] = (uint32_t)(int64_t)(d * 1000) ^ (uint32_t)((uint64_t)fabs(d) >> 1);
        at[4] = bits_of((float)(int)x) + bits_of((float)(uint64_t)(d * d));
        at[5] = (uint32_t)fabs(d);
    }
}

static void saxpy(struct job *job)
{
    enum { N = 5000 };
    const float *x = floats(job, N, -1, 1);
    float *y = floats(job, N, -1, 1);

    number_float(job, 2.5f);
    number(job, N);
    launch(job, 8, 128);
    for (size_t i = 0; i < N; i++)
        y[i] = 2.5f * x[i] + y[i];
    tolerate(job, y, 1e-6, 1e-6);
}

static void monte_carlo(struct job *job)
{
    const uint32_t *seeds = words(job, 64, 0);
    uint32_t *inside = words(job, 64, 1), hits[64] = {0};

    number(job, 100);
    launch(job, 2, 32);
    for (size_t i = 0; i < 64; i++) {
        uint32_t state = seeds[i];

        for (int j = 0; j < 100; j++) {
            uint32_t x, y;

            state = state * 1664525 + 1013904223;
            x = state >> 17;
            state = state * 1664525 + 1013904223;
            y = state >> 17;
            hits[i] += x * x + y * y < 1u << 30;
        }
    }
    for (size_t i = 0; i < 64; i++)
        inside[i] = hits[i] + hits[i ^ 16];
}

const struct kernel_case numeric_cases[] = {
    {"fft", fft, 0, 0},
    {"nbody", nbody, 0, 0},
    {"black_scholes", black_scholes, 0, 0},
    {"trigonometry", trigonometry, 0, 0},
    {"sine_double", sine_double, 0, 0},
    {"exponentials", exponentials, 0, 0},
    {"cube_root", cube_root, 0, 0},
    {"integral", integral, 0, 0},
    {"half_round_trip", half_round_trip, 0, 0},
    {"half_axpy", half_axpy, 0, 0},
    {"bfloat_round_trip", bfloat_round_trip, 0, 0},
    {"conversions", conversions, 0, 0},
    {"saxpy", saxpy, 0, 0},
    {"monte_carlo", monte_carlo, 0, 0},
    {0},
};
