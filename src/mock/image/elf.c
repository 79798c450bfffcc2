/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cubins: ELF files whose symbols are kernels and variables. Everything else that this file knows
 * of them was learned from files that ptxas made.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "src/mock/image/elf_file.h"
#include "src/mock/image/reader.h"

enum {
    MACHINE_CUDA = 190,
    ABI_NEW = 0x41,      /* the architecture is then in bits 8 to 15 of the flags, else in 0 to 7 */
    SYMBOL_ENTRY = 0x10, /* in st_other */
    SYMBOL_VARIABLE = 13, /* the type of variables in files that are to be linked */
    RESERVED_SINCE = 90, /* the first architecture where shared memory is reserved for the driver */
    RESERVED_SHARED = 1024,
    PARAMETER_INFO = 0x17,
    REQUIRED_THREADS = 0x10,
    MAX_THREADS = 0x05,
    REGISTER_COUNT = 0x2f,
    FRAME_BYTES = 0x11,
};

struct elf {
    struct mock_reader *reader;
    struct mock_elf_file file;
    unsigned architecture;
    Elf64_Shdr symbols, symbol_names;
};

static CUresult damaged(const struct elf *elf)
{
    return cushim__mock_image_refuse(elf->reader->image, CUDA_ERROR_INVALID_IMAGE,
                                     "the cubin is damaged");
}

/* A section without bytes in the file has no attributes. */
static bool find_attributes(const struct elf *elf, const char *prefix, const char *name,
                            Elf64_Shdr *section)
{
    return cushim__mock_elf_find_section(&elf->file, prefix, name, section) &&
           cushim__mock_section_has_bytes(section);
}

/* Whether an attribute describes a parameter: its number, its offset and its size. */
static bool is_parameter(const struct mock_elf_attribute *attribute)
{
    return attribute->kind == PARAMETER_INFO && attribute->bytes >= 12;
}

static size_t count_parameters(const struct elf *elf, const Elf64_Shdr *section)
{
    struct mock_elf_attribute attribute;
    size_t count = 0;

    for (size_t offset = 0;
         cushim__mock_elf_attribute_next(&elf->file, section, &offset, &attribute);)
        count += is_parameter(&attribute);
    return count;
}

/*
 * Parameters are listed last to first. Of two with the same number the first counts, and those
 * after a missing number are ignored, so that no number exceeds their count.
 */
static bool parameters(const struct elf *elf, const Elf64_Shdr *section,
                       struct mock_image_kernel *kernel)
{
    const size_t count = count_parameters(elf, section);
    struct mock_elf_attribute attribute, *listed;
    bool added = true;

    listed = count > 0 ? calloc(count, sizeof *listed) : NULL;
    if (!listed)
        return count == 0;
    for (size_t offset = 0;
         cushim__mock_elf_attribute_next(&elf->file, section, &offset, &attribute);) {
        const size_t number = is_parameter(&attribute)
                                  ? cushim__mock_elf_attribute_number(&attribute, 1) & 0xffff
                                  : count;

        if (number < count && !listed[number].value)
            listed[number] = attribute;
    }
    for (size_t i = 0; added && i < count && listed[i].value; i++)
        added = cushim__mock_image_add_parameter(
            kernel, cushim__mock_elf_attribute_number(&listed[i], 1) >> 16,
            cushim__mock_elf_attribute_number(&listed[i], 2) >> 18);
    free(listed);
    return added;
}

static void limits(const struct elf *elf, const Elf64_Shdr *section,
                   struct mock_image_kernel *kernel)
{
    struct mock_elf_attribute attribute;

    for (size_t offset = 0;
         cushim__mock_elf_attribute_next(&elf->file, section, &offset, &attribute);) {
        const bool required = attribute.kind == REQUIRED_THREADS;

        if ((!required && attribute.kind != MAX_THREADS) || attribute.bytes < 12)
            continue;
        if (!required)
            kernel->max_threads = 1;
        for (unsigned i = 0; i < 3; i++) {
            const unsigned threads = cushim__mock_elf_attribute_number(&attribute, i) & 0xffff;

            if (required)
                kernel->required_block[i] = threads;
            else
                kernel->max_threads *= threads;
        }
    }
}

