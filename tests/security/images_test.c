/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Randomly damaged images, through the driver's own functions: loaded, queried, launched and
 * unloaded. A call may return any code, but must not access memory outside the image.
 *
 *     images_test [COUNT [SEED]]    COUNT mutants of each image, from this seed
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cushim/testing/mock.h>

#include "tests/mock/cubin.h"
#include "tests/security/damage.h"
#include "tests/support/cmocka.h"

enum { ROOM = 8192, PARAMETERS = 70000, PARAMETER_BYTES = 1 << 18, WANTED = 2500 };

static unsigned wanted = WANTED;

static struct cushim_mock *mock;
static const struct cushim_table *driver;
static unsigned char *end; /* memory after this is not readable */
static void *values[PARAMETERS];
static unsigned tried, loaded, launched, linked;

static const char ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .global .align 8 .u64 start = 7;\n"
    ".global .f32 parts[2][3] = {1.0, 0f3F800000, 0.0, -2.5};\n"
    ".const .align 4 .u32 table[4] = {1, 2, 3, 9};\n"
    ".weak .global .b8 name[8] = {116, 101, 120, 116};\n"
    ".global .u64 where[2] = {start, generic(start)+8};\n"
    ".extern .func (.param .b32 r) other(.param .b64 a);\n"
    ".visible .entry scale(.param .u8 a, .param .u64 .ptr .global .align 4 b,\n"
    "    .param .align 16 .b8 c[24]) .maxntid 128, 2, 1 .minnctapersm 2\n"
    "{ .shared .align 4 .b8 tile[4096]; { ret; } // the end\n}\n"
    ".func helper() { /* nothing */ ret; }\n"
    ".entry empty() .reqntid 32 { ret; }\n";

struct image {
    const char *name;
    unsigned char bytes[ROOM];
    size_t size;
    bool is_text;
};

static struct image images[4];

/* Call everything that a program can call for a module. */
static void use(CUmodule module)
{
    static const char *const kernels[] = {"scale", "empty"}, *const globals[] = {"start", "zeros",
                                                                                 "table", "parts",
                                                                                 "name",  "where"};
    CUfunction function;
    size_t bytes, offset;
    int count, threads;

    for (size_t i = 0; i < COUNT(kernels); i++) {
        if (driver->ModuleGetFunction(&function, module, kernels[i]) != CUDA_SUCCESS)
            continue;
        for (int attribute = 0; attribute < 18; attribute++) {
            int value = 0;

            driver->FuncGetAttribute(&value, (CUfunction_attribute)attribute, function);
            driver->FuncSetAttribute(function, (CUfunction_attribute)attribute, value);
        }
        driver->OccupancyMaxActiveBlocksPerMultiprocessor(&count, function, 32, 100);
        driver->OccupancyMaxPotentialBlockSize(&count, &threads, function, NULL, 0, 0);
        driver->OccupancyAvailableDynamicSMemPerBlock(&bytes, function, 1, 32);
        for (size_t k = 0; k < 4; k++)
            driver->FuncGetParamInfo(function, k, &bytes, &offset);
        launched += driver->LaunchKernel(function, 1, 1, 1, 32, 2, 1, 0, NULL, values, NULL) ==
                    CUDA_SUCCESS;
        driver->LaunchKernel(function, 2, 1, 1, 1, 1, 1, 100, NULL, values, NULL);
    }
    for (size_t i = 0; i < COUNT(globals); i++) {
        CUdeviceptr address;

        driver->ModuleGetGlobal_v2(&address, &bytes, module, globals[i]);
    }
}

static void link_it(unsigned char *start, size_t size, bool is_text)
{
    CUlinkState link;
    CUmodule module;
    void *cubin;
    size_t bytes;

    if (driver->LinkCreate_v2(0, NULL, NULL, &link) != CUDA_SUCCESS)
        return;
    if (driver->LinkAddData_v2(link, is_text ? CU_JIT_INPUT_PTX : CU_JIT_INPUT_CUBIN, start, size,
                               "mutant", 0, NULL, NULL) == CUDA_SUCCESS &&
        driver->LinkComplete(link, &cubin, &bytes) == CUDA_SUCCESS) {
        linked++;
        if (driver->ModuleLoadData(&module, cubin) == CUDA_SUCCESS) {
            use(module);
            driver->ModuleUnload(module);
        }
    }
    driver->LinkDestroy(link);
}

static void try_mutant(const struct image *image)
{
    unsigned char bytes[ROOM];
    size_t size = image->size;
    unsigned char *start;
    CUmodule module;

    memcpy(bytes, image->bytes, size);
    size = damage(bytes, size, image->is_text);
    start = end - size;
    memcpy(start, bytes, size);
    tried++;
    if (driver->ModuleLoadData(&module, start) == CUDA_SUCCESS) {
        loaded++;
        use(module);
        assert_int_equal(driver->CtxSynchronize(), CUDA_SUCCESS);
        assert_int_equal(driver->ModuleUnload(module), CUDA_SUCCESS);
    }
    if (tried % 8 == 0)
        link_it(start, size, image->is_text);
}

static void no_mutant_leads_astray(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(images); i++) {
        const unsigned before = loaded;

        for (unsigned k = 0; k < wanted; k++)
            try_mutant(&images[i]);
        print_message("%s: %u mutants, %u loaded\n", images[i].name, wanted, loaded - before);
        assert_in_range(loaded - before, wanted / 100, wanted - wanted / 100);
    }
    assert_true(launched > 0 && linked > 0);
}

/* --- images that once caused wrong accesses --- */

static CUresult launch_of(const void *image)
{
    CUmodule module;
    CUfunction function;
    CUresult code = driver->ModuleLoadData(&module, image);

    if (code != CUDA_SUCCESS)
        return code;
    code = driver->ModuleGetFunction(&function, module, "scale");
    if (code == CUDA_SUCCESS)
        code = driver->LaunchKernel(function, 1, 1, 1, 32, 2, 1, 0, NULL, values, NULL);
    assert_int_equal(driver->CtxSynchronize(), CUDA_SUCCESS);
    assert_int_equal(driver->ModuleUnload(module), CUDA_SUCCESS);
    return code;
}

/* The last parameter in the list does not have the highest offset. */
static void parameters_in_any_order_have_room(void **state)
{
    static unsigned char cubin[CUBIN_BYTES];
    const unsigned char ordinals[2][4] = {{0, 0, 0, 0}, {0, 0, 0xf0, 0xff}};
    size_t at, section, size = cubin_make(cubin, 90);
    uint64_t offset;

    (void)state;
    section = cubin_section(cubin, ".nv.info.scale");
    memcpy(&offset, cubin + section + 24, sizeof offset);
    for (at = (size_t)offset; at + 16 <= size; at++) {
        if (cubin[at] == 0x04 && cubin[at + 1] == 0x17 &&
            memcmp(cubin + at + 8, ordinals[0], 4) == 0)
            memcpy(cubin + at + 8, ordinals[1], 4);
    }
    assert_int_equal(launch_of(cubin), CUDA_SUCCESS);
}

/* A section without bytes in the file claims a size. */
static void attributes_without_bytes_are_not_read(void **state)
{
    static const char *const names[] = {".nv.info", ".nv.info.scale"};
    static unsigned char cubin[CUBIN_BYTES];
    const uint32_t without_bytes = 8;
    const uint64_t far[] = {UINT64_C(1) << 40, UINT64_C(1) << 20};

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        size_t section;

        cubin_make(cubin, 90);
        section = cubin_section(cubin, names[i]);
        memcpy(cubin + section + 4, &without_bytes, sizeof without_bytes);
        memcpy(cubin + section + 24, far, sizeof far);
        launch_of(cubin);
    }
}

static void parameters_beyond_all_bounds_are_refused(void **state)
{
    static const char head[] = ".version 6.0\n.target sm_50\n.address_size 64\n.entry scale(";
    static const char one[] = ".param .b8 p[1099511627776],";
    static char text[sizeof head + 8 * sizeof one + 64];

    (void)state;
    strcpy(text, head);
    for (int i = 0; i < 8; i++)
        strcat(text, one);
    strcat(text, ".param .u8 q) { ret; }\n");
    assert_int_equal(launch_of(text), CUDA_ERROR_INVALID_PTX);
}

/* Sizes at and beyond the limits of int. Whether a launch succeeds does not matter here. */
static void shared_memory_beyond_all_bounds_is_much(void **state)
{
    static const char *const sizes[] = {"2147483648", "2147483647", "4294967295", "4294967296",
                                        "1099511627776"};
    CUfunction function;
    CUmodule module;
    char text[512];
    int bytes = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        snprintf(text, sizeof text,
                 ".version 6.0\n.target sm_50\n.address_size 64\n"
                 ".entry scale() { .shared .b8 t[%s]; ret; }\n",
                 sizes[i]);
        assert_int_equal(driver->ModuleLoadData(&module, text), CUDA_SUCCESS);
        assert_int_equal(driver->ModuleGetFunction(&function, module, "scale"), CUDA_SUCCESS);
        assert_int_equal(
            driver->FuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
            CUDA_SUCCESS);
        assert_int_equal(bytes, 1 << 30);
        use(module);
        assert_int_equal(driver->CtxSynchronize(), CUDA_SUCCESS);
        assert_int_equal(driver->ModuleUnload(module), CUDA_SUCCESS);
    }
}

static int setup(void **state)
{
    const struct cushim_mock_options options = {
        .size = sizeof options, .settings = "unregistered_kernels = skip\nmode = auto\n"};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = ROOM / page * page + page;
    static unsigned char data[PARAMETER_BYTES];
    struct image *cubin = &images[0], *text = &images[1], *fatbin = &images[2], *both = &images[3];
    unsigned char *map =
        mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CUcontext context;

    (void)state;
    assert_true(map != MAP_FAILED);
    end = map + bytes;
    assert_int_equal(mprotect(end, page, PROT_NONE), 0);
    for (size_t i = 0; i < PARAMETERS; i++)
        values[i] = data;
    *cubin = (struct image){.name = "cubin"};
    cubin->size = cubin_make(cubin->bytes, 90);
    *text = (struct image){.name = "PTX", .size = sizeof ptx, .is_text = true};
    memcpy(text->bytes, ptx, sizeof ptx);
    *fatbin = (struct image){.name = "fat binary of a cubin"};
    fatbin_begin(fatbin->bytes);
    fatbin->size = fatbin_add(fatbin->bytes, FATBIN_CUBIN, 90, 0, cubin->bytes, cubin->size);
    *both = (struct image){.name = "fat binary of PTX"};
    fatbin_begin(both->bytes);
    both->size = fatbin_add(both->bytes, FATBIN_PTX, 50, 0, ptx, sizeof ptx);
    assert_int_equal(cushim_mock_create(&options, &mock), CUDA_SUCCESS);
    driver = cushim_mock_table(mock);
    assert_int_equal(driver->Init(0), CUDA_SUCCESS);
    assert_int_equal(driver->DevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    assert_int_equal(driver->CtxSetCurrent(context), CUDA_SUCCESS);
    return 0;
}

static int report(void **state)
{
    (void)state;
    fprintf(stderr, "images: %u mutants tried, %u loaded, %u linked, %u launches, 0 crashed\n",
            tried, loaded, linked, launched);
    assert_int_equal(driver->DevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    assert_int_equal(cushim_mock_destroy(mock), CUDA_SUCCESS);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_in_any_order_have_room),
        cmocka_unit_test(attributes_without_bytes_are_not_read),
        cmocka_unit_test(parameters_beyond_all_bounds_are_refused),
        cmocka_unit_test(shared_memory_beyond_all_bounds_is_much),
        cmocka_unit_test(no_mutant_leads_astray),
    };

    if (argc > 1)
        wanted = (unsigned)strtoul(argv[1], NULL, 10);
    damage_seed(argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
    return cmocka_run_group_tests(tests, setup, report);
}
