/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program without a dynamic linker: `static_test DRIVER static|static-pie`. An intact driver is
 * not opened, the report says why, and everything that needs no dynamic linker works. Plain C,
 * because cmocka may exist only as a shared library.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include <cushim/cushim.h>
#include <cushim/table.h>

enum { SKIPPED = 77 };

#define CHECK(claim) check(claim, #claim, __LINE__)

static void check(bool claim, const char *text, int line)
{
    if (claim)
        return;
    fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, line, text);
    exit(EXIT_FAILURE);
}

/* Whether this process has mapped a file whose path contains this text. */
static bool maps(const char *words)
{
    FILE *file = fopen("/proc/self/maps", "r");
    char line[4096];
    bool found = false;

    CHECK(file != NULL);
    while (fgets(line, sizeof line, file))
        found |= strstr(line, words) != NULL;
    fclose(file);
    return found;
}

static void check_report(enum cushim_origin origin, const char *path)
{
    struct cushim_report *report;
    struct cushim_report_candidate candidate = CUSHIM_REPORT_CANDIDATE_INIT;

    CHECK(cushim_report_create(&report) == CUDA_SUCCESS);
    CHECK(cushim_report_state(report) == CUSHIM_STATE_NOT_LOADABLE);
    CHECK(cushim_report_code(report) == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    CHECK(cushim_report_candidate_count(report) == 1);
    CHECK(cushim_report_get_candidate(report, 0, &candidate) == CUDA_SUCCESS);
    CHECK(candidate.origin == origin);
    CHECK(candidate.outcome == CUSHIM_OUTCOME_STATIC_PROGRAM);
    CHECK(strcmp(candidate.path, path) == 0);
    CHECK(strstr(cushim_report_reason(report), "this program is linked statically") != NULL);
    CHECK(strstr(cushim_report_advice(report), "Link this program dynamically") != NULL);
    cushim_report_destroy(report);
}

/* The program's own driver. */
static CUresult CUDAAPI own_init(unsigned int flags)
{
    return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult CUDAAPI own_version(int *version)
{
    *version = 12080;
    return CUDA_SUCCESS;
}

static cushim_function own_symbol(const char *name, void *data)
{
    (void)data;
    return strcmp(name, "cuInit") == 0               ? (cushim_function)own_init
           : strcmp(name, "cuDriverGetVersion") == 0 ? (cushim_function)own_version
                                                     : NULL;
}

int main(int argc, char **argv)
{
    struct cushim_load_options options = {.size = sizeof options};
    int version = 0;

    if (argc != 3)
        return EXIT_FAILURE;
    /* Debian's musl-gcc silently ignores -static-pie. */
    if (getauxval(AT_BASE) != 0 && strcmp(argv[2], "static-pie") == 0) {
        printf("skipped: the compiler makes a dynamic program with -static-pie\n");
        return SKIPPED;
    }
    CHECK(getauxval(AT_BASE) == 0);
    unsetenv("CUSHIM_LIBRARY");
    CHECK(cushim_driver()->Init(0) == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check_report(CUSHIM_ORIGIN_SEARCH, "libcuda.so.1");

    options.library = argv[1];
    CHECK(cushim_driver_load(&options) == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check_report(CUSHIM_ORIGIN_OPTION, argv[1]);
    setenv("CUSHIM_LIBRARY", argv[1], 1);
    CHECK(cushim_driver_load(NULL) == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check_report(CUSHIM_ORIGIN_ENVIRONMENT, argv[1]);
    CHECK(!maps(argv[1]));
    CHECK(!maps("/libc."));

    options.library = NULL;
    options.resolver = own_symbol;
    CHECK(cushim_driver_init(&options) == CUDA_SUCCESS);
    CHECK(cushim_driver()->DriverGetVersion(&version) == CUDA_SUCCESS);
    CHECK(version == 12080);
    return EXIT_SUCCESS;
}
