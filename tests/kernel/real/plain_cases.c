/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose parameters are random numbers as they come; the comments name their sources. */
#include "job.h"

#define BYTES(n, limit)                             \
    {                                               \
        .kind = BYTES, .count = (n), .whole = limit \
    }
#define SHORTS(n, limit)                             \
    {                                                \
        .kind = SHORTS, .count = (n), .whole = limit \
    }
#define WORDS(n, limit)                             \
    {                                               \
        .kind = WORDS, .count = (n), .whole = limit \
    }
#define LONGS(n, limit)                             \
    {                                               \
        .kind = LONGS, .count = (n), .whole = limit \
    }
#define FLOATS(n, from, to)                                      \
    {                                                            \
        .kind = FLOATS, .count = (n), .real = (from), .less = to \
    }
#define DOUBLES(n, from, to)                                      \
    {                                                             \
        .kind = DOUBLES, .count = (n), .real = (from), .less = to \
    }
#define INT(value)                    \
    {                                 \
        .kind = INT, .whole = (value) \
    }
#define LONG(value)                    \
    {                                  \
        .kind = LONG, .whole = (value) \
    }
#define FLOAT(value)                   \
    {                                  \
        .kind = FLOAT, .real = (value) \
    }
#define DOUBLE(value)                   \
    {                                   \
        .kind = DOUBLE, .real = (value) \
    }

#define ON(blocks, threads)                                \
    {                                                      \
        .grid = {blocks, 1, 1}, .block = { threads, 1, 1 } \
    }
#define PLAIN(name, shape, ...)                                   \
    {                                                             \
        .kernel = name, .at = shape, .arguments = { __VA_ARGS__ } \
    }

enum { WIDTH = 50, HEIGHT = 37, PIXELS = WIDTH * HEIGHT, CUBE = 14 * 14 * 14 };

#define PICTURE                                   \
    {                                             \
        .grid = {4, 3, 1}, .block = { 16, 16, 1 } \
    }
#define SHARED(blocks, threads, bytes)                                      \
    {                                                                       \
        .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .shared = (bytes) \
    }

