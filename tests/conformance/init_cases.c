/* SPDX-License-Identifier: Apache-2.0 */
/* Initialisation, drivers without a device, and cuGetProcAddress. Statements 1-8, 83. */
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "loader/symbols.h"
#include "system.h"
#include "tests/support/calls.h"
#include "tests/support/library.h"
#include "tests/support/symbols.h"

MEASURED_CASE(001, init_succeeds_and_repeats)
{
    OK(cu->Init(0));
    OK(cu->Init(0));
    OK(cu->Init(0));
}

DOCUMENTED_CASE(001, init_refuses_flags)
{
    CODE(CUDA_ERROR_INVALID_VALUE, cu->Init(1));
    ONE_OF(cu->Init(0), 0, 1, 101, 803, 804);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->Init(1));
}

DOCUMENTED_CASE(002, most_calls_want_init)
{
    CUevent event = NULL;
    CUstream stream = NULL;
    CUcontext context = NULL;
    int count = -5;

    CODE(CUDA_ERROR_NOT_INITIALIZED, cu->EventCreate(&event, 0));
    CODE(CUDA_ERROR_NOT_INITIALIZED, cu->StreamCreate(&stream, 0));
    CODE(CUDA_ERROR_NOT_INITIALIZED, cu->DeviceGetCount(&count));
    CODE(CUDA_ERROR_NOT_INITIALIZED, cu->CtxGetCurrent(&context));
    EQUAL(-5, count);
}

MEASURED_CASE(002, some_calls_do_not_want_init)
{
    cushim_CUdriverProcAddressQueryResult status = (cushim_CUdriverProcAddressQueryResult)5;
    void *function = NULL;
    const char *name = NULL;
    int version = 0;
    float ms = -7;

    OK(cu->DriverGetVersion(&version));
    CHECK(version >= 2000);
    OK(cu->GetErrorName(CUDA_ERROR_NOT_READY, &name));
    CHECK(name && strcmp(name, "CUDA_ERROR_NOT_READY") == 0);
    OK(cu->GetProcAddress_v2("cuEventQuery", &function, 2000, 0, &status));
    CHECK(function != NULL);
    EQUAL(0, status);
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventQuery(NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventElapsedTime(&ms, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventElapsedTime_v2(&ms, NULL, NULL));
    CHECK(ms == -7);
}

/* After a cuInit that found no device, every call returns the same code as before it. */
static void check_without_device(void)
{
    CUevent event = NULL;
    CUstream stream = NULL;
    CUcontext context = NULL;
    CUdevice device = -5;
    int count = -5, version = 0;

    CODE(CUDA_ERROR_NO_DEVICE, cu->Init(0));
    CODE(CUDA_ERROR_NOT_INITIALIZED, cu->DeviceGetCount(&count));
    CODE(CUDA_ERROR_NOT_INITIALIZED, cu->DeviceGet(&device, 0));
    CODE(CUDA_ERROR_NOT_INITIALIZED, cu->DevicePrimaryCtxRetain(&context, 0));
    CODE(CUDA_ERROR_NOT_INITIALIZED, cu->CtxCreate_v2(&context, 0, 0));
    CODE(CUDA_ERROR_NOT_INITIALIZED, cu->CtxGetCurrent(&context));
    CODE(CUDA_ERROR_NOT_INITIALIZED, cu->CtxSynchronize());
    CODE(CUDA_ERROR_NOT_INITIALIZED, cu->EventCreate(&event, 0));
    CODE(CUDA_ERROR_NOT_INITIALIZED, cu->StreamCreate(&stream, 0));
    CODE(CUDA_ERROR_NOT_INITIALIZED, cu->StreamQuery(NULL));
    EQUAL(-5, count);
    EQUAL(-5, device);
    OK(cu->DriverGetVersion(&version));
    CHECK(version >= 2000);
}

static void without_device_init_answers_100_and_all_else_3(void)
{
    check_without_device();
}

CASE(083, visible_device_twice, .class = MEASURED, .environment = "CUDA_VISIBLE_DEVICES=0,0")
{
    CODE(CUDA_ERROR_INVALID_DEVICE, cu->Init(0));
}

CASE(003, mock_without_device, .class = MOCK_ONLY, .settings = "driver_state = no-device\n")
{
    check_without_device();
    CODE(CUDA_ERROR_NO_DEVICE, cu->Init(0));
}

/* Every function of a stub library returns 34 and writes nothing. */
static void check_stub(const struct cushim_table *table, cushim_resolver resolver, void *data)
{
    static unsigned char memory[CUSHIM_CALL_BYTES], before[CUSHIM_CALL_BYTES];
    unsigned called = 0, wrong = 0, written = 0;

    memset(before, 0xa5, sizeof before);
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        CUresult code;

        if (symbol_is_interop(i) || !resolver(cushim__symbol_name(i), data))
            continue;
        memcpy(memory, before, sizeof memory);
        code = cushim_calls[i](table, memory);
        called++;
        if (code != CUDA_ERROR_STUB_LIBRARY && wrong++ < 3)
            detail("%s answers %d", cushim__symbol_name(i), (int)code);
        if (memcmp(memory, before, sizeof memory) != 0 && written++ < 3)
            detail("%s writes", cushim__symbol_name(i));
    }
    CHECK(called > 400);
    EQUAL(0, wrong);
    EQUAL(0, written);
    check_add(called * 2); /* two per call: the code, and that the memory is unchanged */
}

