/* SPDX-License-Identifier: Apache-2.0 */
/* The report: complete in every state, within any buffer, and with words that help. */
#define _GNU_SOURCE
#include <string.h>

#include "fake.h"
#include "forked.h"
#include "loader/codes.h"
#include "loader/tables.h"
#include "tests/support/environment.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { GUARD = 0xab };

static struct fake_source source;

/* --- how each state comes about --- */

static void init_answers(CUresult code)
{
    fake.init_code = code;
    fake_load(&source);
    cushim_init(NULL);
}

static void stay_untried(void)
{
}

static void load_driver(void)
{
    fake_load(&source);
}

static void initialise(void)
{
    init_answers(CUDA_SUCCESS);
}

static void find_no_device(void)
{
    init_answers(CUDA_ERROR_NO_DEVICE);
}

static void mismatch_kernel(void)
{
    init_answers(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
}

static void fail_to_initialise(void)
{
    init_answers(CUDA_ERROR_UNKNOWN);
}

static void find_nothing(void)
{
    fake_load_library(FAKE_ROOT "/nonexistent/libcuda.so.1");
}

static void open_a_folder(void)
{
    fake_load_library(FAKE_ROOT "/");
}

static void name_a_relative_path(void)
{
    fake_load_library("libcuda.so.1");
}

static void open_something_else(void)
{
    source.lacks[0] = "cuInit";
    fake_load(&source);
}

static void open_the_stub(void)
{
    fake.version_code = CUDA_ERROR_STUB_LIBRARY;
    fake_load(&source);
}

static void fail_to_tell_the_version(void)
{
    fake.version_code = CUDA_ERROR_OPERATING_SYSTEM;
    fake_load(&source);
}

static void demand_too_much(void)
{
    const struct cushim_load_options options = {
        .size = sizeof options,
        .minimum_version = FAKE_LIBRARY_VERSION + 10,
        .resolver = fake_resolve,
        .resolver_data = &source,
    };
    cushim_load(&options);
}

static void disable(void)
{
    environment_set("CUSHIM_LIBRARY", "none");
    fake_query();
}

static const struct state_case {
    void (*bring_about)(void);
    enum cushim_state state;
    CUresult code;
} cases[] = {
    {stay_untried, CUSHIM_STATE_UNTRIED, CUDA_SUCCESS},
    {load_driver, CUSHIM_STATE_LOADED, CUDA_SUCCESS},
    {initialise, CUSHIM_STATE_READY, CUDA_SUCCESS},
    {find_no_device, CUSHIM_STATE_NO_DEVICE, CUDA_ERROR_NO_DEVICE},
    {mismatch_kernel, CUSHIM_STATE_KERNEL_MISMATCH, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH},
    {fail_to_initialise, CUSHIM_STATE_INIT_FAILED, CUDA_ERROR_UNKNOWN},
    {find_nothing, CUSHIM_STATE_NOT_FOUND, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED},
    {open_a_folder, CUSHIM_STATE_NOT_LOADABLE, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED},
    {name_a_relative_path, CUSHIM_STATE_NOT_LOADABLE, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED},
    {open_something_else, CUSHIM_STATE_NOT_A_DRIVER, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND},
    {open_the_stub, CUSHIM_STATE_STUB, CUDA_ERROR_STUB_LIBRARY},
    {fail_to_tell_the_version, CUSHIM_STATE_DRIVER_ERROR, CUDA_ERROR_OPERATING_SYSTEM},
    {demand_too_much, CUSHIM_STATE_TOO_OLD, CUSHIM__REQUIRES_NEWER_DRIVER},
    {disable, CUSHIM_STATE_DISABLED, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED},
};

/* The case whose turn it is in a child. */
static const struct state_case *current;

/* Which of its claims a report breaks; 0 if none. */
static int judge_report(const struct cushim_report *report)
{
    const size_t reason = strlen(report->reason), advice = strlen(report->advice);
    const bool fails = current->code != CUDA_SUCCESS;
    const bool loaded =
        current->state >= CUSHIM_STATE_LOADED && current->state <= CUSHIM_STATE_INIT_FAILED;

    if (report->state != current->state || report->code != current->code)
        return 1;
    if (reason < 10 || report->reason[reason - 1] != '.' || strchr(report->reason, '\n'))
        return 2;
    if (fails ? advice < 10 || report->advice[advice - 1] != '.' : advice != 0)
        return 3;
    if (loaded != (report->driver_version == FAKE_LIBRARY_VERSION) ||
        loaded != (report->symbols.core.found == FAKE_SYMBOLS) || loaded != !!report->library[0])
        return 4;
    if ((report->candidate_count == 1) != (current->state != CUSHIM_STATE_UNTRIED))
        return 5;
    return report->installed ? 6 : 0;
}

static int judge_the_case(void)
{
    struct cushim_report report = {.size = sizeof report};

    current->bring_about();
    if (cushim_report_get(&report) != CUDA_SUCCESS)
        return -1;
    return judge_report(&report);
}

static void every_state_has_its_code_a_reason_and_advice_if_it_fails(void **state)
{
    (void)state;
    for (current = cases; current < cases + COUNT(cases); current++) {
        const int broken = forked_answer(judge_the_case);
        if (broken)
            fail_msg("state %s breaks claim %d", cushim_state_name(current->state), broken);
    }
}

static void report_before_any_load_says_that_nothing_was_tried(void **state)
{
    const struct cushim_report report = fake_report();

    (void)state;
    assert_int_equal(report.state, CUSHIM_STATE_UNTRIED);
    assert_int_equal(report.code, CUDA_SUCCESS);
    assert_int_equal(report.candidate_count, 0);
    assert_int_equal(report.init_process, 0);
    assert_string_equal(report.library, "");
    assert_string_equal(report.advice, "");
    assert_ptr_equal(cushim_driver(), &cushim__boot_table);
}

static void report_tells_the_failure_in_the_words_of_the_candidate(void **state)
{
    struct cushim_report report;

    (void)state;
    fake_load_library(FAKE_ROOT "/nonexistent/libcuda.so.1");
    report = fake_report();
    assert_non_null(strstr(report.reason, FAKE_ROOT "/nonexistent/libcuda.so.1"));
    assert_string_equal(report.candidates[0].path, FAKE_ROOT "/nonexistent/libcuda.so.1");
    assert_int_equal(report.candidates[0].outcome, CUSHIM_OUTCOME_NOT_FOUND);
    open_something_else();
    report = fake_report();
    assert_non_null(strstr(report.reason, "cuInit"));
    assert_int_equal(report.candidates[0].origin, CUSHIM_ORIGIN_RESOLVER);
}

/* --- the size of the struct --- */

static void report_of_an_older_caller_is_written_no_further_than_its_size(void **state)
{
    union {
        struct cushim_report report;
        unsigned char bytes[sizeof(struct cushim_report)];
    } older;
    static const size_t sizes[] = {sizeof(size_t), sizeof(size_t) + 1,
                                   offsetof(struct cushim_report, candidates),
                                   sizeof(struct cushim_report) - 1};

    (void)state;
    load_driver();
    for (size_t i = 0; i < COUNT(sizes); i++) {
        memset(&older, GUARD, sizeof older);
        older.report.size = sizes[i];
        assert_int_equal(cushim_report_get(&older.report), CUDA_SUCCESS);
        assert_int_equal(older.report.size, sizes[i]);
        for (size_t k = sizes[i]; k < sizeof older; k++)
            assert_int_equal(older.bytes[k], GUARD);
    }
    older.report.size = offsetof(struct cushim_report, minimum_version);
    assert_int_equal(cushim_report_get(&older.report), CUDA_SUCCESS);
    assert_int_equal(older.report.state, CUSHIM_STATE_LOADED);
    assert_int_equal(older.report.driver_version, FAKE_LIBRARY_VERSION);
}

static void report_of_a_newer_caller_says_how_much_was_written(void **state)
{
    static struct {
        struct cushim_report report;
        unsigned char newer[64];
    } newer;

    (void)state;
    memset(&newer, GUARD, sizeof newer);
    newer.report.size = sizeof newer;
    assert_int_equal(cushim_report_get(&newer.report), CUDA_SUCCESS);
    assert_int_equal(newer.report.size, sizeof newer.report);
    for (size_t i = 0; i < sizeof newer.newer; i++)
        assert_int_equal(newer.newer[i], GUARD);
}

static void report_without_room_for_its_size_is_refused(void **state)
{
    struct cushim_report report;

    (void)state;
    assert_int_equal(cushim_report_get(NULL), CUDA_ERROR_INVALID_VALUE);
    for (size_t size = 0; size < sizeof size; size++) {
        report.size = size;
        assert_int_equal(cushim_report_get(&report), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(report.size, size);
    }
}

/* --- names --- */

static const char *name_of_state(int value)
{
    return cushim_state_name((enum cushim_state)value);
}

static const char *name_of_outcome(int value)
{
    return cushim_outcome_name((enum cushim_outcome)value);
}

static const char *name_of_origin(int value)
{
    return cushim_origin_name((enum cushim_origin)value);
}

static const struct {
    const char *(*name)(int value);
    int count;
} names[] = {
    {name_of_state, CUSHIM_STATE_FORKED + 1},
    {name_of_outcome, CUSHIM_OUTCOME_NO_MEMORY + 1},
    {name_of_origin, CUSHIM_ORIGIN_WELL_KNOWN + 1},
};

static void every_state_outcome_and_origin_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        for (int value = 0; value < names[i].count; value++) {
            const char *name = names[i].name(value);
            assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz-"), strlen(name));
            assert_string_not_equal(name, "");
            assert_string_not_equal(name, "unknown");
            for (int other = 0; other < value; other++)
                assert_string_not_equal(name, names[i].name(other));
        }
    }
}

static void values_out_of_range_are_called_unknown(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_string_equal(names[i].name(names[i].count), "unknown");
        assert_string_equal(names[i].name(1000), "unknown");
        assert_string_equal(names[i].name(-1), "unknown");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_has_its_code_a_reason_and_advice_if_it_fails),
        cmocka_unit_test(report_before_any_load_says_that_nothing_was_tried),
        forked_test(report_tells_the_failure_in_the_words_of_the_candidate),
        forked_test(report_of_an_older_caller_is_written_no_further_than_its_size),
        cmocka_unit_test(report_of_a_newer_caller_says_how_much_was_written),
        cmocka_unit_test(report_without_room_for_its_size_is_refused),
        cmocka_unit_test(every_state_outcome_and_origin_has_a_name_of_its_own),
        cmocka_unit_test(values_out_of_range_are_called_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
