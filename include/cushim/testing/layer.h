/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The layer: a table that watches calls and passes them on, for tests.
 *
 * It wraps any table, the mock's or the real driver's. It is the base of faults (below), recordings
 * of calls and expectations (recording.h), sweeps (sweep.h) and functions of the program in place
 * of the driver's (cushim_layer_next()). A slot that nothing watches costs one load and one branch
 * more than without the layer.
 *
 *     struct cushim_layer *layer;
 *
 *     cushim_layer_create(NULL, &layer);              wraps what cushim_driver() returns
 *     cushim_layer_install(layer);                    and replaces it from now on
 *     cushim_layer_next(layer)->MemAlloc_v2 = no_memory;
 *
 * A process has at most one layer at a time, because the functions of a driver have no parameter
 * that could distinguish two. The layer comes with `libcushim-mock`. A function with a destroyed
 * layer does nothing, and returns the same as for NULL.
 *
 * cuGetProcAddress through the layer returns the layer's functions. The layer does not see calls of
 * functions that the program got earlier, or by dlsym().
 *
 * Unless a function says otherwise, any thread may call it, and it calls no function of the driver.
 * Since: 0.1.
 */
#ifndef CUSHIM_TESTING_LAYER_H
#define CUSHIM_TESTING_LAYER_H

#include <stddef.h>
#include <stdint.h>

#include <cushim/api.h>
#include <cushim/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A layer. */
struct cushim_layer;

/** How to create a layer. Zero in all members but `size` means the defaults. */
struct cushim_layer_options {
    size_t size; /**< sizeof(struct cushim_layer_options). */
    /**
     * The table to wrap, with every slot filled; borrowed until the layer is destroyed. NULL: the
     * table that cushim_driver() returns.
     */
    const struct cushim_table *table;
};

/** A cushim_layer_options with the defaults. */
#define CUSHIM_LAYER_OPTIONS_INIT                 \
    {                                             \
        sizeof(struct cushim_layer_options), NULL \
    }

/**
 * Create a layer over a table. If it wraps cushim_driver() and nothing is loaded yet, this loads
 * the driver; without a driver, it wraps the table whose functions return the reason.
 *
 * @param options  Borrowed for the call; NULL: the defaults.
 * @param layer    Receives the layer, owned by the caller; untouched on failure.
 *
 * @return CUDA_SUCCESS                 The layer exists; no call goes through it yet.
 * @return CUDA_ERROR_INVALID_VALUE     `layer` is NULL, `options` has a bad size, or the table is
 *                                      smaller than this library's, lacks a slot, or is a layer's
 *                                      own, which is still installed.
 * @return CUDA_ERROR_OUT_OF_MEMORY     Memory ran out, or cushim_table_set_wrapped() returns it.
 * @return CUDA_ERROR_ALREADY_ACQUIRED  There is a layer in this process, possibly one that a mock
 *                                      has created; cushim_layer_current() returns it.
 *
 * Driver calls: none, except those of a load.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_layer_create(const struct cushim_layer_options *options,
                                                        struct cushim_layer **layer);

/**
 * Destroy a layer, with its faults, recording and expectations. If it is installed, this restores
 * the table that was current before. Threads that hang because of one of its faults continue.
 *
 * @param layer  NULL is a no-op. No call through it may be in progress, except calls that hang.
 *
 * Thread safety: one thread, once.
 */
CUSHIM_API void cushim_layer_destroy(struct cushim_layer *layer);

/** Get the layer of this process; NULL: there is none. */
CUSHIM_API struct cushim_layer *cushim_layer_current(void);

/**
 * Get the layer's own table, to call or to install; every slot is filled. NULL: `layer` has ended.
 * The table then remains callable, and passes calls on to the table that was wrapped last. Any
 * thread.
 */
CUSHIM_API const struct cushim_table *cushim_layer_table(const struct cushim_layer *layer);

/**
 * Get the table that the layer wraps, with the original functions; cushim_layer_next() returns a
 * copy of it. NULL: `layer` has ended.
 */
CUSHIM_API const struct cushim_table *cushim_layer_wrapped(const struct cushim_layer *layer);

/**
 * Get the table that the layer calls, a copy of the wrapped table that the program may change. A
 * function that you write into a slot replaces the driver's; the compiler checks its type. The
 * original is in cushim_layer_wrapped(). The layer still records calls, and faults come first.
 *
 *     static CUresult CUDAAPI no_memory(CUdeviceptr *address, size_t bytes) {...}
 *     ...
 *     cushim_layer_next(layer)->MemAlloc_v2 = no_memory;
 *
 * NULL: `layer` has ended.
 *
 * Thread safety: write while no other thread calls the driver.
 */
