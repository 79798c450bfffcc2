/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The recording: which calls a program made through a layer, in order, with their arguments.
 *
 *     cushim_recording_start(layer, 0);
 *     ...
 *     cushim_recording_write_text(layer, text, sizeof text);
 *
 *     1  t1  0 ns  cuEventCreate(phEvent -> event#1, Flags=2) = CUDA_SUCCESS
 *     2  t1  0 ns  cuEventRecord(hEvent=event#1, hStream=NULL) = CUDA_SUCCESS
 *
 * Handles are printed as tags and never as values, so that the same program gives the same text
 * wherever its memory lies: the name of the type and a number in the order of first sight
 * (`stream#2`). Device addresses are printed by the allocation that they lie in (`memory#1+256`,
 * `address?` for those that nobody has allocated), pointers to the program's own memory as
 * `pointer`. What the driver wrote follows `->`. A handle that is destroyed loses its tag; if the
 * driver gives the same value again, it is another object and has another tag.
 *
 * The recording keeps the last calls, as many as its capacity. If earlier ones were lost,
 * cushim_layer_verify() and cushim_test_end() (test.h) report a failure, except for a recording
 * that a test began by itself, without a capacity, and that was not read after calls were lost.
 * Counting, getting and printing calls is reading; asking how many were lost is not.
 *
 * Unless a function says otherwise, any thread may call it, and it calls no function of the driver.
 * Since: 0.1.
 */
#ifndef CUSHIM_TESTING_RECORDING_H
#define CUSHIM_TESTING_RECORDING_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/testing/layer.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    /** The most arguments that a function of the driver has. */
    CUSHIM_RECORDED_ARGUMENTS = 16,
    /** Room for a tag and an offset, or for a text and its quotes, with the NUL. */
    CUSHIM_RECORDING_TAG_SIZE = 64,
    /** Calls that a recording keeps if its capacity is 0. */
    CUSHIM_RECORDING_CAPACITY = 4096,
};

/** What an argument is, and so what its value means. */
enum cushim_argument_kind {
    CUSHIM_ARGUMENT_HANDLE,      /**< A handle, as CUevent: its bits. */
    CUSHIM_ARGUMENT_HANDLE_OUT,  /**< Where a handle is written, as CUevent *: the pointer. */
    CUSHIM_ARGUMENT_ADDRESS,     /**< A device address: CUdeviceptr. */
    CUSHIM_ARGUMENT_ADDRESS_OUT, /**< Where a device address is written: the pointer. */
    CUSHIM_ARGUMENT_SIGNED,      /**< int and enumerations: sign-extended. */
    CUSHIM_ARGUMENT_UNSIGNED,    /**< unsigned, size_t and the like. */
    CUSHIM_ARGUMENT_FLOAT,       /**< float: its bits in the lower half. */
    CUSHIM_ARGUMENT_TEXT,        /**< const char *: the pointer. */
    CUSHIM_ARGUMENT_POINTER,     /**< A pointer to anything else. */
    CUSHIM_ARGUMENT_STRUCT,      /**< A struct by value: 0. */
};

/** An argument of a recorded call. It never grows, as it is part of one. */
struct cushim_recorded_argument {
    const char *name; /**< The name of the parameter. */
    const char *type; /**< Its type; of a handle that the driver writes, without the star. */
    enum cushim_argument_kind kind; /**< What kind of value it is. */
    /** Whether the driver wrote something here that the recording has read. */
    bool is_written;
    uint64_t value; /**< What was passed. */
    /** What the driver wrote: a handle, an address, a number, the bits of a float. */
    uint64_t written;
    /**
     * The tag of a handle or address, passed or written; of a text its first bytes, in quotes.
     * Empty: it is something else.
     */
    char tag[CUSHIM_RECORDING_TAG_SIZE];
};

/** A recorded call. */
struct cushim_recorded_call {
    size_t size;      /**< sizeof(struct cushim_recorded_call), set by the caller. */
    uint64_t number;  /**< Number in the recording, from 1. */
    const char *name; /**< The exported name. */
    /** The virtual clock when it began, in nanoseconds; 0 without a mock. */
    uint64_t time_ns;
    /** Number of the thread, in the order of first calls through the layer, from 1. */
    unsigned thread;
    CUresult code;         /**< What it returned, if it has returned. */
    bool has_returned;     /**< Whether it has returned. */
    bool is_injected;      /**< A fault gave the result, not the driver. */
    size_t argument_count; /**< How many of `arguments` the function has. */
    /** The arguments, in the order of the parameters. */
    struct cushim_recorded_argument arguments[CUSHIM_RECORDED_ARGUMENTS];
};

/** A cushim_recorded_call to be filled. */
#define CUSHIM_RECORDED_CALL_INIT                                                          \
    {                                                                                      \
        sizeof(struct cushim_recorded_call), 0, NULL, 0, 0, CUDA_SUCCESS, false, false, 0, \
        {                                                                                  \
            {                                                                              \
                NULL, NULL, CUSHIM_ARGUMENT_HANDLE, false, 0, 0, ""                        \
            }                                                                              \
        }                                                                                  \
    }

/**
 * Start to record every call through a layer, from an empty recording.
 *
 * @param layer     The layer.
 * @param capacity  Calls to keep; 0: CUSHIM_RECORDING_CAPACITY. All memory except that of tags is
 *                  allocated here.
 *
 * @return CUDA_SUCCESS                 Calls that begin from now on are recorded.
 * @return CUDA_ERROR_INVALID_VALUE     `layer` is NULL.
 * @return CUDA_ERROR_OUT_OF_MEMORY     Memory ran out; what was recorded before is still there.
 * @return CUDA_ERROR_ALREADY_ACQUIRED  It is recording.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_recording_start(struct cushim_layer *layer,
                                                           size_t capacity);

/** Record no more; what is recorded can be read. No-op if it does not record. */
CUSHIM_API void cushim_recording_stop(struct cushim_layer *layer);

/**
 * Forget what is recorded, and that calls were lost; recording goes on from number 1. Tags stay.
 */
CUSHIM_API void cushim_recording_clear(struct cushim_layer *layer);

/** How many calls are kept. */
CUSHIM_API size_t cushim_recording_count(struct cushim_layer *layer);

/** How many were lost because the capacity was used up. */
CUSHIM_API uint64_t cushim_recording_lost(struct cushim_layer *layer);

/**
 * Read a recorded call. Bytes of `call` beyond what this library knows are left alone.
 *
 * @param layer  The layer.
 * @param index  Among those that are kept, from 0, in the order in which they began.
 * @param call   Receives the call; untouched on failure.
 *
 * @return CUDA_SUCCESS              `call` is filled.
 * @return CUDA_ERROR_INVALID_VALUE  An argument is NULL or `call->size` is too small.
 * @return CUDA_ERROR_NOT_FOUND      There are fewer calls.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_recording_get_call(struct cushim_layer *layer,
                                                              size_t index,
                                                              struct cushim_recorded_call *call);

/**
 * The recording as text, a line per call. The same program gives the same text in the modes
 * `manual` and `auto` of the mock, to be compared with a file.
 *
 * @param layer   The layer.
 * @param buffer  Receives the text, cut to its size and closed by NUL; NULL if `size` is 0.
 * @param size    Of `buffer` in bytes.
 *
 * @return The length of the whole text, without the NUL.
 */
CUSHIM_API size_t cushim_recording_write_text(struct cushim_layer *layer, char *buffer,
                                              size_t size);

/**
 * Give a handle or allocation a name of one's own in place of its tag, until it is destroyed.
 *
 * @param layer   The layer, which records or has expectations.
 * @param handle  The handle, or a device address cast to a pointer.
 * @param name    Letters, digits, `_`, `-` and `.`, 1 to 31 of them; copied.
 *
 * @return CUDA_SUCCESS                 Recording and matchers know it by this name.
 * @return CUDA_ERROR_INVALID_VALUE     An argument is NULL, or `name` is no name.
 * @return CUDA_ERROR_NOT_FOUND         No call through the layer has shown this handle.
 * @return CUDA_ERROR_ALREADY_ACQUIRED  Something else has this name.
 * @return CUDA_ERROR_OUT_OF_MEMORY     Memory ran out.
 */
CUSHIM_API CUresult cushim_recording_set_tag(struct cushim_layer *layer, const void *handle,
                                             const char *name);

/**
 * The tag of a handle or address, as the recording prints it.
 *
 * @param layer   The layer.
 * @param handle  The handle, or a device address cast to a pointer.
 * @param buffer  Receives the tag; untouched on failure.
 * @param size    Of `buffer` in bytes; CUSHIM_RECORDING_TAG_SIZE is always enough.
 *
 * @return CUDA_SUCCESS              `buffer` holds the tag.
 * @return CUDA_ERROR_INVALID_VALUE  An argument is NULL, or `size` is too small.
 * @return CUDA_ERROR_NOT_FOUND      The layer knows no such handle.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_recording_get_tag(struct cushim_layer *layer,
                                                             const void *handle, char *buffer,
                                                             size_t size);

/*
 * --- expectations ---
 *
 * Expectations: which calls a program is to make through a layer, with which arguments, how often
 * and in which order.
 *
 *     struct cushim_expectation records = CUSHIM_EXPECTATION_INIT;
 *
 *     records.function = "cuEventRecord";
 *     records.arguments[0] = cushim_match_tag("event#1");
 *     records.minimum = 1;
 *     records.maximum = 3;
 *     if (cushim_layer_expect(layer, &records, text, sizeof text) != CUDA_SUCCESS)
 *         fail_msg("%s", text);
 *     ...
 *     if (cushim_layer_verify(layer, text, sizeof text) != CUDA_SUCCESS)
 *         fail_msg("%s", text);
 *
 * Calls that no expectation names are allowed. A call counts for the first expectation that it
 * matches and that is not yet full; if all of those are full, it is one call too many. Nothing is
 * judged before cushim_layer_verify() or cushim_test_end() (test.h): nothing jumps out of a call of
 * the driver, on whatever thread it is made.
 */

/** `maximum` of an expectation: any number of calls is allowed. */
#define CUSHIM_EXPECTATION_ANY_NUMBER UINT_MAX

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

/**
 * What one argument has to be. The functions below make matchers that have a value. It never grows.
 */
struct cushim_match {
    /** What the argument is compared with; 0: nothing, everything matches. */
    enum cushim_match_kind kind;
    unsigned padding; /**< Zero. */
    uint64_t value;   /**< The number that it equals, or the first one of a range. */
    uint64_t last;    /**< The last number of a range, included. */
    /** A tag as the recording prints it, a name of cushim_recording_set_tag(), a text; borrowed. */
    const char *text;
    /**
     * Called with the bits of the argument as they were passed, on the thread of the call when it
     * has ended, once or several times. It must not call the driver or cushim.
     */
    bool (*predicate)(void *data, uint64_t value);
    void *data; /**< Passed to `predicate`. */
};

/** A call that is expected. All-zero but for `size` means the defaults. */
struct cushim_expectation {
    size_t size; /**< sizeof(struct cushim_expectation). */
    /**
     * The function. A plain name such as `cuMemAlloc` means every ABI: cuMemAlloc_v2 too, which
     * <cuda.h> calls by that name. A name with a suffix means that symbol alone; if another ABI is
     * called instead, the verdict says so. `*` stands for any letters, and such a pattern for every
     * function that fits. The texts of an expectation and of its matchers are borrowed until the
     * layer or the expectation is gone.
     */
    const char *function;
    /**
     * Matchers, by the place of the argument; zero matches anything. Those beyond the parameters of
     * a function, or of an ABI, are not compared.
     */
    struct cushim_match arguments[CUSHIM_RECORDED_ARGUMENTS];
    unsigned minimum; /**< How often at least; with `maximum` 0 too: exactly once. */
    unsigned maximum; /**< How often at most; 0: exactly `minimum`. */
    CUresult code;    /**< The result that counts, if `match_code` is set. */
    bool match_code;  /**< Only calls that return `code` count. */
    /** Its calls come after those of the expectation with `in_order` that was made before it. */
    bool in_order;
    unsigned char padding[2]; /**< Zero. */
};

/** A cushim_expectation with the defaults. */
#define CUSHIM_EXPECTATION_INIT                                                                   \
    {                                                                                             \
        sizeof(struct cushim_expectation), NULL, {{CUSHIM_MATCH_ANY, 0, 0, 0, NULL, NULL, NULL}}, \
            0, 0, CUDA_SUCCESS, false, false,                                                     \
        {                                                                                         \
            0                                                                                     \
        }                                                                                         \
    }

/*
 * Matchers for `arguments`. Those that need no value have no function: zero matches everything, and
 * others are written as `{.kind = CUSHIM_MATCH_NOT_NULL}`.
 */

/** Equal to a number; a negative one as `(uint64_t)-1`. */
static inline struct cushim_match cushim_match_equal(uint64_t value)
{
    struct cushim_match match = {CUSHIM_MATCH_EQUAL, 0, value, 0, NULL, NULL, NULL};
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
    struct cushim_match match = {CUSHIM_MATCH_RANGE, 0, first, last, NULL, NULL, NULL};
    return match;
}

/** The handle or address that has this tag or name when the call ends; of outputs, what came. */
static inline struct cushim_match cushim_match_tag(const char *tag)
{
    struct cushim_match match = {CUSHIM_MATCH_TAG, 0, 0, 0, tag, NULL, NULL};
    return match;
}

/** This text. */
static inline struct cushim_match cushim_match_text(const char *text)
{
    struct cushim_match match = {CUSHIM_MATCH_TEXT, 0, 0, 0, text, NULL, NULL};
    return match;
}

/** What a function says. */
static inline struct cushim_match
cushim_match_predicate(bool (*predicate)(void *data, uint64_t value), void *data)
{
    struct cushim_match match = {CUSHIM_MATCH_PREDICATE, 0, 0, 0, NULL, predicate, data};
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
 */
CUSHIM_API CUSHIM__CHECKED CUresult
cushim_layer_expect(struct cushim_layer *layer, const struct cushim_expectation *expectation,
                    char *message, size_t size);

/**
 * Expect that a function is not called from now on, except for calls that an expectation matches.
 * So `*` forbids everything that is not expected.
 *
 * @param layer     The layer.
 * @param function  Name or pattern, as of an expectation: cuMemAlloc forbids cuMemAlloc_v2 too.
 *                  Borrowed until the layer is gone.
 * @param message   Receives why it is refused; NULL allowed.
 * @param size      Of `message` in bytes.
 *
 * @return As cushim_layer_expect().
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_layer_forbid(struct cushim_layer *layer,
                                                        const char *function, char *message,
                                                        size_t size);

/** Remove all expectations, and forget what was counted. Scopes of errors end. */
CUSHIM_API void cushim_layer_clear_expectations(struct cushim_layer *layer);

/**
 * Set whether a call that returns an error is a failure where no scope expects errors.
 *
 * An error is every code except CUDA_SUCCESS and CUDA_ERROR_NOT_READY. A code that a fault of the
 * test returned is not an error, because the test asked for it; errors that follow from it are, and
 * need a scope. The codes of cuGetProcAddress are not errors either: a program may ask whether a
 * function exists.
 *
 * @param layer         The layer.
 * @param is_forbidden  Off until it is set.
 *
 * @return CUDA_SUCCESS              It is set.
 * @return CUDA_ERROR_INVALID_VALUE  `layer` is NULL.
 */
CUSHIM_API CUresult cushim_layer_forbid_errors(struct cushim_layer *layer, bool is_forbidden);

/**
 * Begin a scope in which calls are expected to return errors, on any thread. Scopes nest; an error
 * belongs to the innermost one that expects its code.
 *
 * @param layer  The layer.
 * @param code   Only this one; CUDA_SUCCESS: any error.
 *
 * @return CUDA_SUCCESS              The scope is open.
 * @return CUDA_ERROR_INVALID_VALUE  `layer` is NULL.
 * @return CUDA_ERROR_OUT_OF_MEMORY  There are 16 scopes.
 *
 * Thread safety: any thread; scopes are the process's, not the thread's.
 */
CUSHIM_API CUresult cushim_layer_expect_errors_begin(struct cushim_layer *layer, CUresult code);

/**
 * End the innermost scope. If no call in it returned such an error, that is a failure, which
 * cushim_layer_verify() reports. An error that a fault returned counts here.
 *
 * @return CUDA_SUCCESS              The scope has ended.
 * @return CUDA_ERROR_INVALID_VALUE  `layer` is NULL, or no scope is open.
 */
CUSHIM_API CUresult cushim_layer_expect_errors_end(struct cushim_layer *layer);

/**
 * Return whether everything came as expected so far: expectations and their order, what is
 * forbidden, errors, and whether the recording has lost calls that it had to keep. Changes nothing.
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
 * Thread safety: any thread; meant for the main thread of a test, when the others have ended.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_layer_verify(struct cushim_layer *layer, char *text,
                                                        size_t size);

#ifdef __cplusplus
}
#endif

#endif
