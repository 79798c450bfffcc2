/* SPDX-License-Identifier: Apache-2.0 */
/* The report as text and as JSON: whole or cut, never beyond the buffer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "forked.h"
#include "loader/codes.h"
#include "loader/text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { GUARD = 0xab, GUARD_BYTES = 16 };

static struct fake_source source;

typedef size_t (*writer)(const struct cushim_report *report, char *buffer, size_t size);

static const writer writers[] = {cushim_report_text, cushim_report_json};

static void assert_fits(writer write, const struct cushim_report *report, size_t size,
                        const char *whole, size_t length, char *buffer)
{
    const size_t kept = size ? (length < size - 1 ? length : size - 1) : 0;

    memset(buffer, GUARD, size + GUARD_BYTES);
    assert_int_equal(write(report, buffer, size), length);
    if (size) {
        assert_memory_equal(buffer, whole, kept);
        assert_int_equal(buffer[kept], '\0');
    }
    for (size_t i = size; i < size + GUARD_BYTES; i++)
        assert_int_equal((unsigned char)buffer[i], GUARD);
}

/* Small reports in every size, large ones in some, and all around the length. */
static void assert_never_written_beyond(writer write, const struct cushim_report *report)
{
    const size_t length = write(report, NULL, 0);
    char *whole = malloc(length + 1), *buffer = malloc(length + 4 + GUARD_BYTES);
    const size_t step = length < 4000 ? 1 : 61;

    assert_true(length > 50);
    assert_non_null(whole);
    assert_non_null(buffer);
    assert_int_equal(write(report, whole, length + 1), length);
    assert_int_equal(strlen(whole), length);
    assert_int_equal(whole[length - 1], '\n');
    for (size_t size = 0; size < length; size += step)
        assert_fits(write, report, size, whole, length, buffer);
    for (size_t size = length - 2; size < length + 4; size++)
        assert_fits(write, report, size, whole, length, buffer);
    free(whole);
    free(buffer);
}

static void text_and_json_of_no_load_fit_every_buffer(void **state)
{
    const struct cushim_report report = fake_report();

    (void)state;
    for (size_t i = 0; i < COUNT(writers); i++)
        assert_never_written_beyond(writers[i], &report);
}

static void text_and_json_of_a_failure_fit_every_buffer(void **state)
{
    struct cushim_report report;

    (void)state;
    fake_load_library(FAKE_ROOT "/nonexistent/\"quoted\"\n\x80\xff\t\\/libcuda.so.1");
    report = fake_report();
    for (size_t i = 0; i < COUNT(writers); i++)
        assert_never_written_beyond(writers[i], &report);
}

static void text_and_json_of_a_driver_fit_every_buffer(void **state)
{
    struct cushim_report report;

    (void)state;
    source.lacks[0] = "cuEventElapsedTime_v2";
    fake_load(&source);
    cushim_driver()->EventRecord(NULL, NULL);
    report = fake_report();
    for (size_t i = 0; i < COUNT(writers); i++)
        assert_never_written_beyond(writers[i], &report);
}

/* As one that was copied by hand, or came from a file. */
static void texts_that_nothing_closes_end_with_their_fields(void **state)
{
    static struct cushim_report report;
    char text[8192];

    (void)state;
    report.size = sizeof report;
    memset(report.reason, 'r', sizeof report.reason);
    memset(report.advice, 'a', sizeof report.advice);
    report.candidate_count = 1;
    memset(report.candidates[0].path, 'p', sizeof report.candidates[0].path);
    memset(report.candidates[0].message, 'm', sizeof report.candidates[0].message);
    assert_true(cushim_report_text(&report, text, sizeof text) < sizeof text);
    assert_non_null(strstr(text, "r\nadvice      a"));
    assert_non_null(strstr(text, "p by option: loaded: m"));
    assert_true(cushim_report_json(&report, text, sizeof text) < sizeof text);
    assert_non_null(strstr(text, "r\",\n  \"advice\": \"a"));
}

static void text_names_what_is_missing_and_what_was_called(void **state)
{
    char text[8192];
    struct cushim_report report;

    (void)state;
    source.lacks[0] = "cuEventElapsedTime_v2";
    fake_load(&source);
    assert_int_equal(cushim_driver()->EventRecord(NULL, NULL), CUSHIM__REQUIRES_NEWER_DRIVER);
    report = fake_report();
    assert_true(cushim_report_text(&report, text, sizeof text) < sizeof text);
    assert_non_null(strstr(text, "cuEventElapsedTime_v2 -> cuEventElapsedTime\n"));
    assert_non_null(strstr(text, "cuEventRecord, which this driver lacks"));
    assert_non_null(strstr(text, "missing"));
    assert_non_null(strstr(text, "12.8"));
}