CUSHIM_API struct cushim_table *cushim_layer_next(struct cushim_layer *layer);

/**
 * Make the layer's table the one that cushim_driver() returns. cushim_layer_destroy() undoes it.
 *
 * @param layer  The layer; a layer that has ended is refused.
 *
 * @return CUDA_SUCCESS              The layer's table is current.
 * @return CUDA_ERROR_INVALID_VALUE  `layer` is NULL.
 * @return any other code            cushim_table_install()'s, unchanged.
 */
CUSHIM_API CUresult cushim_layer_install(struct cushim_layer *layer);

/*
 * --- faults ---
 *
 * Faults are rules that make a driver, mock or real, fail where a test wants it to fail.
 *
 * A rule says where, when and how:
 *
 *     cuMemAlloc@dev0:nth=3 => return(OUT_OF_MEMORY)         the third on device 0 fails
 *     cuMemcpy*:p=0.01,times=2 => return(LAUNCH_FAILED)      one in a hundred, at most twice
 *     cuStreamSynchronize:phase=after => delay(5 ms)         it returns late
 *     cuGraph* => missing                                    a driver without graphs
 *     * => older(11.8)                                       the driver of CUDA 11.8
 *     op.kernel:nth=2 => sticky(ECC_UNCORRECTABLE)           the second kernel on the mock
 *
 * A plain name means every ABI of the function: `cuMemAlloc` means cuMemAlloc_v2 too, which
 * <cuda.h> calls by that name, and `cuStreamQuery` means cuStreamQuery_ptsz too. A name with a
 * suffix means that symbol alone. docs/mock.md has the whole grammar. Rules belong to a layer. A
 * mock whose settings contain rules, such as `fault = cuMemAlloc:nth=3 => out_of_memory`, creates
 * its layer itself; cushim_layer_current() returns it.
 *
 * Every rule counts each match of its site. If several rules fire at one call, the first one, in
 * the order in which they were added, that replaces the call's result determines it; the delays add
 * up.
 */

/**
 * Add rules from text, one on each line. `#` begins a comment at the start of a line or after a
 * blank, and empty lines are ignored. Either all rules are added or none. A layer has at most 64
 * rules.
 *
 * @param layer         The layer.
 * @param text          Rules; borrowed for the call.
 * @param message       Receives the reason why a rule is refused, with line and column:
 *                      `faults:2:17: there is no error "OUT_OF_MEMROY"; did you mean
 *                      "OUT_OF_MEMORY"?`. NULL: nowhere.
 * @param message_size  Size of `message` in bytes.
 *
 * @return CUDA_SUCCESS              The rules apply from now on.
 * @return CUDA_ERROR_INVALID_VALUE  An argument is NULL, or a rule is refused: `message` says which
 *                                   and why.
 *
 * Thread safety: any thread, but not from a function that the mock calls under its lock.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_fault_add_rules(struct cushim_layer *layer,
                                                           const char *text, char *message,
                                                           size_t message_size);

/**
 * Get how often the site of a rule matched. Rules have numbers from 0 in the order in which they
 * were added; the result is 0 if there is no such rule. For `missing` and `older`, it counts the
 * calls that found the symbol missing, the calls that got the older version, and the calls of
 * cuGetProcAddress for the symbol, but no other look-up.
 */
CUSHIM_API uint64_t cushim_fault_matched(struct cushim_layer *layer, size_t index);

/** Get how often a rule fired, numbered and counted as by cushim_fault_matched(). */
CUSHIM_API uint64_t cushim_fault_fired(struct cushim_layer *layer, size_t index);

/**
 * Get a rule that never fired, by number from 0; NULL if there are fewer. The text is for example
 * `cuMemAlloc:nth=30 => return(OUT_OF_MEMORY): matched 4 times, never fired`. If the rule names a
 * symbol with a suffix, the text also says which other ABI of the function was called. A test whose
 * fault never fired has tested nothing. Valid until the same thread calls it again.
 */
CUSHIM_API const char *cushim_fault_unused(struct cushim_layer *layer, size_t index);

/**
 * Remove all rules, and end their effects: a sticky error of the layer, a lost device. Calls that
 * hang continue. The mock's own sticky error remains, as it does in a process.
 *
 * Thread safety: as cushim_fault_add_rules().
 */
CUSHIM_API void cushim_fault_clear(struct cushim_layer *layer);

/**
 * Let everything that hangs now continue: a call returns CUDA_ERROR_TIMEOUT, and an operation ends.
 * A call hangs from the moment when cushim_fault_fired() counts it.
 *
 * Thread safety: as cushim_fault_add_rules().
 */
CUSHIM_API void cushim_fault_resume(struct cushim_layer *layer);

#ifdef __cplusplus
}
#endif

#endif
