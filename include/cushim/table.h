/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Tables: the driver API as a struct of function pointers, and how to fill and install one.
 *
 * `struct cushim_table` has one slot for each symbol that libcuda exports, with the name of the
 * symbol without its `cu`: `cuEventElapsedTime_v2` is `EventElapsedTime_v2`, the older
 * `cuEventElapsedTime` is `EventElapsedTime`, and `cuEventRecord_ptsz` is `EventRecord_ptsz`. A
 * slot therefore means one ABI, whatever toolkit header and default-stream mode the caller compiles
 * with. No slot of a table that cushim fills is ever NULL: the slot of a symbol that the driver
 * lacks is a function of the right type that returns CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER
 * (GetErrorName and GetErrorString return the registry's texts instead).
 *
 * So the `cuMemAlloc` of `<cuda.h>` is `MemAlloc_v2`; `MemAlloc` is the ABI of CUDA 2.0, with
 * addresses of 32 bits. Slots of ABIs that the headers of CUDA 11.2 had already replaced are
 * deprecated: gcc and clang warn about their use and name the slot that replaced them. Code that
 * needs such an ABI defines CUSHIM_DISABLE_DEPRECATION_WARNINGS before it includes a header of
 * cushim.
 *
 * Symbols are the exported names of the slots. Each has a state, which says how it was found when
 * the driver was loaded.
 *
 * Symbols are numbered in slot order, from 0 to cushim_symbol_count() - 1. The order is part of the
 * ABI: newer versions of cushim append symbols and never insert them.
 *
 * Most programs need none of the functions here; they call cushim_driver() (driver.h).
 *
 * Thread safety: a table is constant once it is filled; any thread may read it.
 *
 * Unless a function says otherwise, any thread may call it; it needs no context and leaves the
 * current one alone; it calls no function of the driver; if it fails, it leaves its outputs
 * untouched. Since: 0.1.
 */
#ifndef CUSHIM_TABLE_H
#define CUSHIM_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/api.h>
#include <cushim/slots.h>

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
 * Numbers of symbols of one part of the API that a source had. `found` includes `by_proc_address`.
 * The struct never grows: cushim_symbol_get() returns more about each symbol.
 */
struct cushim_symbol_tally {
    unsigned total;           /**< Symbols that exist on this operating system. */
    unsigned found;           /**< Symbols that the driver has, exported by name or not. */
    unsigned by_proc_address; /**< Those of `found` that are not exported by name. */
    unsigned fallen_back;     /**< Missing, and replaced by a fallback. */
    unsigned missing;         /**< Missing. total = found + fallen_back + missing. */
};

/** The two parts of the table, counted separately. The struct never grows. */
struct cushim_symbol_counts {
    struct cushim_symbol_tally core;    /**< cuda.h and cudaProfiler.h. */
    struct cushim_symbol_tally interop; /**< Graphics interop: GL, EGL, VDPAU. */
};

/**
 * Get the number of symbols.
 *
 * @return The number of slots of the table of this library; no later version has fewer.
 */
CUSHIM_API size_t cushim_symbol_count(void);

/** A symbol of the driver API, and how the driver of this process provides it. */
struct cushim_symbol {
    size_t size; /**< Set to `sizeof(struct cushim_symbol)`. */

    const char *name;     /**< The name that libcuda exports. */
    const char *fallback; /**< The symbol that is used if a driver lacks this one; empty: none. */
    int since; /**< Version that introduced it, as cuDriverGetVersion counts: 12080 is 12.8. */

    enum cushim_symbol_state
        state; /**< How it was found when the process-wide driver was loaded. */

    /**
     * Whether the program has called this symbol, through any table that cushim has filled, with a
     * driver that lacks it. It shows which function returned CALL_REQUIRES_NEWER_DRIVER.
     */
    bool is_missed;
};

/** A cushim_symbol to be filled. */
#define CUSHIM_SYMBOL_INIT                                                        \
    {                                                                             \
        sizeof(struct cushim_symbol), NULL, NULL, 0, CUSHIM_SYMBOL_UNKNOWN, false \
    }

/**
 * Get the properties of a symbol.
 *
 * @param index   Number in slot order, below cushim_symbol_count().
 * @param symbol  Receives the properties; not NULL, with its `size` set. Its strings are static and
 *                never NULL.
 *
 * @return CUDA_SUCCESS              `*symbol` is filled as far as its size reaches.
 * @return CUDA_ERROR_INVALID_VALUE  `index` is out of range, `symbol` is NULL, or its size is not
 *                                   that of any version of cushim.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_symbol_get(size_t index, struct cushim_symbol *symbol);

/** A function of any type. Cast it to the type of its slot before calling it. */
typedef void (*cushim_function)(void);

/**
 * Find one symbol of a driver by its exported name (`cuEventElapsedTime_v2`).
 *
 * cushim calls it on the thread that fills or loads: for cuInit, cuDriverGetVersion and
 * cuGetProcAddress_v2, then for each symbol in slot order, and for the fallback of a symbol that is
 * not found. If several threads use the driver for the first time at once, they may call
 * cushim_load_options::resolver at once. It must return, and must not call cushim.
 *
 * @param symbol  Exported name; borrowed for the call.
 * @param data    Pointer that was passed together with the resolver.
 * @return        The function, or NULL if there is none with this name.
 */
typedef cushim_function (*cushim_resolver)(const char *symbol, void *data);

/**
 * Fill a table of the caller from a function that finds symbols by name.
 *
 * It is for callers that have opened the driver themselves or use another driver. It neither uses
 * nor changes the process-wide table of cushim_driver(). It looks up each symbol by its exact name,
 * then by the driver's own cuGetProcAddress_v2 for exactly the version that introduced the ABI,
 * then by the registry's fallback, if there is one.
 *
 * @param table     Table to fill; owned by the caller, not NULL. Set `table->size` to `sizeof
 *                  *table` before the call; slots beyond it are not written. If this library is
 *                  older than the caller's header and knows fewer slots, `table->size` says
 *                  afterwards how far the table is filled.
 * @param resolver  Finds a symbol; not NULL.
 * @param data      Passed to `resolver`; NULL allowed.
 * @param counts    Receives the numbers of symbols by how they were found; NULL allowed.
 *
 * @return CUDA_SUCCESS                              Every slot within `table->size` can be called.
 * @return CUDA_ERROR_INVALID_VALUE                  `table` or `resolver` is NULL, or `table->size`
 *                                                   does not include the first slot.
 * @return CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND The source lacks cuInit or cuDriverGetVersion
 *                                                   and so is not a CUDA driver.
 *
 * Thread safety: any thread, on different tables concurrently.
 * Driver calls: cuDriverGetVersion, cuGetProcAddress_v2.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_table_fill(struct cushim_table *table,
                                                      cushim_resolver resolver, void *data,
                                                      struct cushim_symbol_counts *counts);

/**
 * Fill a table of the caller from an open library.
 *
 * @param table    As for cushim_table_fill().
 * @param library  The library, as dlopen() or LoadLibrary() returned it; borrowed, not NULL. It
 *                 must stay open as long as the table is used.
 * @param counts   As for cushim_table_fill().
 *
 * @return As cushim_table_fill(); CUDA_ERROR_INVALID_VALUE also if `library` is NULL.
 *
 * Thread safety: any thread, on different tables concurrently.
 * Driver calls: cuDriverGetVersion, cuGetProcAddress_v2.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_table_fill_library(struct cushim_table *table,
                                                              void *library,
                                                              struct cushim_symbol_counts *counts);

/**
 * Make a table the one that cushim_driver() returns, as a mock or a layer does.
 *
 * From now on, every call in the process that goes through cushim_driver() uses `table`; calls in
 * progress finish in the former table. To restore the former table, install the one that was
 * received in `former`; NULL means the loader's own table. While a table of the caller is
 * installed, cushim_driver_load() without `library` and `resolver` loads nothing, and applies
 * `minimum_version` to that table; with one of them it loads the driver, and the installed table
 * stays current.
 *
 * The table may have been compiled with fewer slots, as `table->size` says. The library then makes
 * a copy current, in which a slot beyond the table's size is the registry's fallback or that of a
 * missing symbol, so that cushim_driver() has every slot of this library. `former` is always the
 * caller's own table, never the copy: a layer that calls it has to check its `size`, or to call
 * cushim_driver() before the installation, which returns a table with every slot.
 *
 * An object of cushim (context, stream, event) remembers the table that made its driver handle and
 * is destroyed through it, because NVIDIA's driver crashes on a handle of another driver: an event
 * of a mock never reaches the driver, and an event of the driver never reaches a mock. If the
 * current table made the handle, or is a layer over the table that did
 * (cushim_table_set_wrapped()), the current table destroys it. This applies only to destruction:
 * every other call on the object goes through the current table, whatever that is. In a child whose
 * parent had initialised the driver, cushim calls no driver.
 *
 * @param table   Table to install, with every slot within `table->size` filled; borrowed until
 *                another table is installed, no call is in progress in it, and the last object that
 *                was made through it is released. Tables of cushim exist that long: that of a
 *                destroyed mock returns CUDA_ERROR_DEINITIALIZED, which a release treats as
 *                success. NULL: the loader's own table.
 * @param former  Receives the table that was current, for a layer to call and to restore; NULL
 *                allowed.
 *
 * @return CUDA_SUCCESS              `table` is current.
 * @return CUDA_ERROR_INVALID_VALUE  `table->size` does not include the first slot, or a slot is
 *                                   NULL; nothing has changed.
 * @return CUDA_ERROR_OUT_OF_MEMORY  `table` is shorter than this library's, and 8 such tables at
 *                                   other addresses have been installed in this process; nothing
 *                                   has changed. A table at the same address uses the same copy.
 *
 * Thread safety: any thread; one of two concurrent installations takes effect.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_table_install(const struct cushim_table *table,
                                                         const struct cushim_table **former);

/**
 * Get the current table, from a language that cannot compile cushim_driver().
 *
 * The table is an array of words of a pointer's size: the first is its size in bytes, and the
 * others are the slots, in the order of the symbols. A binding generates their types from
 * driver-api.json. C and C++ call cushim_driver(), which costs no call.
 *
 * @return What cushim_driver() returns, with the same limits: do not keep it across a load, an
 *         installation or a fork().
 */
CUSHIM_API const struct cushim_table *cushim_table_current(void);

/**
 * Get the table that the program has installed.
 *
 * Before it is removed, a layer compares its own table with this one, not with cushim_driver(),
 * which may be a copy.
 *
 * @return The table that was passed to cushim_table_install(), if it is current; NULL: the current
 *         table is the loader's own.
 */
CUSHIM_API const struct cushim_table *cushim_table_installed(void);

/**
 * Declare that a table is a layer, which passes calls on to another table.
 *
 * A layer then sees the destruction of objects that were made before it was installed, and objects
 * that were made through it no longer need it once it is removed. Nothing in a table distinguishes
 * a layer from a driver, and a driver that was treated as a layer would get foreign handles. So a
 * table without this declaration destroys exactly the objects that were made through it.
 * cushim_layer_create() declares the layer of cushim, which is in another library, by this
 * function.
 *
 * @param layer    Table that passes calls on; not NULL, not one of the loader's own. Declare it
 *                 before you install the table, and pass NULL as `wrapped` before its memory
 *                 becomes another table.
 * @param wrapped  Table that it calls. If that is a layer too, the table that it wraps is looked up
 *                 now. Borrowed until the last object that was made through `layer` is released.
 *                 NULL: it wraps nothing.
 *
 * @return CUDA_SUCCESS              The declaration applies from now on, and replaces an earlier
 *                                   one of `layer`.
 * @return CUDA_ERROR_INVALID_VALUE  `layer` is NULL or the loader's own, or `wrapped` is `layer` or
 *                                   wraps it.
 * @return CUDA_ERROR_OUT_OF_MEMORY  8 tables at other addresses have been named as `layer` in this
 *                                   process, or one of the two needs a copy as in
 *                                   cushim_table_install() and no copy is free.
 *
 * Thread safety: any thread, on different layers concurrently.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_table_set_wrapped(const struct cushim_table *layer,
                                                             const struct cushim_table *wrapped);

#ifdef __cplusplus
}
#endif

#endif
