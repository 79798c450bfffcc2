/* SPDX-License-Identifier: Apache-2.0 */
/* Relocations: places in the library's memory that the dynamic linker writes. */
#include "loader/elf_file.h"

#if defined(__aarch64__)
enum { KIND_NONE = 0, KIND_RELATIVE = 1027, KIND_INDIRECT = 1032 };
#else
enum { KIND_NONE = 0, KIND_RELATIVE = 8, KIND_INDIRECT = 37 };
#endif

enum { WORD = sizeof(ElfW(Addr)), WORD_BITS = WORD * 8 };

/* Functions that the linker calls at the start or the end: their addresses are relocated, all. */
struct array {
    uint64_t start, bytes;
    uint64_t met, packed; /* relocations for it, and those of them that are packed */
};

enum { STARTS, ENDS, ARRAYS };

/* What a pass over relocations has met. */
struct pass {
    ElfW(Word) flags;   /* of a segment that the linker may write to */
    uint64_t relative;  /* so many come first that are of this type */
    uint64_t low, high; /* writable memory that was met last */
    /* Of that, the part around the last place that holds nothing but data. */
    uint64_t plain, plain_bytes;
    uint64_t packed_next; /* the place to which the next word of packed ones belongs */
    struct array arrays[ARRAYS];
};

/* The array that a relocation writes to; NULL: none. */
static struct array *array_at(struct pass *pass, uint64_t address)
{
    for (unsigned i = 0; i < ARRAYS; i++) {
        struct array *array = &pass->arrays[i];
        if (array->bytes > 0 && address + WORD - 1 - array->start < array->bytes + WORD - 1)
            return array;
    }
    return NULL;
}

/*
 * Whether the linker may write there, which is nowhere in what it goes on to read. Most places lie
 * in one segment, which is kept.
 */
static bool is_writable(const struct cushim__elf *elf, struct pass *pass, uint64_t address)
{
    if (address + WORD - 1 - elf->dynamic.p_vaddr < elf->dynamic.p_memsz + WORD - 1)
        return false;
    if (address >= pass->low && address < pass->high && pass->high - address >= WORD)
        return true;
    for (unsigned i = 0; i < elf->load_count; i++) {
        const ElfW(Phdr) *load = &elf->loads[i];
        if ((load->p_flags & pass->flags) != pass->flags || address < load->p_vaddr ||
            load->p_memsz < WORD || address - load->p_vaddr > load->p_memsz - WORD)
            continue;
        pass->low = load->p_vaddr;
        pass->high = load->p_vaddr + load->p_memsz;
        return true;
    }
    return false;
}

/* What is wrong with a relocation; NULL: nothing. */
static const char *fault_of_relocation(struct cushim__elf *elf, struct pass *pass,
                                       const ElfW(Rela) * relocation, uint64_t index)
{
    const uint64_t type = ELF64_R_TYPE(relocation->r_info);
    struct array *array;

    if (index < pass->relative && type != KIND_RELATIVE)
        return "a relocation is not of the kind that the first are said to be";
    if (elf->is_counted && ELF64_R_SYM(relocation->r_info) >= elf->symbol_count)
        return "a relocation is by a symbol that there is not";
    if (type == KIND_NONE)
        return NULL;
    if (!is_writable(elf, pass, relocation->r_offset))
        return "a relocation is not for the library's own data";
    array = array_at(pass, relocation->r_offset);
    if (array && (relocation->r_offset - array->start) % WORD != 0)
        return "a relocation is for parts of two functions that run at its start or end";
    if (array)
        array->met++;
    if ((type == KIND_INDIRECT || (type == KIND_RELATIVE && array)) &&
        !cushim__elf_is_code(elf, (uint64_t)relocation->r_addend))
        return "what runs at its start or end is no code";
    return NULL;
}

