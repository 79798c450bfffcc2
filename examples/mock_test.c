/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test of GPU code that needs no GPU: it runs on the mock driver in its own process.
 *
 *     cc mock_test.c $(pkg-config --cflags --libs cushim-mock)
 *
 * The first half is the code of a program, which does not know the mock. The second half tests it:
 * the result, in different orders in which a device may execute the work; a device that runs out of
 * memory; a kernel that faults. The program must not leak, or use an invalid handle.
 *
 * Exit status 0 if all tests pass; otherwise the failures are printed.
 */
#include <stdbool.h>
#include <stdio.h>

#include <cushim/cushim.h>
#include <cushim/testing/mock.h>

/* ---- The program: scale numbers on the GPU. ---- */

static const char image[] = ".version 7.0\n"
                            ".target sm_52\n"
                            ".address_size 64\n"
                            ".visible .entry scale(.param .u64 numbers, .param .u32 count,\n"
                            "                      .param .f32 factor)\n"
                            "{\n"
                            "    ret;\n" /* here a compiler puts its code of the kernel */
                            "}\n";

struct scaler {
    struct cushim_context *context;
    struct cushim_stream *stream;
    CUmodule module;
    CUfunction kernel;
};

static CUresult scaler_open(struct scaler *scaler)
{
    struct cushim_context_scope scope = {0};
    CUresult code = cushim_driver_init(NULL);

    *scaler = (struct scaler){0};
    if (code == CUDA_SUCCESS)
        code = cushim_context_retain_primary(0, &scaler->context);
    if (code == CUDA_SUCCESS)
        code = cushim_stream_create(scaler->context, NULL, &scaler->stream);
    if (code == CUDA_SUCCESS)
        code = cushim_context_push(scaler->context, &scope);
    if (code != CUDA_SUCCESS)
        return code;
    code = cushim_driver()->ModuleLoadData(&scaler->module, image);
    if (code == CUDA_SUCCESS)
        code = cushim_driver()->ModuleGetFunction(&scaler->kernel, scaler->module, "scale");
    cushim_context_pop(&scope);
    return code;
}

/* Queue all work (memory, copy, launch, copy back), and wait. */
static CUresult scaler_scale(const struct scaler *scaler, float *numbers, unsigned count,
                             float factor)
{
    const struct cushim_table *driver = cushim_driver();
    const size_t bytes = count * sizeof *numbers;
    CUstream stream = NULL;
    CUdeviceptr memory = 0;
    void *parameters[] = {&memory, &count, &factor};
    CUresult code = cushim_stream_get_handle(scaler->stream, &stream);

    if (code == CUDA_SUCCESS)
        code = driver->MemAllocAsync(&memory, bytes, stream);
    if (code == CUDA_SUCCESS)
        code = driver->MemcpyHtoDAsync_v2(memory, numbers, bytes, stream);
    if (code == CUDA_SUCCESS)
        code = driver->LaunchKernel(scaler->kernel, (count + 127) / 128, 1, 1, 128, 1, 1, 0, stream,
                                    parameters, NULL);
    if (code == CUDA_SUCCESS)
        code = driver->MemcpyDtoHAsync_v2(numbers, memory, bytes, stream);
    if (memory)
        driver->MemFreeAsync(memory, stream);
    if (code == CUDA_SUCCESS)
        code = cushim_stream_synchronize(scaler->stream);
    return code;
}

static void scaler_close(struct scaler *scaler)
{
    if (scaler->module)
        cushim_driver()->ModuleUnload(scaler->module);
    cushim_stream_release(scaler->stream);
    cushim_context_release(scaler->context);
}

/* ---- The test. ---- */

enum { COUNT = 1000 };

static unsigned failures;

static void check(bool is_good, const char *test, const char *claim)
{
    if (is_good)
        return;
    printf("%s: it is not so that %s\n", test, claim);
    failures++;
}

/* The function that replaces the kernel: the mock calls it when a device would execute the kernel.
 * */
static void scale_as_host(const struct cushim_mock_launch *launch, void *data)
{
    const CUdeviceptr memory = *(const CUdeviceptr *)launch->parameters[0];
    const unsigned count = *(const unsigned *)launch->parameters[1];
    const float factor = *(const float *)launch->parameters[2];
    float *numbers = cushim_mock_memory(data, memory, count * sizeof *numbers);

    for (unsigned i = 0; numbers && i < count; i++)
        numbers[i] *= factor;
}

