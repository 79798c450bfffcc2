/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a mock with everything in it: what the program has left goes with it, in any order. */
#include "tests/mock/world.h"

enum { KERNELS = 3 };

static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                            ".visible .global .align 4 .b8 bytes[12];\n"
                            ".visible .entry k0() { ret; }\n"
                            ".visible .entry k1() { ret; }\n"
                            ".visible .entry k2() { ret; }\n";
static const char *const names[KERNELS] = {"k0", "k1", "k2"};

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

/* Several of each, for each is taken out of a list. */
static void leave_modules(void)
{
    CUfunction function;
    CUlibrary library;
    CUmodule module;
    CUkernel kernel;

    for (unsigned round = 0; round < 2; round++) {
        OK(driver->ModuleLoadData(&module, image));
        OK(driver->LibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
        for (unsigned i = 0; i < KERNELS; i++) {
            OK(driver->ModuleGetFunction(&function, module, names[i]));
            OK(driver->LibraryGetKernel(&kernel, library, names[i]));
            OK(driver->KernelGetFunction(&function, kernel));
        }
    }
}

static void leave_work(void)
{
    const CUDA_HOST_NODE_PARAMS parameters = {do_nothing, NULL};
    const CUstream stream = world_stream(), waiting = world_stream();
    const CUevent event = world_event();
    CUgraph graph, inner;
    CUgraphNode node;
    CUgraphExec exec;

    OK(driver->GraphCreate(&inner, 0));
    OK(driver->GraphAddHostNode(&node, inner, NULL, 0, &parameters));
    OK(driver->GraphCreate(&graph, 0));
    OK(driver->GraphAddChildGraphNode(&node, graph, NULL, 0, inner));
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->EventRecord(event, stream));
    OK(driver->StreamWaitEvent(waiting, event, 0));
    OK(driver->LaunchHostFunc(waiting, do_nothing, NULL));
}

static void mock_ends_with_what_the_program_has_left(void **state)
{
    CUcontext context;

    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        world_begin("mode = manual");
        leave_modules();
        leave_work();
        OK(driver->CtxCreate_v2(&context, 0, 0));
        leave_modules();
        leave_work();
        assert_true(world_state().pending > 0);
        assert_true(world_state().handles > 8);
        OK(cushim_mock_destroy(world));
        assert_null(cushim_mock_current());
    }
    world_begin(NULL);
    world_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mock_ends_with_what_the_program_has_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