const struct kernel_case plain_cases[] = {
    /* bits.cu */
    PLAIN("fnv", ON(2, 32), BYTES(64 * 20, 0), LONGS(64, 1), INT(20)),
    PLAIN("adler", ON(2, 32), BYTES(64 * 300, 0), WORDS(64, 1), INT(300)),
    PLAIN("murmur", ON(2, 32), WORDS(64 * 9, 0), WORDS(64, 1), INT(9)),
    PLAIN("xorshift", ON(3, 32), LONGS(96, 0), FLOATS(96, 0, 0), INT(50)),
    PLAIN("philox", ON(3, 32), WORDS(4 * 96, 1), LONG(UINT64_C(0xfedcba9876543210))),
    PLAIN("edit_distance", ON(2, 32), BYTES(64 * 16, 0), BYTES(64 * 16, 0), WORDS(64, 1)),
    PLAIN("arithmetic_64", ON(4, 32), LONGS(128, 0), LONGS(128, 0), LONGS(128 * 8, 1)),
    PLAIN("power_modulo", ON(1, 32), LONGS(32, 0), WORDS(32, 1000), LONGS(32, 1),
          LONG(UINT64_C(0x1fffffffffffffff))),
    PLAIN("greatest_divisor", ON(4, 64), WORDS(256, 100000), WORDS(256, 100000), WORDS(256, 1)),
    /* graph.cu */
    PLAIN("histogram_shared", ON(3, 256), BYTES(5000, 0), WORDS(256, 1), INT(5000)),
    PLAIN("histogram_global", ON(4, 128), WORDS(5000, 0), WORDS(37, 1), INT(5000), INT(37)),
    PLAIN("histogram_long", ON(8, 128), SHORTS(1000, 0), LONGS(64, 1), INT(1000)),
    PLAIN("histogram_float", ON(8, 128), SHORTS(1000, 0), FLOATS(64, 0, 0), INT(1000)),
    PLAIN("histogram_int", ON(8, 128), SHORTS(1000, 0), WORDS(64, 1), INT(1000)),
    PLAIN("group_sums", ON(8, 128), WORDS(1000, 0), WORDS(10, 1), INT(1000)),
    /* grid.cu */
    PLAIN("stencil_2d", PICTURE, FLOATS(PIXELS, 0, 1), FLOATS(PIXELS, 0, 0), INT(WIDTH),
          INT(HEIGHT)),
    {
        .kernel = "stencil_3d",
        .at = {.grid = {2, 4, 4}, .block = {8, 4, 4}},
        .arguments = {DOUBLES(CUBE, 0, 1), DOUBLES(CUBE, 0, 0), INT(14)},
    },
    PLAIN("life", PICTURE, BYTES(PIXELS, 2), BYTES(PIXELS, 1), INT(WIDTH), INT(HEIGHT)),
    PLAIN("sobel", PICTURE, BYTES(3 * PIXELS, 0), BYTES(PIXELS, 1), INT(WIDTH), INT(HEIGHT)),
    PLAIN("blur_row", SHARED(HEIGHT, 32, WIDTH), BYTES(PIXELS, 0), BYTES(PIXELS, 1), INT(WIDTH),
          INT(3)),
    {
        /* All blocks wait for each other, so all must be resident. */
        .kernel = "heat",
        .at = {.grid = {5, 1, 1}, .block = {64, 1, 1}, .cooperative = true},
        .arguments = {FLOATS(600, 0, 1), FLOATS(600, 0, 0), WORDS(1, 1), INT(600), INT(7)},
    },
    /* language.cu */
    PLAIN("recursion", ON(2, 32), WORDS(128, 1)),
    PLAIN("function_pointers", ON(2, 32), WORDS(64, 0), WORDS(64, 1)),
    PLAIN("machine", ON(2, 32), BYTES(200, 0), WORDS(64, 1), INT(200)),
    PLAIN("virtual_functions", ON(2, 32), WORDS(64, 1)),
    PLAIN("templates", ON(2, 32), WORDS(10, 0), WORDS(64, 1)),
    PLAIN("local_arrays", ON(2, 32), WORDS(64, 0), WORDS(64 * 8, 1)),
    PLAIN("dynamic_shared", SHARED(1, 64, 64 * 8 + 100 * 4), WORDS(100, 0), LONGS(64, 1), INT(100)),
    PLAIN("constant_tables", ON(2, 32), WORDS(64, 1)),
    PLAIN("bit_fields", ON(2, 32), WORDS(64, 0), WORDS(64, 1)),
    /* matrix.cu */
    {
        .kernel = "product_double",
        .at = {.grid = {3, 3, 1}, .block = {8, 8, 1}},
        .arguments = {DOUBLES(400, -1, 1), DOUBLES(400, -1, 1), DOUBLES(400, 0, 0), INT(20)},
    },
    {
        .kernel = "product_integer",
        .at = {.grid = {3, 3, 1}, .block = {8, 8, 1}},
        .arguments = {WORDS(441, 0), WORDS(441, 0), WORDS(441, 1), INT(21)},
    },
    PLAIN("product_bytes", ON(32, 32), WORDS(320, 0), WORDS(320, 0), WORDS(1024, 1), INT(32),
          INT(10)),
    {
        .kernel = "transpose",
        .at = {.grid = {3, 2, 1}, .block = {32, 8, 1}},
        .arguments = {FLOATS(70 * 45, -1, 1), FLOATS(70 * 45, 0, 0), INT(70), INT(45)},
    },
    /* numeric.cu */
    PLAIN("sine_double", ON(2, 64), DOUBLES(128, -50, 50), DOUBLES(128, 0, 0)),
    PLAIN("cube_root", ON(1, 64), DOUBLES(64, 0.001, 1e6), DOUBLES(64, 0, 0), WORDS(64, 1)),
    PLAIN("integral", ON(4, 64), DOUBLES(200, 0, 0), DOUBLE(0), DOUBLE(1), INT(200)),
    PLAIN("bfloat_round_trip", ON(2, 64), FLOATS(128, -1e6, 1e6), SHORTS(128, 1),
          FLOATS(128, 0, 0)),
    PLAIN("conversions", ON(4, 64), FLOATS(256, -40000, 40000), WORDS(6 * 256, 1)),
    PLAIN("saxpy", ON(8, 128), FLOATS(5000, -1, 1), FLOATS(5000, -1, 1), FLOAT(2.5), INT(5000)),
    PLAIN("monte_carlo", ON(2, 32), WORDS(64, 0), WORDS(64, 1), INT(100)),
    /* reduce.cu */
    PLAIN("sum_shared", ON(6, 128), WORDS(10000, 0), WORDS(6, 1), INT(10000)),
    PLAIN("sum_shuffle", ON(6, 128), WORDS(10000, 0), WORDS(6, 1), INT(10000)),
    PLAIN("sum_tiles", ON(4, 128), WORDS(500, 1 << 20), WORDS(64, 1), WORDS(32, 1), INT(500)),
    PLAIN("maximum_double", ON(3, 96), DOUBLES(3000, 0, 1e9), DOUBLES(1, 0, 0), INT(3000)),
    PLAIN("sum_last_block", ON(6, 128), WORDS(10000, 0), WORDS(6, 1), WORDS(1, 1), LONGS(1, 1),
          INT(10000)),
    PLAIN("variance", ON(1, 128), DOUBLES(1000, 5, 6), DOUBLES(2, 0, 0), INT(1000)),
    PLAIN("scan_inclusive", ON(4, 256), WORDS(1024, 0), WORDS(1024, 1)),
    PLAIN("scan_exclusive", SHARED(2, 256, 2048), WORDS(1024, 0), WORDS(1024, 1)),
    PLAIN("scan_warp", ON(4, 128), WORDS(512, 0), WORDS(512, 1)),
    PLAIN("compact", ON(1, 512), WORDS(512, 0), WORDS(512, 1), WORDS(1, 1)),
    /* sort.cu */
    PLAIN("sort_bitonic", ON(3, 256), WORDS(768, 0)),
    PLAIN("sort_odd_even", ON(1, 64), FLOATS(99, -10, 10), INT(99)),
    PLAIN("sort_local", ON(2, 32), WORDS(64 * 24, 0)),
    PLAIN("sort_rank", ON(5, 64), BYTES(300, 0), BYTES(300, 1), INT(300)),
    PLAIN("top_eight", ON(2, 32), FLOATS(64 * 100, 0, 1), FLOATS(64 * 8, 0, 0), WORDS(64 * 8, 1),
          INT(100)),
    /* threads.cu */
    PLAIN("votes", ON(2, 128), WORDS(256, 0), WORDS(6 * 256, 1)),
    PLAIN("matches", ON(2, 64), WORDS(128, 0), WORDS(2 * 128, 1)),
    PLAIN("active_masks", ON(2, 32), WORDS(128, 1)),
    PLAIN("spin_lock", ON(2, 64), WORDS(1, 1), WORDS(1, 1), WORDS(128, 1)),
    PLAIN("spin_lock_waiting", ON(2, 64), WORDS(1, 1), LONGS(1, 1)),
    PLAIN("device_malloc", ON(2, 32), WORDS(10, 0), WORDS(64, 1), INT(10)),
    {0},
};
