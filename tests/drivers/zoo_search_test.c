/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What glibc's dynamic linker knows more of its search than it tells: a look at its folders must
 * not say that there is no driver where the linker would find one.
 *
 *     zoo_search_test FOLDER_OF_THE_ZOO [AUDITOR OPENER]
 *
 * With a sanitizer or an emulator there are no auditor and no opener.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include <cushim/cushim.h>

#include "tests/drivers/route.h"
#include "tests/support/child.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define DRIVER "libcuda.so.1"

static const char *zoo, *auditor, *opener;

/* Make a folder in that of the test, with all folders above it. */
static void make_folders(const char *path)
{
    char part[FOLDER_PATH_BYTES];

    for (size_t i = 1; i <= strlen(path); i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        snprintf(part, sizeof part, "%.*s", (int)i, path);
        if (access(folder_path(part), F_OK) != 0)
            folder_subfolder(part);
    }
}

static void make_driver(const char *folder)
{
    char name[FOLDER_PATH_BYTES], target[FOLDER_PATH_BYTES];

    make_folders(folder);
    snprintf(name, sizeof name, "%s/" DRIVER, folder);
    snprintf(target, sizeof target, "%s/complete.so", zoo);
    folder_link(name, target);
}

static struct cushim_report check_loaded(const char *folder)
{
    struct cushim_report report = {.size = sizeof report};

    check_int(cushim_load(NULL), CUDA_SUCCESS);
    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_int(report.candidates[0].origin, CUSHIM_ORIGIN_SEARCH);
    check_contains(report.library, folder);
    return report;
}

/* Start this program anew as one part of this test, for which there is a folder to be searched. */
static void start(const char *part, const char *folder)
{
    const char *const arguments[] = {part, zoo, NULL};

    environment_set("CUSHIM_LIBRARY", NULL);
    route_restart(folder ? folder_path(folder) : NULL, arguments);
}

/* Below a folder of the search. One of the first two is there for each glibc. */
static const char *const subfolders[][2] = {
#if defined(__x86_64__)
    {"glibc-hwcaps/x86-64-v2", "tls"},
    {"glibc-hwcaps/x86-64-v3", "haswell"},
    {"tls/x86_64", "x86_64"},
    {"haswell/avx512_1", "xeon_phi"},
#elif defined(__aarch64__)
    {"glibc-hwcaps/none", "tls"},
    {"tls/aarch64", "atomics"},
#else
    {"glibc-hwcaps/none", "tls"},
#endif
};

/* The linker is asked after cushim, lest it has mapped the driver already. */
static void find_what_the_linker_finds(void)
{
    const CUresult code = cushim_load(NULL);
    const bool is_found = dlopen(DRIVER, RTLD_LAZY) != NULL;

    check_int(code, is_found ? CUDA_SUCCESS : CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
}

static void start_with_subfolders(const void *data)
{
    start("like-the-linker", data);
}

static void driver_in_a_subfolder_is_found_if_the_linker_finds_it(void **state)
{
    unsigned failures = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(subfolders); i++) {
        char title[16], folder[64];
        snprintf(title, sizeof title, "subfolder-%zu", i);
        for (size_t part = 0; part < COUNT(subfolders[i]); part++) {
            snprintf(folder, sizeof folder, "%s/%s", title, subfolders[i][part]);
            make_driver(folder);
        }
        failures += !child_passes(title, start_with_subfolders, title);
    }
    assert_int_equal(failures, 0);
}

#if defined(__x86_64__)
static void start_with_a_subfolder(const void *data)
{
    (void)data;
    start("subfolder", "subfolder");
}

/* So that the comparison above is not one of two failures. */
static void driver_in_a_subfolder_for_this_processor_is_found(void **state)
{
    (void)state;
    make_driver("subfolder/glibc-hwcaps/x86-64-v2");
    make_driver("subfolder/tls");
    assert_true(child_passes("subfolder", start_with_a_subfolder, NULL));
}
#endif

static void ask(const char *path, struct cushim_report *report)
{
    void *address = dlsym(route_open(path), "zoo_ask");
    CUresult (*function)(struct cushim_report * report);

    check(address != NULL);
    memcpy(&function, &address, sizeof function);
    function(report);
}

static void ask_beside_a_driver(void)
{
    struct cushim_report report;
    const char *path = getenv("ZOO_ASKER");

    check(path != NULL);
    ask(path, &report);
    check_int(report.state, CUSHIM_STATE_LOADED);
    check_contains(report.library, "/beside/" DRIVER);
}

/* The run path of the library says that it looks beside itself. */
static void start_beside_a_driver(const void *data)
{
    (void)data;
    environment_set("ZOO_ASKER", folder_path("beside/asker.so"));
    start("beside", NULL);
}

