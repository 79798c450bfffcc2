/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that traces its own calls, on the mock driver.
 *
 *     cc trace.c $(pkg-config --cflags --libs cushim-mock)
 */
#include <stdio.h>

#include <cushim/cushim.h>
#include <cushim/testing/test.h>
#include <cushim/testing/trace.h>

int main(void)
{
    const struct cushim_test_options options = {
        .size = sizeof options, .settings = "mode = auto", .context = true};
    const struct cushim_trace_options trace = {.size = sizeof trace, .path = "upload"};
    struct cushim_test *test = NULL;
    CUdeviceptr memory = 0;
    char text[4096];

    if (cushim_test_begin(&options, &test) != CUDA_SUCCESS)
        return 1;
    if (cushim_trace_start(cushim_test_layer(test), &trace) != CUDA_SUCCESS)
        return 1;
    cushim_driver()->MemAlloc_v2(&memory, sizeof text);
    cushim_driver()->MemcpyHtoD_v2(memory, text, sizeof text);
    cushim_driver()->MemFree_v2(memory);
    cushim_trace_stop(cushim_test_layer(test));
    if (cushim_test_end(test, text, sizeof text) != CUDA_SUCCESS) {
        fputs(text, stderr);
        return 1;
    }
    return 0;
}
