/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations for kernels. nvcc and NVRTC provide most of them; for clang, which compiles without
 * NVIDIA's headers, they are here. Functions that NVIDIA takes from libdevice are instructions or
 * polynomials here, for all compilers.
 */
#ifndef DEVICE_H
#define DEVICE_H

#ifndef __CUDACC_RTC__
#include <stddef.h>
#endif

#define KERNEL extern "C" __global__ void
#define ALL 0xffffffffu
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;
typedef long long s64;

#ifdef __clang__

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define BUILTIN static __device__ inline

struct indices {
    u32 x, y, z;
};
#define INDICES(name)                                                                        \
    (indices{(u32)__nvvm_read_ptx_sreg_##name##_x(), (u32)__nvvm_read_ptx_sreg_##name##_y(), \
             (u32)__nvvm_read_ptx_sreg_##name##_z()})
#define threadIdx INDICES(tid)
#define blockIdx INDICES(ctaid)
#define blockDim INDICES(ntid)
#define gridDim INDICES(nctaid)

extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ void *malloc(size_t);
extern "C" __device__ void free(void *);
extern "C" __device__ void __assertfail(const char *, const char *, u32, const char *, size_t);
#define assert(claim) ((claim) ? (void)0 : __assertfail(#claim, __FILE__, __LINE__, __func__, 1))

BUILTIN u32 __shfl_sync(u32 mask, u32 value, int lane)
{
    return __nvvm_shfl_sync_idx_i32(mask, value, lane, 31);
}
BUILTIN u32 __shfl_up_sync(u32 mask, u32 value, u32 by)
{
    return __nvvm_shfl_sync_up_i32(mask, value, by, 0);
}
BUILTIN u32 __shfl_down_sync(u32 mask, u32 value, u32 by)
{
    return __nvvm_shfl_sync_down_i32(mask, value, by, 31);
}
BUILTIN u32 __shfl_xor_sync(u32 mask, u32 value, int with)
{
    return __nvvm_shfl_sync_bfly_i32(mask, value, with, 31);
}
BUILTIN float __shfl_xor_sync(u32 mask, float value, int with)
{
    return __nvvm_shfl_sync_bfly_f32(mask, value, with, 31);
}
BUILTIN float __shfl_down_sync(u32 mask, float value, u32 by)
{
    return __nvvm_shfl_sync_down_f32(mask, value, by, 31);
}
BUILTIN u32 __ballot_sync(u32 mask, int is)
{
    return __nvvm_vote_ballot_sync(mask, is);
}
BUILTIN int __any_sync(u32 mask, int is)
{
    return __nvvm_vote_any_sync(mask, is);
}
BUILTIN int __all_sync(u32 mask, int is)
{
    return __nvvm_vote_all_sync(mask, is);
}
BUILTIN void __syncwarp(u32 mask = ALL)
{
    __nvvm_bar_warp_sync(mask);
}
BUILTIN void __threadfence()
{
    __nvvm_membar_gl();
}
BUILTIN int __syncthreads_count(int is)
{
    return __nvvm_bar0_popc(is);
}
BUILTIN int __syncthreads_or(int is)
{
    return __nvvm_bar0_or(is);
}
BUILTIN int __syncthreads_and(int is)
{
    return __nvvm_bar0_and(is);
}
BUILTIN u32 __activemask()
{
    u32 mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
BUILTIN int __popc(u32 value)
{
    return __builtin_popcount(value);
}
BUILTIN int __popcll(u64 value)
{
    return __builtin_popcountll(value);
}
BUILTIN int __clz(u32 value)
{
    return value ? __builtin_clz(value) : 32;
}
BUILTIN int __ffs(u32 value)
{
    return __builtin_ffs(value);
}
BUILTIN u32 __brev(u32 value)
{
    return __builtin_bitreverse32(value);
}
BUILTIN u32 __byte_perm(u32 a, u32 b, u32 selector)
{
    return __nvvm_prmt(a, b, selector);
}
BUILTIN u32 __umulhi(u32 a, u32 b)
{
    return (u32)((u64)a * b >> 32);
}
BUILTIN u64 __umul64hi(u64 a, u64 b)
{
    return (u64)((unsigned __int128)a * b >> 64);
}
BUILTIN int __dp4a(int a, int b, int sum)
{
    int result;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
    return result;
}
BUILTIN u32 __match_any_sync(u32 mask, u32 value)
{
    u32 result;
    asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));
    return result;
}
BUILTIN u32 __match_all_sync(u32 mask, u32 value, int *is)
{
    u32 result;
    asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
                 : "=r"(result), "=r"(*is)
                 : "r"(value), "r"(mask));
    return result;
}
BUILTIN u32 __float_as_uint(float value)
{
    return __builtin_bit_cast(u32, value);
}
BUILTIN float __uint_as_float(u32 value)
{
    return __builtin_bit_cast(float, value);
}
BUILTIN u64 __double_as_longlong(double value)
{
    return __builtin_bit_cast(u64, value);
}
BUILTIN double __longlong_as_double(u64 value)
{
    return __builtin_bit_cast(double, value);
}

