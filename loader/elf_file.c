/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "loader/elf_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "loader/read.h"
#include "loader/text.h"

/* Parts begin at such places, so that what is aligned in the file is so in the window. */
enum { WINDOW_ALIGNMENT = 64 };

bool cushim__elf_refuse(struct cushim__elf *elf, enum cushim_outcome outcome, const char *message)
{
    elf->candidate->outcome = outcome;
    cushim__text_copy(elf->candidate->message, sizeof elf->candidate->message, message);
    return false;
}

bool cushim__elf_damaged(struct cushim__elf *elf, uint64_t place, const char *why)
{
    char message[CUSHIM_REPORT_MESSAGE_BYTES];

    snprintf(message, sizeof message, "the file is damaged: %s (at 0x%" PRIx64 ")", why, place);
    return cushim__elf_refuse(elf, CUSHIM_OUTCOME_DAMAGED, message);
}

/* How much of the file is in the window from `place` on. */
static size_t in_window(const struct cushim__elf *elf, uint64_t place)
{
    return place >= elf->window_start && place - elf->window_start < elf->window_bytes
               ? elf->window_bytes - (size_t)(place - elf->window_start)
               : 0;
}

static void read_window(struct cushim__elf *elf, uint64_t place)
{
    const uint64_t start = place - place % WINDOW_ALIGNMENT, rest = elf->size - start;
    const size_t wanted = rest < sizeof elf->window ? (size_t)rest : sizeof elf->window;
    const ssize_t bytes = cushim__read_at(elf->file, elf->window, wanted, start);

    if (bytes < 0)
        elf->error = errno;
    elf->window_start = start;
    elf->window_bytes = bytes > 0 ? (size_t)bytes : 0;
}

const void *cushim__elf_run(struct cushim__elf *elf, uint64_t place, size_t size, uint64_t count,
                            uint64_t *run)
{
    if (place > elf->size || size > elf->size - place)
        return NULL;
    if (in_window(elf, place) < size)
        read_window(elf, place);
    *run = in_window(elf, place) / size;
    if (*run > count)
        *run = count;
    return *run ? elf->window + (place - elf->window_start) : NULL;
}

/* The segment of which the file has a piece of memory; as many as there are: none. */
static unsigned find_holder(const struct cushim__elf *elf, uint64_t address, uint64_t size,
                            ElfW(Word) flags)
{
    unsigned i = 0;

    for (; i < elf->load_count; i++) {
        const ElfW(Phdr) *load = &elf->loads[i];
        const uint64_t offset = address - load->p_vaddr;
        if ((load->p_flags & flags) == flags && address >= load->p_vaddr &&
            offset <= load->p_filesz && size <= load->p_filesz - offset)
            break;
    }
    return i;
}

bool cushim__elf_place(const struct cushim__elf *elf, uint64_t address, uint64_t size,
                       ElfW(Word) flags, uint64_t *place)
{
    const unsigned segment = find_holder(elf, address, size, flags);

    if (segment < elf->load_count)
        *place = elf->loads[segment].p_offset + (address - elf->loads[segment].p_vaddr);
    return segment < elf->load_count;
}

bool cushim__elf_find_code(struct cushim__elf *elf, uint64_t address)
{
    const unsigned segment = find_holder(elf, address, 1, PF_X);

    if (segment < elf->load_count) {
        elf->code_start = elf->loads[segment].p_vaddr;
        elf->code_bytes = elf->loads[segment].p_filesz;
    }
    return segment < elf->load_count;
}

void cushim__elf_string(struct cushim__elf *elf, uint64_t offset, char *text, size_t size)
{
    uint64_t run = 0;
    const char *bytes = cushim__elf_run(elf, elf->strings + offset, 1, size - 1, &run);

    if (bytes)
        memcpy(text, bytes, (size_t)run);
    text[run] = '\0';
}
