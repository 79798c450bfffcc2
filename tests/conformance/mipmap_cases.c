/* SPDX-License-Identifier: Apache-2.0 */
/* Mipmapped arrays and textures over them. Statements 226 and 227. */

#include "cases.h"

enum { SIDE = 16, LEVELS = 5, READS = 8 };

static CUDA_ARRAY3D_DESCRIPTOR described(size_t width, size_t height, size_t depth, unsigned flags)
{
    return (CUDA_ARRAY3D_DESCRIPTOR){.Width = width,
                                     .Height = height,
                                     .Depth = depth,
                                     .Format = CU_AD_FORMAT_FLOAT,
                                     .NumChannels = 1,
                                     .Flags = flags};
}

MEASURED_CASE(226, levels_are_clamped_and_halved)
{
    static const struct {
        unsigned width, height, depth, flags, asked, levels, last[3];
    } rows[] = {
        {64, 32, 0, 0, 0, 1, {64, 32, 0}},
        {64, 32, 0, CUDA_ARRAY3D_SURFACE_LDST, 3, 3, {16, 8, 0}},
        {64, 32, 0, 0, 100, 7, {1, 1, 0}},
        {37, 5, 0, 0, 100, 6, {1, 1, 0}},
        {64, 0, 0, 0, 100, 7, {1, 0, 0}},
        {16, 8, 5, 0, 100, 5, {1, 1, 1}},
        {16, 8, 64, CUDA_ARRAY3D_LAYERED, 100, 5, {1, 1, 64}},
        {16, 16, 6, CUDA_ARRAY3D_CUBEMAP, 100, 5, {1, 1, 6}},
    };

    begin_context();
    for (size_t i = 0; i < COUNT(rows); i++) {
        const CUDA_ARRAY3D_DESCRIPTOR of =
            described(rows[i].width, rows[i].height, rows[i].depth, rows[i].flags);
        CUDA_ARRAY3D_DESCRIPTOR found = {0};
        CUarray level = NULL, none = NULL;
        CUmipmappedArray array;

        MUST(cu->MipmappedArrayCreate(&array, &of, rows[i].asked));
        OK(cu->MipmappedArrayGetLevel(&level, array, rows[i].levels - 1));
        REFUSED(cu->MipmappedArrayGetLevel(&none, array, rows[i].levels));
        CHECK(none == NULL);
        MUST(cu->Array3DGetDescriptor_v2(&found, level));
        EQUAL(rows[i].last[0], found.Width);
        EQUAL(rows[i].last[1], found.Height);
        EQUAL(rows[i].last[2], found.Depth);
        EQUAL(rows[i].flags, found.Flags);
        MUST(cu->MipmappedArrayGetLevel(&none, array, rows[i].levels - 1));
        CHECK(none == level);
        OK(cu->MipmappedArrayDestroy(array));
    }
}

MEASURED_CASE(226, wrong_mipmaps_are_refused)
{
    const CUDA_ARRAY3D_DESCRIPTOR right = described(64, 64, 0, 0),
                                  wrong[] = {
                                      described(0, 64, 0, 0),       described(32769, 0, 0, 0),
                                      described(1 << 20, 32, 0, 0), described(131072, 1, 0, 0),
                                      described(16, 0, 16, 0),      described(64, 64, 0, 0x10),
                                      described(64, 64, 0, 0x20),   described(64, 64, 0, 0x1000),
                                  };
    CUmipmappedArray array = NULL;
    CUarray level;

    begin_context();
    for (size_t i = 0; i < COUNT(wrong); i++)
        REFUSED(cu->MipmappedArrayCreate(&array, &wrong[i], 2));
    REFUSED(cu->MipmappedArrayCreate(NULL, &right, 2));
    REFUSED(cu->MipmappedArrayCreate(&array, NULL, 2));
    CHECK(array == NULL);
    MUST(cu->MipmappedArrayCreate(&array, &right, 2));
    REFUSED(cu->MipmappedArrayGetLevel(NULL, array, 1));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->MipmappedArrayGetLevel(&level, NULL, 0));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->MipmappedArrayDestroy(NULL));
    make_current(NULL);
    OK(cu->MipmappedArrayGetLevel(&level, array, 1));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MipmappedArrayCreate(&array, &right, 2));
}

