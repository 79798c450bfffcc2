/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formatters of the report: text and JSON, for reports with any values in their fields, in
 * buffers of any size.
 */
#include <stdlib.h>
#include <string.h>

#include "loader/report.h"

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/json_check.h"

typedef size_t formatter(const struct cushim_report *report, char *buffer, size_t size);

/* Fill a field with as many bytes as the input says, or, if it says so, up to the last byte. */
static void fill(struct fuzz_input *input, char *field, size_t size)
{
    const size_t count = fuzz_byte(input) % 96;
    const bool is_full = fuzz_byte(input) & 1;
    char last = 'x';

    memset(field, 0, size);
    for (size_t i = 0; i < count; i++) {
        field[i] = (char)fuzz_byte(input);
        if (field[i])
            last = field[i];
    }
    if (is_full)
        memset(field + count, last, size - 1 - count);
}

static void fill_tally(struct fuzz_input *input, struct cushim_symbol_tally *tally)
{
    tally->total = (unsigned)fuzz_number(input, 2);
    tally->found = (unsigned)fuzz_number(input, 4);
    tally->by_proc_address = fuzz_byte(input);
    tally->fallen_back = fuzz_byte(input);
    tally->missing = (unsigned)fuzz_number(input, 4);
}

static void fill_candidate(struct fuzz_input *input, struct cushim__candidate *candidate)
{
    candidate->origin = (enum cushim_origin)(int32_t)fuzz_number(input, 4);
    candidate->outcome = (enum cushim_outcome)(int32_t)fuzz_number(input, 4);
    candidate->code = (CUresult)(int32_t)fuzz_number(input, 4);
    candidate->version = (int)(int32_t)fuzz_number(input, 4);
    fill(input, candidate->path, sizeof candidate->path);
    fill(input, candidate->message, sizeof candidate->message);
}

static void fill_report(struct fuzz_input *input, struct cushim_report *report)
{
    uint8_t flags;

    memset(report, 0, sizeof *report);
    report->state = (enum cushim_state)(int32_t)fuzz_number(input, 4);
    report->code = (CUresult)(int32_t)fuzz_number(input, 4);
    report->driver_version = (int)(int32_t)fuzz_number(input, 4);
    report->minimum_version = (int)(int32_t)fuzz_number(input, 4);
    flags = fuzz_byte(input);
    report->installed = flags & 1;
    report->table_writable = flags & 2;
    report->init_process = (long)fuzz_number(input, 8);
    fill_tally(input, &report->symbols.core);
    fill_tally(input, &report->symbols.interop);
    report->candidate_count = (unsigned)fuzz_number(input, 4) % (CUSHIM__REPORT_CANDIDATES + 1);
    fill(input, report->library, sizeof report->library);
    fill(input, report->reason, sizeof report->reason);
    fill(input, report->advice, sizeof report->advice);
    for (unsigned i = 0; i < CUSHIM__REPORT_CANDIDATES && input->left; i++)
        fill_candidate(input, &report->candidates[i]);
}

/* In a buffer of `size` bytes, the text is the beginning of the whole text, and terminated. */
static void check_cut(formatter *format, const struct cushim_report *report, const char *whole,
                      size_t length, size_t size)
{
    char *buffer = fuzz_memory(size);
    const size_t fits = size > length ? length : size - 1;

    memset(buffer, 'z', size);
    CLAIM(format(report, buffer, size) == length);
    CLAIM(fuzz_is_closed(buffer, size));
    CLAIM(strlen(buffer) == fits);
    CLAIM(memcmp(buffer, whole, fits) == 0);
    free(buffer);
}

static void check(formatter *format, const struct cushim_report *report, size_t cut, bool is_json)
{
    const size_t length = format(report, NULL, 0);
    char *whole = fuzz_memory(length + 1);

    CLAIM(format(report, whole, length + 1) == length);
    CLAIM(strlen(whole) == length);
    CLAIM(length > 0 && whole[length - 1] == '\n');
    if (is_json) {
        CLAIM(json_is_valid(whole));
    }
    check_cut(format, report, whole, length, 1);
    check_cut(format, report, whole, length, 2 + cut % 32);
    check_cut(format, report, whole, length, 1 + cut % (length + 1));
    check_cut(format, report, whole, length, length + cut % 3);
    free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    const size_t cut = (size_t)fuzz_number(&input, 2);
    struct cushim_report *report = fuzz_memory(sizeof *report), *given;

    (void)fuzz_byte(&input); /* skips a byte, which the inputs of the corpus contain */
    fill_report(&input, report);
    given = fuzz_memory(sizeof *report);
    memcpy(given, report, sizeof *report);
    check(cushim__report_text, given, cut, false);
    check(cushim__report_json, given, cut, true);
    CLAIM(memcmp(given, report, sizeof *report) == 0);
    free(given);
    free(report);
    return 0;
}
