/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The recording: which calls a program made through a layer, in order, with their arguments.
 *
 *     cushim_recording_start(layer, 0);
 *     ...
 *     cushim_recording_text(layer, text, sizeof text);
 *
 *     1  t1  0 ns  cuEventCreate(phEvent -> event#1, Flags=2) = CUDA_SUCCESS
 *     2  t1  0 ns  cuEventRecord(hEvent=event#1, hStream=NULL) = CUDA_SUCCESS
 *
 * Handles are told by tag and never by value, so that the same program gives the same text wherever
 * its memory lies: the noun of the type and a number in the order of first sight (`stream#2`).
 * Device addresses are told by the allocation that they lie in (`memory#1+256`, `address?` for
 * those that nobody has allocated), pointers to the program's own memory as `pointer`. What the
 * driver wrote stands behind `->`. A handle that is destroyed loses its tag; if the driver gives
 * the same value again, it is another object and has another tag.
 *
 * The recording keeps the last calls, as many as its capacity. That earlier ones were lost is a
 * failure that cushim_layer_verify() (expectation.h) and cushim_test_end() (test.h) tell, unless
 * nobody has asked for it: the test began it by itself, without a capacity, and nobody has read it
 * when calls were lost. To count, get and write calls is to read; to ask how many are lost is not.
 */
#ifndef CUSHIM_RECORDING_H
#define CUSHIM_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/layer.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    /** The most arguments that a function of the driver has. */
    CUSHIM_RECORDED_ARGUMENTS = 16,
    /** Room for a tag and an offset, or for a text and its quotes, with the NUL. */
    CUSHIM_TAG_SIZE = 64,
    /** Calls that a recording keeps if its capacity is 0. */
    CUSHIM_RECORDING_CAPACITY = 4096,
};

/** What an argument is, and so what its value means. */
enum cushim_argument_kind {
    /** A handle, as CUevent: its bits. */
    CUSHIM_ARGUMENT_HANDLE,
    /** Where a handle is written, as CUevent *: the pointer. */
    CUSHIM_ARGUMENT_HANDLE_OUT,
    /** A device address: CUdeviceptr. */
    CUSHIM_ARGUMENT_ADDRESS,
    /** Where a device address is written: the pointer. */
    CUSHIM_ARGUMENT_ADDRESS_OUT,
    /** int and enumerations: sign-extended. */
    CUSHIM_ARGUMENT_SIGNED,
    /** unsigned, size_t and the like. */
    CUSHIM_ARGUMENT_UNSIGNED,
    /** float: its bits in the lower half. */
    CUSHIM_ARGUMENT_FLOAT,
    /** const char *: the pointer. */
    CUSHIM_ARGUMENT_TEXT,
    /** A pointer to anything else. */
    CUSHIM_ARGUMENT_POINTER,
    /** A struct by value: 0. */
    CUSHIM_ARGUMENT_STRUCT,
};

/** An argument of a recorded call. It never grows, as it is part of one. */
struct cushim_recorded_argument {
    /** Its name, and its type without the star of what the driver writes a handle to. */
    const char *name, *type;
    enum cushim_argument_kind kind;
    /** Whether the driver wrote something here that the recording has read. */
    bool is_written;
    /** What was passed. */
    uint64_t value;
    /** What the driver wrote: a handle, an address, a number, the bits of a float. */
    uint64_t written;
    /**
     * The tag of a handle or address, passed or written; of a text its first bytes, in quotes.
     * Empty: it is something else.
     */
    char tag[CUSHIM_TAG_SIZE];
};

/** A recorded call. */
struct cushim_recorded_call {
    /** sizeof(struct cushim_recorded_call), set by the caller. */
    size_t size;
    /** Of the recording, from 1. */
    uint64_t number;
    /** The exported name. */
    const char *name;
    /** The virtual clock when it began, in nanoseconds; 0 without a mock. */
    uint64_t time_ns;
    /** In the order in which threads made their first call through the layer, from 1. */
    unsigned thread;
    /** What it answered, if it has returned. */
    CUresult code;
    bool has_returned;
    /** A fault gave the answer, not the driver. */
    bool is_injected;
    size_t argument_count;
    struct cushim_recorded_argument arguments[CUSHIM_RECORDED_ARGUMENTS];
};

/**
 * Start to record every call through a layer, from an empty recording.
 *
 * @param layer     The layer.
 * @param capacity  Calls to keep; 0: CUSHIM_RECORDING_CAPACITY. All memory is taken here, but for
 *                  that of tags.
 *
 * @return CUDA_SUCCESS                 Calls that begin from now on are recorded.
 * @return CUDA_ERROR_INVALID_VALUE     `layer` is NULL.
 * @return CUDA_ERROR_OUT_OF_MEMORY     Memory ran out; what was recorded before is still there.
 * @return CUDA_ERROR_ALREADY_ACQUIRED  It is recording.
 *
 * Thread safety: any thread.
 * Context: needs none.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_recording_start(struct cushim_layer *layer, size_t capacity);

/** Record no more; what is recorded can be read. No-op if it does not record. Any thread. */
CUSHIM_API void cushim_recording_stop(struct cushim_layer *layer);

/**
 * Forget what is recorded and that calls were lost; it goes on from number 1. Tags stay. Any
 * thread.
 */
CUSHIM_API void cushim_recording_clear(struct cushim_layer *layer);

/** How many calls are kept. Any thread. */
CUSHIM_API size_t cushim_recording_count(struct cushim_layer *layer);

/** How many were lost because the capacity was used up. Any thread. */
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
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_recording_get(struct cushim_layer *layer, size_t index,
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
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API size_t cushim_recording_text(struct cushim_layer *layer, char *buffer, size_t size);

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
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_tag_name(struct cushim_layer *layer, const void *handle,
                                    const char *name);

/**
 * The tag of a handle or address, as the recording tells it.
 *
 * @param layer   The layer.
 * @param handle  The handle, or a device address cast to a pointer.
 * @param buffer  Receives the tag; untouched on failure.
 * @param size    Of `buffer` in bytes; CUSHIM_TAG_SIZE is always enough.
 *
 * @return CUDA_SUCCESS              `buffer` holds the tag.
 * @return CUDA_ERROR_INVALID_VALUE  An argument is NULL, or `size` is too small.
 * @return CUDA_ERROR_NOT_FOUND      The layer knows no such handle.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_tag_get(struct cushim_layer *layer, const void *handle, char *buffer,
                                   size_t size);

#ifdef __cplusplus
}
#endif

#endif
