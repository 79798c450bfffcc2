/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pipeline over two buffers, and its test: one stream copies blocks of the input into two buffers
 * in turn, and another copies them to the output. Each has to wait for the other.
 *
 *     cc double_buffer.c $(pkg-config --cflags --libs cushim-mock) -lcmocka
 *
 * Built with -DWITH_BUG, the copies do not wait until a buffer has been read. On most devices the
 * output is usually right nevertheless.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/cushim.h>
#include <cushim/testing/cmocka.h>

/* ---- The program: move `BLOCKS` blocks through two buffers of the device. ---- */

enum { BLOCKS = 8, BLOCK_BYTES = 1 << 16, BUFFERS = 2 };

struct pipeline {
    struct cushim_stream *in, *out;
    CUstream in_handle, out_handle;
    struct {
        CUdeviceptr memory;
        struct cushim_event *filled, *read;
    } buffers[BUFFERS];
};

static CUresult pipeline_open(struct pipeline *pipeline, struct cushim_context *context)
{
    CUresult code = cushim_stream_create(context, NULL, &pipeline->in);

    if (code == CUDA_SUCCESS)
        code = cushim_stream_create(context, NULL, &pipeline->out);
    if (code == CUDA_SUCCESS)
        code = cushim_stream_get_handle(pipeline->in, &pipeline->in_handle);
    if (code == CUDA_SUCCESS)
        code = cushim_stream_get_handle(pipeline->out, &pipeline->out_handle);
    for (unsigned i = 0; i < BUFFERS && code == CUDA_SUCCESS; i++) {
        code = cushim_driver()->MemAlloc_v2(&pipeline->buffers[i].memory, BLOCK_BYTES);
        if (code == CUDA_SUCCESS)
            code = cushim_event_create(context, NULL, &pipeline->buffers[i].filled);
        if (code == CUDA_SUCCESS)
            code = cushim_event_create(context, NULL, &pipeline->buffers[i].read);
    }
    return code;
}

/* Queue one block: one stream copies it into its buffer, and the other copies it out. */
static CUresult pipeline_move(struct pipeline *pipeline, unsigned block, CUdeviceptr output,
                              const unsigned char *input)
{
    const size_t offset = (size_t)block * BLOCK_BYTES;
    const unsigned i = block % BUFFERS;
    CUresult code = CUDA_SUCCESS;

#ifndef WITH_BUG
    if (block >= BUFFERS)
        code = cushim_stream_wait_event(pipeline->in, pipeline->buffers[i].read);
#endif
    if (code == CUDA_SUCCESS)
        code = cushim_driver()->MemcpyHtoDAsync_v2(pipeline->buffers[i].memory, input + offset,
                                                   BLOCK_BYTES, pipeline->in_handle);
    if (code == CUDA_SUCCESS)
        code = cushim_event_record(pipeline->buffers[i].filled, pipeline->in);
    if (code == CUDA_SUCCESS)
        code = cushim_stream_wait_event(pipeline->out, pipeline->buffers[i].filled);
    if (code == CUDA_SUCCESS)
        code = cushim_driver()->MemcpyDtoDAsync_v2(output + offset, pipeline->buffers[i].memory,
                                                   BLOCK_BYTES, pipeline->out_handle);
    if (code == CUDA_SUCCESS)
        code = cushim_event_record(pipeline->buffers[i].read, pipeline->out);
    return code;
}

static void pipeline_close(struct pipeline *pipeline)
{
    for (unsigned i = 0; i < BUFFERS; i++) {
        cushim_event_release(pipeline->buffers[i].filled);
        cushim_event_release(pipeline->buffers[i].read);
        if (pipeline->buffers[i].memory)
            cushim_driver()->MemFree_v2(pipeline->buffers[i].memory);
    }
    cushim_stream_release(pipeline->in);
    cushim_stream_release(pipeline->out);
}

/* ---- The test. ---- */

/* Everything that the test allocates: the input is page-locked, so copies are asynchronous. */
struct resources {
    struct cushim_context *context;
    unsigned char *input, *result;
    CUdeviceptr output;
};

enum { BYTES = BLOCKS * BLOCK_BYTES };

static CUresult resources_open(struct resources *resources)
{
    CUresult code = cushim_context_wrap_current(&resources->context);

    if (code == CUDA_SUCCESS)
        code = cushim_driver()->MemAllocHost_v2((void **)&resources->input, BYTES);
    if (code == CUDA_SUCCESS)
        code = cushim_driver()->MemAllocHost_v2((void **)&resources->result, BYTES);
    if (code == CUDA_SUCCESS)
        code = cushim_driver()->MemAlloc_v2(&resources->output, BYTES);
    for (size_t i = 0; i < BYTES && code == CUDA_SUCCESS; i++)
        resources->input[i] = (unsigned char)(1 + i / BLOCK_BYTES);
    return code;
}

static void resources_close(struct resources *resources)
{
    if (resources->output)
        cushim_driver()->MemFree_v2(resources->output);
    if (resources->result)
        cushim_driver()->MemFreeHost(resources->result);
    if (resources->input)
        cushim_driver()->MemFreeHost(resources->input);
    cushim_context_release(resources->context);
}

static CUresult move_all(struct pipeline *pipeline, const struct resources *resources)
{
    CUresult code = pipeline_open(pipeline, resources->context);

    for (unsigned block = 0; block < BLOCKS && code == CUDA_SUCCESS; block++)
        code = pipeline_move(pipeline, block, resources->output, resources->input);
    if (code == CUDA_SUCCESS)
        code = cushim_stream_synchronize(pipeline->out);
    if (code == CUDA_SUCCESS)
        code = cushim_driver()->MemcpyDtoH_v2(resources->result, resources->output, BYTES);
    return code;
}

/*
 * Move the input to the output, and check the output. The assertions come after all releases,
 * because a failed assertion leaves the function.
 */
static void output_is_the_input(void **state)
{
    struct pipeline pipeline = {0};
    struct resources resources = {0};
    CUresult code = resources_open(&resources);
    bool is_same;

    (void)state;
    if (code == CUDA_SUCCESS)
        code = move_all(&pipeline, &resources);
    is_same = code == CUDA_SUCCESS && memcmp(resources.input, resources.result, BYTES) == 0;
    pipeline_close(&pipeline);
    resources_close(&resources);
    assert_int_equal(code, CUDA_SUCCESS);
    assert_true(is_same);
}

/* The setup of each test. */
#define OPTIONS(text)                                                                   \
    {                                                                                   \
        .size = sizeof(struct cushim_test_options), .settings = (text), .context = true \
    }
static struct cushim_test_options in_order = OPTIONS("schedule = fifo"),
                                  lazily = OPTIONS("schedule = lazy"),
                                  by_seed_1 = OPTIONS("schedule = random\nseed = 1"),
                                  by_seed_2 = OPTIONS("schedule = random\nseed = 2"),
                                  with_search = OPTIONS("races = report");

int main(void)
{
#define TEST(name, options)                                                            \
    {                                                                                  \
        (name), output_is_the_input, cushim_cmocka_begin, cushim_cmocka_end, (options) \
    }
    const struct CMUnitTest tests[] = {
        TEST("output_is_the_input", &in_order),
        TEST("output_is_the_input_in_other_orders: lazy", &lazily),
        TEST("output_is_the_input_in_other_orders: seed 1", &by_seed_1),
        TEST("output_is_the_input_in_other_orders: seed 2", &by_seed_2),
        TEST("each_access_waits_for_the_one_before", &with_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