static cushim_function in_library(const char *symbol, void *library)
{
    void *address = library_symbol(library, symbol);
    cushim_function function = NULL;

    memcpy(&function, &address, sizeof function);
    return function;
}

CASE(004, stub_answers_34, .class = MEASURED, .may_skip = ON_GPU | ON_MOCK,
     .source = "stub library of CUDA 13.0")
{
    struct cushim_table stub = {.size = sizeof stub};
    char beside[4096];
    const char *slash;
    void *library;

    if (!backend_stub)
        skip("no --stub names the toolkit's stub library");
    library = library_open(backend_stub);
    if (!library)
        fail("%s", library_error());
    MUST(cushim_table_fill_library(&stub, library, NULL));
    check_stub(&stub, in_library, library);
    slash = strrchr(backend_stub, '/');
    CHECK(slash && strcmp(slash, "/libcuda.so") == 0);
    snprintf(beside, sizeof beside, "%s.1", backend_stub);
    CHECK(!file_exists(beside));
}

static cushim_function in_backend(const char *symbol, void *data)
{
    (void)data;
    return backend_symbol(symbol);
}

CASE(004, mock_of_a_stub_answers_34, .class = MOCK_ONLY, .settings = "driver_state = stub\n")
{
    check_stub(cu, in_backend, NULL);
}

MEASURED_CASE(007, unknown_errors_have_no_name)
{
    static const int unknown[] = {917, 12345, -1};

    for (size_t i = 0; i < COUNT(unknown); i++) {
        const char *name = "untouched", *text = "untouched";

        CODE(CUDA_ERROR_INVALID_VALUE, cu->GetErrorName((CUresult)unknown[i], &name));
        CODE(CUDA_ERROR_INVALID_VALUE, cu->GetErrorString((CUresult)unknown[i], &text));
        CHECK(name == NULL && text == NULL);
    }
}

DOCUMENTED_CASE(007, known_errors_have_a_name)
{
    const char *name = NULL, *text = NULL;

    OK(cu->GetErrorName(CUDA_ERROR_INVALID_HANDLE, &name));
    CHECK(name && strcmp(name, "CUDA_ERROR_INVALID_HANDLE") == 0);
    OK(cu->GetErrorName(CUDA_SUCCESS, &name));
    CHECK(name && strcmp(name, "CUDA_SUCCESS") == 0);
    OK(cu->GetErrorString(CUDA_ERROR_INVALID_HANDLE, &text));
    CHECK(text && text[0] != '\0');
}