/* Read what `.nv.info` says about the kernel that has this symbol. */
static void resources(const struct elf *elf, uint32_t symbol, struct mock_image_kernel *kernel)
{
    struct mock_elf_attribute attribute;
    Elf64_Shdr section;

    if (!find_attributes(elf, ".nv.info", "", &section))
        return;
    for (size_t offset = 0;
         cushim__mock_elf_attribute_next(&elf->file, &section, &offset, &attribute);) {
        if (attribute.bytes < 8 || cushim__mock_elf_attribute_number(&attribute, 0) != symbol)
            continue;
        if (attribute.kind == REGISTER_COUNT)
            kernel->registers = cushim__mock_elf_attribute_number(&attribute, 1);
        else if (attribute.kind == FRAME_BYTES)
            kernel->local_bytes = cushim__mock_elf_attribute_number(&attribute, 1);
    }
}

/* How much of a kernel's shared memory is the driver's. */
static unsigned reserved(const struct elf *elf, const Elf64_Shdr *section)
{
    return elf->architecture >= RESERVED_SINCE && elf->file.header.e_type == ET_EXEC &&
                   section->sh_size >= RESERVED_SHARED
               ? RESERVED_SHARED
               : 0;
}

static CUresult add_kernel(struct elf *elf, uint32_t index, const char *name)
{
    struct mock_image *image = elf->reader->image;
    struct mock_image_kernel *kernel;
    Elf64_Shdr section;
    bool added;

    kernel = cushim__mock_image_add_kernel(image, name, strlen(name), &added);
    if (!kernel)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!added)
        return cushim__mock_image_refuse_twice(image, kernel->part, name, strlen(name));
    kernel->known = true;
    kernel->ptx_version = kernel->binary_version = elf->architecture;
    resources(elf, index, kernel);
    if (cushim__mock_elf_find_section(&elf->file, ".nv.shared.", name, &section))
        cushim__mock_image_set_shared(kernel, section.sh_size - reserved(elf, &section));
    if (!find_attributes(elf, ".nv.info.", name, &section))
        return CUDA_SUCCESS;
    limits(elf, &section, kernel);
    return parameters(elf, &section, kernel) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult add_variable(struct elf *elf, const Elf64_Sym *symbol, const char *name)
{
    struct mock_image *image = elf->reader->image;
    struct mock_image_global *global;
    Elf64_Shdr section;
    const char *place;
    bool added;

    if (!cushim__mock_elf_section(&elf->file, symbol->st_shndx, &section))
        return damaged(elf);
    place = cushim__mock_elf_section_name(&elf->file, &section);
    if (strcmp(place, ".nv.global") != 0 && strcmp(place, ".nv.global.init") != 0 &&
        strcmp(place, ".nv.constant3") != 0 && strcmp(place, ".nv.constant2") != 0)
        return CUDA_SUCCESS;
    if (symbol->st_value > section.sh_size || symbol->st_size > section.sh_size - symbol->st_value)
        return damaged(elf);
    global = cushim__mock_image_add_global(image, name, strlen(name),
                                           ELF64_ST_BIND(symbol->st_info) == STB_LOCAL, &added);
    if (!global)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!added && !global->external)
        return cushim__mock_image_refuse_twice(image, global->part, name, strlen(name));
    global->external = false;
    global->bytes = symbol->st_size;
    global->constant = strncmp(place, ".nv.constant", strlen(".nv.constant")) == 0;
    if (!cushim__mock_section_has_bytes(&section) || symbol->st_size == 0)
        return CUDA_SUCCESS;
    global->initial = malloc(symbol->st_size);
    if (!global->initial)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(global->initial, elf->file.start + section.sh_offset + symbol->st_value,
           symbol->st_size);
    return CUDA_SUCCESS;
}

static CUresult read_symbols(struct elf *elf)
{
    const uint64_t count = elf->symbols.sh_size / sizeof(Elf64_Sym);
    CUresult code = CUDA_SUCCESS;

    for (uint32_t i = 1; i < count && code == CUDA_SUCCESS; i++) {
        const char *name;
        Elf64_Sym symbol;

        memcpy(&symbol, elf->file.start + elf->symbols.sh_offset + i * sizeof symbol,
               sizeof symbol);
        name = cushim__mock_elf_text(&elf->file, &elf->symbol_names, symbol.st_name);
        if (!name)
            return damaged(elf);
        if (*name == '\0' || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE)
            continue;
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && (symbol.st_other & SYMBOL_ENTRY))
            code = add_kernel(elf, i, name);
        else if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT ||
                 ELF64_ST_TYPE(symbol.st_info) == SYMBOL_VARIABLE)
            code = add_variable(elf, &symbol, name);
    }
    return code;
}

