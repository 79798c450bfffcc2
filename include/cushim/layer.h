/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The layer: a table that looks at calls before it hands them on, for tests.
 *
 * It wraps any table, the mock's or the real driver's. What is built on it: faults (fault.h), the
 * recording of calls (recording.h), expectations (expectation.h), sweeps (sweep.h) and functions
 * of one's own in place of the driver's (cushim_layer_next()). A slot that nobody has asked to
 * watch costs one load and one branch more than without the layer.
 *
 *     struct cushim_layer *layer;
 *
 *     cushim_layer_create(NULL, &layer);              wraps what cushim_driver() answers
 *     cushim_layer_install(layer);                    and stands in its place from now on
 *     cushim_layer_next(layer)->MemAlloc_v2 = no_memory;
 *
 * One layer exists at a time in a process: the functions of a driver have no parameter that could
 * tell two apart. It comes with `libcushim-mock`. What takes a layer does nothing with one that has
 * been destroyed, and answers as for NULL.
 *
 * What a program gets from cuGetProcAddress through the layer is the layer's function too. What it
 * has got before, or past it by dlsym, is not.
 */
#ifndef CUSHIM_LAYER_H
#define CUSHIM_LAYER_H

#include <stddef.h>
#include <stdint.h>

#include <cushim/api.h>
#include <cushim/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A layer. */
struct cushim_layer;

/** How to create a layer. Zero and NULL mean the defaults. */
struct cushim_layer_options {
    /** sizeof(struct cushim_layer_options). */
    size_t size;
    /** The table to wrap, with every slot filled; borrowed until
     * the layer is destroyed. NULL: what cushim_driver() answers. */
    const struct cushim_table *table;
};

/**
 * Create a layer over a table. Where cushim_driver() is wrapped and nothing is loaded yet, this
 * loads the driver; without one, the table that answers the reason is wrapped.
 *
 * @param options  Borrowed for the call; NULL: the defaults.
 * @param layer    Receives the layer, owned by the caller; untouched on failure.
 *
 * @return CUDA_SUCCESS                 The layer exists; no program reaches it yet.
 * @return CUDA_ERROR_INVALID_VALUE     `layer` is NULL, `options` has a bad size, or the table is
 *                                      smaller than this library's, lacks a slot or is the layer's
 *                                      own, as one that was left installed.
 * @return CUDA_ERROR_OUT_OF_MEMORY     Memory ran out.
 * @return CUDA_ERROR_ALREADY_ACQUIRED  There is a layer in this process; one that the settings of
 *                                      a mock have made is cushim_layer_current().
 *
 * Thread safety: any thread.
 * Context: needs none.
 * Driver calls: none, but for a load.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_layer_create(const struct cushim_layer_options *options,
                                        struct cushim_layer **layer);

/**
 * Destroy a layer, with its faults, recording and expectations. If it is installed, the table that
 * was current before is put back; threads that hang by a fault of its go on.
 *
 * @param layer  NULL is a no-op. No call through it may be under way, but for those that hang.
 *
 * Thread safety: one thread, once.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API void cushim_layer_destroy(struct cushim_layer *layer);

/** The layer of this process; NULL: there is none. Any thread. */
CUSHIM_API struct cushim_layer *cushim_layer_current(void);

/**
 * The layer's own table, to call or to install: every slot is filled. NULL: `layer` has ended. Any
 * thread.
 */
CUSHIM_API const struct cushim_table *cushim_layer_table(const struct cushim_layer *layer);

/**
 * The table that the layer wraps: the originals behind what cushim_layer_next() holds. NULL:
 * `layer` has ended. Any thread.
 */
CUSHIM_API const struct cushim_table *cushim_layer_wrapped(const struct cushim_layer *layer);

/**
 * The table that the layer calls: a copy of the wrapped one that may be written into. A function of
 * the program's own in a slot of it stands in place of the driver's, type-checked by the compiler;
 * the original is in cushim_layer_wrapped(). Calls are watched as before: recorded, and faults come
 * first.
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
 * Make the layer's table the one that cushim_driver() answers. cushim_layer_destroy() undoes it.
 *
 * @param layer  The layer; one that has ended is refused.
 *
 * @return CUDA_SUCCESS              The layer's table is current.
 * @return CUDA_ERROR_INVALID_VALUE  `layer` is NULL.
 * @return any other code            cushim_table_install()'s, unchanged.
 *
 * Thread safety: any thread.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_layer_install(struct cushim_layer *layer);

#ifdef __cplusplus
}
#endif

#endif