/* A machine with one GPU, and a kernel that ends with `fault`. */
static struct cushim_mock *begin(const char *settings, CUresult fault)
{
    char why[200] = "";
    const struct cushim_mock_options options = {
        .size = sizeof options, .settings = settings, .message = why, .message_size = sizeof why};
    struct cushim_mock_kernel kernel = {.size = sizeof kernel,
                                        .name = "scale",
                                        .duration_ns = 5000,
                                        .run = scale_as_host,
                                        .fault = fault};
    struct cushim_mock *mock = NULL;

    if (cushim_mock_create(&options, &mock) != CUDA_SUCCESS) {
        check(false, why, "these are settings");
        return NULL;
    }
    kernel.data = mock;
    cushim_mock_register_kernel(mock, &kernel);
    cushim_mock_install(mock); /* from here on cushim_driver() is the mock */
    return mock;
}

/* The program has used no invalid handle. */
static void end(const char *test, struct cushim_mock *mock)
{
    const char *misuse;

    for (size_t i = 0; (misuse = cushim_mock_misuse(mock, i)); i++)
        check(false, test, misuse);
    cushim_mock_destroy(mock);
}

static void check_result(const char *test, float *numbers)
{
    struct scaler scaler;
    bool is_right = true;

    for (unsigned i = 0; i < COUNT; i++)
        numbers[i] = (float)i;
    check(scaler_open(&scaler) == CUDA_SUCCESS, test, "there is a GPU");
    check(scaler_scale(&scaler, numbers, COUNT, 2) == CUDA_SUCCESS, test, "numbers are scaled");
    for (unsigned i = 0; i < COUNT; i++)
        is_right = is_right && numbers[i] == 2 * (float)i;
    check(is_right, test, "each is twice what it was");
    scaler_close(&scaler);
}

/*
 * The numbers are page-locked, so that copies are as asynchronous as possible, and the test finds a
 * program that forgets to wait. The test holds a reference to the context, so that the end of the
 * context does not release what the program forgets.
 */
static void test_result(const char *settings)
{
    struct cushim_mock *mock = begin(settings, CUDA_SUCCESS);
    struct cushim_mock_state before = {.size = sizeof before}, after = {.size = sizeof after};
    struct cushim_context *context = NULL;
    struct cushim_context_scope scope = {0};
    void *numbers = NULL;

    if (!mock)
        return;
    cushim_driver_init(NULL);
    cushim_context_retain_primary(0, &context);
    cushim_context_push(context, &scope);
    cushim_driver()->MemAllocHost_v2(&numbers, COUNT * sizeof(float));
    cushim_context_pop(&scope);
    check(numbers != NULL, settings, "there is page-locked memory");
    if (numbers) {
        cushim_mock_get_state(mock, &before);
        check_result(settings, numbers);
        cushim_mock_get_state(mock, &after);
        check(after.handles == before.handles, settings, "every handle is given back");
        check(after.allocations == before.allocations, settings, "all memory is given back");
    }
    cushim_context_release(context);
    end(settings, mock);
}

static void test_failure(const char *test, const char *settings, CUresult fault, CUresult expected)
{
    static float numbers[1 << 20];
    struct cushim_mock *mock = begin(settings, fault);
    struct scaler scaler;

    if (!mock)
        return;
    check(scaler_open(&scaler) == CUDA_SUCCESS, test, "there is a GPU");
    check(scaler_scale(&scaler, numbers, sizeof numbers / sizeof *numbers, 2) == expected, test,
          "the caller learns of it");
    scaler_close(&scaler);
    end(test, mock);
}

int main(void)
{
    test_result("schedule = fifo");
    test_result("schedule = eager");
    test_result("schedule = lazy");
    test_result("schedule = random\nseed = 7");
    test_failure("a device without memory", "memory = 1 MiB", CUDA_SUCCESS,
                 CUDA_ERROR_OUT_OF_MEMORY);
    test_failure("a kernel that faults", "", CUDA_ERROR_ILLEGAL_ADDRESS,
                 CUDA_ERROR_ILLEGAL_ADDRESS);
    puts(failures ? "there are failures" : "6 tests passed");
    return failures != 0;
}
