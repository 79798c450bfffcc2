/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exported names of an ELF library: its dynamic symbol table.
 *
 * The table is found by the section headers, as readelf does. The dynamic linker needs none of
 * these, but drivers have them. The file may be damaged, or be changed while it is read: whatever
 * it says of itself is compared with its size.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/library.h"
#include "src/tool/exports.h"
#include "src/tool/output.h"

struct library_file {
    int file;
    uint64_t size; /* in bytes */
};

static bool read_at(const struct library_file *library, void *bytes, uint64_t size, uint64_t offset)
{
    return offset <= library->size && size <= library->size - offset &&
           pread(library->file, bytes, size, (off_t)offset) == (ssize_t)size;
}

/* A part of the file, with a NUL behind it. NULL: the file does not have it. Free it. */
static void *read_part(const struct library_file *library, uint64_t size, uint64_t offset)
{
    char *bytes;

    if (offset > library->size || size > library->size - offset)
        return NULL;
    bytes = output_memory(size + 1);
    bytes[size] = '\0';
    if (read_at(library, bytes, size, offset))
        return bytes;
    free(bytes);
    return NULL;
}

/* Find the dynamic symbols and their names among the sections. */
static bool find_tables(const struct library_file *library, Elf64_Shdr *symbols, Elf64_Shdr *names)
{
    Elf64_Ehdr header;

    if (!read_at(library, &header, sizeof header, 0) || header.e_shentsize != sizeof *symbols)
        return false;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        if (!read_at(library, symbols, sizeof *symbols, header.e_shoff + i * sizeof *symbols))
            return false;
        if (symbols->sh_type == SHT_DYNSYM)
            return read_at(library, names, sizeof *names,
                           header.e_shoff + symbols->sh_link * sizeof *names) &&
                   names->sh_type == SHT_STRTAB;
    }
    return false;
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

static bool read_names(struct exports *exports, const struct library_file *library)
{
    Elf64_Shdr table, strings;
    Elf64_Sym *symbols;
    size_t count;

    if (!find_tables(library, &table, &strings))
        return false;
    count = table.sh_size / sizeof *symbols;
    symbols = read_part(library, table.sh_size, table.sh_offset);
    exports->bytes = read_part(library, strings.sh_size, strings.sh_offset);
    if (symbols && exports->bytes) {
        exports->names = output_memory((count + 1) * sizeof *exports->names);
        for (size_t i = 0; i < count; i++) {
            if (is_exported(&symbols[i]) && symbols[i].st_name < strings.sh_size)
                exports->names[exports->count++] = exports->bytes + symbols[i].st_name;
        }
    }
    free(symbols);
    return exports->names != NULL;
}

bool exports_read(struct exports *exports, const char *path, struct failure *failure)
{
    struct cushim__candidate candidate = {0};
    struct library_file library;
    struct stat status;
    bool is_read = false;

    if (strlen(path) >= sizeof candidate.path) {
        exports_refuse(failure, path, strerror(ENAMETOOLONG));
        return false;
    }
    strcpy(candidate.path, path);
    if (!cushim__elf_check(&candidate)) {
        exports_refuse(failure, path, candidate.message);
        return false;
    }
    library.file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (library.file < 0) {
        exports_refuse(failure, path, strerror(errno));
        return false;
    }
    if (fstat(library.file, &status) == 0 && status.st_size > 0) {
        library.size = (uint64_t)status.st_size;
        is_read = read_names(exports, &library);
    }
    close(library.file);
    if (!is_read)
        exports_refuse(failure, path, "the section headers do not lead to its dynamic symbols");
    return is_read;
}
