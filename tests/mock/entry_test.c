/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuGetProcAddress and cuGetProcAddress_v2: statements 5 and 6, and the same results as the drivers
 * 470, 525, 555 and 580 gave; and the mock as a source of symbols.
 */
#include <stdio.h>
#include <string.h>

#include <cushim/driver.h>

#include "loader/symbols.h"
#include "loader/versions.h"
#include "src/base/system.h"
#include "tests/mock/fixture.h"
#include "tests/support/symbols.h"

enum { FOUND, UNKNOWN_NAME, TOO_OLD };

/* The function in the mock's table for a symbol; NULL for the name NULL. */
static void *function_of(const char *symbol)
{
    void *function = NULL;

    if (symbol)
        memcpy(&function,
               (const char *)driver + sizeof(size_t) + symbol_number(symbol) * sizeof function,
               sizeof function);
    return function;
}

struct question {
    const char *name;
    int version;
    cuuint64_t flags;
    int status;
    const char *symbol; /* the function that is found; NULL: none */
};

/* Make the lookups with both versions of the call, before cuInit. */
static void ask(const struct question *questions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct question *q = &questions[i];
        void *untouched = &untouched, *found = untouched;
        cushim_CUdriverProcAddressQueryResult status = (cushim_CUdriverProcAddressQueryResult)77;
        const CUresult code =
            driver->GetProcAddress_v2(q->name, &found, q->version, q->flags, &status);

        if (code != CUDA_SUCCESS || (int)status != q->status || found != function_of(q->symbol))
            fail_msg("v2: %s %d %d: %d, status %d", q->name, q->version, (int)q->flags, (int)code,
                     (int)status);
        found = untouched;
        CODE(q->status == FOUND ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND,
             driver->GetProcAddress(q->name, &found, q->version, q->flags));
        assert_ptr_equal(found, q->status == FOUND ? function_of(q->symbol) : untouched);
    }
}

#define ASK(...)                                \
    ask((const struct question[]){__VA_ARGS__}, \
        sizeof((const struct question[]){__VA_ARGS__}) / sizeof(struct question))

static void version_that_is_asked_for_chooses_the_abi(void **state)
{
    (void)state;
    bare_create("");
    ASK({"cuEventElapsedTime", 12070, 0, FOUND, "cuEventElapsedTime"},
        {"cuEventElapsedTime", 12080, 0, FOUND, "cuEventElapsedTime_v2"},
        {"cuCtxCreate", 13000, 0, FOUND, "cuCtxCreate_v4"},
        {"cuCtxCreate", 12000, 0, FOUND, "cuCtxCreate_v3"},
        {"cuCtxCreate", 3020, 0, FOUND, "cuCtxCreate_v2"},
        {"cuCtxCreate", 2000, 0, FOUND, "cuCtxCreate"},
        {"cuStreamGetCtx", 12080, 0, FOUND, "cuStreamGetCtx_v2"},
        {"cuStreamGetCtx", 12000, 0, FOUND, "cuStreamGetCtx"},
        {"cuMemAlloc", 12000, 0, FOUND, "cuMemAlloc_v2"},
        {"cuGetProcAddress", 11030, 0, FOUND, "cuGetProcAddress"},
        {"cuGetProcAddress", 12000, 0, FOUND, "cuGetProcAddress_v2"},
        {"cuGLGetDevices", 5000, 0, FOUND, "cuGLGetDevices"},
        {"cuGLGetDevices", 12000, 0, FOUND, "cuGLGetDevices_v2"});
}

static void name_that_is_unknown_or_too_new_for_the_version_is_not_found(void **state)
{
    (void)state;
    bare_create("");
    ASK({"cuNope", 13000, 0, UNKNOWN_NAME, NULL}, {"", 13000, 0, UNKNOWN_NAME, NULL},
        {"cuinit", 13000, 0, UNKNOWN_NAME, NULL}, {"cudaMalloc", 13000, 0, UNKNOWN_NAME, NULL},
        {"cuEventElapsedTime_v2", 13000, 0, UNKNOWN_NAME, NULL},
        {"cuEventRecord_ptsz", 13000, 0, UNKNOWN_NAME, NULL}, {"cuInit", 0, 0, TOO_OLD, NULL},
        {"cuInit", 1000, 0, TOO_OLD, NULL}, {"cuMemAllocAsync", 11010, 0, TOO_OLD, NULL},
        {"cuGreenCtxCreate", 12030, 0, TOO_OLD, NULL});
    if (cushim__system_is_windows)
        ASK({"cuWGLGetDevice", 13000, 0, FOUND, "cuWGLGetDevice"});
    else
        ASK({"cuWGLGetDevice", 13000, 0, UNKNOWN_NAME, NULL});
}

