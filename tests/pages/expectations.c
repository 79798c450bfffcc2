/* SPDX-License-Identifier: Apache-2.0 */
/* Does not meet its expectations and prints what is said of that, as docs/testing.md shows it. */
#include <stdio.h>

#include <cushim/cushim.h>
#include <cushim/testing/test.h>

int main(void)
{
    const struct cushim_test_options options = {.size = sizeof options, .context = true};
    const struct cushim_expectation copy = {
        .size = sizeof copy,
        .function = "cuMemcpyHtoDAsync_v2",
        .arguments = {cushim_match_tag("memory#1"), {.kind = CUSHIM_MATCH_NOT_NULL}},
        .minimum = 1, /* both 0: exactly once */
        .maximum = CUSHIM_EXPECTATION_ANY_NUMBER,
        .in_order = true,
    };
    struct cushim_test *test = NULL;
    CUdeviceptr memory[2] = {0};
    char text[4096] = "", byte = 0;

    if (cushim_test_begin(&options, &test) != CUDA_SUCCESS)
        return 2;
    if (cushim_layer_expect(cushim_test_layer(test), &copy, text, sizeof text) != CUDA_SUCCESS ||
        cushim_layer_forbid(cushim_test_layer(test), "cuCtxSynchronize*", text, sizeof text) !=
            CUDA_SUCCESS) {
        fputs(text, stderr);
        return 2;
    }
    cushim_driver()->MemAlloc_v2(&memory[0], 64);
    cushim_driver()->MemAlloc_v2(&memory[1], 64);
    cushim_driver()->MemcpyHtoDAsync_v2(memory[1], &byte, 1, NULL);
    cushim_driver()->CtxSynchronize();
    cushim_driver()->MemFree_v2(memory[0]);
    cushim_driver()->MemFree_v2(memory[1]);
    if (cushim_test_end(test, text, sizeof text) == CUDA_SUCCESS)
        return 2;
    fputs(text, stdout);
    return 1;
}
