/* SPDX-License-Identifier: Apache-2.0 */
/* The exported functions of the loader, without those of the modules. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <cushim/testing/mock.h>

#include "function.h"

/* For functions that return a text instead of a code. */
static CUresult said(const char *text)
{
    return text && text[0] ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

static CUresult load_and_init(void)
{
    const struct cushim_load_options options = {.size = sizeof options, .library = FAKE_DRIVER};
    CUresult code = cushim_driver_load(&options);

    return code == CUDA_SUCCESS ? cushim_driver_init(&options) : code;
}

/*
 * Load by the first call of a slot. After a failure, only an explicit load tries again. If there is
 * no memory for the attempt itself, nothing was tried, and the slot returns that nothing is loaded.
 */
static CUresult load_by_a_call(void)
{
    static bool is_later;
    CUresult code;
    int version;

    setenv("CUSHIM_LIBRARY", FAKE_DRIVER, 1);
    if (is_later)
        cushim_driver_load(NULL);
    is_later = true;
    code = cushim_driver()->DriverGetVersion(&version);
    if (cushim_driver_has("cuInit", 0) != (code == CUDA_SUCCESS))
        return CUDA_ERROR_UNKNOWN;
    return code == CUDA_ERROR_NOT_INITIALIZED ? CUDA_ERROR_OUT_OF_MEMORY : code;
}

static CUresult print_report(void)
{
    char text[4000];

    return cushim_report_write_text(text, sizeof text) &&
                   cushim_report_write_json(text, sizeof text) &&
                   cushim_report_share_text(text, sizeof text) &&
                   cushim_report_share_json(text, sizeof text)
               ? CUDA_SUCCESS
               : CUDA_ERROR_UNKNOWN;
}

static CUresult keep(void)
{
    struct cushim_report *report;
    struct cushim_report_candidate candidate = CUSHIM_REPORT_CANDIDATE_INIT;
    struct cushim_symbol_counts counts;
    char text[4000];
    const CUresult code = cushim_report_create(&report);

    if (code != CUDA_SUCCESS)
        return code;
    if (cushim_report_get_symbol_counts(report, &counts) != CUDA_SUCCESS)
        abort();
    for (unsigned i = 0; cushim_report_get_candidate(report, i, &candidate) == CUDA_SUCCESS; i++)
        snprintf(text, sizeof text, "%s %s %d %d %s %s", candidate.origin_name,
                 candidate.outcome_name, (int)candidate.code, candidate.version, candidate.path,
                 candidate.message);
    snprintf(text, sizeof text, "%d %d %d %s %s %s %u %u", (int)cushim_report_state(report),
             (int)cushim_report_code(report), cushim_report_driver_version(report),
             cushim_report_library(report), cushim_report_reason(report),
             cushim_report_advice(report), counts.core.found,
             cushim_report_candidate_count(report));
    cushim_report_destroy(report);
    return CUDA_SUCCESS;
}

static CUresult name(void)
{
    CUresult code = said(cushim_error_name(CUDA_ERROR_OUT_OF_MEMORY));

    THEN(said(cushim_error_string(CUDA_ERROR_OUT_OF_MEMORY)));
    THEN(said(cushim_error_advice(CUDA_ERROR_OUT_OF_MEMORY)));
    THEN(said(cushim_state_name(CUSHIM_STATE_LOADED)));
    return code != CUDA_SUCCESS || cushim_version() <= 0 ||
                   cushim_error_sticky(CUDA_ERROR_ILLEGAL_ADDRESS) == 0
               ? CUDA_ERROR_UNKNOWN
               : CUDA_SUCCESS;
}

static CUresult look_at_symbols(void)
{
    struct cushim_symbol symbol = CUSHIM_SYMBOL_INIT;
    CUresult code = cushim_symbol_get(0, &symbol);

    THEN(said(symbol.name));
    return code == CUDA_SUCCESS && (cushim_symbol_count() == 0 || symbol.since == 0)
               ? CUDA_ERROR_UNKNOWN
               : code;
}

static CUresult identify(void)
{
    char text[CUSHIM_DEVICE_UUID_SIZE];
    CUuuid uuid;
    CUresult code = cushim_device_parse_uuid("GPU-01234567-89ab-cdef-0123-456789abcdef", &uuid);

    return code == CUDA_SUCCESS ? cushim_device_format_uuid(&uuid, text) : code;
}

static CUresult fill(void)
{
    static struct cushim_table table = {.size = sizeof table};
    struct cushim_mock *mock = NULL;
    CUresult code = cushim_mock_create(NULL, &mock);

    cushim_log_set(NULL, NULL);
    THEN(cushim_table_fill(&table, cushim_mock_symbol, mock, NULL));
    THEN(cushim_table_set_wrapped(&table, cushim_mock_table(mock)));
    THEN(cushim_table_install(&table, NULL));
    THEN(cushim_driver()->Init(0));
    REFUSE(cushim_table_current() == NULL);
    cushim_table_install(NULL, NULL);
    cushim_mock_destroy(mock);
    return code;
}

static CUresult fill_from_a_library(void)
{
    static struct cushim_table table = {.size = sizeof table};
    void *library = dlopen(FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL);

    return library ? cushim_table_fill_library(&table, library, NULL) : CUDA_ERROR_UNKNOWN;
}

const struct function loader_functions[] = {
    {"cushim_driver_load cushim_driver_init", load_and_init, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED},
    {"cushim_current_table cushim_driver_has", load_by_a_call,
     CUDA_ERROR_SHARED_OBJECT_INIT_FAILED},
    {"cushim_report_write_text cushim_report_write_json cushim_report_share_text "
     "cushim_report_share_json",
     print_report, CUDA_SUCCESS},
    {"cushim_report_create cushim_report_destroy cushim_report_state cushim_report_code "
     "cushim_report_driver_version cushim_report_library "
     "cushim_report_reason cushim_report_advice cushim_report_get_symbol_counts "
     "cushim_report_candidate_count cushim_report_get_candidate",
     keep, CUDA_ERROR_OUT_OF_MEMORY},
    {"cushim_error_name cushim_error_string cushim_error_advice cushim_error_sticky "
     "cushim_state_name cushim_version",
     name, CUDA_SUCCESS},
    {"cushim_symbol_count cushim_symbol_get", look_at_symbols, CUDA_SUCCESS},
    {"cushim_device_parse_uuid cushim_device_format_uuid", identify, CUDA_SUCCESS},
    {"cushim_table_fill cushim_table_install cushim_table_installed cushim_table_current "
     "cushim_table_set_wrapped cushim_log_set",
     fill, CUDA_SUCCESS},
    {"cushim_table_fill_library", fill_from_a_library, CUDA_SUCCESS},
    {NULL, NULL, CUDA_SUCCESS},
};
