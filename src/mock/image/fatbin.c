/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fat binaries: the same code for several devices, of which the best for this one counts. What is
 * known of the format was read off files that the program fatbinary made.
 */
#include <string.h>

#include "src/mock/image/reading.h"

enum { KIND_PTX = 1, KIND_CUBIN = 2, FLAGS_COMPRESSED = 0x2000 | 0x8000 };

struct header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* of all entries */
};

struct entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes; /* after the header, with what fills it up */
    uint32_t compressed_bytes, options_offset;
    uint16_t minor, major;
    uint32_t architecture;
    uint32_t name_offset, name_bytes;
    uint64_t flags;
};

/* The best entries so far: that can be read, and of all. */
struct choice {
    unsigned rank;
    const unsigned char *start;
    size_t bytes;
};

bool cushim__mock_image_runs(const struct mock_image_target *target, unsigned architecture)
{
    return architecture / 10 == target->architecture / 10 && architecture <= target->architecture;
}

/*
 * Higher is better; 0: not for this device. A cubin is better than PTX, a newer one than an older.
 */
static unsigned rank_of(const struct entry *entry, const struct mock_image_target *target)
{
    enum { CUBIN = 1 << 16 };

    if (entry->kind == KIND_CUBIN && cushim__mock_image_runs(target, entry->architecture))
        return CUBIN + entry->architecture;
    if (entry->kind == KIND_PTX && entry->architecture <= target->architecture)
        return 1 + entry->architecture;
    return 0;
}

static void choose(struct choice *choice, unsigned rank, const struct entry *entry,
                   const unsigned char *start)
{
    if (rank > choice->rank)
        *choice = (struct choice){.rank = rank, .start = start, .bytes = (size_t)entry->bytes};
}

static CUresult damaged(struct mock_reading *reading)
{
    return cushim__mock_image_refuse(reading->image, CUDA_ERROR_INVALID_IMAGE,
                                     "the fat binary is damaged");
}

CUresult cushim__mock_read_fatbin(struct mock_reading *reading, const unsigned char *start,
                                  size_t bytes)
{
    struct choice best = {.rank = 0}, readable = {.rank = 0}, text = {.rank = 0};
    struct header header;
    CUresult code;
    size_t offset;

    if (bytes < sizeof header)
        return damaged(reading);
    memcpy(&header, start, sizeof header);
    if (header.header_bytes < sizeof header || header.header_bytes > bytes ||
        header.bytes > bytes - header.header_bytes)
        return damaged(reading);
    bytes = header.header_bytes + (size_t)header.bytes;
    for (offset = header.header_bytes; offset < bytes;) {
        struct entry entry;
        unsigned rank;

        if (bytes - offset < sizeof entry)
            return damaged(reading);
        memcpy(&entry, start + offset, sizeof entry);
        if (entry.header_bytes < sizeof entry || entry.header_bytes > bytes - offset ||
            entry.bytes > bytes - offset - entry.header_bytes)
            return damaged(reading);
        rank = rank_of(&entry, reading->target);
        choose(&best, rank, &entry, start + offset + entry.header_bytes);
        if (!(entry.flags & FLAGS_COMPRESSED))
            choose(&readable, rank, &entry, start + offset + entry.header_bytes);
        if (!(entry.flags & FLAGS_COMPRESSED) && entry.kind == KIND_PTX)
            choose(&text, rank, &entry, start + offset + entry.header_bytes);
        offset += entry.header_bytes + (size_t)entry.bytes;
    }
    if (best.rank == 0)
        return cushim__mock_image_refuse(reading->image, CUDA_ERROR_NO_BINARY_FOR_GPU,
                                         "nothing in the fat binary is for this device");
    /* Entries come from one source: what one declares, the others do. Only PTX can be executed. */
    if (text.rank > 0 && text.start != readable.start) {
        code = cushim__mock_read_ptx_beside(reading, (const char *)text.start, text.bytes);
        if (code != CUDA_SUCCESS)
            return code;
    }
    if (readable.rank > 0)
        return cushim__mock_read_any(reading, readable.start, readable.bytes);
    reading->image->opaque = true;
    return CUDA_SUCCESS;
}
