/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls one after the other, of which the first that fails is the last: `code` is its answer. The
 * caller of a macro has the variable.
 */
#ifndef CUSHIM_TESTS_SUPPORT_THEN_H
#define CUSHIM_TESTS_SUPPORT_THEN_H

#define THEN(call) (code = code == CUDA_SUCCESS ? (call) : code)

/* Fail with CUDA_ERROR_UNKNOWN if something is so that must not be. */
#define REFUSE(wrong) THEN((wrong) ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS)

#endif
