/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns and names of the layer: the matcher is compared with another implementation;
 * expectations have any name and matchers; recordings contain calls with any text.
 */
#include <stdlib.h>
#include <string.h>

#include <cushim/testing/recording.h>

#include "src/driver_api/function_name.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/layer.h"

enum { LONGEST = 40 };

/* Uses a table of which prefixes match which; the layer backtracks to the last star instead. */
static bool fits(const char *pattern, const char *text)
{
    const size_t rows = strlen(pattern), columns = strlen(text);
    bool table[LONGEST + 1][LONGEST + 1] = {{0}};

    table[0][0] = true;
    for (size_t row = 1; row <= rows; row++) {
        for (size_t column = 0; column <= columns; column++) {
            if (pattern[row - 1] == '*')
                table[row][column] =
                    table[row - 1][column] || (column > 0 && table[row][column - 1]);
            else
                table[row][column] = column > 0 && pattern[row - 1] == text[column - 1] &&
                                     table[row - 1][column - 1];
        }
    }
    return table[rows][columns];
}

static void check_pattern(const char *pattern, const char *text)
{
    if (strlen(pattern) <= LONGEST && strlen(text) <= LONGEST)
        CLAIM(cushim__pattern_fits(pattern, text) == fits(pattern, text));
}

static bool no_predicate(void *data, uint64_t value)
{
    return !data && value == 0;
}

static void check_message(CUresult code, const char *message, size_t size)
{
    CLAIM(code == CUDA_SUCCESS || code == CUDA_ERROR_INVALID_VALUE);
    CLAIM(fuzz_is_closed(message, size));
    CLAIM(size < 2 || (message[0] == '\0') == (code == CUDA_SUCCESS));
}

/* Any expectation gives a verdict with a terminated text, and clearing removes everything. */
static void check_expectation(struct cushim_layer *layer, struct fuzz_input *input,
                              const char *function, const char *text)
{
    struct cushim_expectation what = {.size = sizeof what, .function = function};
    const size_t size = fuzz_byte(input);
    char *message = fuzz_memory(size);
    char verdict[300];

    for (unsigned i = 0; i < CUSHIM_RECORDED_ARGUMENTS && input->left; i++) {
        struct cushim_match *match = &what.arguments[i];

        match->kind = (enum cushim_match_kind)(int8_t)fuzz_byte(input);
        match->value = fuzz_number(input, fuzz_below(input, 9));
        match->last = fuzz_number(input, fuzz_below(input, 9));
        match->text = fuzz_byte(input) & 1 ? text : NULL;
        match->predicate = fuzz_byte(input) & 1 ? no_predicate : NULL;
    }
    what.minimum = (unsigned)fuzz_number(input, 1);
    what.maximum = (unsigned)fuzz_number(input, fuzz_below(input, 5));
    what.match_code = fuzz_byte(input) & 1;
    what.code = (CUresult)(int16_t)fuzz_number(input, 2);
    what.in_order = fuzz_byte(input) & 1;
    check_message(cushim_layer_expect(layer, &what, size ? message : NULL, size), message, size);
    check_message(cushim_layer_forbid(layer, text, size ? message : NULL, size), message, size);
    cushim_layer_table(layer)->DriverGetVersion(NULL);
    cushim_layer_table(layer)->EventQuery(NULL);
    cushim_layer_table(layer)->StreamSynchronize(NULL);
    memset(verdict, 'z', sizeof verdict);
    cushim_layer_verify(layer, verdict, sizeof verdict);
    CLAIM(fuzz_is_closed(verdict, sizeof verdict));
    cushim_layer_clear_expectations(layer);
    CLAIM(cushim_layer_verify(layer, verdict, sizeof verdict) == CUDA_SUCCESS);
    free(message);
}

/* The text of a recorded call with the input in it, in a buffer of any size. */
static void check_recording(struct cushim_layer *layer, const char *text, size_t size)
{
    const struct cushim_table *table = cushim_layer_table(layer);
    char whole[2048], *part = fuzz_memory(size);
    CUdriverProcAddressQueryResult result;
    void *function = NULL;
    size_t length;

    table->GetProcAddress_v2(text, &function, 12000, 0, &result);
    length = cushim_recording_write_text(layer, whole, sizeof whole);
    CLAIM(length > 0 && length < sizeof whole && strlen(whole) == length);
    CLAIM(whole[length - 1] == '\n');
    CLAIM(cushim_recording_write_text(layer, size ? part : NULL, size) == length);
    CLAIM(fuzz_is_closed(part, size));
    CLAIM(size == 0 || strncmp(part, whole, strlen(part)) == 0);
    CLAIM(size == 0 || strlen(part) == (length < size ? length : size - 1));
    cushim_recording_clear(layer);
    free(part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    struct cushim_layer *layer = fuzz_layer(4);
    char *pattern = fuzz_text(&input), *text = fuzz_text(&input);

    check_pattern(pattern, text);
    check_pattern(text, pattern);
    check_expectation(layer, &input, pattern, text);
    cushim_recording_clear(layer);
    check_recording(layer, text, size % 251);
    free(pattern);
    free(text);
    return 0;
}
