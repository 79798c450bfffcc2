/* SPDX-License-Identifier: Apache-2.0 */
/* Floating point: single and double precision, half precision, transforms and simulations. */
#include "device.h"

/* 256 points for each block, with the twiddle factors from the host. */
KERNEL fft(float *re, float *im, const float *cosine, const float *sine)
{
    __shared__ float real[256], imaginary[256];
    const u32 t = threadIdx.x, base = blockIdx.x * 256;

    for (u32 i = t; i < 256; i += 128) {
        const u32 place = __brev(i) >> 24;

        real[place] = re[base + i];
        imaginary[place] = im[base + i];
    }
    for (u32 half = 1; half < 256; half *= 2) {
        const u32 low = t / half * half * 2 + t % half, high = low + half,
                  w = t % half * (128 / half);
        float x, y;

        __syncthreads();
        x = real[high] * cosine[w] + imaginary[high] * sine[w];
        y = imaginary[high] * cosine[w] - real[high] * sine[w];
        real[high] = real[low] - x;
        imaginary[high] = imaginary[low] - y;
        real[low] += x;
        imaginary[low] += y;
    }
    __syncthreads();
    for (u32 i = t; i < 256; i += 128) {
        re[base + i] = real[i];
        im[base + i] = imaginary[i];
    }
}

struct body {
    float x, y, z, mass;
};

KERNEL nbody(const body *bodies, float *forces, int count)
{
    __shared__ body tile[64];
    const body own = bodies[INDEX];
    float fx = 0, fy = 0, fz = 0;

    for (int start = 0; start < count; start += 64) {
        tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 64; i++) {
            const float x = tile[i].x - own.x, y = tile[i].y - own.y, z = tile[i].z - own.z;
            const float inverse = reciprocal_root(x * x + y * y + z * z + 0.01f);
            const float force = tile[i].mass * inverse * inverse * inverse;

            fx += force * x;
            fy += force * y;
            fz += force * z;
        }
        __syncthreads();
    }
    forces[INDEX * 3] = fx;
    forces[INDEX * 3 + 1] = fy;
    forces[INDEX * 3 + 2] = fz;
}

/* The normal distribution, by the polynomial of Abramowitz and Stegun, 26.2.17. */
static __device__ float normal(float x)
{
    const float size = x < 0 ? -x : x, k = 1 / (1 + 0.2316419f * size);
    const float tail =
        0.39894228f * exponential(-0.5f * x * x) * k *
        (0.31938153f +
         k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));

    return x < 0 ? tail : 1 - tail;
}

KERNEL black_scholes(const float *prices, const float *strikes, const float *years, float *calls,
                     float *puts, float rate, float volatility)
{
    const int i = INDEX;
    const float price = prices[i], strike = strikes[i], time = root(years[i]);
    const float d1 =
        (logarithm(price / strike) + (rate + 0.5f * volatility * volatility) * years[i]) /
        (volatility * time);
    const float d2 = d1 - volatility * time;
    const float discounted = strike * exponential(-rate * years[i]);

    calls[i] = price * normal(d1) - discounted * normal(d2);
    puts[i] = discounted * normal(-d2) - price * normal(-d1);
}

KERNEL trigonometry(const float *in, float *out)
{
    const float x = in[INDEX], s = sin_approx(x), c = cos_approx(x);

    out[INDEX * 3] = s;
    out[INDEX * 3 + 1] = c;
    out[INDEX * 3 + 2] = s * s + c * c;
}

/* Sine by reduction to a quarter and two polynomials. */
KERNEL sine_double(const double *in, double *out)
{
    const double x = in[INDEX], quarters = nearest(x * 0.63661977236758134308);
    const double r =
        (x - quarters * 1.57079632679489655800) - quarters * 6.12323399573676603587e-17;
    const double z = r * r;
    const double s =
        r + r * z *
                (-1.66666666666666657e-1 +
                 z * (8.33333333333333322e-3 +
                      z * (-1.98412698412698413e-4 +
                           z * (2.75573192239858907e-6 +
                                z * (-2.50521083854417188e-8 + z * 1.60590438368216146e-10)))));
    const double c =
        1 +
        z * (-0.5 + z * (4.16666666666666644e-2 +
                         z * (-1.38888888888888894e-3 +
                              z * (2.48015873015873016e-5 +
                                   z * (-2.75573192239858907e-7 + z * 2.08767569878680990e-9)))));
    const int quadrant = (int)quarters & 3;
    const double y = quadrant & 1 ? c : s;

    out[INDEX] = quadrant & 2 ? -y : y;
}

