/* SPDX-License-Identifier: Apache-2.0 */
/* Check in a test: begun by it, and a part of its verdict. */
#include <stdio.h>
#include <string.h>

#include <cushim/testing/check.h>

#include "src/base/options.h"
#include "src/check/finding.h"
#include "src/layer/leak_tracker.h"

static CUresult read_options(const struct cushim_check_options *known,
                             struct cushim__check_options *options)
{
    char ignored[1], *message = known->message ? known->message : ignored;
    const size_t size = known->message ? known->message_size : sizeof ignored;

    CUresult code = cushim__check_options_read(options, known->settings ? known->settings : "",
                                               "settings", message, size);

    if (code == CUDA_SUCCESS && known->suppressions)
        code = cushim__check_suppressions_read(options, known->suppressions, "suppressions",
                                               message, size);
    return code;
}

CUresult cushim_check_start(struct cushim_layer *layer, const struct cushim_check_options *given)
{
    struct cushim_check_options known = {.size = sizeof known};
    struct cushim__check_options options = {.level = CUSHIM__CHECK_WARNING};
    CUresult code;

    if (!cushim__layer_exists(layer) || !cushim__options_read(&known, sizeof known, given))
        return CUDA_ERROR_INVALID_VALUE;
    if (known.message && known.message_size > 0)
        known.message[0] = '\0';
    code = read_options(&known, &options);
    if (code == CUDA_SUCCESS)
        code = cushim__check_begin(&options);
    if (code != CUDA_SUCCESS)
        cushim__check_suppressions_free(&options);
    return code;
}

size_t cushim_check_count(struct cushim_layer *layer, const char *id)
{
    const struct cushim__finding *finding = NULL;
    size_t found = 0;

    if (!cushim__layer_exists(layer) || !cushim__check_is_on())
        return 0;
    cushim__findings_print();
    while ((finding = cushim__finding_next(finding)) != NULL)
        found += !id || strcmp(cushim__check_rules[finding->id].id, id) == 0;
    return found;
}

void cushim__check_verdict(struct cushim__text *text)
{
    const struct cushim__finding *finding = NULL;

    if (!cushim__check_is_on())
        return;
    cushim__check_finish();
    while ((finding = cushim__finding_next(finding)) != NULL) {
        if (cushim__check_rules[finding->id].level == CUSHIM__CHECK_ADVICE)
            continue;
        cushim__text_format(text, "%s: ", cushim__check_rules[finding->id].id);
        cushim__finding_print_line(text, finding);
    }
}

CUresult cushim_check_stop(struct cushim_layer *layer, char *buffer, size_t size)
{
    struct cushim__text text;

    cushim__text_begin(&text, buffer, size);
    if (!cushim__layer_exists(layer))
        return CUDA_ERROR_INVALID_VALUE;
    cushim__check_verdict(&text);
    cushim__text_mark_cut(&text);
    cushim__check_end();
    return text.length > 0 ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS;
}
