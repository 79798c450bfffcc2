/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Textures of executed kernels: the references of a module, and handles. tests/kernel/textures
 * tests how kernels read them.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "tests/mock/fixture.h"

enum { WIDTH = 8, HEIGHT = 4 };

static const char image[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".global .texref named;\n.visible .global .u32 plain;\n"
    ".visible .entry read(.param .u64 texture, .param .u64 out)\n{\n"
    ".reg .b64 %rd<3>; .reg .b32 %r<6>;\n"
    "ld.param.u64 %rd1, [texture]; ld.param.u64 %rd2, [out]; mov.u32 %r5, 1;\n"
    "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];\n"
    "st.global.u32 [%rd2], %r1;\nret;\n}\n"
    ".visible .entry through(.param .u64 out)\n{\n"
    ".reg .b64 %rd<3>; .reg .b32 %r<6>;\nld.param.u64 %rd2, [out]; mov.u32 %r5, 1;\n"
    "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [named, {%r5}];\n"
    "st.global.u32 [%rd2], %r1;\nret;\n}\n";

static CUresult launch(CUmodule module, const char *name, void **parameters)
{
    CUfunction function;

    OK(driver->ModuleGetFunction(&function, module, name));
    OK(driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    return driver->CtxSynchronize();
}

#define TEST(name, begin) TEST_BETWEEN(name, begin, fixture_done)

TEST(references_are_found_bound_and_asked, fixture_auto)
{
    static const uint32_t words[] = {5, 6, 7, 8};
    CUdeviceptr memory, out, address;
    void *parameters[] = {&out};
    CUarray_format format;
    CUaddress_mode mode;
    CUfilter_mode filter;
    CUtexref named, own;
    CUmodule module;
    unsigned flags;
    uint32_t got;
    size_t offset;
    int channels;

    OK(driver->MemAlloc_v2(&memory, 4096));
    OK(driver->MemAlloc_v2(&out, 4));
    OK(driver->MemcpyHtoD_v2(memory + 4, words, sizeof words));
    OK(driver->ModuleLoadData(&module, image));
    CODE(CUDA_ERROR_NOT_FOUND, driver->ModuleGetTexRef(&named, module, "nothing"));
    CODE(CUDA_ERROR_NOT_FOUND, driver->ModuleGetTexRef(&named, module, "plain"));
    OK(driver->ModuleGetTexRef(&named, module, "named"));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexRefGetAddress_v2(&address, named));
    OK(driver->TexRefSetFormat(named, CU_AD_FORMAT_UNSIGNED_INT32, 1));
    OK(driver->TexRefSetAddressMode(named, 0, CU_TR_ADDRESS_MODE_BORDER));
    OK(driver->TexRefSetFilterMode(named, CU_TR_FILTER_MODE_POINT));
    OK(driver->TexRefSetFlags(named, CU_TRSF_READ_AS_INTEGER));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexRefSetAddressMode(named, 3, mode = 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexRefSetFlags(named, 0x100));
    /* If memory does not begin at a texture alignment, the reference needs an offset. */
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexRefSetAddress_v2(NULL, named, memory + 4, 16));
    OK(driver->TexRefSetAddress_v2(&offset, named, memory + 4, sizeof words));
    assert_int_equal(offset, 4);
    OK(driver->TexRefGetAddress_v2(&address, named));
    assert_int_equal(address, memory);
    OK(driver->TexRefGetFormat(&format, &channels, named));
    assert_int_equal(format, CU_AD_FORMAT_UNSIGNED_INT32);
    assert_int_equal(channels, 1);
    OK(driver->TexRefGetAddressMode(&mode, named, 0));
    assert_int_equal(mode, CU_TR_ADDRESS_MODE_BORDER);
    OK(driver->TexRefGetFilterMode(&filter, named));
    assert_int_equal(filter, CU_TR_FILTER_MODE_POINT);
    OK(driver->TexRefGetFlags(&flags, named));
    assert_int_equal(flags, CU_TRSF_READ_AS_INTEGER);
    OK(launch(module, "through", parameters));
    OK(driver->MemcpyDtoH_v2(&got, out, 4));
    assert_int_equal(got, 5);
    OK(driver->ModuleUnload(module));
    OK(driver->TexRefCreate(&own));
    OK(driver->TexRefDestroy(own));
}

