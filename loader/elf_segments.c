/* SPDX-License-Identifier: Apache-2.0 */
/* The program headers: what the dynamic linker would map, and what it would do with parts of it. */
#include "loader/elf_file.h"

/* Older headers do not know it. */
enum { SEGMENT_PROPERTY = 0x6474e553 };

/* A thread's variables are allocated when it first uses them, or the linker ends the process. */
enum { MOST_THREAD_BYTES = 1 << 26, MOST_THREAD_ALIGNMENT = 1 << 16 };

static uint64_t page_down(uint64_t address)
{
    return address / CUSHIM__ELF_PAGE * CUSHIM__ELF_PAGE;
}

static uint64_t page_up(uint64_t address)
{
    return page_down(address + CUSHIM__ELF_PAGE - 1);
}

static bool is_power_of_two(uint64_t number)
{
    return (number & (number - 1)) == 0;
}

static bool damaged_segment(struct cushim__elf *elf, unsigned index, const char *why)
{
    return cushim__elf_damaged(elf, elf->header.e_phoff + index * sizeof(ElfW(Phdr)), why);
}

/*
 * Segments are mapped one after the other into the room of all, which is reckoned from the first
 * and the last: one out of order would be put over what else the process has there.
 */
static bool check_load(struct cushim__elf *elf, unsigned index, const ElfW(Phdr) * load)
{
    const ElfW(Phdr) *before = elf->load_count ? &elf->loads[elf->load_count - 1] : NULL;

    if (load->p_filesz > load->p_memsz)
        return damaged_segment(elf, index, "a segment has more bytes than memory");
    if (load->p_vaddr > INT64_MAX / 2 || load->p_memsz > INT64_MAX / 2)
        return damaged_segment(elf, index, "a segment lies beyond all memory");
    if ((load->p_vaddr - load->p_offset) % CUSHIM__ELF_PAGE != 0)
        return damaged_segment(elf, index,
                               "a segment's place in memory does not match that in the file");
    if (!is_power_of_two(load->p_align))
        return damaged_segment(elf, index, "a segment's alignment is no power of two");
    if (before && page_down(load->p_vaddr) < page_up(before->p_vaddr + before->p_memsz))
        return damaged_segment(elf, index,
                               "a segment overlaps the one before it, or is out of order");
    elf->loads[elf->load_count++] = *load;
    return true;
}

/* The table of these headers itself, as the linker takes it from the library's memory. */
static bool check_own_memory(struct cushim__elf *elf, unsigned index, const ElfW(Phdr) * table)
{
    uint64_t place;

    return cushim__elf_place(elf, table->p_vaddr, elf->header.e_phnum * sizeof *table, PF_R,
                             &place) &&
                   place == elf->header.e_phoff
               ? true
               : damaged_segment(elf, index, "the program headers are not where they say");
}

/* The linker makes this read-only once it is written, as far as it is whole pages. */
static bool check_read_only(struct cushim__elf *elf, unsigned index, const ElfW(Phdr) * part)
{
    if (part->p_memsz == 0)
        return true;
    for (unsigned i = 0; i < elf->load_count; i++) {
        const ElfW(Phdr) *load = &elf->loads[i];
        const uint64_t end = page_up(load->p_vaddr + load->p_memsz);
        if ((load->p_flags & PF_W) && !(load->p_flags & PF_X) && part->p_vaddr >= load->p_vaddr &&
            part->p_vaddr <= end && part->p_memsz < end - part->p_vaddr + CUSHIM__ELF_PAGE)
            return true;
    }
    return damaged_segment(elf, index,
                           "what is to be made read-only is not within one segment of data");
}

static bool check_thread_memory(struct cushim__elf *elf, unsigned index, const ElfW(Phdr) * tls)
{
    uint64_t place;

    elf->has_tls = true;
    if (tls->p_memsz > MOST_THREAD_BYTES || tls->p_align > MOST_THREAD_ALIGNMENT)
        return damaged_segment(elf, index,
                               "the variables of a thread are larger than any library's");
    if (!is_power_of_two(tls->p_align) || tls->p_filesz > tls->p_memsz ||
        (tls->p_filesz > 0 && !cushim__elf_place(elf, tls->p_vaddr, tls->p_filesz, PF_R, &place)))
        return damaged_segment(elf, index, "the memory of threads has no beginning of its size");
    return true;
}

/* glibc's linker writes to the section unless this header says that it is only read. */
static bool check_dynamic_header(struct cushim__elf *elf, unsigned index,
                                 const ElfW(Phdr) * dynamic)
{
    uint64_t place;

    if (elf->dynamic.p_type == PT_DYNAMIC)
        return damaged_segment(elf, index, "it has two dynamic sections");
    if (dynamic->p_vaddr % sizeof(ElfW(Addr)) != 0 ||
        !cushim__elf_place(elf, dynamic->p_vaddr, dynamic->p_filesz,
                           PF_R | (dynamic->p_flags & PF_W), &place) ||
        place != dynamic->p_offset)
        return damaged_segment(elf, index, "the dynamic section is not where its header says");
    elf->dynamic = *dynamic;
    return true;
}