static void driver_on_the_run_path_of_the_library_that_asks_is_found(void **state)
{
    char path[FOLDER_PATH_BYTES];
    unsigned char *bytes;
    size_t size;

    (void)state;
    if (IS_SANITIZED) {
        print_message("a sanitizer asks the linker in the place of the library\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/asker.so", zoo);
    make_driver("beside");
    bytes = folder_read(path, &size);
    folder_write("beside/asker.so", bytes, size);
    free(bytes);
    assert_true(child_passes("run path", start_beside_a_driver, NULL));
}

static void start_with_an_auditor(const void *data)
{
    (void)data;
    environment_set("ZOO_AUDITED", folder_path("audited/" DRIVER));
    environment_set("LD_AUDIT", auditor);
    start("audited", NULL);
}

static void driver_to_which_an_auditor_leads_is_found(void **state)
{
    (void)state;
    if (!auditor) {
        print_message("no auditor: a sanitizer or an emulator is in its place\n");
        skip();
    }
    if (getenv("LD_PRELOAD")) {
        print_message("what is preloaded, as valgrind's, is not for an auditor's C library\n");
        skip();
    }
    make_driver("audited");
    assert_true(child_passes("auditor", start_with_an_auditor, NULL));
}

static void start_with_an_opener(const void *data)
{
    (void)data;
    environment_set("ZOO_OPENED", folder_path("opened/" DRIVER));
    environment_set("LD_PRELOAD", opener);
    start("opened", NULL);
}

static void driver_that_another_dlopen_opens_is_found(void **state)
{
    (void)state;
    if (!opener) {
        print_message("no other dlopen: a sanitizer or an emulator is in its place\n");
        skip();
    }
    make_driver("opened");
    assert_true(child_passes("opener", start_with_an_opener, NULL));
}

/* Names of folders that the search is told of before that of the driver. */
enum { LONG_NAME = 2000 };

static void start_behind_odd_folders(const void *data)
{
    static char folders[3 * LONG_NAME];
    const char *const arguments[] = {data, zoo, NULL};
    size_t length;

    /* One below a file, and one whose name is longer than a report's: it is a name of `odd`. */
    length = (size_t)snprintf(folders, sizeof folders, "%s/driver/below:%s", folder_path("odd"),
                              folder_path("odd"));
    while (length < LONG_NAME)
        length += (size_t)snprintf(folders + length, sizeof folders - length, "/.");
    environment_set("CUSHIM_LIBRARY", NULL);
    route_restart(folders, arguments);
}

static void find_nothing_as_the_linker_says(void)
{
    struct cushim_report report = {.size = sizeof report};

    check_int(cushim_load(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_int(report.candidates[0].outcome, CUSHIM_OUTCOME_NOT_FOUND);
    /* Of folders that cannot be looked at cushim says nothing itself. */
    check_contains(report.candidates[0].message, DRIVER ": cannot open shared object file");
}

static void of_folders_that_cannot_be_looked_at_the_linker_has_the_last_word(void **state)
{
    (void)state;
    make_folders("odd");
    folder_write("odd/driver", "", 0);
    if (route_search_has_another() || route_linker_finds_one())
        print_message("a driver of this machine would follow one that fails\n");
    else
        assert_true(child_passes("nothing", start_behind_odd_folders, "odd-nothing"));
    make_driver("odd");
    assert_true(child_passes("a driver", start_behind_odd_folders, "odd-driver"));
}

/* Each of these is a process of its own. */
static bool run_part(const char *part)
{
    if (strcmp(part, "like-the-linker") == 0)
        find_what_the_linker_finds();
    else if (strcmp(part, "subfolder") == 0)
        check_loaded("/subfolder/");
    else if (strcmp(part, "odd-nothing") == 0)
        find_nothing_as_the_linker_says();
    else if (strcmp(part, "odd-driver") == 0)
        check_loaded("/odd/");
    else if (strcmp(part, "beside") == 0)
        ask_beside_a_driver();
    else if (strcmp(part, "audited") == 0)
        check_loaded("/audited/");
    else if (strcmp(part, "opened") == 0)
        check_loaded("/opened/");
    else
        return false;
    child_end();
    return true;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driver_in_a_subfolder_is_found_if_the_linker_finds_it),
#if defined(__x86_64__)
        cmocka_unit_test(driver_in_a_subfolder_for_this_processor_is_found),
#endif
        cmocka_unit_test(of_folders_that_cannot_be_looked_at_the_linker_has_the_last_word),
        cmocka_unit_test(driver_on_the_run_path_of_the_library_that_asks_is_found),
        cmocka_unit_test(driver_to_which_an_auditor_leads_is_found),
        cmocka_unit_test(driver_that_another_dlopen_opens_is_found),
    };

    if (argc < 2 || run_part(argv[1]))
        return EXIT_FAILURE;
    zoo = argv[1];
    auditor = argc > 2 ? argv[2] : NULL;
    opener = argc > 3 ? argv[3] : NULL;
    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
