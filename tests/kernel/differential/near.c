/* SPDX-License-Identifier: Apache-2.0 */
#include "near.h"

#include <math.h>
#include <string.h>

/* The distance of two numbers of a type, in units of the last place. */
struct distance {
    double units, absolute;
    bool other_kind; /* only one of them is a NaN or infinite */
};

/*
 * The permitted difference of an approximate result from the GPU's, in units of the last place or
 * absolute: the error in the PTX reference, and half a unit for the interpreter.
 */
static const struct {
    const char *opcode;
    double units, absolute;
} permitted[] = {
    {"rcp.approx.ftz.f64", 0x1p33, 0},
    {"rsqrt.approx.ftz.f64", 0x1p33, 0},
    {"tanh.approx.f32", 0x1p12, 0},
    {"sin", 0, 0x1p-20},
    {"cos", 0, 0x1p-20},
    {"lg2", 2, 0x1p-22},
    {"div.approx.ftz", 2, 0x1p-126}, /* one of them is flushed to zero */
    {"div.full.ftz", 2, 0x1p-126},
    {"", 2, 0},
};

static double value_of(unsigned bits, unsigned fraction, uint64_t number)
{
    const unsigned exponent_bits = bits - 1 - fraction;
    const int largest = (1 << exponent_bits) - 1, bias = largest >> 1;
    const int exponent = (int)(number >> fraction & (uint64_t)largest);
    const uint64_t low = number & ((UINT64_C(1) << fraction) - 1);
    double value;

    if (exponent == largest)
        value = low ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        value = ldexp((double)low, 1 - bias - (int)fraction);
    else
        value = ldexp((double)(low | UINT64_C(1) << fraction), exponent - bias - (int)fraction);
    return number >> (bits - 1) & 1 ? -value : value;
}

/* Numbers as integers in the same order. */
static double rank_of(unsigned bits, uint64_t number)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);

    return number & sign ? -(double)(number & (sign - 1)) : (double)(number & (sign - 1));
}

static struct distance between(unsigned bits, unsigned fraction, uint64_t a, uint64_t b)
{
    const double x = value_of(bits, fraction, a), y = value_of(bits, fraction, b);
    struct distance distance = {0, 0, false};

    if ((x != x && y != y) || x == y)
        return distance;
    if (x - x != 0 || y - y != 0) {
        distance.other_kind = true;
        return distance;
    }
    distance.absolute = fabs(x - y);
    distance.units = a >> 52 == b >> 52 ? fabs((double)(int64_t)(a - b))
                                        : fabs(rank_of(bits, a) - rank_of(bits, b));
    return distance;
}

static struct distance distance_between(enum accuracy accuracy, uint64_t a, uint64_t b)
{
    struct distance low, high;

    switch (accuracy) {
    case NEAR_F64:
        return between(64, 52, a, b);
    case NEAR_F32:
        return between(32, 23, a, b);
    case NEAR_F16:
        return between(16, 10, a & 0xffff, b & 0xffff);
    case NEAR_BF16:
        return between(16, 7, a & 0xffff, b & 0xffff);
    case NEAR_F16X2:
    case NEAR_BF16X2:
        accuracy = accuracy == NEAR_F16X2 ? NEAR_F16 : NEAR_BF16;
        low = distance_between(accuracy, a, b);
        high = distance_between(accuracy, a >> 16, b >> 16);
        low.other_kind |= high.other_kind;
        low.units = fmax(low.units, high.units);
        low.absolute = fmax(low.absolute, high.absolute);
        return low;
    default:
        return (struct distance){a != b, 0, false};
    }
}

bool is_near(const struct kernel *kernel, uint64_t a, uint64_t b)
{
    const struct distance distance = distance_between(kernel->accuracy, a, b);
    size_t i = 0;

    while (strncmp(kernel->name, permitted[i].opcode, strlen(permitted[i].opcode)) != 0)
        i++;
    return !distance.other_kind &&
           (distance.units <= permitted[i].units || distance.absolute <= permitted[i].absolute);
}
