/* SPDX-License-Identifier: Apache-2.0 */
/* The computations of grid.cu. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

enum { WIDTH = 50, HEIGHT = 37 };

static void launch_picture(struct job *job)
{
    number(job, WIDTH);
    number(job, HEIGHT);
    launch_as(job, (struct geometry){.grid = {4, 3, 1}, .block = {16, 16, 1}});
}

static int clamp(int value, int limit)
{
    return value < 0 ? 0 : value >= limit ? limit - 1 : value;
}

static void stencil_2d(struct job *job)
{
    const float *in = floats(job, WIDTH * HEIGHT, 0, 1);
    float *out = floats(job, WIDTH * HEIGHT, 0, 0);

    launch_picture(job);
#define AT(x, y) in[clamp(y, HEIGHT) * WIDTH + clamp(x, WIDTH)]
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++)
            out[y * WIDTH + x] = 0.5f * AT(x, y) + 0.125f * (AT(x - 1, y) + AT(x + 1, y) +
                                                             AT(x, y - 1) + AT(x, y + 1));
    }
    tolerate(job, out, 1e-6, 1e-6);
}

static void stencil_3d(struct job *job)
{
    enum { S = 14 };
    const double *in = doubles(job, S * S * S, 0, 1);
    double *out = doubles(job, S * S * S, 0, 0);

    number(job, S);
    launch_as(job, (struct geometry){.grid = {2, 4, 4}, .block = {8, 4, 4}});
    memcpy(out, in, sizeof *in * S * S * S);
    for (int z = 1; z < S - 1; z++) {
        for (int y = 1; y < S - 1; y++) {
            for (int x = 1; x < S - 1; x++) {
                const double *at = in + (z * S + y) * S + x;

                out[at - in] =
                    (at[-1] + at[1] + at[-S] + at[S] + at[-S * S] + at[S * S]) / 8 + at[0] / 4;
            }
        }
    }
    tolerate(job, out, 1e-14, 0);
}

static void convolution(struct job *job)
{
    const float *in = floats(job, WIDTH * HEIGHT, 0, 1);
    float *out = floats(job, WIDTH * HEIGHT, 0, 0);
    float weights[25];

    for (int i = 0; i < 25; i++)
        weights[i] = (float)(random_bits(job) % 16) / 64;
    variable(job, "weights", weights, sizeof weights);
    launch_picture(job);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        for (int j = 0; j < 25; j++) {
            const int x = i % WIDTH + j % 5 - 2, y = i / WIDTH + j / 5 - 2;

            if (x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT)
                out[i] += weights[j] * in[y * WIDTH + x];
        }
    }
    tolerate(job, out, 1e-5, 0);
}

static void life(struct job *job)
{
    const uint8_t *in = bytes(job, WIDTH * HEIGHT, 2);
    uint8_t *out = bytes(job, WIDTH * HEIGHT, 1);

    launch_picture(job);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        int neighbours = 0;

        for (int j = 0; j < 9; j++) {
            const int x = (i % WIDTH + j % 3 - 1 + WIDTH) % WIDTH,
                      y = (i / WIDTH + j / 3 - 1 + HEIGHT) % HEIGHT;

            neighbours += j == 4 ? 0 : in[y * WIDTH + x];
        }
        out[i] = neighbours == 3 || (neighbours == 2 && in[i]);
    }
}

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

static void sobel(struct job *job)
{
    const uint8_t *in = bytes(job, 3 * WIDTH * HEIGHT, 0);
    uint8_t *out = bytes(job, WIDTH * HEIGHT, 1);

    launch_picture(job);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        static const int weight[3] = {1, 2, 1};
        int across = 0, down = 0, sum;

        for (int j = 0; j < 9; j++) {
            const uint8_t *at = in + 3 * (clamp(i / WIDTH + j / 3 - 1, HEIGHT) * WIDTH +
                                          clamp(i % WIDTH + j % 3 - 1, WIDTH));
            const int grey = (77 * at[0] + 151 * at[1] + 28 * at[2]) >> 8;

            across += (j % 3 - 1) * weight[j / 3] * grey;
            down += (j / 3 - 1) * weight[j % 3] * grey;
        }
        sum = abs(across) + abs(down);
        out[i] = (uint8_t)(sum > 255 ? 255 : sum);
    }
}

static void blur_row(struct job *job)
{
    const uint8_t *in = bytes(job, WIDTH * HEIGHT, 0);
    uint8_t *out = bytes(job, WIDTH * HEIGHT, 1);

    number(job, WIDTH);
    number(job, 3);
    launch_as(job, (struct geometry){.grid = {HEIGHT, 1, 1}, .block = {32, 1, 1}, .shared = WIDTH});
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        int sum = 0;

        for (int j = -3; j <= 3; j++)
            sum += in[i / WIDTH * WIDTH + clamp(i % WIDTH + j, WIDTH)];
        out[i] = (uint8_t)(sum / 7);
    }
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

/* All blocks wait for each other, so all must be resident. */
static void heat(struct job *job)
{
    enum { SIZE = 600, STEPS = 7 };
    float *a = floats(job, SIZE, 0, 1), *b = floats(job, SIZE, 0, 0);
    uint32_t *barrier = words(job, 1, 1);

    number(job, SIZE);
    number(job, STEPS);
    launch_as(job, (struct geometry){.grid = {5, 1, 1}, .block = {64, 1, 1}, .cooperative = true});
    for (int step = 0; step < STEPS; step++) {
        const float *from = step % 2 ? b : a;
        float *to = step % 2 ? a : b;

        for (int i = 0; i < SIZE; i++)
            to[i] = 0.25f * (i > 0 ? from[i - 1] : 0) + 0.5f * from[i] +
                    0.25f * (i + 1 < SIZE ? from[i + 1] : 0);
    }
    barrier[0] = 5 * STEPS;
    tolerate(job, a, 1e-5, 1e-6);
    tolerate(job, b, 1e-5, 1e-6);
}

const struct kernel_case grid_cases[] = {
    {"stencil_2d", stencil_2d, 0, 0},
    {"stencil_3d", stencil_3d, 0, 0},
    {"convolution", convolution, 0, 0},
    {"life", life, 0, 0},
    {"mandelbrot", mandelbrot, 0, 0},
    {"julia", julia, 0, 0},
    {"sobel", sobel, 0, 0},
    {"blur_row", blur_row, 0, 0},
    {"rotate_points", rotate_points, 0, 0},
    {"heat", heat, 0, 0},
    {0},
};
