/* SPDX-License-Identifier: Apache-2.0 */
/* Makes calls and prints what the test has recorded of them, as docs/testing.md shows it. */
#include <stdio.h>

#include <cushim/cushim.h>
#include <cushim/testing/test.h>

int main(void)
{
    const struct cushim_test_options options = {
        .size = sizeof options, .settings = "mode = manual", .context = true};
    const struct cushim_table *driver;
    struct cushim_test *test = NULL;
    CUdeviceptr memory = 0;
    CUstream stream = NULL;
    CUevent event = NULL;
    char text[4096];

    if (cushim_test_begin(&options, &test) != CUDA_SUCCESS)
        return 1;
    driver = cushim_driver();
    driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    driver->EventCreate(&event, CU_EVENT_DEFAULT);
    driver->MemAlloc_v2(&memory, 1024);
    driver->MemsetD32Async(memory + 256, 7, 8, stream);
    cushim_recording_set_tag(cushim_test_layer(test), event, "done");
    driver->EventRecord(event, stream);
    driver->EventCreate(NULL, CU_EVENT_DEFAULT);
    cushim_mock_drain(cushim_test_mock(test));
    driver->EventDestroy_v2(event);
    driver->StreamDestroy_v2(stream);
    driver->MemFree_v2(memory);
    cushim_recording_write_text(cushim_test_layer(test), text, sizeof text);
    fputs(text, stdout);
    if (cushim_test_end(test, text, sizeof text) != CUDA_SUCCESS) {
        fputs(text, stderr);
        return 1;
    }
    return 0;
}
