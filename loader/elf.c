/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "loader/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/text.h"

#if defined(__x86_64__)
enum { OWN_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { OWN_MACHINE = EM_AARCH64 };
#else
enum { OWN_MACHINE = EM_NONE }; /* unknown here: left to the dynamic linker */
#endif

enum { OWN_CLASS = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32 };

/* More than these are not looked at. The flag is DF_1_PIE, which older headers do not know. */
enum { MOST_SEGMENTS = 256, MOST_ENTRIES = 512, FLAG_PROGRAM = 0x08000000 };

/* As many as nearly every library has, so that one call reads them. */
enum { SEGMENTS_AT_ONCE = 16, ENTRIES_AT_ONCE = 48 };

static bool refuse_file(struct cushim_candidate *candidate, enum cushim_outcome outcome,
                        const char *message)
{
    candidate->outcome = outcome;
    cushim__text_copy(candidate->message, sizeof candidate->message, message);
    return false;
}

static const char *machine_name(unsigned machine)
{
    switch (machine) {
    case EM_386:
        return "x86";
    case EM_X86_64:
        return "x86-64";
    case EM_ARM:
        return "ARM";
    case EM_AARCH64:
        return "aarch64";
    case EM_PPC64:
        return "ppc64";
    case EM_RISCV:
        return "RISC-V";
    default:
        return "another processor";
    }
}

static const char *width_name(unsigned width)
{
    return width == ELFCLASS32 ? "32-bit " : "";
}

/* Read `count` things of `size` bytes. Returns how many the file has whole. */
static size_t read_at(int file, void *things, size_t count, size_t size, uint64_t offset)
{
    const ssize_t bytes =
        offset > INT64_MAX ? -1 : pread(file, things, count * size, (off_t)offset);

    return bytes < 0 ? 0 : (size_t)bytes / size;
}

static size_t smaller(size_t one, size_t other)
{
    return one < other ? one : other;
}

/*
 * Whether every segment that would be mapped lies within the file; the one that tells of the
 * dynamic linker's work is copied to `dynamic`, which is left alone if there is none.
 */
static bool has_its_segments(int file, const ElfW(Ehdr) * header, uint64_t size,
                             ElfW(Phdr) * dynamic)
{
    ElfW(Phdr) segments[SEGMENTS_AT_ONCE];

    if (header->e_phentsize != sizeof *segments || header->e_phnum == 0 ||
        header->e_phnum > MOST_SEGMENTS)
        return false;
    for (size_t i = 0; i < header->e_phnum; i++) {
        const size_t place = i % SEGMENTS_AT_ONCE;
        const ElfW(Phdr) *segment = &segments[place];
        if (place == 0) {
            const size_t count = smaller(header->e_phnum - i, SEGMENTS_AT_ONCE);
            if (read_at(file, segments, count, sizeof *segments,
                        header->e_phoff + i * sizeof *segments) != count)
                return false;
        }
        if ((segment->p_type == PT_LOAD || segment->p_type == PT_DYNAMIC) &&
            (segment->p_offset > size || segment->p_filesz > size - segment->p_offset))
            return false;
        if (segment->p_type == PT_DYNAMIC)
            *dynamic = *segment;
    }
    return true;
}

/* Whether the linker of the build says that this is a program. */
static bool is_program(int file, const ElfW(Phdr) * dynamic)
{
    ElfW(Dyn) entries[ENTRIES_AT_ONCE];
    const size_t all = smaller(dynamic->p_filesz / sizeof *entries, MOST_ENTRIES);
    size_t count = 0;

    for (size_t i = 0; i < all; i++) {
        const size_t place = i % ENTRIES_AT_ONCE;
        if (place == 0)
            count = read_at(file, entries, smaller(all - i, ENTRIES_AT_ONCE), sizeof *entries,
                            dynamic->p_offset + i * sizeof *entries);
        if (place >= count || entries[place].d_tag == DT_NULL)
            break;
        if (entries[place].d_tag == DT_FLAGS_1)
            return entries[place].d_un.d_val & FLAG_PROGRAM;
    }
    return false;
}

static bool check_file(struct cushim_candidate *candidate, int file)
{
    char message[CUSHIM_REPORT_MESSAGE_BYTES];
    struct stat status;
    ElfW(Phdr) dynamic = {.p_filesz = 0};
    ElfW(Ehdr) header;

    if (fstat(file, &status) != 0)
        return refuse_file(candidate, CUSHIM_OUTCOME_NOT_LOADABLE, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return refuse_file(candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is a directory");
    if (!S_ISREG(status.st_mode))
        return refuse_file(candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no regular file");
    if (status.st_size == 0)
        return refuse_file(candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY, "the file is empty");
    memset(&header, 0, sizeof header);
    if (pread(file, &header, sizeof header, 0) < SELFMAG ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return refuse_file(candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no ELF file");
    if (status.st_size < (off_t)sizeof header)
        return refuse_file(candidate, CUSHIM_OUTCOME_TRUNCATED, "the file ends within its header");
    if (header.e_ident[EI_CLASS] != OWN_CLASS ||
        (OWN_MACHINE != EM_NONE && header.e_machine != OWN_MACHINE)) {
        snprintf(message, sizeof message, "it is built for %s%s, and this process is %s%s",
                 width_name(header.e_ident[EI_CLASS]), machine_name(header.e_machine),
                 width_name(OWN_CLASS), machine_name(OWN_MACHINE));
        return refuse_file(candidate, CUSHIM_OUTCOME_WRONG_ARCHITECTURE, message);
    }
    if (header.e_type != ET_DYN)
        return refuse_file(candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no shared library");
    if (!has_its_segments(file, &header, (uint64_t)status.st_size, &dynamic))
        return refuse_file(candidate, CUSHIM_OUTCOME_TRUNCATED,
                           "the file is shorter than its headers say");
    /* musl's linker opens one and runs what it has to run at its start. */
    if (is_program(file, &dynamic))
        return refuse_file(candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY,
                           "it is an executable, and no shared library");
    return true;
}

bool cushim__elf_check(struct cushim_candidate *candidate)
{
    /* Not blocking: the path may lead to a pipe. */
    const int file = open(candidate->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool usable;

    if (file < 0) {
        const int reason = errno;
        return refuse_file(candidate,
                           reason == ENOENT || reason == ENOTDIR ? CUSHIM_OUTCOME_NOT_FOUND
                           : reason == EACCES                    ? CUSHIM_OUTCOME_NO_PERMISSION
                                                                 : CUSHIM_OUTCOME_NOT_LOADABLE,
                           strerror(reason));
    }
    usable = check_file(candidate, file);
    close(file);
    return usable;
}
