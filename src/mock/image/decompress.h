/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_MOCK_IMAGE_DECOMPRESS_H
#define CUSHIM_MOCK_IMAGE_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

/* Decompression of the parts of fat binaries. */

enum mock_compression { MOCK_PLAIN, MOCK_LZ4, MOCK_ZSTD };

#define MOCK_DECOMPRESSED_MAX ((size_t)1 << 30)

/* Whether this build can decompress it: Zstandard needs libzstd. */
bool cushim__mock_can_decompress(enum mock_compression kind);

/*
 * Decompress to exactly `bytes` bytes, which the caller frees. Returns INVALID_IMAGE if the input
 * is damaged or has another size, or OUT_OF_MEMORY.
 */
CUresult cushim__mock_decompress(enum mock_compression kind, const unsigned char *start,
                                 size_t compressed, size_t bytes, unsigned char **plain);

#endif