static void per_thread_flag_chooses_the_twin_where_there_is_one(void **state)
{
    (void)state;
    bare_create("");
    ASK({"cuEventRecord", 12000, 0, FOUND, "cuEventRecord"},
        {"cuEventRecord", 12000, 1, FOUND, "cuEventRecord"},
        {"cuEventRecord", 12000, 2, FOUND, "cuEventRecord_ptsz"},
        {"cuEventRecord", 12000, 3, FOUND, "cuEventRecord_ptsz"},
        {"cuEventRecord", 6050, 2, TOO_OLD, NULL},
        {"cuEventRecord", 6050, 1, FOUND, "cuEventRecord"},
        {"cuMemcpyHtoD", 12000, 2, FOUND, "cuMemcpyHtoD_v2_ptds"},
        {"cuMemcpyHtoD", 6050, 2, TOO_OLD, NULL},
        {"cuStreamBeginCapture", 10000, 2, FOUND, "cuStreamBeginCapture_ptsz"},
        {"cuStreamBeginCapture", 12000, 2, FOUND, "cuStreamBeginCapture_v2_ptsz"},
        {"cuMemAlloc", 12000, 2, FOUND, "cuMemAlloc_v2"}, {"cuInit", 12000, 2, FOUND, "cuInit"},
        {"cuNope", 12000, 2, UNKNOWN_NAME, NULL});
}

static void newer_version_than_the_drivers_is_refused_by_13_0_and_not_by_12_5(void **state)
{
    void *found = &found;
    cushim_CUdriverProcAddressQueryResult status = (cushim_CUdriverProcAddressQueryResult)77;

    (void)state;
    bare_create("");
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetProcAddress_v2("cuInit", &found, 13010, 0, &status));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetProcAddress_v2("cuNope", &found, 99000, 0, &status));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetProcAddress("cuInit", &found, 13010, 0));
    assert_ptr_equal(found, &found);
    assert_int_equal(status, 77);
    ASK({"cuInit", -1, 0, FOUND, "cuInit"}, {"cuCtxCreate", 13000, 0, FOUND, "cuCtxCreate_v4"});
    bare_end();
    bare_create("driver_version = 12.5");
    ASK({"cuInit", 99000, 0, FOUND, "cuInit"}, {"cuInit", -1, 0, FOUND, "cuInit"},
        {"cuEventElapsedTime", 12080, 0, FOUND, "cuEventElapsedTime"},
        {"cuCtxCreate", 13000, 0, FOUND, "cuCtxCreate_v4"},
        {"cuNope", 99000, 0, UNKNOWN_NAME, NULL},
        {"cuStreamGetDevice", 12080, 0, UNKNOWN_NAME, NULL});
}

static void symbols_that_the_driver_lacks_are_unknown_to_it(void **state)
{
    (void)state;
    bare_create("driver_version = 12.0");
    ASK({"cuGreenCtxCreate", 12000, 0, UNKNOWN_NAME, NULL},
        {"cuCtxCreate", 12050, 0, FOUND, "cuCtxCreate_v3"},
        {"cuStreamGetCaptureInfo", 12030, 2, FOUND, "cuStreamGetCaptureInfo_v2_ptsz"});
}

static void version_chooses_between_functions_that_came_after_13_0(void **state)
{
    (void)state;
    bare_create("driver_version = 13.5");
    ASK({"cuLaunchHostFunc", 13010, 0, FOUND, "cuLaunchHostFunc"},
        {"cuLaunchHostFunc", 13020, 0, FOUND, "cuLaunchHostFunc_v2"},
        {"cuLaunchHostFunc", 13020, 2, FOUND, "cuLaunchHostFunc_v2_ptsz"},
        {"cuGraphAddNode", 13030, 0, FOUND, "cuGraphAddNode_v2"},
        {"cuGraphAddNode", 13050, 0, FOUND, "cuGraphAddNode_v3"},
        {"cuGraphGetId", 13000, 0, TOO_OLD, NULL},
        {"cuGraphGetId", 13010, 0, FOUND, "cuGraphGetId"});
    bare_end();
    bare_create("driver_version = 13.0");
    ASK({"cuLaunchHostFunc", 13000, 0, FOUND, "cuLaunchHostFunc"},
        {"cuGraphGetId", 13000, 0, UNKNOWN_NAME, NULL});
}

