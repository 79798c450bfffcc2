/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What LD_PRELOAD and LD_AUDIT may bring into a process: a driver, half a driver, and a library that
 * stands before each function of the C library by which a driver is looked for.
 *
 *     zoo_preload_test FOLDER_OF_THE_ZOO INTERPOSER AUDITOR
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/cushim.h>

#include "tests/drivers/route.h"
#include "tests/support/child.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define DRIVER "libcuda.so.1"

static const char *zoo, *interposer, *auditor;
static unsigned tried, lost;

/* --- in the process that was started --- */

/* The code of a load, by which everything else has to go. */
static void check_answers(CUresult code)
{
    static struct cushim_report report = {.size = sizeof report};
    const CUresult answer = cushim_driver()->EventQuery(NULL);
    char text[4096];

    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_int(report.code, code);
    check_int(report.state == CUSHIM_STATE_LOADED, code == CUDA_SUCCESS);
    check(code == CUDA_SUCCESS ? (int)answer > 100000 || (int)answer == 36 || (int)answer == -1
                               : answer == code);
    check(cushim_report_text(&report, text, sizeof text) > 0);
    check(code == CUDA_SUCCESS || report.reason[0]);
}

/* Called by the interposer, also in the middle of a load. */
void zoo_reenter(void);

static unsigned reentered;
static bool is_ready;
static struct cushim_load_options reentry = {.size = sizeof reentry};

__attribute__((visibility("default"))) void zoo_reenter(void)
{
    static struct cushim_report report = {.size = sizeof report};
    int devices;

    if (!is_ready)
        return; /* the start of the program is not this test's */
    reentered++;
    cushim_driver()->DeviceGetCount(&devices);
    cushim_load(&reentry);
    cushim_report_get(&report);
}

static void check_words(const char *words)
{
    struct cushim_report report = {.size = sizeof report};

    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_contains(report.reason, words);
}

static void check_mapped(const char *path)
{
    struct cushim_report report = {.size = sizeof report};

    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_int(report.candidates[0].origin, CUSHIM_ORIGIN_MAPPED);
    check_text(report.library, path);
}

/* By a path of the zoo's, or by the search, which finds the complete driver. */
static void load(const char *library)
{
    const struct cushim_load_options options = {.size = sizeof options, .library = library};
    const char *expected = getenv("ZOO_EXPECTED");
    CUresult code;

    reentry.library = library;
    is_ready = true;
    code = cushim_load(&options);
    is_ready = false;
    /* Nothing has been tried then, or what was called first has loaded what nobody asks for here. */
    if (code != CUDA_ERROR_OUT_OF_MEMORY && code != CUDA_ERROR_NOT_PERMITTED)
        check_answers(code);
    if (expected)
        check_int((int)code, atoi(expected));
    if (getenv("ZOO_WORDS"))
        check_words(getenv("ZOO_WORDS"));
    check(!getenv("ZOO_REENTERS") || reentered > 0);
    if (getenv("ZOO_MAPPED"))
        check_mapped(getenv("ZOO_MAPPED"));
}

static bool run_part(const char *part)
{
    if (strcmp(part, "by-search") == 0)
        load(NULL);
    else if (strcmp(part, "by-path") == 0)
        load(getenv("ZOO_DRIVER"));
    else if (strcmp(part, "in-vain") == 0)
        load(getenv("ZOO_NO_DRIVER"));
    else
        return false;
    child_end();
    return true;
}

/* --- in the test --- */

/* A folder where the search finds the complete driver. */
static int make_folder(void **state)
{
    char path[FOLDER_PATH_BYTES];

    folder_create(state);
    folder_subfolder("search");
    snprintf(path, sizeof path, "%s/complete.so", zoo);
    folder_link("search/" DRIVER, path);
    return 0;
}

struct attack {
    const char *name, *preload, *audit, *how; /* the last is what the library is told */
    const char *expected; /* code of a load by the search or by a path; NULL: any */
    const char *words;    /* of the reason, or NULL */
    bool is_mapped;       /* what is preloaded is what the search has to come to */
    const char *reenters; /* the part in which the program is entered again, for certain */
};

static const struct attack *attack;

static void start(const void *part)
{
    const char *const arguments[] = {part, zoo, NULL};
    char driver[FOLDER_PATH_BYTES], no_driver[FOLDER_PATH_BYTES];

    snprintf(driver, sizeof driver, "%s/complete.so", zoo);
    snprintf(no_driver, sizeof no_driver, "%s/unresolved.so", zoo);
    environment_set("CUSHIM_LIBRARY", NULL);
    environment_set("ZOO_DRIVER", driver);
    environment_set("ZOO_NO_DRIVER", no_driver);
    environment_set("ZOO_EXPECTED", strcmp(part, "in-vain") == 0 ? NULL : attack->expected);
    environment_set("ZOO_MAPPED",
                    attack->is_mapped && strcmp(part, "by-search") == 0 ? attack->preload : NULL);
    environment_set("ZOO_WORDS", attack->words);
    environment_set("ZOO_REENTERS", strcmp(part, attack->reenters) == 0 ? "yes" : NULL);
    environment_set("ZOO_INTERPOSE", attack->how);
    environment_set("ZOO_AUDIT", attack->how);
    environment_set("LD_PRELOAD", attack->preload);
    environment_set("LD_AUDIT", attack->audit);
    route_restart(folder_path("search"), arguments);
}