MEASURED_CASE(226, requirements_are_those_of_deferred_arrays)
{
    const CUDA_ARRAY3D_DESCRIPTOR of = described(64, 64, 0, 0);
    CUDA_ARRAY_MEMORY_REQUIREMENTS requirements[4];
    CUDA_ARRAY_SPARSE_PROPERTIES properties;
    CUmipmappedArray array;
    CUarray level;

    begin_context();
    MUST(cu->MipmappedArrayCreate(&array, &of, 2));
    MUST(cu->MipmappedArrayGetLevel(&level, array, 1));
    REFUSED(cu->MipmappedArrayGetMemoryRequirements(requirements, array, 0));
    REFUSED(cu->ArrayGetMemoryRequirements(requirements, level, 0));
    REFUSED(cu->ArrayGetSparseProperties(&properties, level));
    REFUSED(cu->MipmappedArrayGetSparseProperties(&properties, array));
}

MEASURED_CASE(226, levels_stay_with_their_array)
{
    const CUDA_ARRAY3D_DESCRIPTOR of = described(64, 64, 0, 0);
    const CUstream stream = begin_stream();
    CUDA_ARRAY3D_DESCRIPTOR found;
    CUmipmappedArray array;
    CUarray level, plane;
    CUgraph graph;

    MUST(cu->MipmappedArrayCreate(&array, &of, 2));
    MUST(cu->MipmappedArrayGetLevel(&level, array, 1));
    OK(cu->ArrayDestroy(level));
    OK(cu->Array3DGetDescriptor_v2(&found, level));
    REFUSED(cu->ArrayGetPlane(&plane, level, 0));
    MUST(cu->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cu->MipmappedArrayGetLevel(&level, array, 0));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->MipmappedArrayDestroy(array));
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cu->StreamEndCapture(stream, &graph));
    OK(cu->MipmappedArrayGetLevel(&level, array, 1));
    make_current(NULL);
    OK(cu->MipmappedArrayDestroy(array));
}

/* --- textures --- */

static const char text[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
#define ENTRY(name, read)                                                                        \
    ".visible .entry " name "(.param .u64 t, .param .u64 o, .param .u64 l)\n{\n"                 \
    ".reg .b64 %rd<7>; .reg .b32 %r<5>; .reg .f32 %f<8>;\n"                                      \
    "ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [o]; ld.param.u64 %rd3, [l];\n"                  \
    "mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd5, %rd2, %rd4;\n"                \
    "add.u64 %rd6, %rd3, %rd4; ld.global.f32 %f1, [%rd6]; mov.f32 %f2, 0f3F000000;\n"            \
    "mov.f32 %f3, 0f00000000; cvt.rzi.s32.f32 %r2, %f1; mov.u32 %r3, 0; mov.u32 %r4, 99;\n" read \
    "st.global.f32 [%rd5], %f4; ret;\n}\n"
    ENTRY("level", "tex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f2, %f2}], %f1;\n")
        ENTRY("grad",
              "tex.grad.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f2, %f2}], {%f1, %f3}, "
              "{%f3, %f1};\n")
            ENTRY("plain", "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f2, %f2}];\n") ENTRY(
                "gather", "tld4.r.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f2, %f2}];\n")
                ENTRY("whole",
                      "tex.level.2d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%rd1, {%r3, %r4}], %r2;\n");

/* An array whose level N has the number 100 * 2^N in all texels. */
static CUmipmappedArray begin_levels(void)
{
    const CUDA_ARRAY3D_DESCRIPTOR of = described(SIDE, SIDE, 0, CUDA_ARRAY3D_SURFACE_LDST);
    CUmipmappedArray array;
    float texels[SIDE * SIDE];

    MUST(cu->MipmappedArrayCreate(&array, &of, LEVELS));
    for (unsigned i = 0; i < LEVELS; i++) {
        CUDA_MEMCPY2D copy = {FROM_HOST(texels, 0), .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                              .WidthInBytes = (SIDE >> i) * sizeof *texels, .Height = SIDE >> i};

        for (size_t j = 0; j < COUNT(texels); j++)
            texels[j] = (float)(100 << i);
        MUST(cu->MipmappedArrayGetLevel(&copy.dstArray, array, i));
        MUST(cu->Memcpy2D_v2(&copy));
    }
    return array;
}

static CUtexObject begin_texture(CUmipmappedArray array, const CUDA_TEXTURE_DESC *sampling)
{
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
                                         .res.mipmap.hMipmappedArray = array};
    CUtexObject texture;

    MUST(cu->TexObjectCreate(&texture, &resource, sampling, NULL));
    return texture;
}

