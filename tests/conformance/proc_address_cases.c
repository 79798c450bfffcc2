/* SPDX-License-Identifier: Apache-2.0 */
/* cuGetProcAddress. Statements 5, 6. */
#include <string.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"

enum { PER_THREAD = 2 /* CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM */ };

/* CUdriverProcAddressQueryResult, which is newer than some headers. */
enum { FOUND = 0, NO_SYMBOL = 1, NO_VERSION = 2, UNWRITTEN = 5 };

/* An answer to a question for a symbol. */
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

static void what_is_not_there_is_told_by_status(void)
{
    const int version = driver_version();

    check_not_found("cuNoSuchFunction", version, 0, NO_SYMBOL);
    check_not_found("", version, 0, NO_SYMBOL);
    check_not_found("cuEventElapsedTime_v2", version, 0, NO_SYMBOL);
    check_not_found("cuEventRecord_ptsz", version, 0, NO_SYMBOL);
    check_not_found("cuMemAlloc_v2", version, 0, NO_SYMBOL);
    check_not_found("cuStreamGetId", 11080, 0, NO_VERSION);
    check_not_found("cuMemAllocAsync", 11010, 0, NO_VERSION);
    check_found("cuStreamGetId", 12000, 0, "cuStreamGetId");
}

static void status_is_optional(void)
{
    void *function = &function;

    OK(cu->GetProcAddress_v2("cuInit", &function, 12000, 0, NULL));
    CHECK(function != NULL && function != &function);
    OK(cu->GetProcAddress_v2("cuNoSuchFunction", &function, 12000, 0, NULL));
    CHECK(function == NULL);
}

static void first_function_tells_by_code(void)
{
    void *function = &function;

    CODE(CUDA_ERROR_NOT_FOUND, cu->GetProcAddress("cuNoSuchFunction", &function, 12000, 0));
    CODE(CUDA_ERROR_NOT_FOUND, cu->GetProcAddress("cuStreamGetId", &function, 11000, 0));
    CHECK(function == &function);
    OK(cu->GetProcAddress("cuInit", &function, 12000, 0));
    CHECK(function != NULL && function != &function);
}

static void unknown_flags_are_refused(void)
{
    struct answer answer = ask("cuInit", 12000, 4), both = ask("cuInit", 12000, 3);

    CODE(CUDA_ERROR_INVALID_VALUE, answer.code);
    OK(both.code);
    EQUAL(FOUND, both.status);
}

static void version_above_the_drivers_is_refused(void)
{
    struct answer answer = ask("cuEventQuery", driver_version() + 1000, 0);

    if (driver_version() < 13000)
        skip("older drivers answer with the newest that they have");
    CODE(CUDA_ERROR_INVALID_VALUE, answer.code);
    EQUAL(UNWRITTEN, answer.status);
}

static void version_above_an_older_drivers_gives_its_newest(void)
{
    if (driver_version() > 12050)
        skip("the driver is newer than those that were seen to do so");
    check_found("cuEventElapsedTime", 13000, 0, "cuEventElapsedTime");
    check_found("cuStreamGetCtx", 13000, 0, "cuStreamGetCtx_v2");
}

static void version_chooses_the_abi(void)
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
}

static void flag_chooses_the_per_thread_entry(void)
{
    check_found("cuEventRecord", 12000, PER_THREAD, "cuEventRecord_ptsz");
    check_found("cuEventRecord", 12000, 0, "cuEventRecord");
    check_found("cuMemcpyHtoD", 12000, PER_THREAD, "cuMemcpyHtoD_v2_ptds");
    check_found("cuEventQuery", 12000, PER_THREAD, "cuEventQuery"); /* has none */
    check_not_found("cuEventRecord", 6050, PER_THREAD, NO_VERSION); /* has, since 7.0 */
    check_found("cuEventRecord", 6050, 0, "cuEventRecord");
}

const struct conformance_case proc_address_cases[] = {
    MEASURED_CASE("005_what_is_not_there_is_told_by_status", what_is_not_there_is_told_by_status),
    MEASURED_CASE("005_first_function_tells_by_code", first_function_tells_by_code),
    DOCUMENTED_CASE("005_status_is_optional", status_is_optional),
    MEASURED_CASE("005_unknown_flags_are_refused", unknown_flags_are_refused),
    MEASURED_CASE("005_version_above_the_drivers_is_refused", version_above_the_drivers_is_refused),
    {
        .name = "005_version_above_an_older_drivers_gives_its_newest",
        .run = version_above_an_older_drivers_gives_its_newest,
        .class = MEASURED,
        .may_skip = ON_GPU,
        .settings = "driver_version = 12.5\n",
        .source = "drivers 525 to 555, without a GPU",
    },
    MEASURED_CASE("006_version_chooses_the_abi", version_chooses_the_abi),
    MEASURED_CASE("006_flag_chooses_the_per_thread_entry", flag_chooses_the_per_thread_entry),
    {.name = NULL},
};
