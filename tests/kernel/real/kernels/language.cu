/* SPDX-License-Identifier: Apache-2.0 */
/* What the language offers: calls, tables of functions, objects, structures, templates. */
#include "device.h"

static __device__ __noinline__ u32 fibonacci(u32 n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static __device__ __noinline__ u32 ackermann(u32 m, u32 n)
{
    return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

KERNEL recursion(u32 *out)
{
    out[INDEX * 2] = fibonacci(INDEX % 12);
    out[INDEX * 2 + 1] = ackermann(INDEX % 3, INDEX % 5);
}

typedef int (*operation)(int, int);
static __device__ __noinline__ int add(int a, int b)
{
    return a + b;
}
static __device__ __noinline__ int subtract(int a, int b)
{
    return a - b;
}
static __device__ __noinline__ int multiply(int a, int b)
{
    return a * b;
}
static __device__ __noinline__ int larger(int a, int b)
{
    return a > b ? a : b;
}
__device__ operation operations[4] = {add, subtract, multiply, larger};

KERNEL function_pointers(const int *in, int *out)
{
    int value = in[INDEX];

    for (u32 i = 0; i < 6; i++)
        value = operations[(INDEX + i) % 4](value, i + 2);
    out[INDEX] = value;
}

/* An interpreter of a small code: a switch in a loop. */
KERNEL machine(const u8 *code, int *out, int length)
{
    int stack[8], depth = 1;

    stack[0] = INDEX;
    for (int at = 0; at < length; at++) {
        int *const top = stack + depth - 1;

        switch (code[at] % 12) {
        case 0:
            if (depth < 8)
                stack[depth++] = at;
            break;
        case 1:
            if (depth > 1) {
                top[-1] += *top;
                depth--;
            }
            break;
        case 2:
            if (depth > 1) {
                top[-1] ^= *top;
                depth--;
            }
            break;
        case 3:
            *top *= 3;
            break;
        case 4:
            *top = ~*top;
            break;
        case 5:
            *top >>= 1;
            break;
        case 6:
            if (depth < 8) {
                stack[depth] = *top;
                depth++;
            }
            break;
        case 7:
            if (depth > 1) {
                const int kept = *top;

                *top = top[-1];
                top[-1] = kept;
            }
            break;
        case 8:
            if (*top & 1)
                at++;
            break;
        case 9:
            *top += (int)blockDim.x;
            break;
        case 10:
            *top = (int)rotate_left((u32)*top, 5);
            break;
        default:
            *top -= 7;
        }
    }
    out[INDEX] = stack[depth - 1];
}

struct shape {
    __device__ virtual int area() const = 0;
    __device__ virtual int corners() const
    {
        return 4;
    }
};
struct square : shape {
    int side;
    __device__ square(int side) : side(side)
    {
    }
    __device__ int area() const override
    {
        return side * side;
    }
};
struct triangle : shape {
    int base, height;
    __device__ triangle(int base, int height) : base(base), height(height)
    {
    }
    __device__ int area() const override
    {
        return base * height / 2;
    }
    __device__ int corners() const override
    {
        return 3;
    }
};

static __device__ __noinline__ int measure(const shape *s)
{
    return s->area() * 10 + s->corners();
}

KERNEL virtual_functions(int *out)
{
    const square s(INDEX);
    const triangle t(INDEX, 6);

    out[INDEX] = measure(INDEX % 3 ? (const shape *)&s : &t);
}

struct settings {
    char letter;
    short pair[2];
    int number;
    double factor;
    struct {
        u8 red, green, blue;
    } colours[3];
    u64 mask;
};

KERNEL structures(settings by_value, settings *out, u8 add)
{
    settings own = by_value;

    own.letter += threadIdx.x;
    own.pair[threadIdx.x % 2] -= 5;
    own.number = by_value.pair[0] * by_value.pair[1];
    own.factor *= 0.5;
    own.colours[threadIdx.x % 3].green += add;
    own.mask = ~own.mask >> threadIdx.x % 8;
    out[INDEX] = own;
}

template <int N> struct polynomial {
    static __device__ u32 at(const u32 *coefficients, u32 x)
    {
        return polynomial<N - 1>::at(coefficients + 1, x) * x + coefficients[0];
    }
};
template <> struct polynomial<0> {
    static __device__ u32 at(const u32 *coefficients, u32)
    {
        return coefficients[0];
    }
};

KERNEL templates(const u32 *in, u32 *out)
{
    out[INDEX] = polynomial<4>::at(in, INDEX) + polynomial<9>::at(in, INDEX + 1);
}

KERNEL local_arrays(const u32 *in, u32 *out)
{
    u32 own[64];

#pragma unroll 1
    for (u32 i = 0; i < 64; i++)
        own[i] = in[i] + threadIdx.x;
#pragma unroll 1
    for (u32 i = 0; i < 64; i++) {
        const u32 j = own[i] % 64, kept = own[i];

        own[i] = own[j];
        own[j] = kept;
    }
    for (u32 i = 0; i < 8; i++)
        out[INDEX * 8 + i] = own[(i * 7 + threadIdx.x) % 64];
}

KERNEL dynamic_shared(const u32 *in, u64 *out, int words)
{
    extern __shared__ u64 room[];
    u32 *const numbers = (u32 *)(room + blockDim.x);

    for (int i = threadIdx.x; i < words; i += blockDim.x)
        numbers[i] = in[i];
    __syncthreads();
    room[threadIdx.x] = 0;
    for (int i = 0; i < words; i++)
        room[threadIdx.x] += (u64)numbers[i] * (threadIdx.x + 1);
    __syncthreads();
    out[threadIdx.x] = room[threadIdx.x] ^ room[blockDim.x - 1 - threadIdx.x];
}

__constant__ int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__device__ int total = 100;
__device__ const char *const words[3] = {"one", "two", "three"};

KERNEL constant_tables(int *out)
{
    const char *word = words[INDEX % 3];
    int length = 0;

    while (word[length])
        length++;
    out[INDEX] = table[INDEX % 16] * 1000 + length * 10 + total;
}

/* Bits of a structure, and what two types see of the same bytes. */
struct packed {
    u32 low : 5, middle : 13, high : 14;
};

KERNEL bit_fields(const u32 *in, u32 *out)
{
    union {
        u32 all;
        packed parts;
        u8 bytes[4];
    } value;

    value.all = in[INDEX];
    value.parts.middle += value.parts.low;
    value.parts.high ^= value.bytes[0];
    value.bytes[3] += value.bytes[1];
    out[INDEX] = value.all;
}