/* The binding at the launch of a kernel that names the reference is used. */
TEST(references_of_surfaces_are_written_through, fixture_auto)
{
    static const char text[] =
        ".version 6.0\n.target sm_50\n.address_size 64\n"
        ".global .surfref drawn;\n.global .texref named;\n"
        ".visible .entry draw()\n{\n.reg .b32 %r<3>; mov.u32 %r1, 4; mov.u32 %r2, 1;\n"
        "sust.b.2d.b32.trap [drawn, {%r1, %r2}], {%r1};\nret;\n}\n";
    CUDA_ARRAY3D_DESCRIPTOR described = {
        .Width = WIDTH, .Height = HEIGHT, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 4};
    CUarray plain, array;
    uint32_t texels[HEIGHT][WIDTH] = {{0}};
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          TO_HOST(texels, 0),
                          .WidthInBytes = sizeof texels[0],
                          .Height = HEIGHT};
    CUarray found;
    CUmodule module;
    CUfunction function;
    CUsurfref drawn;
    CUtexref named;

    OK(driver->Array3DCreate_v2(&plain, &described));
    described.Flags = CUDA_ARRAY3D_SURFACE_LDST;
    OK(driver->Array3DCreate_v2(&array, &described));
    copy.srcArray = array;
    OK(driver->ModuleLoadData(&module, text));
    CODE(CUDA_ERROR_NOT_FOUND, driver->ModuleGetSurfRef(&drawn, module, "nothing"));
    OK(driver->ModuleGetSurfRef(&drawn, module, "drawn"));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->SurfRefGetArray(&found, drawn));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->SurfRefSetArray(drawn, plain, 0));
    OK(driver->SurfRefSetArray(drawn, array, 0));
    OK(driver->SurfRefGetArray(&found, drawn));
    assert_ptr_equal(found, array);
    OK(driver->ModuleGetFunction(&function, module, "draw"));
    OK(driver->ModuleGetTexRef(&named, module, "named"));
    OK(driver->ParamSetTexRef(function, CU_PARAM_TR_DEFAULT, named));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->ParamSetTexRef(function, 0, named));
    OK(launch(module, "draw", NULL));
    OK(driver->Memcpy2D_v2(&copy));
    assert_int_equal(texels[1][1], 4);
    assert_int_equal(texels[0][1], 0);
}

/* As with any other handle: the host's call is a misuse, and the kernel faults. */
TEST_ALONE(destroyed_texture_is_a_misuse_and_a_fault)
{
    const CUDA_TEXTURE_DESC sampling = {.flags = CU_TRSF_READ_AS_INTEGER};
    CUDA_RESOURCE_DESC found,
        resource = {
            .resType = CU_RESOURCE_TYPE_LINEAR,
            .res.linear = {.format = CU_AD_FORMAT_FLOAT, .numChannels = 1, .sizeInBytes = 1024},
        };
    CUtexObject texture;
    CUdeviceptr memory;
    void *parameters[] = {&texture, &memory};
    CUmodule module;

    fixture_begin("mode = auto\n");
    OK(driver->MemAlloc_v2(&memory, 4096));
    resource.res.linear.devPtr = memory;
    OK(driver->TexObjectCreate(&texture, &resource, &sampling, NULL));
    OK(driver->ModuleLoadData(&module, image));
    OK(launch(module, "read", parameters));
    OK(driver->TexObjectDestroy(texture));
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->TexObjectGetResourceDesc(&found, texture));
    CONTAINS(cushim_mock_misuse(fixture_mock, 0), "a texture");
    CODE(CUDA_ERROR_LAUNCH_FAILED, launch(module, "read", parameters));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(fixture_mock));
}

/*
 * Each of many pending kernels reads its own texture, which is destroyed before the first kernel
 * begins.
 */
TEST(kernels_read_textures_that_were_destroyed_after_the_launch, fixture_manual)
{
    enum { MANY = 200, TEXELS = 256 };
    const CUDA_TEXTURE_DESC sampling = {.flags = CU_TRSF_READ_AS_INTEGER};
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR,
                                   .res.linear = {.format = CU_AD_FORMAT_UNSIGNED_INT32,
                                                  .numChannels = 1,
                                                  .sizeInBytes = 1024}};
    CUfunction read;
    CUtexObject texture;
    CUdeviceptr out;
    CUmodule module;
    uint32_t *texels, *got;
    void *parameters[] = {&texture, &out};

    OK(driver->MemHostAlloc((void **)&texels, MANY * TEXELS * sizeof *texels, 0));
    OK(driver->MemHostAlloc((void **)&got, MANY * sizeof *got, 0));
    OK(driver->ModuleLoadData(&module, image));
    OK(driver->ModuleGetFunction(&read, module, "read"));
    for (unsigned i = 0; i < MANY; i++) {
        texels[i * TEXELS + 1] = i + 1000;
        resource.res.linear.devPtr = (uintptr_t)&texels[i * TEXELS];
        out = (uintptr_t)&got[i];
        OK(driver->TexObjectCreate(&texture, &resource, &sampling, NULL));
        OK(driver->LaunchKernel(read, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
        OK(driver->TexObjectDestroy(texture));
    }
    assert_int_equal(fixture_state().pending, MANY);
    OK(cushim_mock_drain(fixture_mock));
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(got[i], i + 1000);
}
