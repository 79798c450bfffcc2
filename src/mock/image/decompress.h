/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_MOCK_IMAGE_DECOMPRESS_H
#define CUSHIM_MOCK_IMAGE_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

enum mock_compression { MOCK_PLAIN, MOCK_LZ4, MOCK_ZSTD };

#define MOCK_DECOMPRESSED_MAX ((size_t)1 << 30)

/* Whether this build knows it: Zstandard needs libzstd. */
bool cushim__mock_can_decompress(enum mock_compression kind);

/*
 * Decompress to exactly so many bytes, which the caller frees. INVALID_IMAGE: the input is damaged,
 * or there are more or fewer; OUT_OF_MEMORY.
 */
CUresult cushim__mock_decompress(enum mock_compression kind, const unsigned char *start,
                                 size_t compressed, size_t bytes, unsigned char **plain);

#endif
