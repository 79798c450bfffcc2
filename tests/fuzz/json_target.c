/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command's JSON: whatever names, paths and messages contain, the document is JSON in UTF-8,
 * and decoding its strings gives the original texts.
 */
#include <stdlib.h>
#include <string.h>

#include "src/tool/base/failure.h"
#include "src/tool/base/output.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/json_check.h"

enum { VALUES = 24, DEPTH = 12 };

static void put_decimal(struct json *json, struct fuzz_input *input, const char *key)
{
    const uint64_t bits = fuzz_number(input, 8);
    double value;

    memcpy(&value, &bits, sizeof value);
    json_decimal(json, key, value, (int)fuzz_below(input, 10));
}

static void put_failure(struct json *json, struct fuzz_input *input)
{
    struct failure failure = {.status = STATUS_FAILED, .code = (CUresult)fuzz_number(input, 2)};
    char *message = fuzz_text(input), *advice = fuzz_text(input);

    failure.call = fuzz_byte(input) & 1 ? "cuInit" : NULL;
    strncpy(failure.message, message, sizeof failure.message - 1);
    strncpy(failure.advice, advice, sizeof failure.advice - 1);
    failure_json(&failure, json);
    free(message);
    free(advice);
}

static void put_report(struct json *json, struct fuzz_input *input)
{
    struct cushim_report *report = fuzz_memory(sizeof *report);
    char *path = fuzz_text(input);

    memset(report, 0, sizeof *report);
    report->candidate_count = fuzz_byte(input) % (CUSHIM__REPORT_CANDIDATES + 1);
    strncpy(report->library, path, sizeof report->library - 1);
    strncpy(report->candidates[0].path, path, sizeof report->candidates[0].path - 1);
    json_report(json, "report", report);
    free(path);
    free(report);
}

/* Write a value of any kind; members of objects have keys, elements of arrays have none. */
static void put_value(struct json *json, struct fuzz_input *input, bool is_object)
{
    const unsigned kind = fuzz_below(input, 9);
    char *key = is_object ? fuzz_text(input) : NULL, *value;

    switch (kind) {
    case 0:
        json_integer(json, key, (int64_t)fuzz_number(input, 8));
        break;
    case 1:
        json_size(json, key, fuzz_number(input, 8));
        break;
    case 2:
        json_bool(json, key, fuzz_byte(input) & 1);
        break;
    case 3:
        json_null(json, key);
        break;
    case 4:
        put_decimal(json, input, key);
        break;
    case 5:
        if (is_object)
            put_failure(json, input);
        break;
    case 6:
        if (is_object)
            put_report(json, input);
        break;
    default:
        value = fuzz_text(input);
        json_string(json, key, value);
        free(value);
    }
    free(key);
}

static void put_document(struct fuzz_input *input)
{
    struct json json = {0};
    char brackets[DEPTH + 1];
    unsigned depth = 0;

    brackets[depth++] = '{';
    json_open(&json, NULL, '{');
    for (unsigned i = 0; i < VALUES && input->left; i++) {
        const bool is_object = brackets[depth - 1] == '{';
        const unsigned what = fuzz_below(input, 8);

        if (what == 0 && depth < DEPTH) {
            brackets[depth] = fuzz_byte(input) & 1 ? '{' : '[';
            json_open(&json, is_object ? "key" : NULL, brackets[depth]);
            depth++;
        } else if (what == 1 && depth > 1) {
            depth--;
            json_close(&json, brackets[depth] == '{' ? '}' : ']');
        } else {
            put_value(&json, input, is_object);
        }
    }
    while (depth-- > 0)
        json_close(&json, brackets[depth] == '{' ? '}' : ']');
}

static void check_document(struct fuzz_input input)
{
    struct fuzz_output output;
    char *text;

    fuzz_output_begin(&output, stdout);
    put_document(&input);
    text = fuzz_output_end(&output);
    CLAIM(json_is_valid(text));
    CLAIM(utf8_is_valid(text));
    CLAIM(text[0] == '{' && text[strlen(text) - 1] == '\n');
    free(text);
}

/* Valid UTF-8 is returned unchanged; other bytes become replacement characters. */
static void check_string(struct fuzz_input input)
{
    struct json json = {0};
    struct fuzz_output output;
    char *value = fuzz_text(&input), *text, *decoded;
    const size_t size = 3 * strlen(value) + 1;
    const char *end;

    fuzz_output_begin(&output, stdout);
    json_string(&json, NULL, value);
    text = fuzz_output_end(&output);
    decoded = fuzz_memory(size);
    end = json_decode(text, decoded, size);
    CLAIM(end && *end == '\0');
    CLAIM(utf8_is_valid(decoded));
    CLAIM((strcmp(decoded, value) == 0) == utf8_is_valid(value));
    free(decoded);
    free(text);
    free(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fuzz_input input = {data, size};

    check_document(input);
    check_string(input);
    return 0;
}
