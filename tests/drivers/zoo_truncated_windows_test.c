/* SPDX-License-Identifier: Apache-2.0 */
/* A driver library whose end is missing, as after a full disk: refused, and never a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <windows.h>

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

static const IMAGE_NT_HEADERS64 *headers(void)
{
    const IMAGE_DOS_HEADER *dos = (const void *)whole;

    return (const void *)(whole + dos->e_lfanew);
}

static const IMAGE_SECTION_HEADER *sections(void)
{
    return IMAGE_FIRST_SECTION(headers());
}

/* Where the headers end that tell what the file is. */
static size_t end_of_head(void)
{
    const IMAGE_DOS_HEADER *dos = (const void *)whole;

    return (size_t)dos->e_lfanew + sizeof(DWORD) + sizeof(IMAGE_FILE_HEADER);
}

/* Where the last section that is mapped ends: what follows is of no use to a process. */
static size_t end_of_sections(void)
{
    size_t end = 0;

    for (unsigned i = 0; i < headers()->FileHeader.NumberOfSections; i++) {
        const size_t last = (size_t)sections()[i].PointerToRawData + sections()[i].SizeOfRawData;
        if (last > end)
            end = last;
    }
    return end;
}

static const char *file_name(size_t size)
{
    static char name[32];

    snprintf(name, sizeof name, "cut-%u", (unsigned)size);
    return name;
}

static void load(const void *data)
{
    const size_t size = *(const size_t *)data;
    struct cushim_load_options options;
    struct cushim_report report = {.size = sizeof report};

    route_prepare(ROUTE_OPTION, folder_path(file_name(size)), &options);
    if (size >= end_of_sections()) {
        check_int(cushim_load(&options), CUDA_SUCCESS);
        check(cushim_driver()->ProfilerStop() > 100000);
        return;
    }
    check_int(cushim_load(&options), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check_int(cushim_driver()->EventQuery(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_int(report.state, CUSHIM_STATE_NOT_LOADABLE);
    check_int(report.candidates[0].outcome,
              size < 2 ? CUSHIM_OUTCOME_NOT_A_LIBRARY : CUSHIM_OUTCOME_TRUNCATED);
    check_contains(report.reason, size == 0              ? "the file is empty"
                                  : size < 2             ? "it is no PE file"
                                  : size < end_of_head() ? "the file ends within its header"
                                                         : "shorter than its headers say");
    if (size >= 2)
        check_contains(report.advice, "the file was cut short");
}

/* Returns how many of the loads fail. */
static unsigned cut_at(size_t size)
{
    char title[64];

    folder_write(file_name(size), whole, size);
    snprintf(title, sizeof title, "cut at %u of %u", (unsigned)size, (unsigned)whole_size);
    return !child_passes(title, load, &size);
}

static void a_library_cut_anywhere_is_truncated_and_never_a_crash(void **state)
{
    const size_t head = end_of_head();
    unsigned failures = 0;

    (void)state;
    for (size_t size = 0; size < 4; size++)
        failures += cut_at(size);
    for (size_t size = 4; size < head; size += 19)
        failures += cut_at(size);
    failures += cut_at(head - 1) + cut_at(head) + cut_at(head + 1);
    for (unsigned i = 0; i < headers()->FileHeader.NumberOfSections; i++) {
        const size_t start = sections()[i].PointerToRawData;
        if (start > 0)
            failures += cut_at(start) + cut_at(start + sections()[i].SizeOfRawData - 1);
    }
    failures += cut_at(end_of_sections()) + cut_at(whole_size);
    assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_cut_anywhere_is_truncated_and_never_a_crash),
    };

    if (argc != 2)
        return EXIT_FAILURE;
    snprintf(zoo_driver, sizeof zoo_driver, "%s/complete.dll", argv[1]);
    return cmocka_run_group_tests(tests, read_driver, forget_driver);
}