static void unknown_flags_are_refused_before_anything_is_looked_up(void **state)
{
    static const cuuint64_t flags[] = {4, 8, 0x80000000u, UINT64_C(1) << 32, UINT64_MAX};
    void *found = &found;
    cushim_CUdriverProcAddressQueryResult status = (cushim_CUdriverProcAddressQueryResult)77;

    (void)state;
    bare_create("");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        CODE(CUDA_ERROR_INVALID_VALUE,
             driver->GetProcAddress_v2("cuInit", &found, 12000, flags[i], &status));
        CODE(CUDA_ERROR_INVALID_VALUE, driver->GetProcAddress("cuNope", &found, 12000, flags[i]));
    }
    assert_ptr_equal(found, &found);
    assert_int_equal(status, 77);
}

static void status_need_not_be_asked_for(void **state)
{
    void *found = NULL;

    (void)state;
    bare_create("");
    OK(driver->GetProcAddress_v2("cuInit", &found, 12000, 0, NULL));
    assert_ptr_equal(found, function_of("cuInit"));
    OK(driver->GetProcAddress_v2("cuNope", &found, 12000, 0, NULL));
    assert_null(found);
}

static void null_where_the_driver_crashes_is_a_misuse(void **state)
{
    void *found = &found;

    (void)state;
    bare_create("");
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetProcAddress(NULL, &found, 12000, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetProcAddress_v2("cuInit", NULL, 12000, 0, NULL));
    assert_int_equal(fixture_state().misuses, 2);
    assert_string_equal(fixture_misuse(0), "cuGetProcAddress: the name is NULL");
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(fixture_mock));
    bare_create("");
}

static void keep_line(void *data, const char *line)
{
    struct {
        unsigned count;
        char last[400];
    } *kept = data;

    kept->count++;
    snprintf(kept->last, sizeof kept->last, "%s", line);
}

static void runtime_that_asks_for_private_tables_is_reported_once(void **state)
{
    struct {
        unsigned count;
        char last[400];
    } kept = {0};
    const CUuuid id = {{1, 2, 3}};
    const void *found = &found;

    (void)state;
    bare_create("");
    cushim_mock_log_set(fixture_mock, keep_line, &kept);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetExportTable(NULL, &id));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetExportTable(&found, NULL));
    assert_ptr_equal(found, &found);
    assert_int_equal(kept.count, 0);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetExportTable(&found, &id));
    assert_null(found);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetExportTable(&found, &id));
    assert_int_equal(kept.count, 1);
    assert_non_null(strstr(kept.last, "NVIDIA's CUDA runtime"));
    cushim_mock_log_set(fixture_mock, NULL, NULL);
}

static void handle_that_never_was_one_in_a_newer_abi_names_the_driver_before_it(void **state)
{
    CUdevice device;

    (void)state;
    bare_create("");
    OK(driver->Init(0));
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->CtxGetDevice_v2(&device, (CUcontext)(uintptr_t)0x1234));
    assert_string_equal(
        fixture_misuse(0),
        "cuCtxGetDevice_v2: 0x1234 is not the handle of a context; if the program means "
        "cuCtxGetDevice, it wants a driver before CUDA 13.0: driver_version = 12.9");
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->StreamQuery((CUstream)(uintptr_t)0x1234));
    assert_string_equal(fixture_misuse(1), "cuStreamQuery: 0x1234 is not the handle of a stream");
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(fixture_mock));
    bare_create("");
}

/* The mock as a source of symbols: it provides exactly the exports of a driver of its version. */

static const struct version {
    const char *settings;
    int number;
} versions[] = {
    {"driver_version = 10.0", 10000},
    {"driver_version = 11.2", 11020},
    {"driver_version = 12.0", 12000},
    {"driver_version = 12.7", 12070},
    {"driver_version = 13.0", 13000},
    {"driver_version = 13.1", 13010},
    {"driver_version = 13.2", 13020},
    {"driver_version = 13.3", 13030},
    {"driver_version = 13.4", 13040},
    {"driver_version = " CUSHIM__NEWEST_VERSION_TEXT, CUSHIM__NEWEST_VERSION},
};

