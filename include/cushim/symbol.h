/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Symbols: the names behind the slots, and what became of each when the driver was loaded.
 *
 * Symbols are numbered in slot order, from 0 to cushim_symbol_count() - 1. The order is part of the
 * ABI: newer versions of cushim append, they never insert.
 */
#ifndef CUSHIM_SYMBOL_H
#define CUSHIM_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How the loaded driver answers for a symbol. */
enum cushim_symbol_state {
    CUSHIM_SYMBOL_UNKNOWN = 0,           /**< No driver has been loaded. */
    CUSHIM_SYMBOL_FOUND,                 /**< Exported under its exact name. */
    CUSHIM_SYMBOL_FOUND_BY_PROC_ADDRESS, /**< Not exported; cuGetProcAddress_v2 gave this ABI. */
    CUSHIM_SYMBOL_FALLEN_BACK, /**< Lacking; a symbol of the same meaning takes its place. */
    CUSHIM_SYMBOL_MISSING,     /**< Lacking; the slot returns CALL_REQUIRES_NEWER_DRIVER. */
    CUSHIM_SYMBOL_FOREIGN,     /**< Not for this operating system; never counted as missing. */
};

/** How many symbols of one part of the API a source had. `found` includes `by_proc_address`. */
struct cushim_symbol_tally {
    unsigned total;           /**< Symbols that exist on this operating system. */
    unsigned found;           /**< Those that the driver has, in either way. */
    unsigned by_proc_address; /**< Those of `found` that are not exported by name. */
    unsigned fallen_back;     /**< Lacking, and served by a fallback. */
    unsigned missing;         /**< Lacking. total = found + fallen_back + missing. */
};

/** The two parts of the table, counted apart. */
struct cushim_symbol_counts {
    struct cushim_symbol_tally core;    /**< cuda.h and cudaProfiler.h. */
    struct cushim_symbol_tally interop; /**< Graphics interop: GL, EGL, VDPAU. */
};

/**
 * Say how many symbols there are.
 *
 * @return The number of slots of the table of this library; at least 673.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API size_t cushim_symbol_count(void);

/**
 * Name a symbol as libcuda exports it.
 *
 * @param index  Number in slot order.
 *
 * @return       Static string such as `cuEventElapsedTime_v2`; an empty string if `index` is out of
 *               range, never NULL.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API const char *cushim_symbol_name(size_t index);

/**
 * Say which CUDA version introduced a symbol with this ABI.
 *
 * @param index  Number in slot order.
 *
 * @return       Version as cuDriverGetVersion counts (12080 is 12.8); 0 if out of range.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API int cushim_symbol_since(size_t index);

/**
 * Name the symbol that stands in where a driver lacks this one.
 *
 * @param index  Number in slot order.
 *
 * @return       Static string; an empty one without a fallback, as most symbols are, and out of
 *               range. Never NULL.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API const char *cushim_symbol_fallback(size_t index);

/**
 * Say what became of a symbol when the process-wide driver was loaded.
 *
 * @param index  Number in slot order.
 *
 * @return       Its state; CUSHIM_SYMBOL_UNKNOWN before a load and out of range.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API enum cushim_symbol_state cushim_symbol_state(size_t index);

/**
 * Say whether the program has called a symbol that its driver lacks.
 *
 * The answer to "which function did I call to get CALL_REQUIRES_NEWER_DRIVER?". Counts calls
 * through every table that cushim has filled in this process.
 *
 * @param index  Number in slot order.
 *
 * @return       Whether it was called; false out of range.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API bool cushim_symbol_missed(size_t index);

#ifdef __cplusplus
}
#endif

#endif