/* Take out of the plain part what is `bytes` long, and on the other side of an address. */
static void leave_out(struct pass *pass, uint64_t address, uint64_t start, uint64_t bytes)
{
    const uint64_t end = pass->plain + pass->plain_bytes;
    const uint64_t before = start > WORD - 1 ? start - (WORD - 1) : 0;

    if (bytes == 0)
        return;
    if (address >= start + bytes && start + bytes > pass->plain) {
        pass->plain_bytes = end - (start + bytes);
        pass->plain = start + bytes;
    } else if (address < before && before < end) {
        pass->plain_bytes = before - pass->plain;
    }
}

/* Find the plain part around a place that is sound. */
static void look_around(const struct cushim__elf *elf, struct pass *pass, uint64_t address)
{
    pass->plain = pass->low;
    pass->plain_bytes = 0;
    if (address < pass->low || address >= pass->high || array_at(pass, address))
        return;
    pass->plain_bytes = pass->high - pass->low - (WORD - 1);
    for (unsigned i = 0; i < ARRAYS; i++)
        leave_out(pass, address, pass->arrays[i].start, pass->arrays[i].bytes);
    leave_out(pass, address, elf->dynamic.p_vaddr, elf->dynamic.p_memsz);
}

/*
 * The first of these that is not like nearly all are: relative, and for the plain part around the
 * one before it, which is sound.
 */
static const ElfW(Rela) * first_of_other_kind(const struct cushim__elf *elf, struct pass *pass,
                                              const ElfW(Rela) * relocation, const ElfW(Rela) * end)
{
    const ElfW(Rela) *before = relocation - 1;

    if (before->r_info != KIND_RELATIVE)
        return relocation;
    if (before->r_offset - pass->plain >= pass->plain_bytes)
        look_around(elf, pass, before->r_offset);
    while (relocation < end && relocation->r_info == KIND_RELATIVE &&
           relocation->r_offset - pass->plain < pass->plain_bytes)
        relocation++;
    return relocation;
}

/* What is wrong with one of some relocations, and with which; NULL: nothing. */
static const char *fault_among(struct cushim__elf *elf, struct pass *pass, const void *some,
                               uint64_t first, uint64_t count, uint64_t *wrong)
{
    const ElfW(Rela) *one = some, *end = one + count;

    while (one < end) {
        const uint64_t index = first + (uint64_t)(one - (const ElfW(Rela) *)some);
        const char *why = fault_of_relocation(elf, pass, one, index);
        if (why) {
            *wrong = index;
            return why;
        }
        one = first_of_other_kind(elf, pass, one + 1, end);
    }
    return NULL;
}

static bool is_packed_place(const struct cushim__elf *elf, struct pass *pass, uint64_t address)
{
    struct array *array = array_at(pass, address);

    if (array) {
        array->met++;
        array->packed++;
    }
    return is_writable(elf, pass, address) && (!array || (address - array->start) % WORD == 0);
}

/* A word of these is a place, or a bit for each of the words that follow the last place. */
static bool is_packed_well(const struct cushim__elf *elf, struct pass *pass, uint64_t word)
{
    uint64_t address = pass->packed_next;

    if ((word & 1) == 0) {
        pass->packed_next = word + WORD;
        return is_packed_place(elf, pass, word);
    }
    pass->packed_next += (WORD_BITS - 1) * WORD;
    for (uint64_t bits = word >> 1; bits; bits >>= 1, address += WORD) {
        if ((bits & 1) && !is_packed_place(elf, pass, address))
            return false;
    }
    return true;
}

static const char *fault_among_packed(struct cushim__elf *elf, struct pass *pass, const void *some,
                                      uint64_t first, uint64_t count, uint64_t *wrong)
{
    const ElfW(Addr) *words = some;

    for (uint64_t i = 0; i < count; i++) {
        if (!is_packed_well(elf, pass, words[i])) {
            *wrong = first + i;
            return "a relocation is not for the library's own data";
        }
    }
    return NULL;
}

