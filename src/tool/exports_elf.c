/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exported names of an ELF library: its dynamic symbol table.
 *
 * The table is found by the section headers, as readelf does. The dynamic linker needs none of
 * these, but drivers have them. The file may be damaged: whatever it
 * says of itself is compared with its size.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/library.h"
#include "src/tool/exports.h"
#include "src/tool/output.h"

/* The bytes of the file, which stay mapped until the command ends. */
struct image {
    const char *bytes;
    uint64_t size;
};

/* A part of the file. NULL: the file ends before. */
static const char *part(const struct image *image, uint64_t offset, uint64_t size)
{
    return offset <= image->size && size <= image->size - offset ? image->bytes + offset : NULL;
}

/* Copied, since a damaged file may have it at any address. */
static bool read_section(const struct image *image, const Elf64_Ehdr *header, uint64_t index,
                         Elf64_Shdr *section)
{
    const char *bytes = part(image, header->e_shoff + index * sizeof *section, sizeof *section);

    if (bytes)
        memcpy(section, bytes, sizeof *section);
    return bytes;
}

/* As dlsym() finds it. */
static bool is_exported(const Elf64_Sym *symbol)
{
    const unsigned binding = ELF64_ST_BIND(symbol->st_info);
    const unsigned visibility = ELF64_ST_VISIBILITY(symbol->st_other);

    return symbol->st_shndx != SHN_UNDEF &&
           (binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE) &&
           (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

static bool read_names(struct exports *exports, const struct image *image)
{
    Elf64_Ehdr header;
    Elf64_Shdr table = {0}, strings;
    const char *symbols, *names;
    size_t count;

    if (!part(image, 0, sizeof header))
        return false;
    memcpy(&header, image->bytes, sizeof header);
    for (unsigned i = 0; i < header.e_shnum && table.sh_type != SHT_DYNSYM; i++) {
        if (!read_section(image, &header, i, &table))
            return false;
    }
    if (header.e_shentsize != sizeof table || table.sh_type != SHT_DYNSYM ||
        !read_section(image, &header, table.sh_link, &strings) || strings.sh_type != SHT_STRTAB)
        return false;
    count = table.sh_size / sizeof(Elf64_Sym);
    symbols = part(image, table.sh_offset, table.sh_size);
    names = part(image, strings.sh_offset, strings.sh_size);
    if (!symbols || !names)
        return false;
    exports->names = output_memory((count + 1) * sizeof *exports->names);
    for (size_t i = 0; i < count; i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, symbols + i * sizeof symbol, sizeof symbol);
        if (is_exported(&symbol) && symbol.st_name < strings.sh_size &&
            memchr(names + symbol.st_name, '\0', strings.sh_size - symbol.st_name))
            exports->names[exports->count++] = names + symbol.st_name;
    }
    return true;
}

bool exports_read(struct exports *exports, const char *path, struct failure *failure)
{
    struct cushim__candidate candidate = {0};
    struct image image = {.size = 0};
    struct stat status;
    void *bytes = MAP_FAILED;
    int file;

    if (strlen(path) >= sizeof candidate.path) {
        exports_refuse(failure, path, strerror(ENAMETOOLONG));
        return false;
    }
    strcpy(candidate.path, path);
    if (!cushim__elf_check(&candidate)) {
        exports_refuse(failure, path, candidate.message);
        return false;
    }
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file >= 0 && fstat(file, &status) == 0) {
        image.size = (uint64_t)status.st_size;
        bytes = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (bytes == MAP_FAILED)
        exports_refuse(failure, path, strerror(errno));
    if (file >= 0)
        close(file);
    if (bytes == MAP_FAILED)
        return false;
    image.bytes = bytes;
    if (!read_names(exports, &image)) {
        exports_refuse(failure, path, "the section headers do not lead to its dynamic symbols");
        return false;
    }
    return true;
}
