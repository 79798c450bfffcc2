/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images of unknown size, copied to where their bounds are known.
 *
 * What an image says of its size is not believed: the system copies, and tells where memory ends,
 * where a load would crash.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "src/mock/image/elf_section.h"
#include "src/mock/image/reading.h"
#include "src/mock/image/safe_read.h"

#define SIZE_MAX_OF_IMAGE ((size_t)1 << 30)

enum { CHUNK = 4096 };

/* The header of a fat binary, and the struct that compilers put around one. */
struct fatbin {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* behind the header */
};

static const void *at(const void *start, uint64_t offset)
{
    return (const void *)((uintptr_t)start + offset);
}

static bool is_size(uint64_t bytes)
{
    return bytes <= SIZE_MAX_OF_IMAGE;
}

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* Where a cubin ends: behind the last of its headers and sections. */
static CUresult measure_elf(const void *start, size_t *bytes)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;
    uint64_t end = sizeof header;

    if (!cushim__mock_peek(&header, start, sizeof header))
        return CUDA_ERROR_INVALID_IMAGE;
    *bytes = sizeof header;
    if (header.e_ident[EI_CLASS] != ELFCLASS64) /* which is refused, but not here */
        return CUDA_SUCCESS;
    if (!is_size(header.e_shoff) || !is_size(header.e_phoff))
        return CUDA_ERROR_INVALID_IMAGE;
    if (header.e_phnum > 0)
        end = later(end, header.e_phoff + (uint64_t)header.e_phnum * header.e_phentsize);
    if (header.e_shnum > 0)
        end = later(end, header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize);
    if (header.e_shnum > 0 && header.e_shentsize != sizeof section)
        return CUDA_ERROR_INVALID_IMAGE;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        if (!cushim__mock_peek(&section, at(start, header.e_shoff + i * sizeof section),
                               sizeof section))
            return CUDA_ERROR_INVALID_IMAGE;
        if (!cushim__mock_section_has_bytes(&section))
            continue;
        if (!is_size(section.sh_offset) || !is_size(section.sh_size))
            return CUDA_ERROR_INVALID_IMAGE;
        end = later(end, section.sh_offset + section.sh_size);
    }
    *bytes = (size_t)end;
    return is_size(end) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

static CUresult measure_fatbin(const void *start, size_t *bytes)
{
    struct fatbin header;

    if (!cushim__mock_peek(&header, start, sizeof header) || header.header_bytes < sizeof header ||
        !is_size(header.bytes))
        return CUDA_ERROR_INVALID_IMAGE;
    *bytes = header.header_bytes + (size_t)header.bytes;
    return CUDA_SUCCESS;
}

static CUresult copy_measured(const void *start, size_t bytes, unsigned char **copy)
{
    *copy = malloc(bytes);
    if (!*copy)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (cushim__mock_peek(*copy, start, bytes))
        return CUDA_SUCCESS;
    free(*copy);
    return CUDA_ERROR_INVALID_IMAGE;
}

/* Text ends at a NUL. Memory ends at a page's end, so page by page nothing is asked in vain. */
static CUresult copy_text(const char *start, unsigned char **copy, size_t *bytes)
{
    size_t length = 0, room = 0;
    char *text = NULL;

    for (;;) {
        const size_t step = CHUNK - ((uintptr_t)start + length) % CHUNK;
        const char *end;

        if (length + step > room) {
            char *grown = realloc(text, room = (length + step) * 2);

            if (!grown) {
                free(text);
                return CUDA_ERROR_OUT_OF_MEMORY;
            }
            text = grown;
        }
        if (length > SIZE_MAX_OF_IMAGE || !cushim__mock_peek(text + length, start + length, step)) {
            free(text);
            return CUDA_ERROR_INVALID_IMAGE;
        }
        end = memchr(text + length, '\0', step);
        if (end) {
            *copy = (unsigned char *)text;
            *bytes = (size_t)(end - text);
            return CUDA_SUCCESS;
        }
        length += step;
    }
}

CUresult cushim__mock_image_copy(const void *start, unsigned char **copy, size_t *bytes)
{
    uint32_t magic = 0;
    CUresult code;

    /* Short texts may end before four bytes. */
    for (size_t i = 0; i < sizeof magic; i++) {
        unsigned char byte;

        if (!cushim__mock_peek(&byte, at(start, i), 1))
            return CUDA_ERROR_INVALID_IMAGE;
        if (byte == 0)
            break;
        magic |= (uint32_t)byte << 8 * i;
    }
    if (magic != MOCK_ELF_MAGIC && magic != MOCK_FATBIN_MAGIC)
        return copy_text(start, copy, bytes);
    code = magic == MOCK_ELF_MAGIC ? measure_elf(start, bytes) : measure_fatbin(start, bytes);
    return code == CUDA_SUCCESS ? copy_measured(start, *bytes, copy) : code;
}
