/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of modules. Statements 158-161. */
#include "backend.h"
#include "cases.h"
#include "check.h"
#include "module.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void parameters_are_told(void)
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

static void attributes_of_a_plain_kernel(void)
{
    /* 0 threads, 1 shared, 2 constant, 3 local bytes, 4 registers, 5 PTX, 6 binary version, ... */
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

static void attributes_that_can_be_set(void)
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

static void occupancy_of_a_plain_kernel(void)
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

const struct conformance_case kernel_cases[] = {
    MEASURED_CASE("158_parameters_are_told", parameters_are_told),
    MEASURED_CASE("159_attributes_of_a_plain_kernel", attributes_of_a_plain_kernel),
    MEASURED_CASE("160_attributes_that_can_be_set", attributes_that_can_be_set),
    MEASURED_CASE("161_occupancy_of_a_plain_kernel", occupancy_of_a_plain_kernel),
    {.name = NULL},
};
