/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers in which a function's name is that of something else: no call goes there, but is told why.
 *
 *     zoo_vain_test FOLDER_OF_THE_ZOO KIND...
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/cushim.h>

#include "tests/support/child.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *zoo;
static char **kinds;
static unsigned tried, refused;

/* What comes of a load, by the kind of thing and by its name. */
static const struct kind {
    const char *name;
    CUresult codes[3]; /* of the load, in the order of the functions below */
    CUresult answer;   /* of cuEventQuery, if the load succeeds with that one of the kind */
} all[] = {
    {"data", {303, 303, 303}, 0},
    {"constant", {303, 303, 303}, 0},
    {"common", {303, 303, 303}, 0},
    {"threads", {303, 303, 303}, 0},
    {"number", {303, 303, 303}, 0},
    {"number-as-function", {303, 303, 303}, 0},
    {"weak", {0, 0, 0}, 600},
    {"indirect", {0, 0, 0}, 600},
    {"indirect-nothing", {302, 302, 0}, 36},
    {"untyped", {0, 999, 0}, 0}, /* it answers 0, and writes nothing */
};

static const char *const functions[] = {"cuInit", "cuDriverGetVersion", "cuEventQuery"};

static struct {
    const struct kind *kind;
    size_t function;
} visit;

static void load(const void *path)
{
    const struct cushim_load_options options = {.size = sizeof options, .library = path};
    const CUresult code = visit.kind->codes[visit.function];
    struct cushim_report report = {.size = sizeof report};
    char words[128];

    check_int(cushim_load(&options), code);
    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_int(report.code, code);
    snprintf(words, sizeof words, "%s is no function (at 0x", functions[visit.function]);
    if (code == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED) {
        check_int(report.candidates[0].outcome, CUSHIM_OUTCOME_DAMAGED);
        check_contains(report.reason, words);
    }
    if (code != CUDA_SUCCESS)
        check_int(cushim_driver()->EventQuery(NULL), code);
    else if (visit.function == 2 && visit.kind->answer)
        check_int(cushim_driver()->EventQuery(NULL), visit.kind->answer);
}

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < COUNT(all); i++) {
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    }
    return NULL;
}

static void what_is_no_function_is_never_called(void **state)
{
    unsigned failures = 0;

    (void)state;
    for (char **kind = kinds; *kind; kind++) {
        visit.kind = find_kind(*kind);
        assert_non_null(visit.kind);
        for (visit.function = 0; visit.function < COUNT(functions); visit.function++) {
            char path[1024];

            snprintf(path, sizeof path, "%s/vain-%s-%s.so", zoo, *kind, functions[visit.function]);
            failures += !child_passes(path, load, path);
            tried++;
            refused += visit.kind->codes[visit.function] != CUDA_SUCCESS;
        }
    }
    assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_function_is_never_called),
    };
    int failed;

    if (argc < 3)
        return EXIT_FAILURE;
    zoo = argv[1];
    kinds = argv + 2;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    fprintf(stderr, "functions that are none: %u tried, %u of them refused, %s\n", tried, refused,
            failed ? "some lost" : "0 crashed");
    return failed;
}
