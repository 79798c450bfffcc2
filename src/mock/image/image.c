/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/image/image.h"
#include "src/base/system.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/name.h"
#include "src/mock/image/elf_file.h"
#include "src/mock/image/reader.h"

/* Make room for one more element. The array doubles when its count is a power of two. */
static bool grow(void *array, size_t count, size_t element_bytes)
{
    void *old, *grown;

    if (count & (count - 1))
        return true;
    memcpy(&old, array, sizeof old);
    if (count > SIZE_MAX / 2 / element_bytes)
        return false;
    grown = realloc(old, (count == 0 ? 1 : count * 2) * element_bytes);
    if (!grown)
        return false;
    memcpy(array, &grown, sizeof grown);
    return true;
}

static bool is_named(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && name[length] == '\0';
}

struct mock_image_kernel *cushim__mock_image_add_kernel(struct mock_image *image, const char *name,
                                                        size_t length, bool *added)
{
    struct mock_image_kernel *kernel;

    *added = false;
    for (size_t i = 0; i < image->kernel_count; i++) {
        if (is_named(image->kernels[i].name, name, length))
            return &image->kernels[i];
    }
    if (!grow(&image->kernels, image->kernel_count, sizeof *image->kernels))
        return NULL;
    kernel = &image->kernels[image->kernel_count];
    memset(kernel, 0, sizeof *kernel);
    kernel->name = cushim__name_copy(name, length);
    if (!kernel->name)
        return NULL;
    kernel->part = image->part_count;
    image->kernel_count++;
    *added = true;
    return kernel;
}

/* Whether a variable is the same as a new one of its name: not if one is local to another part. */
static bool meets(const struct mock_image_global *global, bool local, unsigned part)
{
    return global->part == part || (!global->local && !local);
}

struct mock_image_global *cushim__mock_image_add_global(struct mock_image *image, const char *name,
                                                        size_t length, bool local, bool *added)
{
    struct mock_image_global *global;

    *added = false;
    for (size_t i = 0; i < image->global_count; i++) {
        if (is_named(image->globals[i].name, name, length) &&
            meets(&image->globals[i], local, image->part_count))
            return &image->globals[i];
    }
    if (!grow(&image->globals, image->global_count, sizeof *image->globals))
        return NULL;
    global = &image->globals[image->global_count];
    memset(global, 0, sizeof *global);
    global->name = cushim__name_copy(name, length);
    if (!global->name)
        return NULL;
    global->part = image->part_count;
    global->local = local;
    global->number = SIZE_MAX;
    image->global_count++;
    *added = true;
    return global;
}

bool cushim__mock_image_add_parameter(struct mock_image_kernel *kernel, size_t offset, size_t bytes)
{
    if (!grow(&kernel->parameters, kernel->parameter_count, sizeof *kernel->parameters))
        return false;
    kernel->parameters[kernel->parameter_count++] =
        (struct mock_image_parameter){.offset = offset, .bytes = bytes};
    if (offset + bytes > kernel->parameter_bytes)
        kernel->parameter_bytes = offset + bytes;
    return true;
}

void cushim__mock_image_set_shared(struct mock_image_kernel *kernel, uint64_t bytes)
{
    const unsigned most = 1u << 30;

    kernel->shared_bytes = bytes < most ? (unsigned)bytes : most;
}

CUresult cushim__mock_image_refuse(struct mock_image *image, CUresult code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(image->message, sizeof image->message, format, arguments);
    va_end(arguments);
    return code;
}

/*
 * Images of unknown size are copied first, after which their bounds are known.
 *
 * The size that an image states is not trusted. So the operating system copies the bytes: it fails
 * where memory ends, while a load would crash.
 */

#define SIZE_MAX_OF_IMAGE ((size_t)1 << 30)

enum { CHUNK = 4096 };

/* The header of a fat binary. */
struct fatbin {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* after the header */
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

/* Where a cubin ends: after the last of its headers and sections. */
static CUresult measure_elf(const void *start, size_t *bytes)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;
    uint64_t end = sizeof header;

