/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "loader/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/elf_file.h"
#include "loader/shortage.h"
#include "loader/system.h"
#include "loader/text.h"

enum { OWN_CLASS = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32 };
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { OWN_DATA = ELFDATA2LSB };
#else
enum { OWN_DATA = ELFDATA2MSB };
#endif

/* DF_1_PIE, which older headers do not know. */
enum { FLAG_PROGRAM = 0x08000000 };

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

static bool is_other_architecture(const ElfW(Ehdr) * header)
{
    return header->e_ident[EI_CLASS] != OWN_CLASS || header->e_ident[EI_DATA] != OWN_DATA ||
           (CUSHIM__ELF_MACHINE != EM_NONE && header->e_machine != CUSHIM__ELF_MACHINE);
}

static bool refuse_architecture(struct cushim__elf *elf)
{
    const unsigned char *ident = elf->header.e_ident;
    char message[CUSHIM_REPORT_MESSAGE_BYTES];

    snprintf(message, sizeof message, "it is built for %s%s%s, and this process is %s%s",
             width_name(ident[EI_CLASS]), machine_name(elf->header.e_machine),
             ident[EI_DATA] == OWN_DATA ? "" : " with another order of bytes",
             width_name(OWN_CLASS), machine_name(CUSHIM__ELF_MACHINE));
    return cushim__elf_refuse(elf, CUSHIM_OUTCOME_WRONG_ARCHITECTURE, message);
}

static bool check_header(struct cushim__elf *elf)
{
    uint64_t run = 0;
    const void *bytes = cushim__elf_run(elf, 0, 1, sizeof elf->header, &run);

    if (run < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return cushim__elf_refuse(elf, CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no ELF file");
    if (run < sizeof elf->header)
        return cushim__elf_refuse(elf, CUSHIM_OUTCOME_TRUNCATED, "the file ends within its header");
    memcpy(&elf->header, bytes, sizeof elf->header);
    if (is_other_architecture(&elf->header))
        return refuse_architecture(elf);
    if (elf->header.e_type != ET_DYN)
        return cushim__elf_refuse(elf, CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no shared library");
    return true;
}

/*
 * Whether the linker of the build says that this is a program: musl's opens one and runs what it
 * has to run at its start.
 */
static bool check_kind(struct cushim__elf *elf)
{
    return elf->values[CUSHIM__ELF_FLAGS_1] & FLAG_PROGRAM
               ? cushim__elf_refuse(elf, CUSHIM_OUTCOME_NOT_A_LIBRARY,
                                    "it is an executable, and no shared library")
               : true;
}

static bool refuse_unread(struct cushim__elf *elf)
{
    char message[CUSHIM_REPORT_MESSAGE_BYTES];

    snprintf(message, sizeof message, "the file cannot be read: %s", strerror(elf->error));
    return cushim__elf_refuse(elf, CUSHIM_OUTCOME_DAMAGED, message);
}

static bool check_contents(struct cushim_candidate *candidate, int file, uint64_t size)
{
    struct cushim__elf *elf = cushim__memory_take(sizeof *elf);
    bool is_usable;

    if (!elf)
        return refuse_file(candidate, CUSHIM_OUTCOME_NO_MEMORY, "no memory to look at it");
    elf->candidate = candidate;
    elf->file = file;
    elf->size = size;
    is_usable = check_header(elf) && cushim__elf_check_segments(elf) &&
                cushim__elf_check_dynamic(elf) && check_kind(elf) &&
                cushim__elf_check_symbols(elf) && cushim__elf_check_versions(elf) &&
                cushim__elf_check_relocations(elf);
    /* What there is of it was judged without the part that the linker would meet. */
    if (elf->error)
        is_usable = refuse_unread(elf);
    cushim__memory_give_back(elf, sizeof *elf);
    return is_usable;
}

static bool check_file(struct cushim_candidate *candidate, int file)
{
    struct stat status;

    if (fstat(file, &status) != 0)
        return refuse_file(candidate, CUSHIM_OUTCOME_NOT_LOADABLE, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return refuse_file(candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is a directory");
    if (!S_ISREG(status.st_mode))
        return refuse_file(candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no regular file");
    if (status.st_size == 0)
        return refuse_file(candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY, "the file is empty");
    return check_contents(candidate, file, (uint64_t)status.st_size);
}

bool cushim__elf_check(struct cushim_candidate *candidate)
{
    /* Not blocking: the path may lead to a pipe, or to a terminal. */
    const int file = open(candidate->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool usable;

    if (file < 0) {
        const int reason = errno;
        return refuse_file(candidate,
                           reason == ENOENT || reason == ENOTDIR ? CUSHIM_OUTCOME_NOT_FOUND
                           : reason == EACCES                    ? CUSHIM_OUTCOME_NO_PERMISSION
                                                                 : cushim__shortage_of(reason),
                           strerror(reason));
    }
    usable = check_file(candidate, file);
    close(file);
    return usable;
}