/* Everything but what is mapped is a part of that. */
static bool check_part(struct cushim__elf *elf, unsigned index, const ElfW(Phdr) * part)
{
    uint64_t place;

    switch (part->p_type) {
    case PT_DYNAMIC:
        return check_dynamic_header(elf, index, part);
    case PT_PHDR:
        return check_own_memory(elf, index, part);
    case PT_GNU_RELRO:
        return check_read_only(elf, index, part);
    case PT_TLS:
        return check_thread_memory(elf, index, part);
    case PT_NOTE:
    case PT_GNU_EH_FRAME:
    case SEGMENT_PROPERTY:
        return part->p_memsz == 0 ||
                       cushim__elf_place(elf, part->p_vaddr, part->p_memsz, PF_R, &place)
                   ? true
                   : damaged_segment(elf, index,
                                     "a note or frame table is not in the library's memory");
    default:
        return true;
    }
}

static bool is_mapped(const ElfW(Phdr) * segment)
{
    return segment->p_type == PT_LOAD;
}

/* What a cut file lacks is told first: all else that is wrong with one comes of that. */
static bool check_within_file(struct cushim__elf *elf, unsigned index, const ElfW(Phdr) * segment)
{
    (void)index;
    if ((segment->p_type == PT_LOAD || segment->p_type == PT_DYNAMIC) &&
        (segment->p_offset > elf->size || segment->p_filesz > elf->size - segment->p_offset))
        return cushim__elf_refuse(elf, CUSHIM_OUTCOME_TRUNCATED,
                                  "the file is shorter than its headers say");
    return true;
}

static bool check_mapped(struct cushim__elf *elf, unsigned index, const ElfW(Phdr) * segment)
{
    return is_mapped(segment) ? check_load(elf, index, segment) : true;
}

static bool check_unmapped(struct cushim__elf *elf, unsigned index, const ElfW(Phdr) * segment)
{
    return is_mapped(segment) ? true : check_part(elf, index, segment);
}

static bool check_each(struct cushim__elf *elf,
                       bool (*check)(struct cushim__elf *elf, unsigned index,
                                     const ElfW(Phdr) * segment))
{
    const size_t size = sizeof(ElfW(Phdr));
    const unsigned count = elf->header.e_phnum;
    uint64_t run;

    for (unsigned i = 0; i < count; i += (unsigned)run) {
        const ElfW(Phdr) *segments =
            cushim__elf_run(elf, elf->header.e_phoff + i * size, size, count - i, &run);
        if (!segments)
            return cushim__elf_refuse(elf, CUSHIM_OUTCOME_TRUNCATED,
                                      "the file is shorter than its headers say");
        for (unsigned j = 0; j < run; j++) {
            if (!check(elf, i + j, &segments[j]))
                return false;
        }
    }
    return true;
}

/* Whether whatever segment brings the table of headers along can be read: the linker reads it. */
static bool headers_are_readable(const struct cushim__elf *elf)
{
    const uint64_t bytes = elf->header.e_phnum * sizeof(ElfW(Phdr));

    for (unsigned i = 0; i < elf->load_count; i++) {
        const ElfW(Phdr) *load = &elf->loads[i];
        if (page_down(load->p_offset) <= elf->header.e_phoff &&
            elf->header.e_phoff + bytes <= page_up(load->p_offset + load->p_filesz) &&
            !(load->p_flags & PF_R))
            return false;
    }
    return true;
}

bool cushim__elf_check_segments(struct cushim__elf *elf)
{
    if (elf->header.e_phentsize != sizeof(ElfW(Phdr)) || elf->header.e_phnum == 0 ||
        elf->header.e_phnum > CUSHIM__ELF_MOST_SEGMENTS)
        return cushim__elf_damaged(elf, offsetof(ElfW(Ehdr), e_phentsize),
                                   "its program headers are of an unknown size or number");
    if (elf->header.e_phoff > elf->size)
        return cushim__elf_refuse(elf, CUSHIM_OUTCOME_TRUNCATED,
                                  "the file is shorter than its headers say");
    if (elf->header.e_phoff % sizeof(ElfW(Addr)) != 0)
        return cushim__elf_damaged(elf, offsetof(ElfW(Ehdr), e_phoff),
                                   "its program headers are not aligned");
    if (!check_each(elf, check_within_file) || !check_each(elf, check_mapped))
        return false;
    if (elf->load_count == 0 || !headers_are_readable(elf))
        return cushim__elf_damaged(elf, elf->header.e_phoff,
                                   "no segment with these headers is mapped to be read");
    return check_each(elf, check_unmapped);
}
