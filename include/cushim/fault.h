/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Faults: rules that make a driver fail where a test wants it to, mock or real.
 *
 * A rule says where, when and what:
 *
 *     cuMemAlloc_v2@dev0:nth=3 => return(OUT_OF_MEMORY)      the third on device 0 fails
 *     cuMemcpy*:p=0.01,times=2 => return(LAUNCH_FAILED)      one in a hundred, twice at most
 *     cuStreamSynchronize:phase=after => delay(5 ms)         it comes back late
 *     cuGraph* => missing                                    a driver without graphs
 *     * => older(11.8)                                       the driver of CUDA 11.8
 *     op.kernel:nth=2 => sticky(ECC_UNCORRECTABLE)           the second kernel on the mock
 *
 * The whole grammar is in docs/mock.md. Rules belong to a layer (layer.h). A mock makes its layer
 * itself where its settings hold rules, as `fault = cuMemAlloc_v2:nth=3 => out_of_memory`; then
 * cushim_layer_current() is that layer.
 *
 * Every rule counts each match of its site. Of those that are due at one call, the first that
 * answers does, in the order in which they were added; delays add up.
 */
#ifndef CUSHIM_FAULT_H
#define CUSHIM_FAULT_H

#include <stddef.h>
#include <stdint.h>

#include <cushim/layer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** When a call is met. */
enum cushim_fault_phase {
    CUSHIM_FAULT_BEFORE, /**< In place of it: what answers in its stead, it does not do. */
    CUSHIM_FAULT_AFTER,  /**< It is made, and then its answer is replaced. */
};

/** What a rule does. */
enum cushim_fault_effect {
    CUSHIM_FAULT_RETURN,  /**< The call answers `code`. */
    CUSHIM_FAULT_STICKY,  /**< From now on calls answer `code`, as after a fault on the device. */
    CUSHIM_FAULT_LOST,    /**< The same, and functions that take a device answer it as well. */
    CUSHIM_FAULT_DELAY,   /**< It takes `delay_ns` longer. */
    CUSHIM_FAULT_HANG,    /**< It does not end before cushim_fault_release(). */
    CUSHIM_FAULT_MISSING, /**< The driver has no such symbol. */
    CUSHIM_FAULT_OLDER,   /**< The driver is that of CUDA `version`. */
};

/** A rule. Zero and NULL mean that a part is not said. */
struct cushim_fault {
    /** sizeof(struct cushim_fault). */
    size_t size;
    /**
     * Where: `cuMemAlloc_v2`, `cuMem*`, `*`, or `op.copy`, `op.*`, with `@devN` behind it for one
     * device alone; copied. Not NULL.
     */
    const char *site;
    /** The Nth match and no other. */
    uint64_t nth;
    /** All matches behind so many. */
    uint64_t after;
    /** Every so many-th match of those. */
    uint64_t every;
    /** With this probability, from 1e-9 to 1. */
    double probability;
    /** Of the numbers that probability takes. 0: that of cushim_fault_seed_set(). */
    uint64_t seed;
    /** So many times at most. */
    uint64_t times;
    /** Of calls: before or after it. */
    enum cushim_fault_phase phase;
    enum cushim_fault_effect effect;
    /** Of RETURN and STICKY; of LOST: 0 is CUDA_ERROR_UNKNOWN. */
    CUresult code;
    /** Of DELAY, in nanoseconds: of virtual time on the mock, else of the host's. */
    uint64_t delay_ns;
    /** Of OLDER, as cuDriverGetVersion counts: 11080. */
    int version;
};

/**
 * Add rules from text: one on each line. `#` begins a comment at the start of a line or behind a
 * blank, and empty lines are passed over. All of them are added, or none. A layer has 64 rules at
 * most.
 *
 * @param layer         The layer.
 * @param text          Rules; borrowed for the call.
 * @param message       Receives why they were refused, with line and column:
 *                      `faults:2:17: there is no error "OUT_OF_MEMROY"; did you mean
 *                      "OUT_OF_MEMORY"?`. NULL: nowhere.
 * @param message_size  Size of `message` in bytes.
 *
 * @return CUDA_SUCCESS              The rules hold from now on.
 * @return CUDA_ERROR_INVALID_VALUE  An argument is NULL, or a rule is refused: `message` says which
 *                                   and why.
 *
 * Thread safety: any thread; not from a function that the mock calls under its lock.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_fault_parse(struct cushim_layer *layer, const char *text, char *message,
                                       size_t message_size);

/**
 * Add one rule.
 *
 * @param layer         The layer.
 * @param fault         The rule; borrowed for the call.
 * @param message       Receives why it was refused, as `fault: nth means one match alone, so times
 *                      does not go with it`. NULL: nowhere.
 * @param message_size  Size of `message` in bytes.
 *
 * @return CUDA_SUCCESS              The rule holds from now on.
 * @return CUDA_ERROR_INVALID_VALUE  An argument is NULL, `fault` has a bad size, or it is refused.
 *
 * Thread safety: as cushim_fault_parse().
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_fault_add(struct cushim_layer *layer, const struct cushim_fault *fault,
                                     char *message, size_t message_size);

/**
 * A rule as text that cushim_fault_parse() would read, in the order in which they were added; NULL
 * if there are fewer. Valid until cushim_fault_clear() or the end of the layer. Any thread.
 */
CUSHIM_API const char *cushim_fault_text(struct cushim_layer *layer, size_t index);

/**
 * How often the site of a rule was met, and how often the rule took effect; 0 if there is no such
 * rule. Of `missing` and `older` both count the calls that found the symbol missing, those that
 * were told the older version, and those of cuGetProcAddress for the symbol; who else looks for it
 * is not seen. Any thread.
 */
CUSHIM_API uint64_t cushim_fault_matched(struct cushim_layer *layer, size_t index);
CUSHIM_API uint64_t cushim_fault_fired(struct cushim_layer *layer, size_t index);

/**
 * The rules that never took effect, by number from 0, as `cuMemAlloc_v2:nth=30 =>
 * return(OUT_OF_MEMORY): matched 4 times, never fired` or `...: never matched`, and then which
 * other ABI of the function came; NULL if there are fewer. A test that asks for a fault which never
 * came has tested nothing. Valid until the same thread calls it again. Any thread.
 */
CUSHIM_API const char *cushim_fault_unused(struct cushim_layer *layer, size_t index);

/**
 * Remove all rules, and end what the layer does by them: a sticky error that is its own, a device
 * that is lost. Calls that hang go on. The mock's own sticky error stays, as that of a process
 * does.
 *
 * Thread safety: as cushim_fault_parse().
 * Since: 0.1.
 */
CUSHIM_API void cushim_fault_clear(struct cushim_layer *layer);

/**
 * Let go on what hangs at this moment: a call answers CUDA_ERROR_TIMEOUT, an operation ends. A call
 * hangs from when cushim_fault_fired() counts it.
 *
 * Thread safety: as cushim_fault_parse().
 * Since: 0.1.
 */
CUSHIM_API void cushim_fault_release(struct cushim_layer *layer);

/**
 * Set the seed of rules that are added from now on and have a probability but no seed; 0 at first.
 * Any thread.
 */
CUSHIM_API void cushim_fault_seed_set(struct cushim_layer *layer, uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif
