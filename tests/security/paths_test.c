/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths of a driver that could refer to other files than they seem to, from an option and from the
 * variable. A path that is not absolute is refused, even if it would find a driver. All other paths
 * are taken literally.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include <cushim/cushim.h>

#include "tests/support/child.h"
#include "tests/support/cmocka.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"
#include "tests/support/library.h"

static const char *driver;
static unsigned tried;

struct visit {
    const char *path;
    enum cushim_outcome outcome;
    const char *message;
    bool by_variable;
};

/* In the folder where each of the relative paths would find a driver. */
static void load(const void *data)
{
    const struct visit *visit = data;
    struct cushim_report *report;
    struct cushim_report_candidate candidate = CUSHIM_REPORT_CANDIDATE_INIT;
    struct cushim_load_options options = {.size = sizeof options};
    CUresult code;

    environment_set("HOME", folder_path(""));
    environment_set("CUSHIM_LIBRARY", visit->by_variable ? visit->path : NULL);
    options.library = visit->by_variable ? NULL : visit->path;
    check(chdir(folder_path("")) == 0);
    code = cushim_driver_load(&options);
    check_int(cushim_report_create(&report), CUDA_SUCCESS);
    check_int(cushim_report_candidate_count(report), 1);
    check_int(cushim_report_get_candidate(report, 0, &candidate), CUDA_SUCCESS);
    check_int(candidate.outcome, visit->outcome);
    check_contains(candidate.message, visit->message);
    cushim_report_destroy(report);
    check_int(code, visit->outcome == CUSHIM_OUTCOME_LOADED ? CUDA_SUCCESS
                                                            : CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
}

static void try_both(const char *path, enum cushim_outcome outcome, const char *message)
{
    struct visit visit = {path, outcome, message, false};

    assert_true(child_passes(path, load, &visit));
    visit.by_variable = true;
    assert_true(child_passes(path, load, &visit));
    tried += 2;
}

TEST_ALONE(paths_that_begin_elsewhere_are_refused)
{
    static const char *const paths[] = {
        "libcuda.so.1",
        "./libcuda.so.1",
        "~/libcuda.so.1",
        "~root/libcuda.so.1",
        "../libcuda.so.1",
        ".",
        "..",
        " ",
        "\n",
        "\nlibcuda.so.1",
        "$HOME/libcuda.so.1",
        "$ORIGIN/libcuda.so.1",
        "file:///libcuda.so.1",
        "\\libcuda.so.1",
        "libcuda.so.1\n",
        "C:\\libcuda.so.1",
    };

    for (size_t i = 0; i < COUNT(paths); i++)
        try_both(paths[i], CUSHIM_OUTCOME_REFUSED, "the path is not absolute");
    try_both("", CUSHIM_OUTCOME_REFUSED, "empty");
}

/* Copy the driver to a folder with this name. */
static const char *install(const char *folder)
{
    char name[64];
    size_t size;
    unsigned char *bytes = folder_read(driver, &size);
    const char *path;

    folder_subfolder(folder);
    snprintf(name, sizeof name, "%s/libcuda.so.1", folder);
    path = folder_write(name, bytes, size);
    free(bytes);
    return path;
}

/* dlopen() may replace these words by a folder; cushim must open the same file as dlopen(). */
TEST_ALONE(paths_with_origin_lib_or_platform_lead_where_dlopen_leads)
{
    static const char *const folders[] = {"$ORIGIN", "${LIB}", "a$LIB", "$LIBRARY", "$PLATFORM"};

    for (size_t i = 0; i < COUNT(folders); i++) {
        const char *path = install(folders[i]);
        void *library = library_open(path);

        if (library) {
            library_close(library);
            try_both(path, CUSHIM_OUTCOME_LOADED, "");
        } else {
            try_both(path, CUSHIM_OUTCOME_NOT_FOUND, "No such file or directory");
        }
    }
}

/* Only the file of exactly that name is opened. */
TEST_ALONE(odd_names_are_taken_as_they_are)
{
    static const char *const folders[] = {
        "with a blank", "new\nline",  "dollar$",    "$HOME",  "${HOME}",  "~",    "-option",
        "co:lon",       "semi;colon", "\x1b[2Jtty", "%s%n%d", "\xff\xfe", "plain"};

    for (size_t i = 0; i < COUNT(folders); i++)
        try_both(install(folders[i]), CUSHIM_OUTCOME_LOADED, "");
}

TEST_ALONE(paths_that_are_too_long_are_refused)
{
    char path[70000];

    memset(path, '/', sizeof path);
    for (size_t length = CUSHIM_REPORT_PATH_BYTES; length < sizeof path; length *= 2) {
        path[length] = '\0';
        try_both(path, CUSHIM_OUTCOME_REFUSED, "the path is too long");
        path[length] = '/';
    }
}

static int setup(void **state)
{
    folder_create(state);
    folder_link("libcuda.so.1", driver);
    return 0;
}

static int report(void **state)
{
    fprintf(stderr, "paths: %u tried, 0 led elsewhere, 0 crashed\n", tried);
    return folder_remove(state);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return EXIT_FAILURE;
    driver = argv[1];
    return run_all_tests(setup, report);
}