/* The exponential function by a series, and its power of two as bits. */
static __device__ double exponential_double(double x)
{
    const double n = nearest(x * 1.44269504088896341), r = x - n * 0.693147180559945309;
    double term = 1, sum = 1;

    for (int i = 1; i < 18; i++) {
        term *= r / i;
        sum += term;
    }
    return sum * __longlong_as_double((u64)((s64)n + 1023) << 52);
}

KERNEL exponentials(const double *in, double *out)
{
    out[INDEX * 2] = exponential_double(in[INDEX]);
    out[INDEX * 2 + 1] = exponential_double(exponential_double(in[INDEX] / 20));
}

/* Cube roots by Newton's method, until nothing changes. */
KERNEL cube_root(const double *in, double *out, u32 *steps)
{
    const double x = in[INDEX];
    double y = x > 1 ? x : 1, before;
    u32 count = 0;

    do {
        before = y;
        y = (2 * y + x / (y * y)) / 3;
        count++;
    } while (y < before && count < 200);
    out[INDEX] = before;
    steps[INDEX] = count > 1;
}

/* Simpson's rule, one interval for each thread. */
KERNEL integral(double *out, double from, double to, int parts)
{
    const int i = INDEX;
    const double step = (to - from) / parts, a = from + i * step, m = a + step / 2, b = a + step;

    if (i < parts)
        out[i] = step / 6 * (1 / (1 + a * a) + 4 / (1 + m * m) + 1 / (1 + b * b));
}

static __device__ u16 to_half(float x)
{
    u16 bits;

    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}

static __device__ float from_half(u16 bits)
{
    float x;

    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
}

KERNEL half_round_trip(const float *in, u16 *halves, float *out)
{
    halves[INDEX] = to_half(in[INDEX]);
    out[INDEX] = from_half(halves[INDEX]);
}

/* y = a * x + y, two halves at once; written as instructions, as there is no such type here. */
KERNEL half_axpy(const u32 *x, u32 *y, u32 a)
{
    u32 sum;

    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(x[INDEX]), "r"(y[INDEX]));
    y[INDEX] = sum;
}

/* By hand: the upper half of a float, rounded to the nearest even one. */
KERNEL bfloat_round_trip(const float *in, u16 *bfloats, float *out)
{
    const u32 bits = __float_as_uint(in[INDEX]);

    bfloats[INDEX] = (u16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    out[INDEX] = __uint_as_float((u32)bfloats[INDEX] << 16);
}

/* Numbers to integers and back, in all directions. */
KERNEL conversions(const float *in, int *out)
{
    const float x = in[INDEX];
    int *const at = out + INDEX * 6;
    const double d = x;

    at[0] = (int)x;
    at[1] = (int)(short)(int)x;
    at[2] = (int)(signed char)(int)x;
    at[3] = (int)(s64)(d * 1000) ^ (int)((u64)(d < 0 ? -d : d) >> 1);
    at[4] = (int)__float_as_uint((float)(int)x) + (int)__float_as_uint((float)(u64)(d * d));
    at[5] = (int)(u32)(x < 0 ? -x : x);
}

KERNEL saxpy(const float *x, float *y, float a, int count)
{
    for (int i = INDEX; i < count; i += STRIDE)
        y[i] = a * x[i] + y[i];
}

/* Pairs of a random walk fall into a circle or not. */
KERNEL monte_carlo(const u32 *seeds, u32 *inside, int rounds)
{
    u32 state = seeds[INDEX], hits = 0;

    for (int i = 0; i < rounds; i++) {
        u32 x, y;

        state = state * 1664525 + 1013904223;
        x = state >> 17;
        state = state * 1664525 + 1013904223;
        y = state >> 17;
        hits += x * x + y * y < 1u << 30;
    }
    hits += __shfl_xor_sync(ALL, hits, 16);
    inside[INDEX] = hits;
}
