/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fat binaries: the same code for several devices, of which the mock uses the best for its device.
 * What this file knows of the format was learned from files that the program fatbinary made.
 */
#include <stdlib.h>
#include <string.h>

#include "src/mock/image/decompress.h"
#include "src/mock/image/reader.h"

enum { KIND_PTX = 1, KIND_CUBIN = 2, FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

struct header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* of all entries */
};

struct entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes; /* after the header, with padding */
    uint32_t compressed_bytes, options_offset;
    uint16_t minor, major;
    uint32_t architecture;
    uint32_t name_offset, name_bytes;
    uint64_t flags;
};

/* The header of an entry that is compressed, which is longer. */
struct compressed_entry {
    struct entry entry;
    uint64_t unknown, plain_bytes;
};

/* The best entry so far: of all, of those that can be read, or of texts. */
struct choice {
    unsigned rank;
    const unsigned char *start;
    size_t bytes, plain_bytes;
    enum mock_compression compression;
};

bool cushim__mock_image_runs(const struct mock_image_target *target, unsigned architecture)
{
    return architecture / 10 == target->architecture / 10 && architecture <= target->architecture;
}

/* Higher is better; 0 if not for this device. Cubins are better than PTX, newer ones than older. */
static unsigned rank_of(const struct entry *entry, const struct mock_image_target *target)
{
    enum { CUBIN = 1 << 16 };

    if (entry->kind == KIND_CUBIN && cushim__mock_image_runs(target, entry->architecture))
        return CUBIN + entry->architecture;
    if (entry->kind == KIND_PTX && entry->architecture <= target->architecture)
        return 1 + entry->architecture;
    return 0;
}

static void choose(struct choice *best, const struct choice *other)
{
    if (other->rank > best->rank)
        *best = *other;
}

static CUresult damaged(struct mock_reader *reader)
{
    return cushim__mock_image_refuse(reader->image, CUDA_ERROR_INVALID_IMAGE,
                                     "the fat binary is damaged");
}

/* Look at the entry at the start of these bytes. Returns false if it is damaged. */
static bool look(const unsigned char *start, size_t bytes, struct entry *entry,
                 struct choice *found)
{
    struct compressed_entry longer;

    if (bytes < sizeof *entry)
        return false;
    memcpy(entry, start, sizeof *entry);
    if (entry->header_bytes < sizeof *entry || entry->header_bytes > bytes ||
        entry->bytes > bytes - entry->header_bytes)
        return false;
    *found = (struct choice){.start = start + entry->header_bytes, .bytes = (size_t)entry->bytes};
    if (!(entry->flags & (FLAG_LZ4 | FLAG_ZSTD)))
        return true;
    if (entry->header_bytes < sizeof longer || entry->compressed_bytes > entry->bytes)
        return false;
    memcpy(&longer, start, sizeof longer);
    found->compression = entry->flags & FLAG_ZSTD ? MOCK_ZSTD : MOCK_LZ4;
    found->bytes = entry->compressed_bytes;
    found->plain_bytes = longer.plain_bytes < SIZE_MAX ? (size_t)longer.plain_bytes : SIZE_MAX;
    return true;
}

/* Decompress it, if it is compressed; the caller frees `*memory`. */
static CUresult unpack(struct mock_reader *reader, struct choice *choice, unsigned char **memory)
{
    CUresult code;

    *memory = NULL;
    if (choice->compression == MOCK_PLAIN)
        return CUDA_SUCCESS;
    code = cushim__mock_decompress(choice->compression, choice->start, choice->bytes,
                                   choice->plain_bytes, memory);
    if (code == CUDA_ERROR_INVALID_IMAGE)
        return damaged(reader);
    choice->start = *memory;
    choice->bytes = choice->plain_bytes;
    return code;
}

/* Read PTX that is to be executed, and declares what the cubin does. */
static CUresult read_text(struct mock_reader *reader, struct choice text)
{
    unsigned char *memory;
    CUresult code = unpack(reader, &text, &memory);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_read_ptx_beside(reader, (const char *)text.start, text.bytes);
    free(memory);
    return code;
}

static CUresult read_choice(struct mock_reader *reader, struct choice readable)
{
    unsigned char *memory;
    CUresult code = unpack(reader, &readable, &memory);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_read_any(reader, readable.start, readable.bytes);
    free(memory);
    return code;
}

CUresult cushim__mock_read_fatbin(struct mock_reader *reader, const unsigned char *start,
                                  size_t bytes)
{
    struct choice best = {.rank = 0}, readable = {.rank = 0}, text = {.rank = 0};
    CUresult code = CUDA_SUCCESS;
    struct header header;
    size_t offset;

    if (bytes < sizeof header)
        return damaged(reader);
    memcpy(&header, start, sizeof header);
    if (header.header_bytes < sizeof header || header.header_bytes > bytes ||
        header.bytes > bytes - header.header_bytes)
        return damaged(reader);
    bytes = header.header_bytes + (size_t)header.bytes;
    for (offset = header.header_bytes; offset < bytes;) {
        struct choice found;
        struct entry entry;

        if (!look(start + offset, bytes - offset, &entry, &found))
            return damaged(reader);
        found.rank = rank_of(&entry, reader->target);
        choose(&best, &found);
        if (!cushim__mock_can_decompress(found.compression))
            reader->image->needs_zstd |= entry.kind == KIND_PTX;
        else
            choose(&readable, &found);
        if (cushim__mock_can_decompress(found.compression) && entry.kind == KIND_PTX)
            choose(&text, &found);
        offset += entry.header_bytes + (size_t)entry.bytes;
    }
    if (best.rank == 0)
        return cushim__mock_image_refuse(reader->image, CUDA_ERROR_NO_BINARY_FOR_GPU,
                                         "nothing in the fat binary is for this device");
    /* Entries come from one source, so they declare the same. Only PTX can be executed. */
    if (text.rank > 0 && text.start != readable.start)
        code = read_text(reader, text);
    if (code == CUDA_SUCCESS && readable.rank > 0)
        return read_choice(reader, readable);
    reader->image->opaque = true;
    return code;
}