BUILTIN u32 atomicAdd(u32 *at, u32 value)
{
    return __nvvm_atom_add_gen_i((int *)at, value);
}
BUILTIN int atomicAdd(int *at, int value)
{
    return __nvvm_atom_add_gen_i(at, value);
}
BUILTIN u64 atomicAdd(u64 *at, u64 value)
{
    return __nvvm_atom_add_gen_ll((s64 *)at, value);
}
BUILTIN float atomicAdd(float *at, float value)
{
    return __nvvm_atom_add_gen_f(at, value);
}
BUILTIN u32 atomicSub(u32 *at, u32 value)
{
    return atomicAdd(at, 0 - value);
}
BUILTIN u32 atomicOr(u32 *at, u32 value)
{
    return __nvvm_atom_or_gen_i((int *)at, value);
}
BUILTIN u32 atomicAnd(u32 *at, u32 value)
{
    return __nvvm_atom_and_gen_i((int *)at, value);
}
BUILTIN u32 atomicXor(u32 *at, u32 value)
{
    return __nvvm_atom_xor_gen_i((int *)at, value);
}
BUILTIN int atomicMax(int *at, int value)
{
    return __nvvm_atom_max_gen_i(at, value);
}
BUILTIN u32 atomicMin(u32 *at, u32 value)
{
    return __nvvm_atom_min_gen_ui(at, value);
}
BUILTIN u32 atomicExch(u32 *at, u32 value)
{
    return __nvvm_atom_xchg_gen_i((int *)at, value);
}
BUILTIN u32 atomicCAS(u32 *at, u32 expected, u32 value)
{
    return __nvvm_atom_cas_gen_i((int *)at, expected, value);
}
BUILTIN u64 atomicCAS(u64 *at, u64 expected, u64 value)
{
    return __nvvm_atom_cas_gen_ll((s64 *)at, expected, value);
}
BUILTIN u32 atomicInc(u32 *at, u32 limit)
{
    return __nvvm_atom_inc_gen_ui(at, limit);
}

#elif !defined(__CUDACC_RTC__)
#include <assert.h>
#include <stdio.h>
#endif

/* --- arithmetic instructions --- */

#define INSTRUCTION(name, type, kind, text)                \
    static __device__ __forceinline__ type name(type x)    \
    {                                                      \
        type result;                                       \
        asm(text " %0, %1;" : "=" kind(result) : kind(x)); \
        return result;                                     \
    }
INSTRUCTION(exp2_approx, float, "f", "ex2.approx.f32")
INSTRUCTION(log2_approx, float, "f", "lg2.approx.f32")
INSTRUCTION(sin_approx, float, "f", "sin.approx.f32")
INSTRUCTION(cos_approx, float, "f", "cos.approx.f32")
INSTRUCTION(reciprocal_root, float, "f", "rsqrt.approx.f32")
INSTRUCTION(root, float, "f", "sqrt.rn.f32")
INSTRUCTION(root, double, "d", "sqrt.rn.f64")
INSTRUCTION(nearest, double, "d", "cvt.rni.f64.f64")

static __device__ __forceinline__ float exponential(float x)
{
    return exp2_approx(x * 1.44269504f);
}

static __device__ __forceinline__ float logarithm(float x)
{
    return log2_approx(x) * 0.693147181f;
}

/* --- helpers --- */

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define STRIDE (gridDim.x * blockDim.x)

static __device__ __forceinline__ u32 rotate_left(u32 value, u32 by)
{
    return value << by | value >> (32 - by);
}

static __device__ __forceinline__ u32 rotate_right(u32 value, u32 by)
{
    return value >> by | value << (32 - by);
}

#endif