static void text_keeps_odd_paths_on_one_line(void **state)
{
    char text[8192];
    const struct cushim_load_options options = {.size = sizeof options,
                                                .library = FAKE_ROOT "/no\nsuch\x1b[31mfile"};
    struct cushim_report report;

    (void)state;
    assert_int_equal(cushim_load(&options), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    report = fake_report();
    assert_true(cushim_report_text(&report, text, sizeof text) < sizeof text);
    assert_non_null(strstr(text, FAKE_ROOT "/no?such?[31mfile by option: not-found"));
    assert_null(strchr(text, '\x1b'));
}

/* Of a path, and how text and JSON show it. */
static const struct {
    const char *bytes, *text, *json;
} odd_parts[] = {
    {"a\tb\x7f", "a?b?", "a\\u0009b\\u007f"},                        /* C0 and DEL */
    {"c\xc2\x80\xc2\x9b\xc2\x9f", "c???", "c\\u0080\\u009b\\u009f"}, /* C1 */
    {"d\xc2\xa0\xc3\xa9", "d\xc2\xa0\xc3\xa9", "d\xc2\xa0\xc3\xa9"}, /* beyond C1: shown */
    {"e\x9b"
     "31m",
     "e?31m", "e\\ufffd31m"},            /* C1 of one byte */
    {"f\xe2\x80\xae", "f?", "f\\u202e"}, /* turns text around */
    {"g\xe2\x80\xa8", "g?", "g\\u2028"}, /* ends a line */
    {"h\xe2\x82\xac\xf0\x9f\x98\x80", "h\xe2\x82\xac\xf0\x9f\x98\x80",
     "h\xe2\x82\xac\xf0\x9f\x98\x80"},
};

static void what_would_act_on_a_terminal_is_not_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(odd_parts); i++) {
        char buffer[256], expected[256];
        struct cushim__text text;

        cushim__text_begin(&text, buffer, sizeof buffer);
        cushim__text_plain(&text, odd_parts[i].bytes);
        assert_string_equal(buffer, odd_parts[i].text);
        cushim__text_begin(&text, buffer, sizeof buffer);
        cushim__text_json(&text, odd_parts[i].bytes);
        snprintf(expected, sizeof expected, "\"%s\"", odd_parts[i].json);
        assert_string_equal(buffer, expected);
    }
}

/* No byte of C0 or of C1 is left, whatever the path is. */
static void no_two_bytes_together_make_a_control_character(void **state)
{
    (void)state;
    for (unsigned pair = 0; pair < 0x10000; pair++) {
        const char bytes[] = {(char)(pair >> 8 ? pair >> 8 : 1), (char)(pair & 0xff), '\0'};
        char buffer[32];
        struct cushim__text text;

        cushim__text_begin(&text, buffer, sizeof buffer);
        cushim__text_plain(&text, bytes);
        for (const unsigned char *byte = (const unsigned char *)buffer; *byte; byte++) {
            assert_true(*byte >= 0x20 && *byte != 0x7f);
            if (byte == (const unsigned char *)buffer || byte[-1] < 0xc3)
                assert_true(*byte < 0x80 || *byte >= 0xa0);
        }
    }
}

static void path_that_is_too_long_ends_in_dots(void **state)
{
    char path[2000];
    struct cushim_report report;

    (void)state;
    memset(path, 'x', sizeof path);
    path[0] = '/';
    path[sizeof path - 1] = '\0';
    assert_int_equal(fake_load_library(path), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    report = fake_report();
    assert_int_equal(report.candidates[0].outcome, CUSHIM_OUTCOME_REFUSED);
    assert_int_equal(strlen(report.candidates[0].path), CUSHIM_REPORT_PATH_BYTES - 1);
    assert_string_equal(report.candidates[0].path + CUSHIM_REPORT_PATH_BYTES - 4, "...");
    assert_int_equal(report.reason[strlen(report.reason) - 1], '.');
    assert_never_written_beyond(cushim_report_json, &report);
}

static void text_and_json_of_an_older_callers_report_read_no_further_than_its_size(void **state)
{
    union {
        struct cushim_report report;
        unsigned char bytes[sizeof(struct cushim_report)];
    } older;
    char text[16384];

    (void)state;
    fake_load(&source);
    memset(&older, GUARD, sizeof older);
    older.report.size = offsetof(struct cushim_report, minimum_version);
    assert_int_equal(cushim_report_get(&older.report), CUDA_SUCCESS);
    for (size_t i = 0; i < COUNT(writers); i++) {
        writers[i](&older.report, text, sizeof text);
        assert_non_null(strstr(text, "loaded"));
        assert_null(strchr(text, GUARD));
    }
}

static void no_report_is_an_empty_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(writers); i++) {
        char text[] = "before";

        assert_int_equal(writers[i](NULL, text, sizeof text), 0);
        assert_string_equal(text, "");
        assert_int_equal(writers[i](NULL, NULL, 0), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(text_and_json_of_no_load_fit_every_buffer),
        forked_test(text_and_json_of_a_failure_fit_every_buffer),
        forked_test(text_and_json_of_a_driver_fit_every_buffer),
        forked_test(texts_that_nothing_closes_end_with_their_fields),
        forked_test(text_names_what_is_missing_and_what_was_called),
        forked_test(text_keeps_odd_paths_on_one_line),
        forked_test(text_and_json_of_an_older_callers_report_read_no_further_than_its_size),
        forked_test(what_would_act_on_a_terminal_is_not_written),
        forked_test(no_two_bytes_together_make_a_control_character),
        forked_test(path_that_is_too_long_ends_in_dots),
        cmocka_unit_test(no_report_is_an_empty_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
