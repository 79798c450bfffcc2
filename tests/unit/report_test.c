/* SPDX-License-Identifier: Apache-2.0 */
/* The report: complete in every state, within buffers of any size, with a reason and advice. */
#define _GNU_SOURCE
#include <limits.h>
#include <unistd.h>

#include "fake.h"
#include "forked.h"
#include "loader/report.h"
#include "loader/symbols.h"
#include "src/base/text.h"
#include "tests/support/environment.h"

enum { GUARD = 0xab, GUARD_BYTES = 64 };

#define NO_FILE FAKE_ROOT "/nonexistent/libcuda.so.1"

static struct fake_source source;

/* --- each state, and how to reach it --- */

static const struct state_case {
    enum cushim_state state;
    int code;
    const char *words; /* a part of the reason */
    /* What the process loads: nothing, a library by path, the fake driver, or CUSHIM_LIBRARY. */
    enum { NOTHING, LIBRARY, DRIVER, ENVIRONMENT } what;
    const char *path; /* the library's path, or the value of CUSHIM_LIBRARY */
    const char *lacks;
    int version_code, version, minimum; /* the driver's */
    bool is_initialised;                /* the name of `code` */
} cases[] = {
    {CUSHIM_STATE_UNTRIED, 0, "looked for", .what = NOTHING},
    {CUSHIM_STATE_LOADED, 0, "12.8", .what = DRIVER},
    {CUSHIM_STATE_READY, 0, "initialised", .what = DRIVER, .is_initialised = true},
    {CUSHIM_STATE_NO_DEVICE, 100, "cuInit returned 100", .what = DRIVER, .is_initialised = true},
    {CUSHIM_STATE_KERNEL_MISMATCH, 803, "803", .what = DRIVER, .is_initialised = true},
    {CUSHIM_STATE_INIT_FAILED, 999, "cuInit returned 999", .what = DRIVER, .is_initialised = true},
    {CUSHIM_STATE_INIT_FAILED, INT_MIN, "-2147483648", .what = DRIVER, .is_initialised = true},
    {CUSHIM_STATE_NOT_FOUND, 303, NO_FILE, .what = LIBRARY, .path = NO_FILE},
    {CUSHIM_STATE_NOT_LOADABLE, 303, FAKE_ROOT "/", .what = LIBRARY, .path = FAKE_ROOT "/"},
    {CUSHIM_STATE_NOT_LOADABLE, 303, "not absolute", .what = LIBRARY, .path = "libcuda.so.1"},
    {CUSHIM_STATE_NOT_LOADABLE, 303, "not absolute", .what = LIBRARY, .path = "none"},
    {CUSHIM_STATE_NOT_LOADABLE, 303, "empty", .what = LIBRARY, .path = ""},
    {CUSHIM_STATE_NOT_LOADABLE, 303, "empty", .what = ENVIRONMENT, .path = ""},
    {CUSHIM_STATE_NOT_A_DRIVER, 302, "cuInit", .what = DRIVER, .lacks = "cuInit"},
    {CUSHIM_STATE_STUB, 34, "stub", .what = DRIVER, .version_code = 34},
    {CUSHIM_STATE_DRIVER_ERROR, 304, "304", .what = DRIVER, .version_code = 304},
    {CUSHIM_STATE_DRIVER_ERROR, INT_MIN, "-2147483648", .what = DRIVER, .version_code = INT_MIN},
    {CUSHIM_STATE_DRIVER_ERROR, 999, "version -1", .what = DRIVER, .version = -1},
    {CUSHIM_STATE_DRIVER_ERROR, 999, "version -2147483648", .what = DRIVER, .version = INT_MIN},
    {CUSHIM_STATE_TOO_OLD, 36, "12.9", .what = DRIVER, .minimum = FAKE_VERSION + 10},
    {CUSHIM_STATE_DISABLED, 303, "CUSHIM_LIBRARY=none", .what = ENVIRONMENT, .path = "none"},
};

static void enter_state(const struct state_case *wanted)
{
    source.lacks[0] = wanted->lacks;
    fake.version_code = (CUresult)wanted->version_code;
    fake.init_code = (CUresult)wanted->code;
    if (wanted->version)
        fake.version = wanted->version;
    if (wanted->what == LIBRARY)
        fake_load_library(wanted->path);
    if (wanted->what == DRIVER)
        fake_load_minimum(&source, wanted->minimum);
    if (wanted->what == ENVIRONMENT) {
        environment_set("CUSHIM_LIBRARY", wanted->path);
        fake_query();
    }
    if (wanted->is_initialised)
        cushim_driver_init(NULL);
}

