/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Expectations: which calls a program is to make through a layer, with which arguments, how often
 * and in which order.
 *
 *     cushim_expect(layer, &(struct cushim_expectation){
 *         .size = sizeof(struct cushim_expectation),
 *         .function = "cuEventRecord",
 *         .arguments = {cushim_match_tag("event#1"), cushim_match_any()},
 *         .minimum = 1, .maximum = 3});
 *     ...
 *     if (cushim_layer_verify(layer, text, sizeof text) != CUDA_SUCCESS)
 *         fail_msg("%s", text);
 *
 * Calls that nothing is said of are allowed. A call counts for the first expectation that it
 * matches and that is not yet full; one that only full ones match is one too many. Nothing is
 * judged before cushim_layer_verify() or cushim_test_end() (test.h): nothing jumps out of a call
 * of the driver, on whatever thread it is made.
 */
#ifndef CUSHIM_EXPECTATION_H
#define CUSHIM_EXPECTATION_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/layer.h>
#include <cushim/recording.h>

#ifdef __cplusplus
extern "C" {
#endif

/** `maximum` of an expectation: there may be any number. */
#define CUSHIM_ANY_NUMBER UINT_MAX

/** What an argument is compared with. */
enum cushim_match_kind {
    CUSHIM_MATCH_ANY,       /**< Everything matches. */
    CUSHIM_MATCH_EQUAL,     /**< The bits are `value`. */
    CUSHIM_MATCH_RANGE,     /**< `value` <= it <= `last`, as a number with or without sign. */
    CUSHIM_MATCH_TAG,       /**< A handle or address, passed or written, by tag or name. */
    CUSHIM_MATCH_TEXT,      /**< A text, byte by byte. */
    CUSHIM_MATCH_PREDICATE, /**< `predicate` says so. */
    CUSHIM_MATCH_NULL,      /**< Zero. */
    CUSHIM_MATCH_NOT_NULL,  /**< Not zero. */
};

/** What one argument has to be. Use the functions below to write one. It never grows. */
struct cushim_match {
    enum cushim_match_kind kind;
    uint64_t value, last;
    /** A tag as the recording tells it, a name of cushim_tag_name(), a text; borrowed. */
    const char *text;
    /**
     * Called with the bits of the argument as they were passed, on the thread of the call when it
     * has ended, once or several times. It must not call the driver or cushim.
     */
    bool (*predicate)(void *data, uint64_t value);
    void *data;
};

/** A call that is expected. Zero and NULL mean the defaults. */
struct cushim_expectation {
    /** sizeof(struct cushim_expectation). */
    size_t size;
    /**
     * Exported name, as `cuMemAlloc_v2`: <cuda.h> means that by cuMemAlloc. If calls of another ABI
     * come instead, the verdict says so. `*` stands for any letters, and then for every function
     * that fits. Texts of it and of its matchers are borrowed until the layer or the expectation is
     * gone.
     */
    const char *function;
    /** By place; zero: any. Those of a pattern are compared in functions that have so many. */
    struct cushim_match arguments[CUSHIM_RECORDED_ARGUMENTS];
    /** How often at least and at most; both 0: exactly once. `maximum` 0: exactly `minimum`. */
    unsigned minimum, maximum;
    /** Only calls that answer `code` count. */
    bool match_code;
    CUresult code;
    /** Its calls come after those of the expectation with `in_order` that was made before it. */
    bool in_order;
};

/** Matchers, by place in `arguments`. */
static inline struct cushim_match cushim_match_any(void)
{
    struct cushim_match match = {CUSHIM_MATCH_ANY, 0, 0, NULL, NULL, NULL};
    return match;
}

/** Equal to a number; a negative one as `(uint64_t)-1`. */
static inline struct cushim_match cushim_match_equal(uint64_t value)
{
    struct cushim_match match = {CUSHIM_MATCH_EQUAL, value, 0, NULL, NULL, NULL};
    return match;
}

/** The same handle or pointer. */
static inline struct cushim_match cushim_match_handle(const void *handle)
{
    return cushim_match_equal((uint64_t)(uintptr_t)handle);
}

/** From `first` to `last`, both included. */
static inline struct cushim_match cushim_match_range(uint64_t first, uint64_t last)
{
    struct cushim_match match = {CUSHIM_MATCH_RANGE, first, last, NULL, NULL, NULL};
    return match;
}

/** The handle or address that has this tag or name when the call ends; of outputs, what came. */
static inline struct cushim_match cushim_match_tag(const char *tag)
{
    struct cushim_match match = {CUSHIM_MATCH_TAG, 0, 0, tag, NULL, NULL};
    return match;
}

/** This text. */
static inline struct cushim_match cushim_match_text(const char *text)
{
    struct cushim_match match = {CUSHIM_MATCH_TEXT, 0, 0, text, NULL, NULL};
    return match;
}

/** What a function says. */
static inline struct cushim_match
cushim_match_predicate(bool (*predicate)(void *data, uint64_t value), void *data)
{
    struct cushim_match match = {CUSHIM_MATCH_PREDICATE, 0, 0, NULL, predicate, data};
    return match;
}

/** NULL, or 0. */
static inline struct cushim_match cushim_match_null(void)
{
    struct cushim_match match = {CUSHIM_MATCH_NULL, 0, 0, NULL, NULL, NULL};
    return match;
}

/** Neither NULL nor 0. */
static inline struct cushim_match cushim_match_not_null(void)
{
    struct cushim_match match = {CUSHIM_MATCH_NOT_NULL, 0, 0, NULL, NULL, NULL};
    return match;
}

/**
 * Expect a call from now on.
 *
 * @param layer        The layer.
 * @param expectation  Borrowed for the call, its texts for longer: see there.
 * @param message      Receives why it is refused; NULL allowed.
 * @param size         Of `message` in bytes.
 *
 * @return CUDA_SUCCESS              It is expected.
 * @return CUDA_ERROR_INVALID_VALUE  An argument is NULL, `expectation` has a bad size, no function
 *                                   has this name, it has fewer parameters than there are matchers,
 *                                   `minimum` is above `maximum`, or a matcher lacks its text or
 *                                   predicate or has a range in which nothing lies: `message` says
 *                                   which.
 * @return CUDA_ERROR_OUT_OF_MEMORY  Memory ran out.
 *
 * Thread safety: any thread.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_expect(struct cushim_layer *layer,
                                  const struct cushim_expectation *expectation, char *message,
                                  size_t size);

/**
 * Expect that a function is not called, from now on, but for calls that an expectation takes. So
 * `*` forbids everything that is not expected. The other parameters and codes are those of
 * cushim_expect().
 *
 * A plain name that <cuda.h> may give to a newer ABI, as cuMemAlloc, is a failure also if a newer
 * one is called that no expectation expects: to forbid the old one alone forbids next to nothing.
 *
 * @param function  Exported name or pattern; borrowed until the layer is gone.
 */
CUSHIM_API CUresult cushim_forbid(struct cushim_layer *layer, const char *function, char *message,
                                  size_t size);

/** Expect nothing more, and forget what was counted. Scopes of errors end. Any thread. */
CUSHIM_API void cushim_expectations_clear(struct cushim_layer *layer);

/**
 * Whether a call that answers an error is a failure where no scope expects errors.
 *
 * An error is every code but CUDA_SUCCESS and CUDA_ERROR_NOT_READY, which is an answer. What a
 * fault of a test has answered is none, as it was asked for; what follows from it is one, and wants
 * a scope. Neither are the answers of cuGetProcAddress: to ask whether there is a function is no
 * error.
 *
 * @param layer         The layer.
 * @param is_forbidden  Off until it is set.
 *
 * @return CUDA_SUCCESS              From now on it is so.
 * @return CUDA_ERROR_INVALID_VALUE  `layer` is NULL.
 * @return CUDA_ERROR_OUT_OF_MEMORY  Memory ran out.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_errors_forbid(struct cushim_layer *layer, bool is_forbidden);

/**
 * Begin a scope in which calls are to answer errors, on any thread. Scopes nest; the innermost that
 * expects the code takes it.
 *
 * @param layer  The layer.
 * @param code   Only this one; CUDA_SUCCESS: any error.
 *
 * @return CUDA_SUCCESS              The scope is open.
 * @return CUDA_ERROR_INVALID_VALUE  `layer` is NULL.
 * @return CUDA_ERROR_OUT_OF_MEMORY  Memory ran out, or there are 16 scopes.
 *
 * Thread safety: any thread; scopes are the process's, not the thread's.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_expect_errors_begin(struct cushim_layer *layer, CUresult code);

/**
 * End the innermost scope. That no call answered such an error in it is a failure, which
 * cushim_layer_verify() tells. One that a fault has answered counts here.
 *
 * @return CUDA_SUCCESS              The scope has ended.
 * @return CUDA_ERROR_INVALID_VALUE  `layer` is NULL, or no scope is open.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_expect_errors_end(struct cushim_layer *layer);

/**
 * Tell whether everything came as expected so far: expectations and their order, what is forbidden,
 * errors, and whether the recording has kept all calls that somebody wants. Changes nothing.
 *
 * @param layer  The layer.
 * @param text   Receives what is not as expected, lines each closed by a newline, cut to `size`
 *               (it ends in `...` then); empty on success. NULL if `size` is 0.
 * @param size   Of `text` in bytes.
 *
 * @return CUDA_SUCCESS              It did.
 * @return CUDA_ERROR_ILLEGAL_STATE  It did not, and `text` says what was expected, how often it
 *                                   came, and which calls came near.
 * @return CUDA_ERROR_INVALID_VALUE  `layer` is NULL.
 *
 * Thread safety: any thread; meant for the main thread of a test when others have done.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_layer_verify(struct cushim_layer *layer, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
