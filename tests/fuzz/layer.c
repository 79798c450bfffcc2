/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/layer.h"

#include <cushim/testing/layer.h>
#include <cushim/testing/mock.h>
#include <cushim/testing/recording.h>

#include "tests/fuzz/fuzz.h"

struct cushim_layer *fuzz_layer(size_t capacity)
{
    static struct cushim_mock *mock;
    static struct cushim_layer *layer;

    if (!layer) {
        struct cushim_layer_options options = {.size = sizeof options};

        CLAIM(cushim_mock_create(NULL, &mock) == CUDA_SUCCESS);
        options.table = cushim_mock_table(mock);
        CLAIM(cushim_layer_create(&options, &layer) == CUDA_SUCCESS);
        CLAIM(capacity == 0 || cushim_recording_start(layer, capacity) == CUDA_SUCCESS);
    }
    return layer;
}
