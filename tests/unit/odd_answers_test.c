/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers that answer what no driver answers: codes that there are not, and versions. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "fake.h"
#include "forked.h"
#include "loader/codes.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const int odd_codes[] = {-1, INT_MIN, INT_MIN + 1, INT_MAX, 99999, -303, 256, -100, 65536};
static const int odd_versions[] = {0, -1, -13000, INT_MIN, 1, 9, 999, INT_MAX};

static struct fake_source source;
static int value, asked, tried;

/* --- in a child: which claim is broken, or 0 --- */

static int judge_cu_init(void)
{
    struct cushim_report report;

    fake.init_code = (CUresult)value;
    if (fake_load(&source) != CUDA_SUCCESS || cushim_init(NULL) != (CUresult)value)
        return 1;
    report = fake_report();
    if (report.state != CUSHIM_STATE_INIT_FAILED || (int)report.code != value)
        return 2;
    if (!strstr(report.reason, "but cuInit returned") || !report.advice[0])
        return 3;
    if (report.init_process != 0 || fake_query() != (CUresult)FAKE_ANSWER)
        return 4;
    fake.init_code = CUDA_SUCCESS;
    if (cushim_init(NULL) != CUDA_SUCCESS)
        return 5;
    return fake_report().state == CUSHIM_STATE_READY ? 0 : 6;
}

static int judge_version_code(void)
{
    struct cushim_report report;

    fake.version_code = (CUresult)value;
    if (fake_load(&source) != (CUresult)value || fake_query() != (CUresult)value)
        return 1;
    report = fake_report();
    if (report.state != CUSHIM_STATE_DRIVER_ERROR || (int)report.code != value)
        return 2;
    if (report.driver_version != 0 || report.library[0])
        return 3;
    fake.version_code = CUDA_SUCCESS;
    return fake_load(&source) == CUDA_SUCCESS ? 0 : 4;
}

static CUresult CUDAAPI tell_value(int *version)
{
    *version = value;
    return CUDA_SUCCESS;
}

static cushim_function resolve_with_version(const char *symbol, void *data)
{
    return strcmp(symbol, "cuDriverGetVersion") == 0 ? (cushim_function)tell_value
                                                     : fake_resolve(symbol, data);
}

static int judge_version(void)
{
    const struct cushim_load_options options = {
        .size = sizeof options,
        .resolver = resolve_with_version,
        .resolver_data = &source,
    };
    const CUresult code = value > 0 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
    struct cushim_report report;
    char text[8192];

    if (cushim_load(&options) != code || cushim_init(&options) != code)
        return 1;
    report = fake_report();
    if (report.state != (value > 0 ? CUSHIM_STATE_READY : CUSHIM_STATE_DRIVER_ERROR))
        return 2;
    if (report.driver_version != (value > 0 ? value : 0))
        return 3;
    return cushim_report_text(&report, text, sizeof text) > 0 &&
                   cushim_report_json(&report, text, sizeof text) > 0
               ? 0
               : 4;
}

/* Each way in which cuGetProcAddress_v2 may find nothing though it says that it has succeeded, and
 * in which it may fail though it has found something. */
static const struct finding {
    CUresult code;
    int status;
    bool is_found, is_written;
} findings[] = {
    {CUDA_SUCCESS, 0, false, true},      {CUDA_SUCCESS, -1, true, true},
    {CUDA_SUCCESS, INT_MIN, true, true}, {CUDA_SUCCESS, INT_MAX, true, true},
    {CUDA_SUCCESS, 3, true, true},       {CUDA_SUCCESS, 0, false, false},
    {(CUresult)-1, 0, true, true},       {(CUresult)INT_MIN, 0, true, true},
    {(CUresult)99999, 0, true, true},    {(CUresult)INT_MAX, INT_MIN, true, true},
    {(CUresult)-1, 0, false, false},
};

static CUresult CUDAAPI get_proc_address(const char *base, void **function, int version,
                                         uint64_t flags, int *status)
{
    const struct finding *finding = &findings[value];
    const cushim_function found = (cushim_function)fake_query;

    (void)base;
    (void)version;
    (void)flags;
    asked++;
    if (finding->is_written) {
        *function = NULL;
        if (finding->is_found)
            memcpy(function, &found, sizeof found);
        *status = finding->status;
    }
    return finding->code;
}

static cushim_function resolve_with_proc_address(const char *symbol, void *data)
{
    return strcmp(symbol, "cuGetProcAddress_v2") == 0 ? (cushim_function)get_proc_address
                                                      : fake_resolve(symbol, data);
}

static int judge_proc_address(void)
{
    const struct cushim_load_options options = {
        .size = sizeof options,
        .resolver = resolve_with_proc_address,
        .resolver_data = &source,
    };

    if (cushim_load(&options) != CUDA_SUCCESS || asked == 0)
        return 1;
    if (fake_report().symbols.core.by_proc_address != 0)
        return 2;
    if (cushim_driver()->MemAlloc_v2(NULL, 1) != CUSHIM__REQUIRES_NEWER_DRIVER)
        return 3;
    return cushim_symbol_missed(symbol_number("cuMemAlloc_v2")) ? 0 : 4;
}

/* --- */

static void try_values(const char *what, int (*judge)(void), const int *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int broken;

        value = values[i];
        broken = forked_answer(judge);
        tried++;
        if (broken)
            fail_msg("%s %d breaks claim %d", what, value, broken);
    }
}

static void every_code_of_cu_init_is_told_as_a_failure(void **state)
{
    (void)state;
    try_values("code of cuInit", judge_cu_init, odd_codes, COUNT(odd_codes));
}

static void every_code_of_cu_driver_get_version_is_what_calls_return(void **state)
{
    (void)state;
    try_values("code of cuDriverGetVersion", judge_version_code, odd_codes, COUNT(odd_codes));
}

static void every_version_above_zero_is_taken_and_no_other(void **state)
{
    (void)state;
    try_values("version", judge_version, odd_versions, COUNT(odd_versions));
}

static void proc_address_of_two_minds_is_not_believed(void **state)
{
    (void)state;
    for (value = 0; value < (int)COUNT(findings); value++) {
        const int broken = forked_answer(judge_proc_address);

        tried++;
        if (broken)
            fail_msg("answer %d of cuGetProcAddress_v2 breaks claim %d", value, broken);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_of_cu_init_is_told_as_a_failure),
        cmocka_unit_test(every_code_of_cu_driver_get_version_is_what_calls_return),
        cmocka_unit_test(every_version_above_zero_is_taken_and_no_other),
        cmocka_unit_test(proc_address_of_two_minds_is_not_believed),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);

    fprintf(stderr, "odd answers of a driver: %d tried, %d tests lost\n", tried, failed);
    return failed;
}
