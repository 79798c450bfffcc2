/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of modules, and launches of kernels. Statements 158-166, 205-207. */
#include <string.h>

#include "cases.h"
#include "graph.h"

MEASURED_CASE(158, parameters_are_returned)
{
    static const size_t layout[][2] = {{0, 1}, {8, 8}, {16, 2}, {32, 24}, {56, 4}};
    CUmodule module = begin_module();
    CUfunction many = begin_function(module, "many");
    size_t offset = 99, size = 99;

    for (size_t i = 0; i < COUNT(layout); i++) {
        OK(cu->FuncGetParamInfo(many, i, &offset, &size));
        EQUAL(layout[i][0], offset);
        EQUAL(layout[i][1], size);
    }
    offset = size = 99;
    CODE(CUDA_ERROR_INVALID_VALUE, cu->FuncGetParamInfo(many, COUNT(layout), &offset, &size));
    EQUAL(99, offset);
    EQUAL(99, size);
    OK(cu->FuncGetParamInfo(many, 0, &offset, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->FuncGetParamInfo(many, 0, NULL, &size));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->FuncGetParamInfo(NULL, 0, &offset, &size));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->FuncGetParamInfo(begin_function(module, "plain"), 0, &offset, &size));
}

static int attribute(CUfunction function, int number)
{
    int value = -99;

    OK(cu->FuncGetAttribute(&value, (CUfunction_attribute)number, function));
    return value;
}

MEASURED_CASE(159, attributes_of_a_plain_kernel)
{
    /*
     * Values by attribute: 0 threads, 1 shared, 2 constant, 3 local bytes, 4 registers, 5 PTX, 6
     * binary version, ...
     */
    static const int values[] = {1024, 0, 4, 0, 4, 50, 90, 0, 49152, -1, 0, 0, 0, 0, 0, 0};
    CUmodule module = begin_module();
    CUfunction plain = begin_function(module, "plain");
    CUfunction shared = begin_function(module, "shared");
    int value = 0;

    for (int i = 0; i < (int)COUNT(values); i++)
        EQUAL(values[i], attribute(plain, i));
    EQUAL(64, attribute(begin_function(module, "bounded"), 0));
    EQUAL(1024, attribute(shared, 1));
    EQUAL(48128, attribute(shared, 8));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->FuncGetAttribute(&value, (CUfunction_attribute)-1, plain));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->FuncGetAttribute(&value, (CUfunction_attribute)16, plain));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->FuncGetAttribute(&value, (CUfunction_attribute)0, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->FuncGetAttribute(NULL, (CUfunction_attribute)0, plain));
}

static CUresult set(CUfunction function, int number, int value)
{
    return cu->FuncSetAttribute(function, (CUfunction_attribute)number, value);
}

