/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressed parts of nvcc's fat binaries: LZ4 blocks up to CUDA 12 (and `--compress-mode=speed`),
 * Zstandard frames since. This file decodes the blocks; libzstd decodes the frames, if the build
 * has found it.
 */
#include "src/mock/image/decompress.h"

#include <stdlib.h>
#include <string.h>

#if CUSHIM_ZSTD
#include <zstd.h>
#endif

enum { MATCH_MIN = 4, MORE = 15, RATIO_MAX = 255 };

struct input {
    const unsigned char *at, *end;
};

/* A length beyond four bits continues in bytes, up to one below 255. False if the input ends. */
static bool read_length(struct input *input, size_t *length)
{
    unsigned char more = UINT8_MAX;

    if (*length < MORE)
        return true;
    while (more == UINT8_MAX) {
        if (input->at == input->end)
            return false;
        more = *input->at++;
        *length += more;
    }
    return true;
}

static bool decode_lz4(struct input input, unsigned char *to, size_t room)
{
    size_t filled = 0;

    while (input.at < input.end) {
        const unsigned token = *input.at++;
        size_t literals = token >> 4, match = token & 15, distance;

        if (!read_length(&input, &literals) || literals > (size_t)(input.end - input.at) ||
            literals > room - filled)
            return false;
        memcpy(to + filled, input.at, literals);
        filled += literals;
        input.at += literals;
        if (input.at == input.end)
            break; /* the last sequence has no match */
        if (input.end - input.at < 2)
            return false;
        distance = input.at[0] | (size_t)input.at[1] << 8;
        input.at += 2;
        if (!read_length(&input, &match) || distance == 0 || distance > filled)
            return false;
        match += MATCH_MIN;
        if (match > room - filled)
            return false;
        /* A match may overlap with what it writes. */
        for (; match > 0; match--, filled++)
            to[filled] = to[filled - distance];
    }
    return filled == room;
}

#if CUSHIM_ZSTD
static bool decode_zstd(struct input input, unsigned char *to, size_t room)
{
    return ZSTD_decompress(to, room, input.at, (size_t)(input.end - input.at)) == room;
}

/* The size that the frame states is checked before memory is allocated for it. */
static bool is_possible(enum mock_compression kind, struct input input, size_t bytes)
{
    const size_t compressed = (size_t)(input.end - input.at);

    return kind == MOCK_LZ4 ? bytes / RATIO_MAX <= compressed
                            : ZSTD_getFrameContentSize(input.at, compressed) == bytes;
}
#else
static bool decode_zstd(struct input input, unsigned char *to, size_t room)
{
    (void)input, (void)to, (void)room;
    return false;
}

static bool is_possible(enum mock_compression kind, struct input input, size_t bytes)
{
    return kind == MOCK_LZ4 && bytes / RATIO_MAX <= (size_t)(input.end - input.at);
}
#endif

bool cushim__mock_can_decompress(enum mock_compression kind)
{
    return kind != MOCK_ZSTD || CUSHIM_ZSTD;
}

CUresult cushim__mock_decompress(enum mock_compression kind, const unsigned char *start,
                                 size_t compressed, size_t bytes, unsigned char **plain)
{
    const struct input input = {.at = start, .end = start + compressed};

    if (bytes == 0 || bytes > MOCK_DECOMPRESSED_MAX || !is_possible(kind, input, bytes))
        return CUDA_ERROR_INVALID_IMAGE;
    *plain = malloc(bytes);
    if (!*plain)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (kind == MOCK_LZ4 ? decode_lz4(input, *plain, bytes) : decode_zstd(input, *plain, bytes))
        return CUDA_SUCCESS;
    free(*plain);
    *plain = NULL;
    return CUDA_ERROR_INVALID_IMAGE;
}