/* The case that a child checks. */
static const struct state_case *current;

/* Returns the number of the first check that fails, or 0. */
static int check_report(void)
{
    const bool fails = current->code != CUDA_SUCCESS;
    const bool loaded =
        current->state >= CUSHIM_STATE_LOADED && current->state <= CUSHIM_STATE_INIT_FAILED;
    struct cushim_report report;
    size_t reason, advice;

    enter_state(current);
    report = fake_report();
    reason = strlen(report.reason), advice = strlen(report.advice);
    if (report.state != current->state || (int)report.code != current->code)
        return 1;
    if (reason < 10 || report.reason[reason - 1] != '.' || strchr(report.reason, '\n') ||
        !strstr(report.reason, current->words))
        return 2;
    if (fails ? advice < 10 || report.advice[advice - 1] != '.' : advice != 0)
        return 3;
    if (loaded != (report.driver_version == FAKE_VERSION) ||
        loaded != (report.symbols.core.found == FAKE_SYMBOLS) || loaded != !!report.library[0])
        return 4;
    if ((report.candidate_count == 1) != (current->state != CUSHIM_STATE_UNTRIED) ||
        report.installed ||
        report.init_process != (current->state == CUSHIM_STATE_READY ? getpid() : 0))
        return 5;
    /* cushim_driver_init(), or otherwise each call, returns the code of the report. */
    if (fails && (int)(loaded ? cushim_driver_init(NULL) : fake_query()) != current->code)
        return 6;
    return 0;
}

TEST_ALONE(every_state_has_its_code_a_reason_and_advice_if_it_fails)
{
    for (current = cases; current < cases + COUNT(cases); current++) {
        const int broken = forked_answer(check_report);

        if (broken)
            fail_msg("state %s: claim %d fails", cushim_state_name(current->state), broken);
    }
}

/* Returns 0 if the report of a forked process is right. */
static int check_fork(void)
{
    struct cushim_report report;

    fake.init_code = CUDA_ERROR_NOT_INITIALIZED;
    fake_load(&source);
    cushim_driver_init(NULL);
    report = fake_report();
    if (!strstr(report.reason, "this process was forked"))
        return 1;
    return strstr(report.advice, "spawn") ? 0 : 2;
}

TEST_ALONE(cuInit_of_a_forked_process_that_returns_3_is_explained_by_the_fork)
{
    if (!forked_is_told_by_the_system())
        skip();
    assert_int_equal(forked_answer(check_fork), 0);
}

/* --- the report as an object --- */

static bool is_same(const char *one, const char *other)
{
    return strcmp(one, other) == 0;
}

/* Returns the number of the first function whose result differs from the loader's report, or 0. */
static int check_functions(void)
{
    struct cushim_report expected, *report = NULL;
    struct cushim_symbol_counts counts;

    enter_state(current);
    expected = fake_report();
    if (cushim_report_create(&report) != CUDA_SUCCESS)
        return 1;
    if (cushim_report_get_symbol_counts(report, &counts) != CUDA_SUCCESS ||
        memcmp(&counts, &expected.symbols, sizeof counts) != 0)
        return 2;
    if (cushim_report_state(report) != expected.state ||
        cushim_report_code(report) != expected.code ||
        cushim_report_driver_version(report) != expected.driver_version)
        return 3;
    if (!is_same(cushim_report_library(report), expected.library) ||
        !is_same(cushim_report_reason(report), expected.reason) ||
        !is_same(cushim_report_advice(report), expected.advice))
        return 4;
    if (cushim_report_candidate_count(report) != expected.candidate_count)
        return 5;
    for (unsigned i = 0; i < expected.candidate_count; i++) {
        const struct cushim__candidate *candidate = &expected.candidates[i];

        struct cushim_report_candidate got = CUSHIM_REPORT_CANDIDATE_INIT;

        if (cushim_report_get_candidate(report, i, &got) != CUDA_SUCCESS ||
            got.origin != candidate->origin || got.outcome != candidate->outcome ||
            got.code != candidate->code || got.version != candidate->version ||
            !is_same(got.path, candidate->path) || !is_same(got.message, candidate->message) ||
            !is_same(got.origin_name, cushim__origin_name(candidate->origin)) ||
            !is_same(got.outcome_name, cushim__outcome_name(candidate->outcome)))
            return 6;
    }
    cushim_report_destroy(report);
    return 0;
}