/* The function in a slot of a table. */
static cushim_function slot(const struct cushim_table *table, size_t index)
{
    cushim_function function;

    memcpy(&function, (const char *)table + sizeof(size_t) + index * sizeof function,
           sizeof function);
    return function;
}

static bool is_expected(size_t index, int version)
{
    return cushim__symbol_since(index) <= version &&
           (cushim__system_is_windows || strcmp(cushim__symbol_name(index), "cuWGLGetDevice") != 0);
}

static void each_version_has_the_symbols_of_the_registry_up_to_it(void **state)
{
    (void)state;
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        bare_create(versions[v].settings);
        for (size_t i = 0; i < cushim_symbol_count(); i++) {
            const cushim_function found = cushim_mock_symbol(cushim__symbol_name(i), fixture_mock);
            const cushim_function expected =
                is_expected(i, versions[v].number) ? slot(driver, i) : NULL;
            if (found != expected)
                fail_msg("%s of %s", cushim__symbol_name(i), versions[v].settings);
        }
        bare_end();
    }
    bare_create("");
}

static void names_that_no_driver_exports_are_not_found(void **state)
{
    static const char *const names[] = {"",           "cu",          "cuinit",        "cuInit ",
                                        "EventQuery", "cuEventQuer", "cuEventQueryy", "cudaMalloc"};

    (void)state;
    bare_create("");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(cushim_mock_symbol(names[i], fixture_mock));
    assert_null(cushim_mock_symbol(NULL, fixture_mock));
    assert_true((cushim_mock_symbol("cuWGLGetDevice", fixture_mock) != NULL) ==
                cushim__system_is_windows);
    assert_null(cushim_mock_symbol("cuInit", NULL));
    assert_non_null(cushim_mock_symbol("cuInit", fixture_mock));
}

static void loader_finds_in_it_what_the_registry_says(void **state)
{
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        struct cushim_table table = {.size = sizeof table};
        struct cushim_symbol_counts counts;
        unsigned expected[2] = {0, 0};

        (void)state;
        bare_create(versions[v].settings);
        OK(cushim_table_fill(&table, cushim_mock_symbol, fixture_mock, &counts));
        for (size_t i = 0; i < cushim_symbol_count(); i++)
            expected[symbol_is_interop(i)] += is_expected(i, versions[v].number);
        assert_int_equal(counts.core.found, expected[0]);
        assert_int_equal(counts.interop.found, expected[1]);
        assert_int_equal(counts.core.by_proc_address + counts.interop.by_proc_address, 0);
        assert_int_equal(counts.core.fallen_back, versions[v].number < 12080);
        bare_end();
    }
    bare_create("");
}

static void slot_of_a_later_version_answers_that_the_driver_is_too_old(void **state)
{
    (void)state;
    bare_create("driver_version = 12.7");
    OK(driver->Init(0));
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventElapsedTime(NULL, NULL, NULL));
    CODE(CUSHIM__REQUIRES_NEWER_DRIVER, driver->EventElapsedTime_v2(NULL, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BARE_TEST(version_that_is_asked_for_chooses_the_abi),
        BARE_TEST(name_that_is_unknown_or_too_new_for_the_version_is_not_found),
        BARE_TEST(per_thread_flag_chooses_the_twin_where_there_is_one),
        BARE_TEST(newer_version_than_the_drivers_is_refused_by_13_0_and_not_by_12_5),
        BARE_TEST(symbols_that_the_driver_lacks_are_unknown_to_it),
        BARE_TEST(version_chooses_between_functions_that_came_after_13_0),
        BARE_TEST(unknown_flags_are_refused_before_anything_is_looked_up),
        BARE_TEST(status_need_not_be_asked_for),
        BARE_TEST(null_where_the_driver_crashes_is_a_misuse),
        BARE_TEST(runtime_that_asks_for_private_tables_is_reported_once),
        BARE_TEST(handle_that_never_was_one_in_a_newer_abi_names_the_driver_before_it),
        BARE_TEST(each_version_has_the_symbols_of_the_registry_up_to_it),
        BARE_TEST(names_that_no_driver_exports_are_not_found),
        BARE_TEST(loader_finds_in_it_what_the_registry_says),
        BARE_TEST(slot_of_a_later_version_answers_that_the_driver_is_too_old),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