/* Read the images that the mock's cuLinkComplete has joined; `*any` if this file has any. */
static CUresult read_parts(struct elf *elf, bool *any)
{
    CUresult code = CUDA_SUCCESS;
    Elf64_Shdr section;

    *any = false;
    for (unsigned i = 1; i < elf->file.header.e_shnum && code == CUDA_SUCCESS; i++) {
        if (!cushim__mock_elf_section(&elf->file, i, &section))
            return damaged(elf);
        if (section.sh_type != SHT_PROGBITS ||
            strcmp(cushim__mock_elf_section_name(&elf->file, &section), MOCK_JOINED_SECTION) != 0)
            continue;
        *any = true;
        if (section.sh_size > 0)
            code = cushim__mock_read_any(elf->reader, elf->file.start + section.sh_offset,
                                         (size_t)section.sh_size);
    }
    return code;
}

static CUresult open_tables(struct elf *elf)
{
    if (elf->file.header.e_shnum == 0 || elf->file.header.e_shentsize != sizeof(Elf64_Shdr) ||
        !cushim__mock_elf_section(&elf->file, elf->file.header.e_shstrndx, &elf->file.names) ||
        elf->file.names.sh_type != SHT_STRTAB)
        return damaged(elf);
    for (unsigned i = 1; i < elf->file.header.e_shnum; i++) {
        if (!cushim__mock_elf_section(&elf->file, i, &elf->symbols))
            return damaged(elf);
        if (elf->symbols.sh_type == SHT_SYMTAB)
            return cushim__mock_elf_section(&elf->file, elf->symbols.sh_link, &elf->symbol_names)
                       ? CUDA_SUCCESS
                       : damaged(elf);
    }
    elf->symbols.sh_size = 0;
    return CUDA_SUCCESS;
}

/* Reverse the kernels, which are listed in the opposite order of their symbols. */
static void turn(struct mock_image *image, size_t first)
{
    for (size_t last = image->kernel_count; last > first + 1; first++) {
        const struct mock_image_kernel kernel = image->kernels[--last];

        image->kernels[last] = image->kernels[first];
        image->kernels[first] = kernel;
    }
}

CUresult cushim__mock_read_elf(struct mock_reader *reader, const unsigned char *start, size_t bytes)
{
    struct elf elf = {.reader = reader, .file = {.start = start, .bytes = bytes}};
    bool joined;
    size_t first;
    CUresult code;

    if (bytes < sizeof elf.file.header)
        return damaged(&elf);
    memcpy(&elf.file.header, start, sizeof elf.file.header);
    if (elf.file.header.e_ident[EI_CLASS] == ELFCLASS32)
        return cushim__mock_image_refuse(reader->image, CUDA_ERROR_UNKNOWN,
                                         "the ELF file is one of 32 bits");
    if (elf.file.header.e_ident[EI_CLASS] != ELFCLASS64 ||
        elf.file.header.e_machine != MACHINE_CUDA)
        return cushim__mock_image_refuse(reader->image, CUDA_ERROR_INVALID_IMAGE,
                                         "the ELF file is none for a GPU");
    elf.architecture = elf.file.header.e_ident[EI_OSABI] == ABI_NEW
                           ? elf.file.header.e_flags >> 8 & 0xff
                           : elf.file.header.e_flags & 0xff;
    code = open_tables(&elf);
    if (code == CUDA_SUCCESS)
        code = read_parts(&elf, &joined);
    if (code != CUDA_SUCCESS || joined)
        return code;
    if (!cushim__mock_image_runs(reader->target, elf.architecture))
        return cushim__mock_image_refuse(reader->image, CUDA_ERROR_NO_BINARY_FOR_GPU,
                                         "the cubin is for sm_%u, the device is an sm_%u",
                                         elf.architecture, reader->target->architecture);
    reader->image->part_count++;
    if (elf.file.header.e_type != ET_REL)
        reader->image->executable = true;
    first = reader->image->kernel_count;
    code = read_symbols(&elf);
    if (code == CUDA_SUCCESS)
        turn(reader->image, first);
    return code;
}
