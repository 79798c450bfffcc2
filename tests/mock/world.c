/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/mock/world.h"

struct cushim_mock *world;
const struct cushim_table *driver;

static CUfunction spin;

static const char image[] = ".version 6.0\n"
                            ".target sm_50\n"
                            ".address_size 64\n"
                            ".visible .entry cushim_spin(.param .u64 ns)\n"
                            "{\n"
                            "    ret;\n"
                            "}\n";

void world_begin(const char *settings)
{
    char message[200];
    struct cushim_mock_options options = {.size = sizeof options,
                                          .settings = settings,
                                          .message = message,
                                          .message_size = sizeof message};
    CUcontext context;
    CUmodule module;

    if (cushim_mock_create(&options, &world) != CUDA_SUCCESS)
        fail_msg("%s", message);
    driver = cushim_mock_table(world);
    OK(driver->Init(0));
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    OK(driver->CtxPushCurrent_v2(context));
    /* Now, as loading waits for all work of the context. */
    OK(driver->ModuleLoadData(&module, image));
    OK(driver->ModuleGetFunction(&spin, module, "cushim_spin"));
}

void world_end(void)
{
    struct cushim_mock_state state;
    CUcontext context;

    OK(cushim_mock_drain(world));
    driver->CtxPopCurrent_v2(&context);
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    state = world_state();
    assert_int_equal(state.violations, 0);
    assert_int_equal(state.handles, 0);
    assert_int_equal(state.allocations, 0);
    OK(cushim_mock_destroy(world));
    world = NULL;
}

int world_auto(void **state)
{
    (void)state;
    world_begin("mode = auto");
    return 0;
}

int world_manual(void **state)
{
    (void)state;
    world_begin("mode = manual");
    return 0;
}

int world_done(void **state)
{
    (void)state;
    world_end();
    return 0;
}

struct cushim_mock_state world_state(void)
{
    struct cushim_mock_state state = {.size = sizeof state};

    OK(cushim_mock_state_get(world, &state));
    return state;
}

CUstream world_stream(void)
{
    CUstream stream;

    OK(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

CUevent world_event(void)
{
    CUevent event;

    OK(driver->EventCreate(&event, CU_EVENT_DEFAULT));
    return event;
}

void world_spin(CUstream stream, uint64_t ns)
{
    void *parameters[] = {&ns};

    OK(driver->LaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
}