/* Each thread of `kernel` reads the texture with one number of `given`. */
static void expect_reads(CUtexObject texture, const char *kernel, const float *given,
                         const float *wanted, unsigned count)
{
    const CUdeviceptr out = begin_memory(64), levels = begin_memory(64);
    void *parameters[] = {&texture, (void *)&out, (void *)&levels};
    float got[READS] = {0};
    CUfunction function;
    CUmodule module;
    CUresult code;

    MUST(cu->ModuleLoadData(&module, text));
    function = begin_function(module, kernel);
    MUST(cu->MemcpyHtoD_v2(levels, given, count * sizeof *given));
    code = cu->LaunchKernel(function, 1, 1, 1, count, 1, 1, 0, NULL, parameters, NULL);
    if (code == CUDA_ERROR_NOT_SUPPORTED)
        skip("the mock was built without the execution of kernels");
    MUST(code);
    MUST(cu->MemcpyDtoH_v2(got, out, count * sizeof *got));
    for (unsigned i = 0; i < count; i++)
        EQUAL(wanted[i] * 1024, got[i] * 1024);
}

CASE(227, levels_are_selected_or_weighted, .class = MEASURED, .may_skip = ON_MOCK)
{
    static const float levels[READS] = {-1, 0.4999F, 0.5F, 1.3F, 1.5F, 2.5F, 3.5F, 9},
                       gradients[READS] = {0, 1 / 64.F, 1 / 16.F, 1 / 8.F, -1 / 8.F, 0.5F, 2, 100};
    static const struct {
        const char *kernel;
        CUDA_TEXTURE_DESC sampling;
        float wanted[READS];
    } rows[] = {
        {"level", {.maxMipmapLevelClamp = 9}, {100, 100, 200, 200, 400, 800, 1600, 1600}},
        {"level",
         {.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR, .maxMipmapLevelClamp = 9},
         {100, 100 + 100 * 127 / 256.F, 150, 200 + 200 * 76 / 256.F, 300, 600, 1200, 1600}},
        {"level",
         {.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR,
          .mipmapLevelBias = 0.75F,
          .maxMipmapLevelClamp = 9},
         {100, 200 + 200 * 63 / 256.F, 250, 400 + 400 * 12 / 256.F, 500, 1000, 1600, 1600}},
        {"level",
         {.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR,
          .minMipmapLevelClamp = 1.25F,
          .maxMipmapLevelClamp = 2.5F},
         {250, 250, 250, 200 + 200 * 76 / 256.F, 300, 600, 600, 600}},
        {"level",
         {.minMipmapLevelClamp = 3, .maxMipmapLevelClamp = 1},
         {800, 800, 800, 800, 800, 800, 800, 800}},
        {"grad",
         {.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR, .maxMipmapLevelClamp = 9},
         {100, 100, 100, 200, 200, 800, 1600, 1600}},
        {"plain",
         {.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR,
          .mipmapLevelBias = 0.75F,
          .maxMipmapLevelClamp = 9},
         {100, 100, 100, 100, 100, 100, 100, 100}},
        {"plain",
         {.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR,
          .minMipmapLevelClamp = 1.25F,
          .maxMipmapLevelClamp = 2.5F},
         {250, 250, 250, 250, 250, 250, 250, 250}},
        {"gather",
         {.minMipmapLevelClamp = 1.25F, .maxMipmapLevelClamp = 2.5F},
         {100, 100, 100, 100, 100, 100, 100, 100}},
        {"whole",
         {.minMipmapLevelClamp = 1, .maxMipmapLevelClamp = 9},
         {0, 100, 100, 200, 200, 400, 800, 0}},
    };
    CUmipmappedArray array;

    begin_context();
    array = begin_levels();
    for (size_t i = 0; i < COUNT(rows); i++) {
        CUDA_TEXTURE_DESC sampling = rows[i].sampling;

        sampling.flags = CU_TRSF_NORMALIZED_COORDINATES;
        for (size_t j = 0; j < 3; j++)
            sampling.addressMode[j] = CU_TR_ADDRESS_MODE_CLAMP;
        expect_reads(begin_texture(array, &sampling), rows[i].kernel,
                     rows[i].kernel[0] == 'g' && rows[i].kernel[1] == 'r' ? gradients : levels,
                     rows[i].wanted, READS);
    }
}

