/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The driver API under its own names: unmodified source that is written for <cuda.h> compiles with
 * this header, links without -lcuda, and runs without a driver.
 *
 *     #include <cushim/cuda.h>      instead of <cuda.h>, or
 *     cc -include cushim/cuda.h     for unmodified source
 *
 * The header includes <cuda.h>, and <cudaProfiler.h> if there is one. It then defines a macro for
 * each exported symbol, which replaces the name by a function that calls the table. <cuda.h> still
 * renames functions (`cuMemAlloc` to `cuMemAlloc_v2`, `cuMemcpyHtoD` to `cuMemcpyHtoD_v2_ptds`) in
 * its own mode and version. You may call a name and take its address. A call costs the same as one
 * through cushim_driver(); the first call loads the driver, and without a driver it returns the
 * reason (driver.h). You may include <cuda.h> before and after this header, and so may other
 * headers.
 *
 * The header does not redirect the names of cudaGL.h, cudaEGL.h and cudaVDPAU.h; link
 * libcushim-stubs for those.
 *
 * With -include, a file defines CUDA_API_PER_THREAD_DEFAULT_STREAM or a feature macro of the C
 * library (_GNU_SOURCE) too late: pass it with -D.
 *
 * Thread safety: as cushim_driver().
 * Since: 0.1.
 */
#ifndef CUSHIM_CUDA_H
#define CUSHIM_CUDA_H

#include <cuda.h>

/* The type of a parameter that cuda.h does not know. */
#if defined(__has_include)
#if __has_include(<cudaProfiler.h>)
#include <cudaProfiler.h>
#define CUSHIM__OUTPUT_MODE CUoutput_mode
#endif
#endif

#include <cushim/driver.h>

/** CUoutput_mode of <cudaProfiler.h>, or a type of the same ABI if there is no such header. */
#ifdef CUSHIM__OUTPUT_MODE
typedef CUSHIM__OUTPUT_MODE cushim_output_mode;
#undef CUSHIM__OUTPUT_MODE
#else
typedef unsigned int cushim_output_mode;
#endif

/*
 * Unused functions make no code. In C++, all files of a program have the same functions, because
 * inline functions in its headers may use them; they are hidden outside of the program.
 */
#if !defined(__cplusplus)
#define CUSHIM__CUDA_INLINE static inline
#elif defined(__GNUC__) && defined(__ELF__)
#define CUSHIM__CUDA_INLINE __attribute__((visibility("hidden"))) inline
#else
#define CUSHIM__CUDA_INLINE inline
#endif

#include <cushim/cuda_names.h>

/*
 * In this mode, <cuda.h> has an inline function for cuGetProcAddress, which asks for the functions
 * of the per-thread default stream unless the caller chooses a stream.
 */
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) && !defined(__CUDA_API_VERSION_INTERNAL) && \
    CUDA_VERSION >= 11030
#ifdef __cplusplus
extern "C" {
#endif

CUSHIM__CUDA_INLINE cuuint64_t cushim_cuda_stream_flag(cuuint64_t flags)
{
    const cuuint64_t either =
        CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;

    return flags & either ? flags : flags | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
}

CUSHIM__CUDA_INLINE CUresult cushim_cuda_cuGetProcAddress_ptsz(const char *symbol, void **function,
                                                               int version, cuuint64_t flags)
{
    return cushim_driver()->GetProcAddress(symbol, function, version,
                                           cushim_cuda_stream_flag(flags));
}
#define cuGetProcAddress_ptsz cushim_cuda_cuGetProcAddress_ptsz

#if CUDA_VERSION >= 12000
CUSHIM__CUDA_INLINE CUresult
cushim_cuda_cuGetProcAddress_v2_ptsz(const char *symbol, void **function, int version,
                                     cuuint64_t flags, CUdriverProcAddressQueryResult *status)
{
    return cushim_driver()->GetProcAddress_v2(symbol, function, version,
                                              cushim_cuda_stream_flag(flags), status);
}
#define cuGetProcAddress_v2_ptsz cushim_cuda_cuGetProcAddress_v2_ptsz
#endif

#ifdef __cplusplus
}
#endif
#endif

#endif
