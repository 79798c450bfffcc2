/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A check of an ELF file before dlopen() maps it.
 *
 * The dynamic linker trusts the headers of a file, so a library whose end is missing kills the
 * process that loads it. Full disks and interrupted copies leave such files. This checks only that
 * every segment is in the file and every table in a segment; the linker checks the rest.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/library.h"

enum { OWN_CLASS = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32 };
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { OWN_DATA = ELFDATA2LSB };
#else
enum { OWN_DATA = ELFDATA2MSB };
#endif
#if defined(__x86_64__)
enum { OWN_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { OWN_MACHINE = EM_AARCH64 };
#else
enum { OWN_MACHINE = EM_NONE }; /* any machine; the linker knows its own */
#endif

/* A library with more segments or entries is left to the linker. */
enum { MOST_SEGMENTS = 64, MOST_ENTRIES = 128 };

struct elf_file {
    struct cushim__candidate *candidate;
    int file;
    uint64_t size; /* the size of the file, in bytes */
    ElfW(Ehdr) header;
    unsigned segment_count;
    ElfW(Phdr) segments[MOST_SEGMENTS];
};

static bool read_at(const struct elf_file *elf, void *bytes, size_t size, uint64_t offset)
{
    return pread(elf->file, bytes, size, (off_t)offset) == (ssize_t)size;
}

static const char *machine_name(unsigned machine)
{
    return machine == EM_386       ? "x86"
           : machine == EM_X86_64  ? "x86-64"
           : machine == EM_ARM     ? "ARM"
           : machine == EM_AARCH64 ? "aarch64"
                                   : "another processor";
}

static bool check_header(struct elf_file *elf)
{
    const bool is_whole = read_at(elf, &elf->header, sizeof elf->header, 0);
    const unsigned char *ident = elf->header.e_ident;
    char message[CUSHIM_REPORT_MESSAGE_BYTES];

    if (memcmp(ident, ELFMAG, SELFMAG) != 0)
        return cushim__reject(elf->candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY,
                              "it is not an ELF file");
    if (!is_whole)
        return cushim__reject(elf->candidate, CUSHIM_OUTCOME_TRUNCATED,
                              "the file ends in its header");
    if (ident[EI_CLASS] != OWN_CLASS || ident[EI_DATA] != OWN_DATA ||
        (OWN_MACHINE != EM_NONE && elf->header.e_machine != OWN_MACHINE)) {
        snprintf(message, sizeof message, "it is built for %s%s, and this process is %s",
                 ident[EI_CLASS] == ELFCLASS32 ? "32-bit " : "",
                 machine_name(elf->header.e_machine), machine_name(OWN_MACHINE));
        return cushim__reject(elf->candidate, CUSHIM_OUTCOME_WRONG_ARCHITECTURE, message);
    }
    if (elf->header.e_type != ET_DYN)
        return cushim__reject(elf->candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY,
                              "it is not a shared library");
    return true;
}

/* Check that all segments lie in the file, and are in order of address. */
static bool check_segments(struct elf_file *elf)
{
    const uint64_t count = elf->header.e_phnum;
    uint64_t end = 0; /* the end of the segments so far, in memory */

    if (elf->header.e_phentsize != sizeof elf->segments[0] || count > MOST_SEGMENTS)
        return true; /* the linker decides */
    if (!read_at(elf, elf->segments, count * sizeof elf->segments[0], elf->header.e_phoff))
        return cushim__reject(elf->candidate, CUSHIM_OUTCOME_TRUNCATED,
                              "the file ends before its program headers");
    elf->segment_count = (unsigned)count;
    for (unsigned i = 0; i < count; i++) {
        const ElfW(Phdr) *segment = &elf->segments[i];

        if (segment->p_type != PT_LOAD)
            continue;
        if (segment->p_offset > elf->size || segment->p_filesz > elf->size - segment->p_offset)
            return cushim__reject(elf->candidate, CUSHIM_OUTCOME_TRUNCATED,
                                  "the file is shorter than its program headers say");
        if (segment->p_vaddr < end || segment->p_vaddr > INT64_MAX || segment->p_memsz > INT64_MAX)
            return cushim__reject(elf->candidate, CUSHIM_OUTCOME_DAMAGED,
                                  "its segments overlap or are not in order");
        end = segment->p_vaddr + segment->p_memsz;
    }
    return true;
}

/* The readable segment that contains an address, or ends at it. NULL if there is none. */
static const ElfW(Phdr) * find_segment(const struct elf_file *elf, uint64_t address)
{
    for (unsigned i = 0; i < elf->segment_count; i++) {
        const ElfW(Phdr) *segment = &elf->segments[i];

        if (segment->p_type == PT_LOAD && segment->p_flags & PF_R && address >= segment->p_vaddr &&
            address - segment->p_vaddr <= segment->p_memsz)
            return segment;
    }
    return NULL;
}

/* The tables that the linker reads while it loads a library, and the functions that it calls. */
static const ElfW(Sxword) addresses[] = {
    DT_STRTAB, DT_SYMTAB, DT_HASH,    DT_GNU_HASH, DT_RELA, DT_REL,
    DT_JMPREL, DT_VERSYM, DT_VERNEED, DT_VERDEF,   DT_INIT, DT_INIT_ARRAY,
};

/* The linker requires the first two tables. A file with a zeroed tail lacks them. */
static bool check_dynamic(const struct elf_file *elf, uint64_t address)
{
    const ElfW(Phdr) *segment = find_segment(elf, address);
    ElfW(Dyn) entries[MOST_ENTRIES] = {{0}};
    size_t end = 0;

    if (segment && pread(elf->file, entries, sizeof entries,
                         (off_t)(segment->p_offset + (address - segment->p_vaddr))) < 0)
        return true;
    while (end < MOST_ENTRIES && entries[end].d_tag != DT_NULL)
        end++;
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        size_t at = 0;

        while (at < end && entries[at].d_tag != addresses[i])
            at++;
        if (at == end ? i < 2 && end < MOST_ENTRIES : !find_segment(elf, entries[at].d_un.d_ptr))
            return cushim__reject(
                elf->candidate, CUSHIM_OUTCOME_DAMAGED,
                "its dynamic section lacks a table, or names one outside the library");
    }
    return true;
}

static bool check_contents(struct elf_file *elf, uint64_t size)
{
    elf->size = size;
    if (!check_header(elf) || !check_segments(elf))
        return false;
    for (unsigned i = 0; i < elf->segment_count; i++) {
        if (elf->segments[i].p_type == PT_DYNAMIC)
            return check_dynamic(elf, elf->segments[i].p_vaddr);
    }
    return true;
}

bool cushim__elf_check(struct cushim__candidate *candidate)
{
    struct elf_file elf = {.candidate = candidate};
    struct stat status;
    bool is_usable;

    /* The file is opened without blocking, since the path may lead to a pipe or to a terminal. */
    elf.file = open(candidate->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (elf.file < 0) {
        const int error = errno;
        return cushim__reject(candidate, cushim__outcome_of_errno(error), strerror(error));
    }
    if (fstat(elf.file, &status) != 0)
        is_usable = cushim__reject(candidate, CUSHIM_OUTCOME_NOT_LOADABLE, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        is_usable = cushim__reject(candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY,
                                   S_ISDIR(status.st_mode) ? "it is a directory"
                                                           : "it is not a regular file");
    else if (status.st_size == 0)
        is_usable = cushim__reject(candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY, "the file is empty");
    else
        is_usable = check_contents(&elf, (uint64_t)status.st_size);
    close(elf.file);
    return is_usable;
}
