/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of faults: what is read can be written, and is read as the same again. */
#include <stdlib.h>
#include <string.h>

#include <cushim/testing/layer.h>

#include "src/base/layer_host.h"
#include "src/layer/fault.h"
#include "src/layer/fault_rule.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/layer.h"

/* Of rules that were read; of what a rule does not have, the fields are zero. */
static bool is_same(const struct cushim__fault_rule *rule, const struct cushim__fault_rule *other)
{
    return strcmp(rule->site, other->site) == 0 && rule->is_operation == other->is_operation &&
           rule->device == other->device && rule->nth == other->nth &&
           rule->after == other->after && rule->every == other->every &&
           rule->times == other->times && rule->seed == other->seed &&
           rule->probability == other->probability && rule->phase == other->phase &&
           rule->effect == other->effect && rule->code == other->code &&
           rule->delay_ns == other->delay_ns && rule->version == other->version;
}

static void check_rule(const struct cushim__fault_rule *rule)
{
    struct cushim__fault_rule again;
    char text[CUSHIM__FAULT_TEXT], twice[CUSHIM__FAULT_TEXT], message[256];
    struct cushim__lines lines;

    CLAIM(fuzz_is_closed(rule->site, sizeof rule->site) && rule->site[0]);
    CLAIM(rule->device >= -1 && rule->device < CUSHIM__FAULT_DEVICES);
    CLAIM(rule->probability <= CUSHIM__FAULT_CERTAIN);
    memset(text, 'z', sizeof text);
    cushim__fault_write(rule, text);
    CLAIM(fuzz_is_closed(text, sizeof text) && strlen(text) + 1 < sizeof text);
    cushim__lines_begin(&lines, text, "written", message, sizeof message);
    CLAIM(cushim__lines_next_whole(&lines) == CUSHIM__LINES_ENTRY);
    CLAIM(cushim__fault_read(&again, &lines.value, &lines) == CUDA_SUCCESS);
    CLAIM(cushim__lines_next_whole(&lines) == CUSHIM__LINES_END);
    CLAIM(is_same(rule, &again));
    cushim__fault_write(&again, twice);
    CLAIM(strcmp(text, twice) == 0);
}

/* Every line by itself; returns how many were read before the first that was refused. */
static unsigned check_lines(const char *text, bool *is_refused)
{
    struct cushim__lines lines;
    char message[200];
    unsigned count = 0;
    enum cushim__lines_next next;

    cushim__lines_begin(&lines, text, "faults", message, sizeof message);
    while ((next = cushim__lines_next_whole(&lines)) == CUSHIM__LINES_ENTRY) {
        struct cushim__fault_rule rule;
        const CUresult code = cushim__fault_read(&rule, &lines.value, &lines);

        CLAIM(code == CUDA_SUCCESS || code == CUDA_ERROR_INVALID_VALUE);
        if (code != CUDA_SUCCESS)
            break;
        check_rule(&rule);
        count++;
    }
    *is_refused = next != CUSHIM__LINES_END;
    CLAIM(fuzz_is_closed(message, sizeof message));
    CLAIM(*is_refused == (message[0] != '\0'));
    CLAIM(!*is_refused || strncmp(message, "faults:", 7) == 0);
    return count;
}

/* All are added or none, into a message of any size. */
static void check_added(struct cushim_layer *layer, const char *text, size_t size)
{
    char *message = fuzz_memory(size);
    bool is_refused;
    const unsigned count = check_lines(text, &is_refused);
    const CUresult code = cushim_fault_parse(layer, text, size ? message : NULL, size);

    CLAIM(fuzz_is_closed(message, size));
    CLAIM(code ==
          (is_refused || count > CUSHIM__FAULT_RULES ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS));
    CLAIM(!cushim__fault_text(layer, code == CUDA_SUCCESS ? count : 0));
    for (unsigned i = 0; code == CUDA_SUCCESS && i < count; i++) {
        CLAIM(cushim__fault_text(layer, i) != NULL);
        CLAIM(cushim_fault_matched(layer, i) == 0 && cushim_fault_fired(layer, i) == 0);
        CLAIM(cushim_fault_unused(layer, i) != NULL);
    }
    cushim_fault_clear(layer);
    CLAIM(!cushim__fault_text(layer, 0));
    free(message);
}

/* A struct with anything in it: what is taken reads as its own text does. */
static void check_struct(struct cushim_layer *layer, struct fuzz_input *input, const char *site)
{
    struct cushim_fault fault = {.size = sizeof fault, .site = site};
    const uint64_t bits = fuzz_number(input, 8);
    char message[120];
    CUresult code;

    memcpy(&fault.probability, &bits, sizeof bits);
    fault.nth = fuzz_number(input, fuzz_below(input, 9));
    fault.after = fuzz_number(input, fuzz_below(input, 9));
    fault.every = fuzz_number(input, fuzz_below(input, 9));
    fault.seed = fuzz_number(input, fuzz_below(input, 9));
    fault.times = fuzz_number(input, fuzz_below(input, 9));
    fault.phase = (enum cushim_fault_phase)(int8_t)fuzz_byte(input);
    fault.effect = (enum cushim_fault_effect)(int8_t)fuzz_byte(input);
    fault.code = (CUresult)(int32_t)fuzz_number(input, fuzz_below(input, 5));
    fault.delay_ns = fuzz_number(input, fuzz_below(input, 9));
    fault.version = (int)(int32_t)fuzz_number(input, fuzz_below(input, 5));
    code = cushim_fault_add(layer, &fault, message, sizeof message);
    CLAIM(code == CUDA_SUCCESS || code == CUDA_ERROR_INVALID_VALUE);
    if (code == CUDA_SUCCESS) {
        char *text = strcpy(fuzz_memory(CUSHIM__FAULT_TEXT), cushim__fault_text(layer, 0));

        CLAIM(strlen(text) < CUSHIM__FAULT_TEXT);
        CLAIM(cushim_fault_parse(layer, text, message, sizeof message) == CUDA_SUCCESS);
        CLAIM(strcmp(cushim__fault_text(layer, 1), text) == 0);
        free(text);
    } else {
        CLAIM(strncmp(message, "fault: ", 7) == 0 && message[7]);
    }
    cushim_fault_clear(layer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    struct cushim_layer *layer = fuzz_layer(0);
    char *text = fuzz_text(&input);
    const size_t message_size = size % 97;

    check_added(layer, text, message_size);
    if (input.left)
        check_struct(layer, &input, text);
    free(text);
    return 0;
}