MEASURED_CASE(160, attributes_that_can_be_set)
{
    enum { DYNAMIC = 8, CARVEOUT = 9 };
    CUfunction plain = begin_function(begin_module(), "plain");

    for (int i = 0; i <= 7; i++)
        CODE(CUDA_ERROR_INVALID_VALUE, set(plain, i, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, set(plain, 10, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, set(plain, 16, 1));
    OK(set(plain, DYNAMIC, 232448));
    EQUAL(232448, attribute(plain, DYNAMIC));
    CODE(CUDA_ERROR_INVALID_VALUE, set(plain, DYNAMIC, 232449));
    CODE(CUDA_ERROR_INVALID_VALUE, set(plain, DYNAMIC, -1));
    OK(set(plain, CARVEOUT, 100));
    OK(set(plain, CARVEOUT, -1));
    CODE(CUDA_ERROR_INVALID_VALUE, set(plain, CARVEOUT, 101));
    CODE(CUDA_ERROR_INVALID_VALUE, set(plain, CARVEOUT, -2));
    for (int i = 11; i <= 15; i++)
        OK(set(plain, i, 1));
    OK(cu->FuncSetCacheConfig(plain, CU_FUNC_CACHE_PREFER_L1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->FuncSetCacheConfig(plain, (CUfunc_cache)9));
    OK(cu->FuncSetSharedMemConfig(plain, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->FuncSetSharedMemConfig(plain, (CUsharedconfig)9));
}

MEASURED_CASE(161, occupancy_of_a_plain_kernel)
{
    static const struct {
        int threads, blocks;
        size_t dynamic;
    } cases[] = {{1, 32, 0},     {32, 32, 0},     {64, 32, 0},    {128, 16, 0},
                 {256, 8, 0},    {512, 4, 0},     {1024, 2, 0},   {1025, 0, 0},
                 {32, 4, 49152}, {32, 20, 10000}, {32, 0, 100000}};
    CUfunction plain = begin_function(begin_module(), "plain");
    int blocks = -1, grid = -1, block = -1;

    for (size_t i = 0; i < COUNT(cases); i++) {
        OK(cu->OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, cases[i].threads,
                                                         cases[i].dynamic));
        EQUAL(cases[i].blocks, blocks);
    }
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, plain, 32, 0, 2));
    CODE(CUDA_ERROR_INVALID_HANDLE,
         cu->OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, NULL, 1, 0));
    OK(cu->OccupancyMaxPotentialBlockSize(&grid, &block, plain, NULL, 0, 0));
    EQUAL(264, grid);
    EQUAL(1024, block);
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->OccupancyMaxPotentialBlockSize(NULL, NULL, plain, NULL, 0, 0));
}

/* Launches of kernels. Statements 162-166. */

/* Launch one block of one thread. */
static CUresult launch(CUfunction function, CUstream stream, void **parameters, void **extra)
{
    return cu->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, extra);
}

