/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Symbols: the names behind the slots, and how each was found when the driver was loaded.
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

/** How the loaded driver provides a symbol. */
enum cushim_symbol_state {
    CUSHIM_SYMBOL_UNKNOWN = 0,           /**< No driver has been loaded. */
    CUSHIM_SYMBOL_FOUND,                 /**< Exported under its exact name. */
    CUSHIM_SYMBOL_FOUND_BY_PROC_ADDRESS, /**< Not exported; cuGetProcAddress_v2 gave this ABI. */
    CUSHIM_SYMBOL_FALLEN_BACK, /**< Missing; a symbol of the same meaning is used instead. */
    CUSHIM_SYMBOL_MISSING,     /**< Missing; the slot returns CALL_REQUIRES_NEWER_DRIVER. */
    CUSHIM_SYMBOL_FOREIGN,     /**< Not for this operating system; never counted as missing. */
};

/**
 * How many symbols of one part of the API a source had. `found` includes `by_proc_address`. It never
 * grows: whatever else is to be known, cushim_symbol_state() tells of each symbol.
 */
struct cushim_symbol_tally {
    unsigned total;           /**< Symbols that exist on this operating system. */
    unsigned found;           /**< Symbols that the driver has, exported by name or not. */
    unsigned by_proc_address; /**< Those of `found` that are not exported by name. */
    unsigned fallen_back;     /**< Missing, and replaced by a fallback. */
    unsigned missing;         /**< Missing. total = found + fallen_back + missing. */
};

/** The two parts of the table, counted separately. It never grows. */
struct cushim_symbol_counts {
    struct cushim_symbol_tally core;    /**< cuda.h and cudaProfiler.h. */
    struct cushim_symbol_tally interop; /**< Graphics interop: GL, EGL, VDPAU. */
};

/**
 * Get the number of symbols.
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
 * Get the name of a symbol as libcuda exports it.
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
 * Get the CUDA version that introduced a symbol with this ABI.
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
 * Get the symbol that is used instead if a driver lacks this one.
 *
 * @param index  Number in slot order.
 *
 * @return       Static string; empty if there is no fallback, as for most symbols, or if `index` is
 *               out of range. Never NULL.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API const char *cushim_symbol_fallback(size_t index);

/**
 * Get how a symbol was found when the process-wide driver was loaded.
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
 * Find out whether the program has called a symbol that its driver lacks.
 *
 * Answers "which function returned CALL_REQUIRES_NEWER_DRIVER?". Calls through every table that
 * cushim has filled in this process count.
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
