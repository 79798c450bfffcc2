/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of the report that seldom stand there: symbols by cuGetProcAddress alone, an installed
 * table, and a driver without a version.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "fake.h"
#include "forked.h"

static struct fake_source source;
static char text[16384];

static const char *report_text(void)
{
    const struct cushim_report report = fake_report();

    assert_true(cushim_report_text(&report, text, sizeof text) < sizeof text);
    return text;
}

static void found_by_proc_address(void)
{
}

/* Knows two symbols that the driver does not export. */
static CUresult CUDAAPI get_proc_address(const char *base, void **function, int version,
                                         uint64_t flags, int *status)
{
    const cushim_function found = found_by_proc_address;
    const int is_known = (strcmp(base, "cuEventRecord") == 0 && version == 2000 && flags == 1) ||
                         (strcmp(base, "cuMemAlloc") == 0 && version == 3020 && flags == 1);

    *function = NULL;
    if (is_known)
        memcpy(function, &found, sizeof found);
    *status = is_known ? 0 : 1;
    return CUDA_SUCCESS;
}

static cushim_function resolve_with_proc_address(const char *symbol, void *data)
{
    if (strcmp(symbol, "cuGetProcAddress_v2") == 0)
        return (cushim_function)get_proc_address;
    return fake_resolve(symbol, data);
}

static void symbols_by_proc_address_only_are_counted_in_the_report(void **state)
{
    const struct cushim_load_options options = {
        .size = sizeof options, .resolver = resolve_with_proc_address, .resolver_data = &source};
    struct cushim_report report;

    (void)state;
    assert_int_equal(cushim_load(&options), CUDA_SUCCESS);
    report = fake_report();
    assert_int_equal(report.symbols.core.by_proc_address, 2);
    assert_int_equal(report.symbols.interop.by_proc_address, 0);
    assert_non_null(strstr(report_text(), " found (2 by cuGetProcAddress only), "));
    assert_null(strstr(strstr(text, "\ninterop"), "by cuGetProcAddress only"));
}

static void installed_table_is_told_as_long_as_it_is_there(void **state)
{
    static const char line[] = "installed   the program has installed a table of its own\n";

    (void)state;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_null(strstr(report_text(), line));
    assert_int_equal(cushim_table_install(fake_mock(), NULL), CUDA_SUCCESS);
    assert_non_null(strstr(report_text(), line));
    assert_int_equal(cushim_table_install(NULL, NULL), CUDA_SUCCESS);
    assert_null(strstr(report_text(), line));
}

static void driver_that_tells_no_version_is_refused_with_what_it_told(void **state)
{
    static const int versions[] = {0, -1, INT32_MIN};

    (void)state;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct cushim_report report;
        char told[80];

        fake.version = versions[i];
        assert_int_equal(fake_load(&source), CUDA_ERROR_UNKNOWN);
        report = fake_report();
        snprintf(told, sizeof told, "cuDriverGetVersion told the version %d", versions[i]);
        assert_int_equal(report.state, CUSHIM_STATE_DRIVER_ERROR);
        assert_string_equal(report.candidates[0].message, told);
        assert_int_equal(report.candidates[0].version, 0);
        assert_int_equal(report.driver_version, 0);
        assert_int_equal(fake_query(), CUDA_ERROR_UNKNOWN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(symbols_by_proc_address_only_are_counted_in_the_report),
        forked_test(installed_table_is_told_as_long_as_it_is_there),
        forked_test(driver_that_tells_no_version_is_refused_with_what_it_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
