/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fault rules: parsed values are within their bounds, and either all rules of a text are added or
 * none.
 */
#include <stdlib.h>
#include <string.h>

#include <cushim/testing/layer.h>

#include "src/layer/fault.h"
#include "src/layer/mock_interface.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/layer.h"

static void check_rule(const struct cushim__fault_rule *rule)
{
    CLAIM(fuzz_is_closed(rule->text, sizeof rule->text) && rule->text[0]);
    CLAIM(fuzz_is_closed(rule->site, sizeof rule->site) && rule->site[0]);
    CLAIM(rule->device >= -1 && rule->device < CUSHIM__FAULT_DEVICES);
    CLAIM(rule->probability <= CUSHIM__FAULT_CERTAIN);
    CLAIM(rule->code >= 0 && rule->code <= 9999);
    CLAIM(rule->effect != CUSHIM__FAULT_DELAY || rule->delay_ns > 0);
}

/* Parse each line by itself; returns how many were accepted before the first refusal. */
static unsigned check_lines(const char *text, bool *is_refused)
{
    struct cushim__lines lines;
    char message[200];
    unsigned count = 0;
    enum cushim__lines_next next;

    cushim__lines_begin(&lines, text, "faults", message, sizeof message);
    while ((next = cushim__lines_next_whole(&lines)) == CUSHIM__LINES_ENTRY) {
        struct cushim__fault_rule rule;
        const CUresult code = cushim__fault_rule_parse(&rule, &lines.value, &lines);

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

/* The text of a rule of the layer, as it was given; NULL: there are fewer rules. */
static const char *rule_text(size_t index)
{
    return index < cushim__faults.count ? cushim__faults.rules[index].text : NULL;
}

/* All rules are added or none, with a message buffer of any size. */
static void check_added(struct cushim_layer *layer, const char *text, size_t size)
{
    char *message = fuzz_memory(size);
    bool is_refused;
    const unsigned count = check_lines(text, &is_refused);
    const CUresult code = cushim_fault_add_rules(layer, text, size ? message : NULL, size);

    CLAIM(fuzz_is_closed(message, size));
    CLAIM(code ==
          (is_refused || count > CUSHIM__FAULT_RULES ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS));
    CLAIM(!rule_text(code == CUDA_SUCCESS ? count : 0));
    for (unsigned i = 0; code == CUDA_SUCCESS && i < count; i++) {
        CLAIM(rule_text(i) != NULL);
        CLAIM(cushim_fault_matched(layer, i) == 0 && cushim_fault_fired(layer, i) == 0);
        CLAIM(cushim_fault_unused(layer, i) != NULL);
    }
    cushim_fault_clear(layer);
    CLAIM(!rule_text(0));
    free(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    struct cushim_layer *layer = fuzz_layer(0);
    char *text = fuzz_text(&input);
    const size_t message_size = size % 97;

    check_added(layer, text, message_size);
    free(text);
    return 0;
}