MEASURED_CASE(162, shapes_are_checked)
{
    static const struct {
        unsigned grid[3], block[3], shared;
        CUresult code;
    } cases[] = {
        {{1, 1, 1}, {1024, 1, 1}, 0, CUDA_SUCCESS},
        {{1, 1, 1}, {1, 1, 1}, 49152, CUDA_SUCCESS},
        {{0, 1, 1}, {1, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
        {{1, 1, 0}, {1, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
        {{1, 1, 1}, {1, 0, 1}, 0, CUDA_ERROR_INVALID_VALUE},
        {{1, 1, 1}, {1025, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
        {{1, 1, 1}, {1024, 2, 1}, 0, CUDA_ERROR_INVALID_VALUE},
        {{1, 1, 1}, {1, 1, 65}, 0, CUDA_ERROR_INVALID_VALUE},
        {{1, 65536, 1}, {1, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
        {{0x80000000u, 1, 1}, {1, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
        {{0xffffffffu, 1, 1}, {1, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
        {{1, 1, 1}, {1, 1, 1}, 49153, CUDA_ERROR_INVALID_VALUE},
        {{1, 1, 1}, {1, 1, 1}, 1 << 20, CUDA_ERROR_INVALID_VALUE},
    };
    CUmodule module = begin_module();
    CUfunction nothing = begin_function(module, "cushim_nothing");
    CUstream stream = begin_stream();

    for (size_t i = 0; i < COUNT(cases); i++)
        CODE(cases[i].code,
             cu->LaunchKernel(nothing, cases[i].grid[0], cases[i].grid[1], cases[i].grid[2],
                              cases[i].block[0], cases[i].block[1], cases[i].block[2],
                              cases[i].shared, stream, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->LaunchKernel(begin_function(module, "bounded"), 1, 1, 1, 65,
                                                    1, 1, 0, stream, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->LaunchKernel(begin_function(module, "shared"), 1, 1, 1, 1, 1,
                                                    1, 49152, stream, NULL, NULL));
    OK(cu->StreamSynchronize(stream));
}

MEASURED_CASE(163, parameters_are_checked)
{
    struct {
        CUdeviceptr address;
        unsigned value, more;
    } buffer = {0, 1, 2};
    CUmodule module = begin_module();
    CUfunction take = begin_function(module, "take");
    CUfunction nothing = begin_function(module, "cushim_nothing");
    CUstream stream = begin_stream();
    size_t size = sizeof buffer, none = 0;
    void *parameters[] = {&buffer.address, &buffer.value}, *nulls[] = {NULL, NULL};
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    void *bogus[] = {(void *)77, &buffer, CU_LAUNCH_PARAM_END}, *end[] = {CU_LAUNCH_PARAM_END};

    CODE(CUDA_ERROR_INVALID_VALUE, launch(take, stream, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, launch(take, stream, nulls, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, launch(take, stream, parameters, extra));
    CODE(CUDA_ERROR_INVALID_VALUE, launch(nothing, stream, parameters, extra));
    CODE(CUDA_ERROR_INVALID_VALUE, launch(take, stream, NULL, bogus));
    CODE(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, launch(take, stream, NULL, extra)); /* 12 needed */
    CODE(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, launch(nothing, stream, NULL, extra));
    extra[3] = &none;
    CODE(CUDA_ERROR_INVALID_VALUE, launch(take, stream, NULL, extra));
    OK(launch(nothing, stream, NULL, extra));
    OK(launch(nothing, stream, NULL, end));
    OK(cu->StreamSynchronize(stream));
}

MEASURED_CASE(163, parameters_are_copied_at_the_call)
{
    CUfunction spin = begin_kernel("cushim_spin");
    CUstream stream = begin_stream();
    struct gate gate = GATE;
    cuuint64_t ns = 1000;
    size_t size = sizeof ns;
    void *parameters[] = {&ns};
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &ns, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};

    gate_shut(&gate, stream);
    OK(launch(spin, stream, parameters, NULL));
    OK(launch(spin, stream, NULL, extra));
    ns = UINT64_MAX; /* would never end */
    gate_open(&gate);
    OK(cu->StreamSynchronize(stream));
}

MEASURED_CASE(164, launch_is_in_the_context_of_its_stream)
{
    CUmodule module = begin_module();
    CUfunction nothing = begin_function(module, "cushim_nothing");
    CUstream here = begin_stream(), there;
    CUcontext other = begin_other_context();

    there = begin_stream_in(other);
    make_current(other);
    CODE(CUDA_ERROR_INVALID_HANDLE, launch(nothing, NULL, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, launch(nothing, there, NULL, NULL));
    OK(launch(nothing, here, NULL, NULL));
    make_current(NULL);
    OK(launch(nothing, here, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, launch(nothing, NULL, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, launch(NULL, NULL, NULL, NULL));
    OK(cu->StreamSynchronize(here));
}

MEASURED_CASE(165, attributes_of_a_launch)
{
    /* With a value of zeros. */
    static const CUresult codes[] = {
        [3] = CUDA_ERROR_INVALID_VALUE,   [7] = CUDA_ERROR_INVALID_HANDLE,
        [12] = CUDA_ERROR_INVALID_HANDLE, [13] = CUDA_ERROR_NOT_SUPPORTED,
        [15] = CUDA_ERROR_INVALID_VALUE,  [17] = CUDA_ERROR_INVALID_VALUE,
    };
    CUfunction nothing = begin_function(begin_module(), "cushim_nothing");
    CUlaunchAttribute attribute;
    CUlaunchConfig config;

    memset(&config, 0, sizeof config);
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = config.blockDimY = config.blockDimZ = 1;
    config.hStream = begin_stream();
    OK(cu->LaunchKernelEx(&config, nothing, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->LaunchKernelEx(NULL, nothing, NULL, NULL));
    config.numAttrs = 1;
    CODE(CUDA_ERROR_INVALID_VALUE, cu->LaunchKernelEx(&config, nothing, NULL, NULL));
    config.attrs = &attribute;
    for (unsigned i = 0; i < COUNT(codes); i++) {
        memset(&attribute, 0, sizeof attribute);
        attribute.id = (CUlaunchAttributeID)i;
        CODE(codes[i], cu->LaunchKernelEx(&config, nothing, NULL, NULL));
    }
    OK(cu->StreamSynchronize(config.hStream));
}

MEASURED_CASE(165, clusters_divide_the_grid)
{
    enum { CLUSTER = 4, INVALID_CLUSTER_SIZE = 912 };
    static const struct {
        unsigned grid, cluster[3];
        CUresult code;
    } rows[] = {
        {1, {1, 1, 1}, CUDA_SUCCESS},
        {8, {8, 1, 1}, CUDA_SUCCESS},
        {9, {9, 1, 1}, (CUresult)INVALID_CLUSTER_SIZE},
        {32, {32, 1, 1}, (CUresult)INVALID_CLUSTER_SIZE},
        {3, {2, 1, 1}, (CUresult)INVALID_CLUSTER_SIZE},
        {3, {2, 0, 1}, (CUresult)INVALID_CLUSTER_SIZE},
    };
    CUfunction nothing = begin_function(begin_module(), "cushim_nothing");
    CUlaunchAttribute attribute;
    CUlaunchConfig config;

    memset(&config, 0, sizeof config);
    memset(&attribute, 0, sizeof attribute);
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 128;
    config.blockDimY = config.blockDimZ = 1;
    config.hStream = begin_stream();
    config.attrs = &attribute;
    config.numAttrs = 1;
    attribute.id = (CUlaunchAttributeID)CLUSTER;
    for (unsigned i = 0; i < COUNT(rows); i++) {
        config.gridDimX = rows[i].grid;
        memcpy(&attribute.value, rows[i].cluster, sizeof rows[i].cluster);
        CODE(rows[i].code, cu->LaunchKernelEx(&config, nothing, NULL, NULL));
    }
    OK(cu->StreamSynchronize(config.hStream));
}

/* A launch of one thread with an attribute. */
static CUlaunchConfig begin_config(CUstream stream, CUlaunchAttribute *attribute, int id)
{
    CUlaunchConfig config;

    memset(&config, 0, sizeof config);
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream;
    config.attrs = attribute;
    config.numAttrs = 1;
    memset(attribute, 0, sizeof *attribute);
    attribute->id = (CUlaunchAttributeID)id;
    return config;
}

MEASURED_CASE(205, captured_kernel_may_begin_early)
{
    enum { SERIALIZATION = 6 };
    CUfunction nothing = begin_function(begin_module(), "cushim_nothing");
    CUgraphNode from = NULL, to = NULL;
    CUlaunchAttribute attribute;
    CUgraphEdgeData data;
    CUgraph graph = NULL;
    size_t count = 0;
    CUstream stream = begin_stream();
    CUlaunchConfig config = begin_config(stream, &attribute, SERIALIZATION);

    *(int *)&attribute.value = 1;
    capture_begin(stream, GLOBAL);
    OK(cu->LaunchKernelEx(&config, nothing, NULL, NULL));
    OK(cu->LaunchKernelEx(&config, nothing, NULL, NULL));
    MUST(cu->StreamEndCapture(stream, &graph));
    OK(cu->GraphGetEdges_v2(graph, NULL, NULL, NULL, &count));
    EQUAL(1, count);
    memset(&data, 0, sizeof data);
    OK(cu->GraphGetEdges_v2(graph, &from, &to, (void *)&data, &count));
    EQUAL(1, data.type);
    EQUAL(1, data.from_port);
    EQUAL(0, data.to_port);
    OK(cu->GraphLaunch(graph_exec(graph), stream));
    OK(cu->StreamSynchronize(stream));
}

MEASURED_CASE(207, captured_kernel_has_the_priority_of_its_stream)
{
    enum { PRIORITY = 8, NODE_PRIORITIES = 8 };
    CUfunction nothing = begin_function(begin_module(), "cushim_nothing");
    CUkernelNodeAttrValue value;
    CUgraphExec exec = NULL;
    CUgraph graph = NULL;
    CUgraphNode node;
    CUstream stream;
    size_t count = 1;
    int priority = 0;

    MUST(cu->StreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -3));
    MUST(cu->StreamGetPriority(stream, &priority));
    capture_begin(stream, GLOBAL);
    MUST(launch(nothing, stream, NULL, NULL));
    MUST(cu->StreamEndCapture(stream, &graph));
    MUST(cu->GraphGetNodes(graph, &node, &count));
    memset(&value, 0, sizeof value);
    OK(cu->GraphKernelNodeGetAttribute(node, (CUkernelNodeAttrID)PRIORITY, &value));
    EQUAL(priority, *(int *)&value);
    *(int *)&value = -1;
    OK(cu->GraphKernelNodeSetAttribute(node, (CUkernelNodeAttrID)PRIORITY, &value));
    OK(cu->GraphInstantiateWithFlags(&exec, graph, NODE_PRIORITIES));
    OK(cu->StreamDestroy_v2(stream));
}

MEASURED_CASE(206, launch_records_an_event)
{
    static const int ids[] = {7, 12}; /* a programmatic event, and one of the beginning */
    CUfunction nothing = begin_function(begin_module(), "cushim_nothing");
    CUevent event = begin_event_with(CU_EVENT_DISABLE_TIMING);
    CUlaunchAttribute attribute;
    CUlaunchConfig config;
    CUstream stream, other;

    stream = begin_stream();
    other = begin_stream();
    for (unsigned i = 0; i < COUNT(ids); i++) {
        config = begin_config(stream, &attribute, ids[i]);
        memcpy(&attribute.value, &event, sizeof event);
        OK(cu->LaunchKernelEx(&config, nothing, NULL, NULL));
        OK(cu->StreamWaitEvent(other, event, 0));
        OK(cu->EventSynchronize(event));
        OK(cu->StreamSynchronize(other));
    }
}

GPU_CASE(166, old_launches_are_checked)
{
    CUfunction nothing = begin_function(begin_module(), "cushim_nothing");

    CODE(CUDA_ERROR_INVALID_VALUE, cu->FuncSetBlockShape(nothing, 0, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->FuncSetBlockShape(nothing, 2000, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->FuncSetSharedSize(nothing, 1 << 20));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ParamSetSize(nothing, 100000));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ParamSeti(nothing, 40000, 33));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ParamSetv(nothing, 0, NULL, 8));
    OK(cu->ParamSeti(nothing, 4096, 33));
    OK(cu->FuncSetBlockShape(nothing, 1, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->LaunchGrid(nothing, 0, 1));
    OK(cu->ParamSetSize(nothing, 8));
    CODE(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, cu->Launch(nothing));
}

MEASURED_CASE(165, cooperative_launches_fit_the_device)
{
    enum { MOST = 132 * 32 };
    CUfunction nothing = begin_function(begin_module(), "cushim_nothing");
    CUstream stream = begin_stream();

    OK(cu->LaunchCooperativeKernel(nothing, MOST, 1, 1, 1, 1, 1, 0, stream, NULL));
    CODE(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
         cu->LaunchCooperativeKernel(nothing, MOST + 1, 1, 1, 1, 1, 1, 0, stream, NULL));
    OK(cu->StreamSynchronize(stream));
}

GPU_CASE(166, old_launches_still_work)
{
    cuuint64_t ns = 1000;
    CUfunction nothing, spin;
    CUstream stream;

    begin_device();
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->Launch(NULL));
    begin_context();
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->Launch(NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->FuncSetBlockShape(NULL, 1, 1, 1));
    nothing = begin_kernel("cushim_nothing");
    spin = begin_kernel("cushim_spin");
    stream = begin_stream();
    OK(cu->FuncSetBlockShape(nothing, 1, 1, 1));
    OK(cu->FuncSetSharedSize(nothing, 64));
    OK(cu->ParamSetSize(nothing, 0));
    OK(cu->Launch(nothing));
    OK(cu->LaunchGrid(nothing, 2, 2));
    OK(cu->FuncSetBlockShape(spin, 1, 1, 1));
    OK(cu->ParamSetv(spin, 0, &ns, sizeof ns));
    OK(cu->ParamSetSize(spin, sizeof ns));
    OK(cu->LaunchGridAsync(spin, 1, 1, stream));
    OK(cu->StreamSynchronize(stream));
    OK(cu->CtxSynchronize());
}
