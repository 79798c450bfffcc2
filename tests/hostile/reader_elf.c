/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/hostile/readers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "loader/elf.h"
#include "loader/report.h"
#include "loader/system.h"

/* Linked in the place of the system's memory, so that a sanitizer sees its end. */
void *__wrap_cushim__memory_take(size_t size);
void __wrap_cushim__memory_give_back(void *memory, size_t size);

static size_t taken;

void *__wrap_cushim__memory_take(size_t size)
{
    taken++;
    return calloc(1, size);
}

void __wrap_cushim__memory_give_back(void *memory, size_t size)
{
    (void)size;
    taken--;
    free(memory);
}

/* A file without a folder, by its path. */
static int file = -1;
static char path[64];

static void write_file(const struct mutant *mutant)
{
    if (file < 0) {
        file = memfd_create("mutant", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (file < 0 || ftruncate(file, (off_t)mutant->size) != 0 ||
        pwrite(file, mutant->bytes, mutant->size, 0) != (ssize_t)mutant->size)
        reader_fail("the file cannot be written");
}

static unsigned read_elf(const struct victim *victim, const struct mutant *mutant)
{
    struct cushim_candidate candidate;
    const int before = dup(STDIN_FILENO);
    int after;

    memset(&candidate, 0, sizeof candidate);
    write_file(mutant);
    strcpy(candidate.path, path);
    if (cushim__elf_check(&candidate) != (candidate.outcome == CUSHIM_OUTCOME_LOADED))
        reader_fail("the outcome is not the answer");
    if (candidate.outcome != CUSHIM_OUTCOME_LOADED && !candidate.message[0])
        reader_fail("it is refused without a word");
    if (mutant->size == victim->size && candidate.outcome != CUSHIM_OUTCOME_LOADED &&
        memcmp(mutant->bytes, victim->bytes, victim->size) == 0)
        reader_fail("the file is sound, and refused");
    close(before);
    after = dup(STDIN_FILENO);
    close(after);
    if (taken != 0 || after != before)
        reader_fail("memory or a file is left");
    return candidate.outcome;
}

static const char *name_of_outcome(unsigned index)
{
    return cushim_outcome_name((enum cushim_outcome)index);
}

const struct reader reader_elf = {"elf", victim_open, read_elf, name_of_outcome};
