/* SPDX-License-Identifier: Apache-2.0 */
/* The computations of language.cu. */
#include <string.h>

#include "job.h"

static uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static uint32_t ackermann(uint32_t m, uint32_t n)
{
    return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static void recursion(struct job *job)
{
    uint32_t *out = words(job, 128, 1);

    launch(job, 2, 32);
    for (uint32_t i = 0; i < 64; i++) {
        out[2 * i] = fibonacci(i % 12);
        out[2 * i + 1] = ackermann(i % 3, i % 5);
    }
}

static void function_pointers(struct job *job)
{
    const uint32_t *in = words(job, 64, 0);
    uint32_t *out = words(job, 64, 1);

    launch(job, 2, 32);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t value = in[i];

        for (uint32_t j = 2; j < 8; j++) {
            const uint32_t of[4] = {value + j, value - j, value * j,
                                    (int32_t)value > (int32_t)j ? value : j};

            value = of[(i + j - 2) % 4];
        }
        out[i] = value;
    }
}

static int32_t machine_run(const uint8_t *code, size_t length, int32_t start)
{
    int32_t stack[8] = {start}, kept;
    size_t depth = 1;

    for (size_t at = 0; at < length; at++) {
        int32_t *top = stack + depth - 1;
        const unsigned operation = code[at] % 12;

        if (operation == 0 && depth < 8) {
            stack[depth++] = (int32_t)at;
        } else if (operation == 1 && depth > 1) {
            top[-1] = (int32_t)((uint32_t)top[-1] + (uint32_t)*top);
            depth--;
        } else if (operation == 2 && depth > 1) {
            top[-1] ^= *top;
            depth--;
        } else if (operation == 3) {
            *top = (int32_t)((uint32_t)*top * 3);
        } else if (operation == 4) {
            *top = ~*top;
        } else if (operation == 5) {
            *top >>= 1;
        } else if (operation == 6 && depth < 8) {
            stack[depth++] = *top;
        } else if (operation == 7 && depth > 1) {
            kept = *top;
            *top = top[-1];
            top[-1] = kept;
        } else if (operation == 8) {
            at += *top & 1;
        } else if (operation == 9) {
            *top = (int32_t)((uint32_t)*top + 32);
        } else if (operation == 10) {
            *top = (int32_t)((uint32_t)*top << 5 | (uint32_t)*top >> 27);
        } else if (operation == 11) {
            *top = (int32_t)((uint32_t)*top - 7);
        }
    }
    return stack[depth - 1];
}

static void machine(struct job *job)
{
    const uint8_t *code = bytes(job, 200, 0);
    uint32_t *out = words(job, 64, 1);

    number(job, 200);
    launch(job, 2, 32);
    for (int32_t i = 0; i < 64; i++)
        out[i] = (uint32_t)machine_run(code, 200, i);
}

static void virtual_functions(struct job *job)
{
    uint32_t *out = words(job, 64, 1);

    launch(job, 2, 32);
    for (uint32_t i = 0; i < 64; i++)
        out[i] = i % 3 ? i * i * 10 + 4 : i * 6 / 2 * 10 + 3;
}

/* The layout of the kernel's parameter and results. */
struct settings {
    char letter;
    int16_t pair[2];
    int32_t number;
    double factor;
    uint8_t colours[3][3];
    uint64_t mask;
};