static unsigned try(const struct attack *one)
{
    static const char *const parts[] = {"by-search", "by-path", "in-vain"};
    unsigned failures = 0;

    attack = one;
    for (size_t i = 0; i < COUNT(parts); i++) {
        char title[256];

        snprintf(title, sizeof title, "%s %s", one->name, parts[i]);
        failures += !child_passes(title, start, parts[i]);
        tried++;
    }
    lost += failures;
    return failures;
}

/* A function of the C library, and the codes of a load if it fails, and if it is odd: `any` may be
 * different by the search and by a path, `-` is not tried. */
static const struct {
    const char *function, *fails, *odd;
} functions[] = {
    {"dlopen", "303", "302"}, {"dlsym", "302", "-1"},        {"dlerror", "0", "0"},
    {"dlinfo", "0", "-"},     {"dl_iterate_phdr", "0", "0"}, {"malloc", "303", "-"},
    {"mmap", "2", "-"},       {"munmap", "0", "-"},          {"mprotect", "0", "-"},
    {"open", "any", "-"},     {"pread", "303", "0"},         {"fstat", "any", "303"},
    {"stat", "0", "0"},       {"access", "0", "0"},          {"secure_getenv", "0", "any"},
    {"getauxval", "0", "-"},  {"getpid", "0", "3"},          {"sysconf", "0", "0"},
};

static unsigned try_function(const char *function, const char *way, const char *expected)
{
    char how[64];
    struct attack one = {.name = how, .preload = interposer, .how = how, .reenters = ""};

    if (strcmp(expected, "-") == 0)
        return 0;
    snprintf(how, sizeof how, "%s:%s", function, way);
    if (strcmp(way, "reenter") == 0)
        one.reenters = strcmp(function, "dlerror") == 0 ? "in-vain" : "by-search";
    if (strcmp(how, "pread:fail") == 0)
        one.words = ": the file cannot be read: ";
    one.expected = strcmp(expected, "any") == 0 ? NULL : expected;
    return try(&one);
}

static void no_function_of_the_c_library_brings_the_process_down(void **state)
{
    unsigned failures = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(functions); i++) {
        failures += try_function(functions[i].function, "reenter", "0");
        failures += try_function(functions[i].function, "fail", functions[i].fails);
        failures += try_function(functions[i].function, "odd", functions[i].odd);
    }
    assert_int_equal(failures, 0);
}

static void driver_that_is_preloaded_is_the_one_that_is_found(void **state)
{
    char path[FOLDER_PATH_BYTES];
    struct attack one = {
        .name = "a driver", .preload = path, .expected = "0", .is_mapped = true, .reenters = ""};

    (void)state;
    snprintf(path, sizeof path, "%s/complete.so", zoo);
    assert_int_equal(try(&one), 0);
    /* Its symbols stand before those of the driver that is loaded by its path. */
    snprintf(path, sizeof path, "%s/only-required.so", zoo);
    one.name = "another driver";
    assert_int_equal(try(&one), 0);
}

/* What calls itself libcuda.so.1 is that one to the linker, too, whatever the search would find. */
static void half_a_driver_that_is_preloaded_is_none(void **state)
{
    static const char *const halves[] = {"no-init", "no-version", "stub", "version-999"};
    unsigned failures = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(halves); i++) {
        char path[FOLDER_PATH_BYTES];
        const struct attack one = {.name = halves[i], .preload = path, .reenters = ""};

        snprintf(path, sizeof path, "%s/%s.so", zoo, halves[i]);
        failures += try(&one);
    }
    assert_int_equal(failures, 0);
}

static void no_auditor_brings_the_process_down(void **state)
{
    static const struct {
        const char *what, *expected;
    } ways[] = {
        {"hide", "303"},  {"folder", "303"}, {"long", "303"},
        {"other", "302"}, {"refuse", "-1"},  {"silent", "0"},
    };
    unsigned failures = 0;

    (void)state;
    if (getenv("LD_PRELOAD")) {
        print_message("what is preloaded, as valgrind's, is not for an auditor's C library\n");
        skip();
    }
    for (size_t i = 0; i < COUNT(ways); i++) {
        const struct attack one = {.name = ways[i].what,
                                   .audit = auditor,
                                   .how = ways[i].what,
                                   .expected = ways[i].expected,
                                   .reenters = ""};

        failures += try(&one);
    }
    assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_function_of_the_c_library_brings_the_process_down),
        cmocka_unit_test(driver_that_is_preloaded_is_the_one_that_is_found),
        cmocka_unit_test(half_a_driver_that_is_preloaded_is_none),
        cmocka_unit_test(no_auditor_brings_the_process_down),
    };
    int failed;

    if (argc < 3 || run_part(argv[1]))
        return EXIT_FAILURE;
    zoo = argv[1];
    interposer = argv[2];
    auditor = argc > 3 ? argv[3] : NULL;
    failed = cmocka_run_group_tests(tests, make_folder, folder_remove);
    fprintf(stderr, "libraries that are preloaded: %u tried, %u lost\n", tried, lost);
    return failed;
}