CASE(227, views_name_levels_and_texels, .class = MEASURED, .may_skip = ON_MOCK)
{
    static const float levels[READS] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 9},
                       wanted[READS] = {200, 400, 400, 800, 800, 800, 800, 800};
    const CUDA_TEXTURE_DESC sampling = {.flags = CU_TRSF_NORMALIZED_COORDINATES,
                                        .maxMipmapLevelClamp = 9};
    static const struct {
        unsigned format, side, last;
        CUresult code;
    } rows[] = {
        {CU_RES_VIEW_FORMAT_UINT_1X32, SIDE, 4, CUDA_SUCCESS},
        {CU_RES_VIEW_FORMAT_FLOAT_1X32, SIDE, 9, CUDA_SUCCESS},
        {CU_RES_VIEW_FORMAT_FLOAT_1X32, SIDE / 2, 4, CUDA_ERROR_INVALID_VALUE},
        {CU_RES_VIEW_FORMAT_UINT_1X8, SIDE, 4, CUDA_ERROR_INVALID_VALUE},
        {CU_RES_VIEW_FORMAT_NONE, SIDE, 4, CUDA_ERROR_INVALID_VALUE},
    };
    CUDA_RESOURCE_DESC found, resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
    CUDA_RESOURCE_VIEW_DESC seen, view = {.format = CU_RES_VIEW_FORMAT_FLOAT_1X32,
                                          .width = SIDE,
                                          .height = SIDE,
                                          .firstMipmapLevel = 1,
                                          .lastMipmapLevel = 3};
    CUtexObject texture = 0, other;
    CUsurfObject surface;

    begin_context();
    resource.res.mipmap.hMipmappedArray = begin_levels();
    OK(cu->TexObjectCreate(&texture, &resource, &sampling, &view));
    OK(cu->TexObjectGetResourceDesc(&found, texture));
    CHECK(found.res.mipmap.hMipmappedArray == resource.res.mipmap.hMipmappedArray);
    OK(cu->TexObjectGetResourceViewDesc(&seen, texture));
    EQUAL(3, seen.lastMipmapLevel);
    REFUSED(cu->TexObjectGetResourceViewDesc(NULL, texture));
    REFUSED(cu->TexObjectGetResourceViewDesc(&seen, 0));
    view.firstMipmapLevel = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        view.format = (CUresourceViewFormat)rows[i].format;
        view.width = view.height = rows[i].side;
        view.lastMipmapLevel = rows[i].last;
        CODE(rows[i].code, cu->TexObjectCreate(&other, &resource, &sampling, &view));
    }
    REFUSED(cu->SurfObjectCreate(&surface, &resource));
    expect_reads(texture, "level", levels, wanted, READS);
}