TEST_ALONE(functions_return_what_the_loader_reports_in_every_state)
{
    for (current = cases; current < cases + COUNT(cases); current++) {
        const int broken = forked_answer(check_functions);

        if (broken)
            fail_msg("state %s: function %d differs", cushim_state_name(current->state), broken);
    }
}

/* A struct of another version's size is filled up to that size, and unknown members are zero. */
FORKED_TEST(candidate_is_filled_to_its_size)
{
    struct {
        struct cushim_report_candidate known;
        size_t newer;
    } longer;
    const struct cushim_report_candidate untouched = CUSHIM_REPORT_CANDIDATE_INIT;
    struct cushim_report_candidate candidate = CUSHIM_REPORT_CANDIDATE_INIT;
    struct cushim_report *report = NULL;
    const size_t sizes[] = {0, 1, sizeof candidate - 1, 1 << 20};
    unsigned char guards[sizeof candidate.path];

    assert_int_equal(fake_load_library(NO_FILE), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    assert_int_equal(cushim_report_create(&report), CUDA_SUCCESS);
    assert_int_equal(cushim_report_candidate_count(report), 1);
    assert_int_equal(cushim_report_get_candidate(NULL, 0, &candidate), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cushim_report_get_candidate(report, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_report_get_candidate(report, 1, &candidate), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_report_get_candidate(report, UINT_MAX, &candidate),
                     CUDA_ERROR_INVALID_VALUE);
    assert_memory_equal(&candidate, &untouched, sizeof candidate);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        candidate.size = sizes[i];
        assert_int_equal(cushim_report_get_candidate(report, 0, &candidate),
                         CUDA_ERROR_INVALID_VALUE);
        assert_null(candidate.path);
    }
    memset(guards, GUARD, sizeof guards);
    memset(&candidate, GUARD, sizeof candidate);
    candidate.size = offsetof(struct cushim_report_candidate, path);
    assert_int_equal(cushim_report_get_candidate(report, 0, &candidate), CUDA_SUCCESS);
    assert_int_equal(candidate.size, offsetof(struct cushim_report_candidate, path));
    assert_int_equal(candidate.outcome, CUSHIM_OUTCOME_NOT_FOUND);
    assert_memory_equal(&candidate.path, guards, sizeof guards);
    memset(&longer, GUARD, sizeof longer);
    longer.known.size = sizeof longer;
    assert_int_equal(cushim_report_get_candidate(report, 0, &longer.known), CUDA_SUCCESS);
    assert_string_equal(longer.known.path, NO_FILE);
    assert_int_equal(longer.newer, 0);
    cushim_report_destroy(report);
}

FORKED_TEST(report_stays_as_it_was_created)
{
    struct cushim_report_candidate candidate = CUSHIM_REPORT_CANDIDATE_INIT;
    struct cushim_report *report = NULL;

    assert_int_equal(cushim_report_create(NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(fake_load_library(NO_FILE), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    assert_int_equal(cushim_report_create(&report), CUDA_SUCCESS);
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(cushim_report_state(report), CUSHIM_STATE_NOT_FOUND);
    assert_int_equal(cushim_report_get_candidate(report, 0, &candidate), CUDA_SUCCESS);
    assert_string_equal(candidate.path, NO_FILE);
    assert_string_equal(cushim_report_library(report), "");
    cushim_report_destroy(report);
    assert_int_equal(cushim_report_create(&report), CUDA_SUCCESS);
    assert_int_equal(cushim_report_state(report), CUSHIM_STATE_LOADED);
    cushim_report_destroy(report);
}

TEST_ALONE(report_that_is_null_is_empty)
{
    struct cushim_symbol_counts counts;

    assert_int_equal(cushim_report_get_symbol_counts(NULL, &counts), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cushim_report_state(NULL), CUSHIM_STATE_UNTRIED);
    assert_int_equal(cushim_report_code(NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_report_driver_version(NULL), 0);
    assert_string_equal(cushim_report_library(NULL), "");
    assert_string_equal(cushim_report_reason(NULL), "");
    assert_string_equal(cushim_report_advice(NULL), "");
    assert_int_equal(cushim_report_candidate_count(NULL), 0);
    cushim_report_destroy(NULL);
}

/* --- names --- */

static const char *name_of_state(int value)
{
    return cushim_state_name((enum cushim_state)value);
}

static const char *name_of_outcome(int value)
{
    return cushim__outcome_name((enum cushim_outcome)value);
}

static const char *name_of_origin(int value)
{
    return cushim__origin_name((enum cushim_origin)value);
}

TEST_ALONE(every_state_outcome_and_origin_has_a_name_of_its_own)
{
    static const struct {
        const char *(*name)(int value);
        int count;
    } names[] = {
        {name_of_state, CUSHIM_STATE_FORKED + 1},
        {name_of_outcome, CUSHIM_OUTCOME_NO_MEMORY + 1},
        {name_of_origin, CUSHIM_ORIGIN_WELL_KNOWN + 1},
    };

    for (size_t i = 0; i < COUNT(names); i++) {
        for (int value = 0; value < names[i].count; value++) {
            const char *name = names[i].name(value);

            assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz-"), strlen(name));
            assert_true(name[0] && strcmp(name, "unknown") != 0);
            for (int other = 0; other < value; other++)
                assert_string_not_equal(name, names[i].name(other));
        }
        assert_string_equal(names[i].name(names[i].count), "unknown");
        assert_string_equal(names[i].name(-1), "unknown");
    }
}

/* --- as text and as JSON --- */

static char text[65536];

static const char *report_text(void)
{
    assert_true(cushim_report_write_text(text, sizeof text) < sizeof text);
    return text;
}

TEST_ALONE(text_has_what_is_unusual)
{
    static const struct cushim_report report = {
        .state = CUSHIM_STATE_LOADED,
        .driver_version = 13000,
        .table_writable = true,
        .symbols.core = {.total = 9, .found = 8, .by_proc_address = 3},
    };

    assert_true(cushim__report_text(&report, text, sizeof text) < sizeof text);
    CONTAINS(text, "8 of 9 found (3 by cuGetProcAddress only)");
    CONTAINS(text, "\nwritable ");
}

typedef size_t (*writer)(const struct cushim_report *report, char *buffer, size_t size);

static const writer writers[] = {cushim__report_text, cushim__report_json};

/* Short texts with every buffer size; long ones with some sizes, and all sizes near the length. */
static void assert_never_written_beyond(writer write, const struct cushim_report *report)
{
    const size_t length = write(report, NULL, 0);
    char *whole = malloc(length + 1), *buffer = malloc(length + 4 + GUARD_BYTES);
    const size_t step = length < 4000 ? 1 : 61;

    assert_true(length > 50 && whole && buffer);
    assert_int_equal(write(report, whole, length + 1), length);
    assert_int_equal(strlen(whole), length);
    assert_int_equal(whole[length - 1], '\n');
    for (size_t size = 0; size < length + 4; size += size < length - 2 * step ? step : 1) {
        const size_t kept = size ? (length < size - 1 ? length : size - 1) : 0;

        memset(buffer, GUARD, size + GUARD_BYTES);
        assert_int_equal(write(report, buffer, size), length);
        assert_memory_equal(buffer, whole, kept);
        assert_true(size == 0 || buffer[kept] == '\0');
        for (size_t i = size; i < size + GUARD_BYTES; i++)
            assert_int_equal((unsigned char)buffer[i], GUARD);
    }
    free(whole);
    free(buffer);
}

FORKED_TEST(text_and_json_fit_every_buffer)
{
    struct cushim_report report[3];

    report[0] = fake_report();
    fake_load_library(FAKE_ROOT "/nonexistent/\"quoted\"\n\x80\xff\t\\/libcuda.so.1");
    report[1] = fake_report();
    source.lacks[0] = "cuEventElapsedTime_v2";
    fake_load(&source);
    cushim_driver()->EventRecord(NULL, NULL);
    report[2] = fake_report();
    for (size_t i = 0; i < COUNT(report) * COUNT(writers); i++)
        assert_never_written_beyond(writers[i % COUNT(writers)], &report[i / COUNT(writers)]);
    assert_int_equal(cushim_report_write_text(NULL, 0), cushim__report_text(&report[2], NULL, 0));
    assert_int_equal(cushim_report_write_json(NULL, 0), cushim__report_json(&report[2], NULL, 0));
}

FORKED_TEST(text_and_json_name_what_is_missing_what_was_called_and_what_is_installed)
{
    static const char installed[] = "installed   the program has installed a table of its own\n";
    struct cushim_report report;
    unsigned names = 0;

    source.lacks[0] = "cuEventElapsedTime_v2";
    fake_load(&source);
    assert_int_equal(cushim_driver()->EventRecord(NULL, NULL), CUSHIM__REQUIRES_NEWER_DRIVER);
    CONTAINS(report_text(), "cuEventElapsedTime_v2 -> cuEventElapsedTime\n");
    CONTAINS(text, "cuEventRecord, which this driver lacks");
    CONTAINS(text, "12.8");
    LACKS(text, installed);
    assert_int_equal(cushim_table_install(fake_mock(), NULL), CUDA_SUCCESS);
    CONTAINS(report_text(), installed);
    report = fake_report();
    assert_true(cushim_report_write_json(text, sizeof text) < sizeof text);
    CONTAINS(text, "\"missed\": [\n    \"cuEventRecord\"\n  ]");
    for (const char *name = strstr(text, "\"missing\": ["); *name != ']'; name++)
        names += strncmp(name, "\"cu", 3) == 0;
    assert_int_equal(names, report.symbols.core.missing + report.symbols.interop.missing);
}

FORKED_TEST(path_that_is_too_long_ends_in_dots)
{
    char path[2000] = FAKE_ROOT "/";
    struct cushim_report report;

    memset(path + strlen(path), 'x', sizeof path - 1 - strlen(path));
    assert_int_equal(fake_load_library(path), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    report = fake_report();
    assert_int_equal(report.candidates[0].outcome, CUSHIM_OUTCOME_REFUSED);
    assert_string_equal(report.candidates[0].path + CUSHIM_REPORT_PATH_BYTES - 4, "...");
}

/* Parts of a path, and how text and JSON show them. */
static const struct {
    const char *bytes, *text, *json;
} odd_parts[] = {
    {"a\tb\nc\x7f", "a?b?c?", "a\\u0009b\\u000ac\\u007f"},           /* C0 and DEL */
    {"c\xc2\x80\xc2\x9b\xc2\x9f", "c???", "c\\u0080\\u009b\\u009f"}, /* C1 */
    {"d\xc2\xa0\xc3\xa9", "d\xc2\xa0\xc3\xa9", "d\xc2\xa0\xc3\xa9"}, /* beyond C1: shown */
    {"e\x9b"
     "31m",
     "e?31m", "e\\ufffd31m"}, /* C1 as one byte */
    {"i\"\\", "i\"\\", "i\\\"\\\\"},
    {"j\xc0\xaf", "j??", "j\\ufffd\\ufffd"},             /* overlong */
    {"k\xed\xa0\x80", "k???", "k\\ufffd\\ufffd\\ufffd"}, /* a surrogate */
    {"l\xe6\xbc.", "l??.", "l\\ufffd\\ufffd."},          /* truncated */
    {"f\xe2\x80\xae", "f?", "f\\u202e"},                 /* changes the text's direction */
    {"g\xe2\x80\xa8", "g?", "g\\u2028"},                 /* ends a line */
    {"h\xe2\x82\xac\xf0\x9f\x98\x80", "h\xe2\x82\xac\xf0\x9f\x98\x80",
     "h\xe2\x82\xac\xf0\x9f\x98\x80"},
};

TEST_ALONE(no_control_character_is_written)
{
    char buffer[256], expected[256];
    struct cushim__text out;

    for (size_t i = 0; i < COUNT(odd_parts); i++) {
        cushim__text_begin(&out, buffer, sizeof buffer);
        cushim__text_plain(&out, odd_parts[i].bytes);
        assert_string_equal(buffer, odd_parts[i].text);
        cushim__text_begin(&out, buffer, sizeof buffer);
        cushim__text_json(&out, odd_parts[i].bytes);
        snprintf(expected, sizeof expected, "\"%s\"", odd_parts[i].json);
        assert_string_equal(buffer, expected);
    }
}
