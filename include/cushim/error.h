/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Result codes: their names and meanings, advice, and what a program cannot use after them.
 *
 * All texts come from a constant table inside cushim. It needs no driver, so it also explains why
 * there is none, and it has the same codes with any driver and any toolkit header. The texts are
 * cushim's own; cuGetErrorString returns those of the driver.
 *
 * The codes are those of `CUresult` in the CUDA driver API reference, page "Data types used by CUDA
 * driver".
 *
 * A number such as #34 is a statement of driver-semantics.md, a page of cushim's documentation
 * (share/doc/cushim/docs/ of an installation).
 *
 * Unless a function says otherwise, any thread may call it; it needs no context and leaves the
 * current one alone; it calls no function of the driver. Since: 0.1.
 */
#ifndef CUSHIM_ERROR_H
#define CUSHIM_ERROR_H

#include <cuda.h>

#include <cushim/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a program cannot use after a code. */
enum cushim_sticky {
    /** Nothing: the code concerns the call, or an object that was passed to it. */
    CUSHIM_STICKY_NO = 0,

    /**
     * The context: work in it has failed, and every later call that uses it returns the same code.
     * Its memory is lost. Destroy the context and everything in it; the driver API reference
     * requires a new process as well, except after CUDA_ERROR_ASSERT.
     */
    CUSHIM_STICKY_CONTEXT,

    /** The driver in this process: nothing that needs it works until the program is restarted. */
    CUSHIM_STICKY_PROCESS,
};

/**
 * Get the name of a result code in cuda.h.
 *
 * Unlike cuGetErrorName, it needs no driver, and knows codes that are newer than the driver.
 *
 * @param code  Any number, also one that is not a CUresult.
 *
 * @return Static string such as `CUDA_ERROR_INVALID_HANDLE`; `unrecognized CUresult` for a code
 *         that this version of cushim does not know. Never NULL.
 */
CUSHIM_API const char *cushim_error_name(CUresult code);

/**
 * Get the meaning of a result code.
 *
 * The meaning is general: the report says why one particular load failed (report.h).
 *
 * @param code  Any number, also one that is not a CUresult.
 *
 * @return Static string of one line that begins in lower case and ends without a full stop, so that
 *         it fits after a colon. Codes that cushim does not know get a text that says so. Never
 *         NULL, never empty.
 */
CUSHIM_API const char *cushim_error_string(CUresult code);

/**
 * Get advice on a result code: the command, call or setting that fixes its usual cause.
 *
 * @param code  Any number, also one that is not a CUresult.
 *
 * @return Static string of one line: a sentence that ends in a full stop. Codes that cushim does
 *         not know get the advice to ask the driver. Never NULL, never empty.
 */
CUSHIM_API const char *cushim_error_advice(CUresult code);

/**
 * Find out whether the program can continue after a result code, and if not, what it has lost.
 *
 * A program must not retry after a sticky code: it would get the same code for ever. A driver may
 * return the sticky code of earlier work from any call, so the call that returns it is often not
 * the one that caused it (driver-semantics.md #34).
 *
 * @param code  Any number, also one that is not a CUresult.
 *
 * @return CUSHIM_STICKY_NO       The code concerns the call or its arguments, or is not an error.
 *                                Also for codes that cushim does not know.
 * @return CUSHIM_STICKY_CONTEXT  The context in which the work failed is lost.
 * @return CUSHIM_STICKY_PROCESS  CUDA is lost to this process.
 */
CUSHIM_API enum cushim_sticky cushim_error_sticky(CUresult code);

#ifdef __cplusplus
}
#endif

#endif
