/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuGetProcAddress and cuGetProcAddress_v2 of other versions than 13.0, with the same results as the
 * drivers 470, 525 and 555 gave, and their misuse; and the mock as a source of symbols.
 * tests/conformance tests statements 5 and 6.
 */

#include <cushim/driver.h>

#include "loader/symbols.h"
#include "loader/versions.h"
#include "src/base/system.h"
#include "tests/mock/fixture.h"
#include "tests/support/symbols.h"

enum { FOUND, UNKNOWN_NAME, TOO_OLD };

/* The function in a slot of the mock's table. */
static cushim_function slot(size_t index)
{
    cushim_function function;

    memcpy(&function, (const char *)driver + sizeof(size_t) + index * sizeof function,
           sizeof function);
    return function;
}

/* The function for a symbol; NULL for the name NULL. */
static void *function_of(const char *symbol)
{
    return symbol ? (void *)(uintptr_t)slot(symbol_number(symbol)) : NULL;
}

struct question {
    const char *name;
    int version;
    cuuint64_t flags;
    int status;
    const char *symbol; /* the function that is found; NULL: none */
};

/* Make the lookup with both versions of the call, before cuInit. */
static void ask(const struct question *q)
{
    void *untouched = &untouched, *found = untouched;
    cushim_CUdriverProcAddressQueryResult status = (cushim_CUdriverProcAddressQueryResult)77;
    const CUresult code = driver->GetProcAddress_v2(q->name, &found, q->version, q->flags, &status);

    if (code != CUDA_SUCCESS || (int)status != q->status || found != function_of(q->symbol))
        fail_msg("v2: %s %d %d: %d, status %d", q->name, q->version, (int)q->flags, (int)code,
                 (int)status);
    found = untouched;
    CODE(q->status == FOUND ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND,
         driver->GetProcAddress(q->name, &found, q->version, q->flags));
    assert_ptr_equal(found, q->status == FOUND ? function_of(q->symbol) : untouched);
}

BARE_TEST(driver_of_another_version_finds_what_it_has)
{
    static const struct {
        const char *settings;
        struct question question;
    } cases[] = {
        {"driver_version = 12.0", {"cuGreenCtxCreate", 12000, 0, UNKNOWN_NAME, NULL}},
        {"driver_version = 12.0", {"cuCtxCreate", 12050, 0, FOUND, "cuCtxCreate_v3"}},
        {"driver_version = 12.0",
         {"cuStreamGetCaptureInfo", 12030, 2, FOUND, "cuStreamGetCaptureInfo_v2_ptsz"}},
        {"driver_version = 12.5", {"cuInit", 99000, 0, FOUND, "cuInit"}},
        {"driver_version = 12.5", {"cuInit", -1, 0, FOUND, "cuInit"}},
        {"driver_version = 12.5", {"cuEventElapsedTime", 12080, 0, FOUND, "cuEventElapsedTime"}},
        {"driver_version = 12.5", {"cuCtxCreate", 13000, 0, FOUND, "cuCtxCreate_v4"}},
        {"driver_version = 12.5", {"cuNope", 99000, 0, UNKNOWN_NAME, NULL}},
        {"driver_version = 12.5", {"cuStreamGetDevice", 12080, 0, UNKNOWN_NAME, NULL}},
        {"driver_version = 13.0", {"cuLaunchHostFunc", 13000, 0, FOUND, "cuLaunchHostFunc"}},
        {"driver_version = 13.0", {"cuGraphGetId", 13000, 0, UNKNOWN_NAME, NULL}},
        {"driver_version = 13.5", {"cuLaunchHostFunc", 13010, 0, FOUND, "cuLaunchHostFunc"}},
        {"driver_version = 13.5", {"cuLaunchHostFunc", 13020, 0, FOUND, "cuLaunchHostFunc_v2"}},
        {"driver_version = 13.5",
         {"cuLaunchHostFunc", 13020, 2, FOUND, "cuLaunchHostFunc_v2_ptsz"}},
        {"driver_version = 13.5", {"cuGraphAddNode", 13030, 0, FOUND, "cuGraphAddNode_v2"}},
        {"driver_version = 13.5", {"cuGraphAddNode", 13050, 0, FOUND, "cuGraphAddNode_v3"}},
        {"driver_version = 13.5", {"cuGraphGetId", 13000, 0, TOO_OLD, NULL}},
        {"driver_version = 13.5", {"cuGraphGetId", 13010, 0, FOUND, "cuGraphGetId"}},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        bare_create(cases[i].settings);
        ask(&cases[i].question);
        bare_end();
    }
    bare_create("");
    if (cushim__system_is_windows)
        ask(&(struct question){"cuWGLGetDevice", 13000, 0, FOUND, "cuWGLGetDevice"});
    else
        ask(&(struct question){"cuWGLGetDevice", 13000, 0, UNKNOWN_NAME, NULL});
}