DOCUMENTED_CASE(008, ordinals_and_null_are_checked)
{
    CUdevice device = -5;
    int count = 0;

    OK(cu->Init(0));
    CODE(CUDA_ERROR_INVALID_DEVICE, cu->DeviceGet(&device, -1));
    CODE(CUDA_ERROR_INVALID_DEVICE, cu->DeviceGet(&device, 99));
    EQUAL(-5, device);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->DeviceGet(NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->DeviceGetCount(NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->DriverGetVersion(NULL));
    OK(cu->DeviceGetCount(&count));
    CHECK(count >= 1);
    CODE(CUDA_ERROR_INVALID_DEVICE, cu->DeviceGet(&device, count));
    OK(cu->DeviceGet(&device, count - 1));
}

/* cuGetProcAddress. Statements 5, 6. */

/* CU_GET_PROC_ADDRESS_LEGACY_STREAM, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM */
enum { LEGACY = 1, PER_THREAD = 2 };

/* CUdriverProcAddressQueryResult, which is newer than some headers. */
enum { FOUND = 0, NO_SYMBOL = 1, NO_VERSION = 2, UNWRITTEN = 5 };

/* The result of a lookup. */
struct answer {
    CUresult code;
    void *function;
    int status;
};

static struct answer ask(const char *name, int version, cuuint64_t flags)
{
    cushim_CUdriverProcAddressQueryResult status = (cushim_CUdriverProcAddressQueryResult)UNWRITTEN;
    struct answer answer = {.function = &answer};

    answer.code = cu->GetProcAddress_v2(name, &answer.function, version, flags, &status);
    answer.status = (int)status;
    return answer;
}

static void check_found(const char *name, int version, cuuint64_t flags, const char *symbol)
{
    struct answer answer = ask(name, version, flags);
    cushim_function function = backend_symbol(symbol);

    OK(answer.code);
    EQUAL(FOUND, answer.status);
    if (!CHECK(function && memcmp(&answer.function, &function, sizeof function) == 0))
        detail("%s %d of %s is not %s", name, version, flags ? "per-thread" : "legacy", symbol);
}

static void check_not_found(const char *name, int version, cuuint64_t flags, int status)
{
    struct answer answer = ask(name, version, flags);

    OK(answer.code);
    if (!EQUAL(status, answer.status) || !CHECK(answer.function == NULL))
        detail("this was %s %d", name, version);
}

MEASURED_CASE(005, missing_symbols_are_reported_by_status)
{
    const int version = driver_version();

    check_not_found("cuNoSuchFunction", version, 0, NO_SYMBOL);
    check_not_found("", version, 0, NO_SYMBOL);
    check_not_found("cuEventElapsedTime_v2", version, 0, NO_SYMBOL);
    check_not_found("cuEventRecord_ptsz", version, 0, NO_SYMBOL);
    check_not_found("cuMemAlloc_v2", version, 0, NO_SYMBOL);
    check_not_found("cuStreamGetId", 11080, 0, NO_VERSION);
    check_not_found("cuMemAllocAsync", 11010, 0, NO_VERSION);
    check_not_found("cuinit", version, 0, NO_SYMBOL);
    check_not_found("cudaMalloc", version, 0, NO_SYMBOL);
    check_not_found("cuInit", 0, 0, NO_VERSION);
    check_not_found("cuInit", 1000, 0, NO_VERSION);
    check_not_found("cuNoSuchFunction", version, PER_THREAD, NO_SYMBOL);
    check_found("cuStreamGetId", 12000, 0, "cuStreamGetId");
}

DOCUMENTED_CASE(005, status_is_optional)
{
    void *function = &function;

    OK(cu->GetProcAddress_v2("cuInit", &function, 12000, 0, NULL));
    CHECK(function != NULL && function != &function);
    OK(cu->GetProcAddress_v2("cuNoSuchFunction", &function, 12000, 0, NULL));
    CHECK(function == NULL);
}

MEASURED_CASE(005, first_function_reports_by_code)
{
    void *function = &function;

    CODE(CUDA_ERROR_NOT_FOUND, cu->GetProcAddress("cuNoSuchFunction", &function, 12000, 0));
    CODE(CUDA_ERROR_NOT_FOUND, cu->GetProcAddress("cuStreamGetId", &function, 11000, 0));
    CHECK(function == &function);
    OK(cu->GetProcAddress("cuInit", &function, 12000, 0));
    CHECK(function != NULL && function != &function);
}

MEASURED_CASE(005, unknown_flags_are_refused)
{
    static const cuuint64_t unknown[] = {4, 8, 0x80000000u, UINT64_C(1) << 32, UINT64_MAX};
    void *function = &function;

    for (size_t i = 0; i < COUNT(unknown); i++) {
        CODE(CUDA_ERROR_INVALID_VALUE, ask("cuInit", 12000, unknown[i]).code);
        EQUAL(UNWRITTEN, ask("cuInit", 12000, unknown[i]).status);
        CODE(CUDA_ERROR_INVALID_VALUE,
             cu->GetProcAddress("cuNoSuchFunction", &function, 12000, unknown[i]));
    }
    CHECK(function == &function);
    check_found("cuInit", 12000, LEGACY | PER_THREAD, "cuInit");
    check_found("cuEventRecord", 12000, LEGACY | PER_THREAD, "cuEventRecord_ptsz");
    check_found("cuEventRecord", 12000, LEGACY, "cuEventRecord");
}

MEASURED_CASE(005, version_above_the_drivers_is_refused)
{
    struct answer answer = ask("cuEventQuery", driver_version() + 1000, 0);

    if (driver_version() < 13000)
        skip("older drivers return their newest version of the function");
    CODE(CUDA_ERROR_INVALID_VALUE, answer.code);
    EQUAL(UNWRITTEN, answer.status);
}

CASE(005, version_above_an_older_drivers_gives_its_newest, .class = MEASURED, .may_skip = ON_GPU,
     .settings = "driver_version = 12.5\n", .source = "drivers 525 to 555, without a GPU")
{
    if (driver_version() > 12050)
        skip("the driver is newer than those that were seen to do so");
    check_found("cuEventElapsedTime", 13000, 0, "cuEventElapsedTime");
    check_found("cuStreamGetCtx", 13000, 0, "cuStreamGetCtx_v2");
}

MEASURED_CASE(006, version_chooses_the_abi)
{
    if (driver_version() < 13000)
        skip("the driver is older than 13.0");
    check_found("cuEventElapsedTime", 12070, 0, "cuEventElapsedTime");
    check_found("cuEventElapsedTime", 12080, 0, "cuEventElapsedTime_v2");
    check_found("cuEventElapsedTime", 13000, 0, "cuEventElapsedTime_v2");
    check_found("cuCtxCreate", 13000, 0, "cuCtxCreate_v4");
    check_found("cuCtxCreate", 11040, 0, "cuCtxCreate_v3");
    check_found("cuCtxCreate", 11000, 0, "cuCtxCreate_v2");
    check_found("cuStreamGetCtx", 12080, 0, "cuStreamGetCtx_v2");
    check_found("cuStreamGetCtx", 12000, 0, "cuStreamGetCtx");
    check_found("cuInit", 2000, 0, "cuInit");
    check_found("cuCtxCreate", 3020, 0, "cuCtxCreate_v2");
    check_found("cuCtxCreate", 2000, 0, "cuCtxCreate");
    check_found("cuMemAlloc", 12000, 0, "cuMemAlloc_v2");
    check_found("cuGetProcAddress", 11030, 0, "cuGetProcAddress");
    check_found("cuGetProcAddress", 12000, 0, "cuGetProcAddress_v2");
    check_found("cuGLGetDevices", 5000, 0, "cuGLGetDevices");
    check_found("cuGLGetDevices", 12000, 0, "cuGLGetDevices_v2");
    check_found("cuInit", -1, 0, "cuInit");
    check_not_found("cuGreenCtxCreate", 12030, 0, NO_VERSION);
}

MEASURED_CASE(006, flag_chooses_the_per_thread_entry)
{
    check_found("cuEventRecord", 12000, PER_THREAD, "cuEventRecord_ptsz");
    check_found("cuEventRecord", 12000, 0, "cuEventRecord");
    check_found("cuMemcpyHtoD", 12000, PER_THREAD, "cuMemcpyHtoD_v2_ptds");
    check_found("cuEventQuery", 12000, PER_THREAD, "cuEventQuery"); /* has no per-thread variant */
    check_not_found("cuEventRecord", 6050, PER_THREAD, NO_VERSION); /* has one, since 7.0 */
    check_found("cuEventRecord", 6050, 0, "cuEventRecord");
    check_not_found("cuMemcpyHtoD", 6050, PER_THREAD, NO_VERSION);
    check_found("cuStreamBeginCapture", 10000, PER_THREAD, "cuStreamBeginCapture_ptsz");
    check_found("cuStreamBeginCapture", 12000, PER_THREAD, "cuStreamBeginCapture_v2_ptsz");
    check_found("cuMemAlloc", 12000, PER_THREAD, "cuMemAlloc_v2");
}

enum { REQUIRES_NEWER_DRIVER = 36 };

/* Every row of the registry that is newer than the driver, without those with an older fallback. */
CASE(cushim, driver_lacks_newer_symbols, .class = CUSHIM, .may_skip = ON_GPU,
     .settings = "driver_version = 13.0\n")
{
    const int version = driver_version();
    unsigned missing = 0;

    MUST(backend_init_cushim());
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        const char *name = cushim__symbol_name(i);

        if (cushim__symbol_since(i) <= version || *cushim__symbol_fallback(i))
            continue;
        missing++;
        if (!EQUAL(CUSHIM_SYMBOL_MISSING, cushim__symbol_state(i)))
            detail("this was %s", name);
        if (!CODE(REQUIRES_NEWER_DRIVER, cushim_calls[i](cushim_driver(), NULL)))
            detail("this was %s", name);
    }
    if (missing == 0)
        skip("no symbol of the registry is newer than the driver");
    detail("%u symbols", missing);
}

CASE(003, without_device_init_answers_100, .class = MEASURED,
     .environment = "CUDA_VISIBLE_DEVICES=")
{
    without_device_init_answers_100_and_all_else_3();
}

CASE(083, no_visible_device, .class = MEASURED, .environment = "CUDA_VISIBLE_DEVICES=")
{
    without_device_init_answers_100_and_all_else_3();
}

CASE(083, first_visible_device_does_not_exist, .class = MEASURED,
     .environment = "CUDA_VISIBLE_DEVICES=99,0")
{
    without_device_init_answers_100_and_all_else_3();
}