    if (!cushim__system_read_memory(&header, start, sizeof header))
        return CUDA_ERROR_INVALID_IMAGE;
    *bytes = sizeof header;
    if (header.e_ident[EI_CLASS] != ELFCLASS64) /* refused later */
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
        if (!cushim__system_read_memory(&section, at(start, header.e_shoff + i * sizeof section),
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

    if (!cushim__system_read_memory(&header, start, sizeof header) ||
        header.header_bytes < sizeof header || !is_size(header.bytes))
        return CUDA_ERROR_INVALID_IMAGE;
    *bytes = header.header_bytes + (size_t)header.bytes;
    return CUDA_SUCCESS;
}

static CUresult copy_measured(const void *start, size_t bytes, unsigned char **copy)
{
    *copy = malloc(bytes);
    if (!*copy)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (cushim__system_read_memory(*copy, start, bytes))
        return CUDA_SUCCESS;
    free(*copy);
    return CUDA_ERROR_INVALID_IMAGE;
}

/* Text ends at a NUL. Memory ends at the end of a page, so reads by page never go too far. */
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
        if (length > SIZE_MAX_OF_IMAGE ||
            !cushim__system_read_memory(text + length, start + length, step)) {
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

/*
 * Copy an image of unknown size, up to the end that it declares. The caller frees `*copy`. Returns
 * INVALID_IMAGE if memory before that end cannot be read.
 */
static CUresult copy_image(const void *start, unsigned char **copy, size_t *bytes)
{
    uint32_t magic = 0;
    CUresult code;

    /* Short texts may end before four bytes. */
    for (size_t i = 0; i < sizeof magic; i++) {
        unsigned char byte;

        if (!cushim__system_read_memory(&byte, at(start, i), 1))
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

static uint32_t magic_of(const unsigned char *start, size_t bytes)
{
    uint32_t magic = 0;

    memcpy(&magic, start, bytes < sizeof magic ? bytes : sizeof magic);
    return magic;
}

CUresult cushim__mock_read_any(struct mock_reader *reader, const unsigned char *start, size_t bytes)
{
    struct mock_reader inner = *reader;

    if (++inner.depth > MOCK_READER_DEPTH_MAX)
        return cushim__mock_image_refuse(reader->image, CUDA_ERROR_INVALID_IMAGE,
                                         "the image has too many images within images");
    switch (magic_of(start, bytes)) {
    case MOCK_ELF_MAGIC:
        return cushim__mock_read_elf(&inner, start, bytes);
    case MOCK_FATBIN_MAGIC:
        return cushim__mock_read_fatbin(&inner, start, bytes);
    default:
        return cushim__mock_read_ptx(&inner, (const char *)start, bytes);
    }
}

CUresult cushim__mock_image_read_bytes(struct mock_image *image, const void *start, size_t bytes,
                                       const struct mock_image_target *target)
{
    struct mock_reader reader = {.image = image, .target = target};

    return cushim__mock_read_any(&reader, start, bytes);
}

CUresult cushim__mock_image_read(struct mock_image *image, const void *start,
                                 const struct mock_image_target *target)
{
    unsigned char *copy;
    size_t bytes;
    CUresult code = copy_image(start, &copy, &bytes);

    if (code != CUDA_SUCCESS)
        return cushim__mock_image_refuse(image, code, "the image is truncated");
    code = cushim__mock_image_read_bytes(image, copy, bytes, target);
    free(copy);
    return code;
}

CUresult cushim__mock_image_refuse_twice(struct mock_image *image, unsigned part, const char *name,
                                         size_t length)
{
    return cushim__mock_image_refuse(
        image, part == image->part_count ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_INVALID_SOURCE,
        "'%.*s' is declared twice", length > 60 ? 60 : (int)length, name);
}

void cushim__mock_image_undefine(struct mock_image_global *global)
{
    for (size_t i = 0; i < global->address_count; i++)
        free(global->addresses[i].name);
    free(global->addresses);
    free(global->initial);
    global->addresses = NULL;
    global->address_count = 0;
    global->initial = NULL;
}

void cushim__mock_image_clear(struct mock_image *image)
{
    cushim__ptx_release(image->program);
    for (size_t i = 0; i < image->kernel_count; i++) {
        free(image->kernels[i].parameters);
        free(image->kernels[i].name);
    }
    for (size_t i = 0; i < image->global_count; i++) {
        cushim__mock_image_undefine(&image->globals[i]);
        free(image->globals[i].name);
    }
    free(image->kernels);
    free(image->globals);
    *image = (struct mock_image){0};
}

struct mock_image_kernel *cushim__mock_image_kernel(const struct mock_image *image,
                                                    const char *name)
{
    for (size_t i = 0; i < image->kernel_count; i++) {
        if (strcmp(image->kernels[i].name, name) == 0)
            return &image->kernels[i];
    }
    return NULL;
}

struct mock_image_global *cushim__mock_image_global(const struct mock_image *image,
                                                    const char *name)
{
    for (size_t i = 0; i < image->global_count; i++) {
        if (strcmp(image->globals[i].name, name) == 0)
            return &image->globals[i];
    }
    return NULL;
}

struct mock_image_global *cushim__mock_image_global_of(const struct mock_image *image,
                                                       const char *name, unsigned part)
{
    struct mock_image_global *of_other = NULL;

    for (size_t i = 0; i < image->global_count; i++) {
        struct mock_image_global *global = &image->globals[i];

        if (strcmp(global->name, name) != 0)
            continue;
        if (global->part == part)
            return global;
        if (!global->local)
            of_other = global;
    }
    return of_other;
}

const struct mock_image_global *cushim__mock_image_unresolved(const struct mock_image *image)
{
    for (size_t i = 0; i < image->global_count; i++) {
        if (image->globals[i].external)
            return &image->globals[i];
    }
    return NULL;
}

enum { MACHINE_CUDA = 190, ABI = 0x41, ABI_VERSION = 8, FIRST_SECTIONS = 2, ALIGNMENT = 16 };

/* The names of sections: that of the table itself at 1, that of images after it. */
static const char names[] = "\0.shstrtab\0" MOCK_JOINED_SECTION;

enum { NAMES_NAME = 1, IMAGE_NAME = 11 };

static size_t align(size_t offset)
{
    return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The header as ptxas writes it; version and architecture do not matter to the reader here. */
static Elf64_Ehdr head(size_t sections_offset, size_t section_count)
{
    return (Elf64_Ehdr){
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT, ABI,
                    ABI_VERSION},
        .e_type = ET_EXEC,
        .e_machine = MACHINE_CUDA,
        .e_version = EV_CURRENT,
        .e_shoff = sections_offset,
        .e_ehsize = sizeof(Elf64_Ehdr),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = (Elf64_Half)section_count,
        .e_shstrndx = 1,
    };
}

static void put_section(unsigned char *file, size_t offset, const Elf64_Shdr *section)
{
    memcpy(file + offset, section, sizeof *section);
}

/* Without images, an empty one is added, from which the file is recognised as the mock's. */
void *cushim__mock_image_join(const struct mock_joined_part *parts, size_t count, size_t *bytes)
{
    const size_t section_count = FIRST_SECTIONS + (count > 0 ? count : 1);
    size_t offset = align(sizeof(Elf64_Ehdr) + sizeof names), sections;
    unsigned char *file;
    Elf64_Ehdr header;

    if (section_count >= SHN_LORESERVE)
        return NULL;
    for (size_t i = 0; i < count; i++)
        offset = align(offset + parts[i].bytes + 1);
    sections = offset;
    *bytes = sections + section_count * sizeof(Elf64_Shdr);
    file = calloc(1, *bytes);
    if (!file)
        return NULL;

    header = head(sections, section_count);
    memcpy(file, &header, sizeof header);
    memcpy(file + sizeof header, names, sizeof names);
    put_section(file, sections + sizeof(Elf64_Shdr),
                &(Elf64_Shdr){.sh_name = NAMES_NAME,
                              .sh_type = SHT_STRTAB,
                              .sh_offset = sizeof header,
                              .sh_size = sizeof names,
                              .sh_addralign = 1});
    offset = align(sizeof header + sizeof names);
    for (size_t i = 0; i < section_count - FIRST_SECTIONS; i++) {
        const struct mock_joined_part part =
            i < count ? parts[i] : (struct mock_joined_part){"", 0};

        memcpy(file + offset, part.start, part.bytes);
        put_section(file, sections + (FIRST_SECTIONS + i) * sizeof(Elf64_Shdr),
                    &(Elf64_Shdr){.sh_name = IMAGE_NAME,
                                  .sh_type = SHT_PROGBITS,
                                  .sh_offset = offset,
                                  .sh_size = part.bytes,
                                  .sh_addralign = ALIGNMENT});
        offset = align(offset + part.bytes + 1);
    }
    return file;
}
