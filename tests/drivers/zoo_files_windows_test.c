/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are no driver: each is refused without harm, and the report says what is wrong. */
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

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char zoo_driver[FOLDER_PATH_BYTES], zoo_program[FOLDER_PATH_BYTES];

/* The complete driver of the zoo, byte by byte. */
static unsigned char *whole;
static size_t whole_size;

/* A copy whose 16 bits at a place in the file header are others. */
static void write_patched(const char *name, size_t field, unsigned value)
{
    const IMAGE_DOS_HEADER *dos = (const void *)whole;
    const size_t at = (size_t)dos->e_lfanew + sizeof(DWORD) + field;
    unsigned char *bytes = malloc(whole_size);

    assert_non_null(bytes);
    memcpy(bytes, whole, whole_size);
    bytes[at] = (unsigned char)value;
    bytes[at + 1] = (unsigned char)(value >> 8);
    folder_write(name, bytes, whole_size);
    free(bytes);
}

static int make_files(void **state)
{
    static const char text[] = "This is no library.\n";

    folder_create(state);
    whole = folder_read(zoo_driver, &whole_size);
    folder_write("text", text, sizeof text - 1);
    folder_write("empty", "", 0);
    folder_subfolder("folder");
    folder_link("program", zoo_program);
    write_patched("narrow", offsetof(IMAGE_FILE_HEADER, Machine), IMAGE_FILE_MACHINE_I386);
    write_patched("arm", offsetof(IMAGE_FILE_HEADER, Machine), IMAGE_FILE_MACHINE_ARMNT);
    write_patched("arm64", offsetof(IMAGE_FILE_HEADER, Machine), IMAGE_FILE_MACHINE_ARM64);
    write_patched("other", offsetof(IMAGE_FILE_HEADER, Machine), 0x1234);
    write_patched("fixed", offsetof(IMAGE_FILE_HEADER, Characteristics),
                  IMAGE_FILE_EXECUTABLE_IMAGE);
    return 0;
}

static int remove_files(void **state)
{
    free(whole);
    return folder_remove(state);
}

static const struct file {
    const char *name; /* in the folder, or an absolute path */
    enum cushim_outcome outcome;
    const char *words; /* of the message of the candidate, and of the reason */
    const char *advice;
} files[] = {
    {"text", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no PE file", "Reinstall"},
    {"empty", CUSHIM_OUTCOME_NOT_A_LIBRARY, "the file is empty", "Reinstall"},
    {"folder", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is a directory", "Reinstall"},
    {"\\\\.\\NUL", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no regular file", "Reinstall"},
    {"gone", CUSHIM_OUTCOME_NOT_FOUND, "", "Check the path"},
    {"nowhere/gone", CUSHIM_OUTCOME_NOT_FOUND, "", "Check the path"},
    {"narrow", CUSHIM_OUTCOME_WRONG_ARCHITECTURE,
     "it is built for 32-bit x86, and this process is x86-64", "architecture of this program"},
    {"arm", CUSHIM_OUTCOME_WRONG_ARCHITECTURE,
     "it is built for 32-bit ARM, and this process is x86-64", "architecture of this program"},
    {"arm64", CUSHIM_OUTCOME_WRONG_ARCHITECTURE, "architecture", "architecture of this program"},
    {"other", CUSHIM_OUTCOME_WRONG_ARCHITECTURE,
     "it is built for another processor, and this process is x86-64",
     "architecture of this program"},
    {"fixed", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no shared library", "Reinstall"},
    {"program", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no shared library", "Reinstall"},
};

struct visit {
    const struct file *file;
    enum route route;
};

static void load_file(const void *data)
{
    const struct visit *visit = data;
    const struct file *file = visit->file;
    const char *path = file->name[0] == '\\' ? file->name : folder_path(file->name);
    struct cushim_report report = {.size = sizeof report};
    struct cushim_load_options options;

    route_prepare(visit->route, path, &options);
    for (unsigned turn = 0; turn < 2; turn++) {
        check_int(cushim_load(&options), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        check_int(cushim_driver()->EventQuery(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        check_int(cushim_init(&options), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        check_int(cushim_report_get(&report), CUDA_SUCCESS);
        check_int(report.state, file->outcome == CUSHIM_OUTCOME_NOT_FOUND
                                    ? CUSHIM_STATE_NOT_FOUND
                                    : CUSHIM_STATE_NOT_LOADABLE);
        check_int(report.candidate_count, 1);
        check_int(report.candidates[0].origin, route_origin(visit->route));
        check_int(report.candidates[0].outcome, file->outcome);
        check_contains(report.candidates[0].message, file->words);
    }
    check_text(report.candidates[0].path, path);
    check(report.candidates[0].message[0] != '\0');
    check(!strpbrk(report.candidates[0].message, "\r\n%"));
    check_contains(report.reason, path);
    check_contains(report.advice, file->advice);
}

static void load_all(enum route route)
{
    unsigned failures = 0;

    for (size_t i = 0; i < COUNT(files); i++) {
        const struct visit visit = {&files[i], route};
        failures += !child_passes(files[i].name, load_file, &visit);
    }
    assert_int_equal(failures, 0);
}

static void every_file_is_told_apart_by_option(void **state)
{
    (void)state;
    load_all(ROUTE_OPTION);
}

static void every_file_is_told_apart_by_environment(void **state)
{
    (void)state;
    load_all(ROUTE_ENVIRONMENT);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_told_apart_by_option),
        cmocka_unit_test(every_file_is_told_apart_by_environment),
    };

    if (argc != 2)
        return EXIT_FAILURE;
    snprintf(zoo_driver, sizeof zoo_driver, "%s/complete.dll", argv[1]);
    snprintf(zoo_program, sizeof zoo_program, "%s/program.exe", argv[1]);
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
