/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * UUIDs of devices as text, as nvidia-smi prints them and CUDA_VISIBLE_DEVICES takes them:
 * `GPU-4d656f1c-7a3b-1d2e-9f80-0123456789ab`.
 */
#ifndef CUSHIM_UUID_H
#define CUSHIM_UUID_H

#include <cuda.h>

#include <cushim/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Room for a UUID as text, the final NUL included. */
#define CUSHIM_UUID_TEXT_SIZE 41

/**
 * Write a UUID as text.
 *
 * @param uuid  UUID; borrowed, not NULL.
 * @param text  Receives `GPU-`, then 32 digits in lower case in groups of 8, 4, 4, 4 and 12 with
 *              hyphens between them; not NULL.
 *
 * @return CUDA_SUCCESS              The text is written.
 * @return CUDA_ERROR_INVALID_VALUE  `uuid` or `text` is NULL.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API CUresult cushim_uuid_format(const CUuuid *uuid, char text[CUSHIM_UUID_TEXT_SIZE]);

/**
 * Read a UUID from text.
 *
 * Whole UUIDs only: not the beginnings that CUDA_VISIBLE_DEVICES allows.
 *
 * @param uuid  Receives the UUID; not NULL.
 * @param text  As cushim_uuid_format() writes it, in either case; with `GPU-`, with `MIG-` (a part
 *              of a device) or without a prefix. Nothing may stand before or after it. Borrowed,
 *              not NULL.
 *
 * @return CUDA_SUCCESS              `*uuid` is the UUID.
 * @return CUDA_ERROR_INVALID_VALUE  `uuid` or `text` is NULL, or `text` is no UUID.
 *
 * Thread safety: any thread. Context: none needed. Driver calls: none. Since: 0.1.
 */
CUSHIM_API CUresult cushim_uuid_parse(CUuuid *uuid, const char *text);

#ifdef __cplusplus
}
#endif

#endif