BARE_TEST(null_where_the_driver_crashes_is_a_misuse)
{
    void *found = &found;

    bare_create("");
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetProcAddress(NULL, &found, 12000, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetProcAddress_v2("cuInit", NULL, 12000, 0, NULL));
    assert_int_equal(fixture_state().misuses, 2);
    assert_string_equal(fixture_misuse(0), "cuGetProcAddress: the name is NULL");
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(fixture_mock));
    bare_create("");
}

BARE_TEST(runtime_that_asks_for_private_tables_is_reported_once)
{
    const CUuuid id = {{1, 2, 3}};
    const void *found = &found;

    bare_create("");
    fixture_log();
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetExportTable(NULL, &id));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetExportTable(&found, NULL));
    assert_ptr_equal(found, &found);
    assert_int_equal(fixture_lines, 0);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetExportTable(&found, &id));
    assert_null(found);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetExportTable(&found, &id));
    assert_int_equal(fixture_lines, 1);
    CONTAINS(fixture_logged, "NVIDIA's CUDA runtime");
}

BARE_TEST(handle_that_never_was_one_in_a_newer_abi_names_the_driver_before_it)
{
    CUdevice device;

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

static bool is_expected(size_t index, int version)
{
    return cushim__symbol_since(index) <= version &&
           (cushim__system_is_windows || strcmp(cushim__symbol_name(index), "cuWGLGetDevice") != 0);
}

BARE_TEST(each_version_has_the_symbols_of_the_registry_up_to_it)
{
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        bare_create(versions[v].settings);
        for (size_t i = 0; i < cushim_symbol_count(); i++) {
            const cushim_function found = cushim_mock_symbol(cushim__symbol_name(i), fixture_mock);
            const cushim_function expected = is_expected(i, versions[v].number) ? slot(i) : NULL;
            if (found != expected)
                fail_msg("%s of %s", cushim__symbol_name(i), versions[v].settings);
        }
        bare_end();
    }
    bare_create("");
}

BARE_TEST(names_that_no_driver_exports_are_not_found)
{
    static const char *const names[] = {"",           "cu",          "cuinit",        "cuInit ",
                                        "EventQuery", "cuEventQuer", "cuEventQueryy", "cudaMalloc"};

    bare_create("");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(cushim_mock_symbol(names[i], fixture_mock));
    assert_null(cushim_mock_symbol(NULL, fixture_mock));
    assert_true((cushim_mock_symbol("cuWGLGetDevice", fixture_mock) != NULL) ==
                cushim__system_is_windows);
    assert_null(cushim_mock_symbol("cuInit", NULL));
    assert_non_null(cushim_mock_symbol("cuInit", fixture_mock));
}

BARE_TEST(slot_of_a_later_version_answers_that_the_driver_is_too_old)
{
    bare_create("driver_version = 12.7");
    OK(driver->Init(0));
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventElapsedTime(NULL, NULL, NULL));
    CODE(CUSHIM__REQUIRES_NEWER_DRIVER, driver->EventElapsedTime_v2(NULL, NULL, NULL));
}
