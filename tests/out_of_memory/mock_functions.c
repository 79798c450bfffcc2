/* SPDX-License-Identifier: Apache-2.0 */
/* The mock as tests use it: its lifecycle, its clock, kernels and the race detector. */
#include <cushim/testing/mock.h>

#include "function.h"

static const char image[] = ".version 6.0\n"
                            ".target sm_50\n"
                            ".address_size 64\n"
                            ".visible .entry work(.param .u64 at)\n"
                            "{\n"
                            "    ret;\n"
                            "}\n";

static void listen(void *data, const char *line)
{
    (void)data;
    (void)line;
}

static void see(void *data, const struct cushim_mock_trace *entry)
{
    (void)data;
    (void)entry;
}

static CUresult create(const char *settings, struct cushim_mock **mock)
{
    char message[300];
    const struct cushim_mock_options options = {.size = sizeof options,
                                                .settings = settings,
                                                .message = message,
                                                .message_size = sizeof message};

    *mock = NULL;
    return cushim_mock_create(&options, mock);
}

static CUresult live(void)
{
    static const char settings[] = "devices = 3\n"
                                   "races = report\n"
                                   "cost.cuEventQuery = 5 us\n"
                                   "fault = cuMemAlloc_v2:nth=30 => return(OUT_OF_MEMORY)\n"
                                   "fault = cuEventRecord:nth=30 => delay(1 us)\n";
    struct cushim_mock_state state = {.size = sizeof state};
    struct cushim_mock *mock;
    CUresult code = create(settings, &mock);

    THEN(cushim_mock_install(mock));
    REFUSE(cushim_mock_current() != mock || !cushim_mock_table(mock));
    REFUSE(!cushim_mock_symbol("cuInit", mock) || !cushim_mock_identity());
    if (code == CUDA_SUCCESS)
        cushim_mock_set_log(mock, listen, NULL);
    THEN(cushim_mock_get_state(mock, &state));
    REFUSE(cushim_mock_misuse(mock, 0));
    cushim_mock_destroy(mock);
    return code;
}

/* Read settings from a file, with a profile from another file. */
static CUresult read(void)
{
    const struct cushim_mock_options options = {.size = sizeof options, .file = SETTINGS};
    struct cushim_mock *mock = NULL;
    CUresult code = cushim_mock_create(&options, &mock);

    cushim_mock_destroy(mock);
    return code;
}

/* Two operations on the same memory, whose race must be reported; time advances in single steps. */
static CUresult work_on(struct cushim_mock *mock)
{
    const struct cushim_mock_kernel kernel = {
        .size = sizeof kernel, .name = "work", .duration_ns = 1000};
    const struct cushim_table *driver = cushim_mock_table(mock);
    CUdeviceptr memory;
    CUcontext context;
    CUfunction function;
    CUmodule module;
    CUstream stream;
    void *parameters[] = {&memory};
    CUresult code = cushim_mock_register_kernel(mock, &kernel);

    cushim_mock_set_trace(mock, see, NULL);
    THEN(driver->Init(0));
    THEN(driver->DevicePrimaryCtxRetain(&context, 0));
    THEN(driver->CtxSetCurrent(context));
    THEN(driver->ModuleLoadData(&module, image));
    THEN(driver->ModuleGetFunction(&function, module, "work"));
    THEN(driver->MemAlloc_v2(&memory, 64));
    REFUSE(!cushim_mock_memory(mock, memory, 64));
    THEN(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    THEN(driver->MemsetD8Async(memory, 1, 64, stream));
    THEN(driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    THEN(cushim_mock_step(mock));
    THEN(cushim_mock_advance(mock, 1000));
    THEN(cushim_mock_drain(mock));
    cushim_mock_race(mock, 0);
    return code;
}

static CUresult work(void)
{
    struct cushim_mock *mock;
    CUresult code = create("mode = manual\nraces = report\n", &mock);

    THEN(work_on(mock));
    cushim_mock_destroy(mock);
    return code;
}

const struct function mock_functions[] = {
    {"cushim_mock_create cushim_mock_destroy cushim_mock_current cushim_mock_table "
     "cushim_mock_install cushim_mock_symbol cushim_mock_get_state cushim_mock_misuse "
     "cushim_mock_set_log cushim_mock_identity",
     live, CUDA_SUCCESS},
    {"cushim_mock_create", read, CUDA_ERROR_FILE_NOT_FOUND},
    {"cushim_mock_advance cushim_mock_step cushim_mock_drain cushim_mock_set_trace "
     "cushim_mock_register_kernel cushim_mock_memory cushim_mock_race",
     work, CUDA_SUCCESS},
    {NULL, NULL, CUDA_SUCCESS},
};
