/* SPDX-License-Identifier: Apache-2.0 */
/* Initialisation, and drivers without a device. Statements 1-4, 7, 8, 83. */
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "file.h"
#include "tests/support/calls.h"
#include "tests/support/library.h"
#include "tests/support/symbols.h"

static void init_succeeds_and_repeats(void)
{
    OK(cu->Init(0));
    OK(cu->Init(0));
    OK(cu->Init(0));
}

static void init_refuses_flags(void)
{
    CODE(CUDA_ERROR_INVALID_VALUE, cu->Init(1));
    ONE_OF(cu->Init(0), 0, 1, 101, 803, 804);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->Init(1));
}

static void most_calls_want_init(void)
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

static void some_calls_do_not_want_init(void)
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

/* After an Init() that found no device, every call answers as before it. */
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

static void two_inits_without_device_answer_alike(void)
{
    check_without_device();
    CODE(CUDA_ERROR_NO_DEVICE, cu->Init(0));
}

/* Every function of a stub answers 34 and writes nothing. */
static void check_stub(const struct cushim_table *table, cushim_resolver resolver, void *data)
{
    static unsigned char memory[CUSHIM_CALL_BYTES], before[CUSHIM_CALL_BYTES];
    unsigned called = 0, wrong = 0, written = 0;

    memset(before, 0xa5, sizeof before);
    for (size_t i = 0; i < CORE_SYMBOLS; i++) {
        CUresult code;

        if (!resolver(cushim_symbol_name(i), data))
            continue;
        memcpy(memory, before, sizeof memory);
        code = cushim_calls[i](table, memory);
        called++;
        if (code != CUDA_ERROR_STUB_LIBRARY && wrong++ < 3)
            detail("%s answers %d", cushim_symbol_name(i), (int)code);
        if (memcmp(memory, before, sizeof memory) != 0 && written++ < 3)
            detail("%s writes", cushim_symbol_name(i));
    }
    CHECK(called > 400);
    EQUAL(0, wrong);
    EQUAL(0, written);
    check_add(called * 2); /* a code and an untouched memory each */
}

static cushim_function in_library(const char *symbol, void *library)
{
    void *address = library_symbol(library, symbol);
    cushim_function function = NULL;

    memcpy(&function, &address, sizeof function);
    return function;
}

static void stub_answers_34(void)
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

static void mock_of_a_stub_answers_34(void)
{
    check_stub(cu, in_backend, NULL);
}

static void unknown_errors_have_no_name(void)
{
    static const int unknown[] = {917, 12345, -1};

    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        const char *name = "untouched", *text = "untouched";

        CODE(CUDA_ERROR_INVALID_VALUE, cu->GetErrorName((CUresult)unknown[i], &name));
        CODE(CUDA_ERROR_INVALID_VALUE, cu->GetErrorString((CUresult)unknown[i], &text));
        CHECK(name == NULL && text == NULL);
    }
}

static void known_errors_have_a_name(void)
{
    const char *name = NULL, *text = NULL;

    OK(cu->GetErrorName(CUDA_ERROR_INVALID_HANDLE, &name));
    CHECK(name && strcmp(name, "CUDA_ERROR_INVALID_HANDLE") == 0);
    OK(cu->GetErrorName(CUDA_SUCCESS, &name));
    CHECK(name && strcmp(name, "CUDA_SUCCESS") == 0);
    OK(cu->GetErrorString(CUDA_ERROR_INVALID_HANDLE, &text));
    CHECK(text && text[0] != '\0');
}

static void ordinals_and_null_are_checked(void)
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

const struct conformance_case init_cases[] = {
    MEASURED_CASE("001_init_succeeds_and_repeats", init_succeeds_and_repeats),
    DOCUMENTED_CASE("001_init_refuses_flags", init_refuses_flags),
    DOCUMENTED_CASE("002_most_calls_want_init", most_calls_want_init),
    MEASURED_CASE("002_some_calls_do_not_want_init", some_calls_do_not_want_init),
    {
        .name = "003_without_device_init_answers_100",
        .run = without_device_init_answers_100_and_all_else_3,
        .class = MEASURED,
        .environment = "CUDA_VISIBLE_DEVICES=",
    },
    {
        .name = "003_mock_without_device",
        .run = two_inits_without_device_answer_alike,
        .class = MOCK_ONLY,
        .settings = "personality = no-device\n",
    },
    {
        .name = "004_stub_answers_34",
        .run = stub_answers_34,
        .class = MEASURED,
        .may_skip = ON_GPU | ON_MOCK,
        .source = "stub library of CUDA 13.0",
    },
    {
        .name = "004_mock_of_a_stub_answers_34",
        .run = mock_of_a_stub_answers_34,
        .class = MOCK_ONLY,
        .settings = "personality = stub\n",
    },
    MEASURED_CASE("007_unknown_errors_have_no_name", unknown_errors_have_no_name),
    DOCUMENTED_CASE("007_known_errors_have_a_name", known_errors_have_a_name),
    DOCUMENTED_CASE("008_ordinals_and_null_are_checked", ordinals_and_null_are_checked),
    {
        .name = "083_no_visible_device",
        .run = without_device_init_answers_100_and_all_else_3,
        .class = MEASURED,
        .environment = "CUDA_VISIBLE_DEVICES=",
    },
    {
        .name = "083_first_visible_device_does_not_exist",
        .run = without_device_init_answers_100_and_all_else_3,
        .class = MEASURED,
        .environment = "CUDA_VISIBLE_DEVICES=99,0",
    },
    {.name = NULL},
};
