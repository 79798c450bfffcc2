/* SPDX-License-Identifier: Apache-2.0 */
/* A driver library whose end is missing, as after a full disk: refused, and never a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <elf.h>
#include <link.h>

#include <cushim/cushim.h>

#include "tests/drivers/route.h"
#include "tests/support/child.h"
#include "tests/support/folder.h"

static char zoo_driver[FOLDER_PATH_BYTES];

/* The complete driver of the zoo, byte by byte. */
static unsigned char *whole;
static size_t whole_size;

static int read_driver(void **state)
{
    whole = folder_read(zoo_driver, &whole_size);
    return folder_create(state);
}

static int forget_driver(void **state)
{
    free(whole);
    return folder_remove(state);
}

/* Where the last segment that is mapped ends: what follows is of no use to a process. */
static size_t end_of_segments(void)
{
    const ElfW(Ehdr) *header = (const void *)whole;
    const ElfW(Phdr) *segments = (const void *)(whole + header->e_phoff);
    size_t end = 0;

    for (unsigned i = 0; i < header->e_phnum; i++) {
        const size_t last = segments[i].p_offset + segments[i].p_filesz;
        if (segments[i].p_type == PT_LOAD && last > end)
            end = last;
    }
    return end;
}

static void load(const void *data)
{
    const size_t size = *(const size_t *)data;
    struct cushim_load_options options;
    struct cushim_report report = {.size = sizeof report};

    route_prepare(ROUTE_OPTION, folder_path("cut"), &options);
    if (size >= end_of_segments()) {
        check_int(cushim_load(&options), CUDA_SUCCESS);
        check(cushim_driver()->ProfilerStop() > 100000);
        return;
    }
    check_int(cushim_load(&options), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check_int(cushim_driver()->EventQuery(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_int(report.state, CUSHIM_STATE_NOT_LOADABLE);
    check_int(report.candidates[0].outcome,
              size < SELFMAG ? CUSHIM_OUTCOME_NOT_A_LIBRARY : CUSHIM_OUTCOME_TRUNCATED);
    check_contains(report.reason, size == 0                   ? "the file is empty"
                                  : size < SELFMAG            ? "it is no ELF file"
                                  : size < sizeof(ElfW(Ehdr)) ? "the file ends within its header"
                                                              : "shorter than its headers say");
    if (size >= SELFMAG)
        check_contains(report.advice, "the file was cut short");
}

/* Returns how many of the loads fail. */
static unsigned cut_at(size_t size)
{
    char title[64];

    folder_write("cut", whole, size);
    snprintf(title, sizeof title, "cut at %zu of %zu", size, whole_size);
    return !child_passes(title, load, &size);
}

static void a_library_cut_anywhere_is_truncated_and_never_a_crash(void **state)
{
    const ElfW(Ehdr) *header = (const void *)whole;
    const ElfW(Phdr) *segments = (const void *)(whole + header->e_phoff);
    unsigned failures = 0;

    (void)state;
    for (size_t size = 0; size <= sizeof *header + sizeof *segments; size++)
        failures += cut_at(size);
    for (unsigned i = 0; i < header->e_phnum; i++) {
        const size_t start = segments[i].p_offset, size = segments[i].p_filesz;
        if (segments[i].p_type != PT_LOAD)
            continue;
        failures += cut_at(start) + cut_at(start + 1) + cut_at(start + size / 2) +
                    cut_at(start + size - 1) + cut_at(start + size);
    }
    for (size_t part = 1; part < 40; part++)
        failures += cut_at(whole_size / 40 * part);
    failures += cut_at(whole_size - 1) + cut_at(whole_size);
    assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_cut_anywhere_is_truncated_and_never_a_crash),
    };

    if (argc != 2)
        return EXIT_FAILURE;
    snprintf(zoo_driver, sizeof zoo_driver, "%s/complete.so", argv[1]);
    return cmocka_run_group_tests(tests, read_driver, forget_driver);
}