/* A table of relocations, and the look at a piece of it. */
static const struct relocation_table {
    enum cushim__elf_entry start, bytes;
    size_t size; /* of one */
    const char *(*fault)(struct cushim__elf *elf, struct pass *pass, const void *some,
                         uint64_t first, uint64_t count, uint64_t *wrong);
} relocation_tables[] = {
    {CUSHIM__ELF_RELA, CUSHIM__ELF_RELASZ, sizeof(ElfW(Rela)), fault_among},
    {CUSHIM__ELF_JMPREL, CUSHIM__ELF_PLTRELSZ, sizeof(ElfW(Rela)), fault_among},
    {CUSHIM__ELF_RELR, CUSHIM__ELF_RELRSZ, WORD, fault_among_packed},
};

static bool check_table(struct cushim__elf *elf, struct pass *pass,
                        const struct relocation_table *table)
{
    const uint64_t count = elf->values[table->bytes] / table->size;
    uint64_t start, run;

    if (count == 0)
        return true;
    if (!cushim__elf_place(elf, elf->values[table->start], count * table->size, PF_R, &start))
        return cushim__elf_damaged(elf, elf->dynamic.p_offset, "its relocations cannot be read");
    for (uint64_t i = 0; i < count; i += run) {
        uint64_t wrong = i;
        const void *some =
            cushim__elf_run(elf, start + i * table->size, table->size, count - i, &run);
        const char *why =
            some ? table->fault(elf, pass, some, i, run, &wrong) : "its relocations cannot be read";
        if (why)
            return cushim__elf_damaged(elf, start + wrong * table->size, why);
    }
    return true;
}

/* Where relocations are packed, the address that is to be relocated stands in its place. */
static bool check_array(struct cushim__elf *elf, const struct array *array)
{
    const uint64_t count = array->bytes / WORD;
    uint64_t place = 0, run;

    if (count == 0)
        return true;
    if (array->met != count)
        return cushim__elf_damaged(elf, elf->dynamic.p_offset,
                                   "not all that runs at its start or end is relocated");
    if (array->packed != count)
        return true;
    cushim__elf_place(elf, array->start, array->bytes, PF_R, &place);
    for (uint64_t i = 0; i < count; i += run) {
        const ElfW(Addr) *functions = cushim__elf_run(elf, place + i * WORD, WORD, count - i, &run);
        for (uint64_t j = 0; functions && j < run; j++) {
            if (!cushim__elf_is_code(elf, functions[j]))
                functions = NULL;
        }
        if (!functions)
            return cushim__elf_damaged(elf, place + i * WORD,
                                       "what runs at its start or end is no code");
    }
    return true;
}

bool cushim__elf_check_relocations(struct cushim__elf *elf)
{
    const bool writes_code =
        cushim__elf_has(elf, CUSHIM__ELF_TEXTREL) || (elf->values[CUSHIM__ELF_FLAGS] & DF_TEXTREL);
    struct pass pass = {
        .flags = writes_code ? 0 : PF_W,
        .relative = elf->values[CUSHIM__ELF_RELACOUNT],
        .arrays = {[STARTS] = {.start = elf->values[CUSHIM__ELF_INIT_ARRAY],
                               .bytes = elf->values[CUSHIM__ELF_INIT_ARRAYSZ]},
                   [ENDS] = {.start = elf->values[CUSHIM__ELF_FINI_ARRAY],
                             .bytes = elf->values[CUSHIM__ELF_FINI_ARRAYSZ]}},
    };

    if (CUSHIM__ELF_MACHINE == EM_NONE)
        return true;
    for (size_t i = 0; i < sizeof relocation_tables / sizeof *relocation_tables; i++) {
        if (!check_table(elf, &pass, &relocation_tables[i]))
            return false;
        pass.relative = 0; /* it is said of the first table alone */
    }
    return check_array(elf, &pass.arrays[STARTS]) && check_array(elf, &pass.arrays[ENDS]);
}
