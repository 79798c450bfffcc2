/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on what the layer has seen. */
#include <cushim/testing/recording.h>

#include "src/layer/expectation.h"
#include "src/layer/layer.h"
#include "src/layer/leak_report.h"
#include "src/layer/recording.h"

static void tell_lost(struct cushim__text *text)
{
    const uint64_t lost = cushim__recording_lost();

    if (cushim__recording_is_short())
        cushim__text_format(
            text,
            "the recording has lost the first %llu calls: it has room for %zu "
            "(capacity), and %llu came; set a larger .capacity of the test, or stop "
            "recording\n",
            (unsigned long long)lost, cushim__recording_capacity(),
            (unsigned long long)lost + cushim__recording_count());
}

CUresult cushim_layer_verify(struct cushim_layer *layer, char *buffer, size_t size)
{
    struct cushim__text text;

    cushim__text_begin(&text, buffer, size);
    if (!cushim__layer_exists(layer)) {
        cushim__text_format(&text, "%s\n", cushim__layer_ended);
        return CUDA_ERROR_INVALID_VALUE;
    }
    cushim__lock_take(&layer->lock);
    cushim__expectation_tell(&text);
    tell_lost(&text);
    cushim__lock_release(&layer->lock);
    cushim__left_cut(&text);
    return text.length > 0 ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS;
}