static void structures(struct job *job)
{
    struct settings *out, value;

    memset(&value, 0, sizeof value);
    value.letter = 'A';
    value.pair[0] = -300;
    value.pair[1] = 1000;
    value.factor = 3.25;
    value.colours[0][1] = 250;
    value.colours[2][1] = 3;
    value.mask = UINT64_C(0x0123456789abcdef);
    structure(job, &value, sizeof value);
    out = room(job, 64 * sizeof *out);
    /* The padding between letter and pair, pair and number, number and factor, colours and mask. */
    ignore_padding(job, out, sizeof *out, 0x2 | 0xc0 | 0xf000 | UINT64_C(0xfe00000000));
    structure(job, &(uint8_t){9}, 1);
    launch(job, 2, 32);
    for (size_t i = 0; i < 64; i++) {
        const unsigned t = i % 32;

        memcpy(&out[i], &value, sizeof value);
        out[i].letter = (char)('A' + t);
        out[i].pair[t % 2] = (int16_t)(out[i].pair[t % 2] - 5);
        out[i].number = -300000;
        out[i].factor = 1.625;
        out[i].colours[t % 3][1] = (uint8_t)(out[i].colours[t % 3][1] + 9);
        out[i].mask = ~value.mask >> t % 8;
    }
}

static uint32_t polynomial(const uint32_t *coefficients, unsigned degree, uint32_t x)
{
    uint32_t sum = 0, power = 1;

    for (unsigned i = 0; i <= degree; i++, power *= x)
        sum += coefficients[i] * power;
    return sum;
}

static void templates(struct job *job)
{
    const uint32_t *in = words(job, 10, 0);
    uint32_t *out = words(job, 64, 1);

    launch(job, 2, 32);
    for (uint32_t i = 0; i < 64; i++)
        out[i] = polynomial(in, 4, i) + polynomial(in, 9, i + 1);
}

static void local_arrays(struct job *job)
{
    const uint32_t *in = words(job, 64, 0);
    uint32_t *out = words(job, 64 * 8, 1);

    launch(job, 2, 32);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t own[64];

        for (uint32_t j = 0; j < 64; j++)
            own[j] = in[j] + i % 32;
        for (uint32_t j = 0; j < 64; j++) {
            const uint32_t kept = own[j], other = kept % 64;

            own[j] = own[other];
            own[other] = kept;
        }
        for (uint32_t j = 0; j < 8; j++)
            out[i * 8 + j] = own[(j * 7 + i % 32) % 64];
    }
}

static void dynamic_shared(struct job *job)
{
    const uint32_t *in = words(job, 100, 0);
    uint64_t *out = longs(job, 64, 1), sum = 0;

    number(job, 100);
    launch_as(
        job, (struct geometry){.grid = {1, 1, 1}, .block = {64, 1, 1}, .shared = 64 * 8 + 100 * 4});
    for (size_t i = 0; i < 100; i++)
        sum += in[i];
    for (size_t i = 0; i < 64; i++)
        out[i] = sum * (i + 1) ^ sum * (64 - i);
}

static void constant_tables(struct job *job)
{
    static const uint32_t table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3},
                          lengths[3] = {3, 3, 5};
    uint32_t *out = words(job, 64, 1);

    launch(job, 2, 32);
    for (size_t i = 0; i < 64; i++)
        out[i] = table[i % 16] * 1000 + lengths[i % 3] * 10 + 100;
}

static void bit_fields(struct job *job)
{
    const uint32_t *in = words(job, 64, 0);
    uint32_t *out = words(job, 64, 1);

    launch(job, 2, 32);
    for (size_t i = 0; i < 64; i++) {
        const uint32_t low = in[i] & 31, middle = ((in[i] >> 5) + low) & 0x1fff;
        const uint32_t partly = low | middle << 5, high = (in[i] >> 18 ^ (partly & 255)) & 0x3fff;
        const uint32_t all = partly | high << 18;

        out[i] = all + ((all >> 8 & 255) << 24);
    }
}

const struct kernel_case language_cases[] = {
    {"recursion", recursion, 0, 0},
    {"function_pointers", function_pointers, 0, 0},
    {"machine", machine, 0, 0},
    {"virtual_functions", virtual_functions, 0, 0},
    {"structures", structures, 0, 0},
    {"templates", templates, 0, 0},
    {"local_arrays", local_arrays, 0, 0},
    {"dynamic_shared", dynamic_shared, 0, 0},
    {"constant_tables", constant_tables, 0, 0},
    {"bit_fields", bit_fields, 0, 0},
    {0},
};
