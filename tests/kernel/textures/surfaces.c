/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces, and instructions that query textures; the results are integers. */
#include "surfaces.h"

#include <cushim/cushim.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "mode.h"

enum { WIDTH = 20, HEIGHT = 6, DEPTH = 3, TEXELS = WIDTH * HEIGHT * DEPTH };

static const struct cushim_table *cu;
static CUdeviceptr points_at, results_at;

struct surface {
    CUarray array;
    CUsurfObject object;
    CUtexObject texture;
};

static struct surface make(CUarray_format format, unsigned channels, unsigned flags)
{
    const CUDA_ARRAY3D_DESCRIPTOR described = {.Width = WIDTH,
                                               .Height = HEIGHT,
                                               .Depth = DEPTH,
                                               .Format = format,
                                               .NumChannels = channels,
                                               .Flags = CUDA_ARRAY3D_SURFACE_LDST | flags};
    const CUDA_TEXTURE_DESC sampling = {.flags = CU_TRSF_READ_AS_INTEGER};
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    struct surface made;

    must(cu->Array3DCreate_v2(&made.array, &described), "cuArray3DCreate");
    resource.res.array.hArray = made.array;
    must(cu->SurfObjectCreate(&made.object, &resource), "cuSurfObjectCreate");
    must(cu->TexObjectCreate(&made.texture, &resource, &sampling, NULL), "cuTexObjectCreate");
    return made;
}

static void end(struct surface surface)
{
    must(cu->SurfObjectDestroy(surface.object), "cuSurfObjectDestroy");
    must(cu->TexObjectDestroy(surface.texture), "cuTexObjectDestroy");
    must(cu->ArrayDestroy(surface.array), "cuArrayDestroy");
}

static void copy(struct surface surface, void *bytes, size_t texel, bool back)
{
    CUDA_MEMCPY3D shape = {
        .srcMemoryType = back ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST,
        .srcArray = back ? surface.array : NULL,
        .srcHost = bytes,
        .srcPitch = back ? 0 : WIDTH * texel,
        .srcHeight = back ? 0 : HEIGHT,
        .dstMemoryType = back ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY,
        .dstArray = back ? NULL : surface.array,
        .dstHost = bytes,
        .dstPitch = back ? WIDTH * texel : 0,
        .dstHeight = back ? HEIGHT : 0,
        .WidthInBytes = WIDTH * texel,
        .Height = HEIGHT,
        .Depth = DEPTH,
    };

    must(cu->Memcpy3D_v2(&shape), "cuMemcpy3D");
}

/*
 * Each point is a different texel, in scattered order; with `outside`, every fourth one is outside.
 */
static void scatter(bool outside)
{
    int32_t points[POINTS][4];

    for (int i = 0; i < POINTS; i++) {
        const int texel = (i * 7) % TEXELS;

        points[i][0] = texel % WIDTH;
        points[i][1] = texel / WIDTH % HEIGHT;
        points[i][2] = points[i][3] = texel / WIDTH / HEIGHT;
        if (outside && i % 4 == 0)
            points[i][i / 4 % 3] += i / 16 % 2 ? 50 : -50;
        if (i / 4 % 3 == 2)
            points[i][3] = points[i][2];
    }
    must(cu->MemcpyHtoD_v2(points_at, points, sizeof points), "cuMemcpyHtoD");
}

/* suld.b of four bytes each; with `outside`, some points are outside. */
static void load_words(const char *name, const char *body, unsigned flags, bool outside)
{
    struct surface surface = make(CU_AD_FORMAT_UNSIGNED_INT32, 1, flags);
    static uint32_t texels[TEXELS], results[POINTS][CHANNELS];

    for (int i = 0; i < TEXELS; i++)
        texels[i] = next_random();
    copy(surface, texels, 4, false);
    scatter(outside);
    launch_points(body, surface.object);
    must(cu->MemcpyDtoH_v2(results, results_at, sizeof results), "cuMemcpyDtoH");
    report(name, results, sizeof results);
    end(surface);
}

/* Write texels with sust, and read the whole surface. */
static void store(const char *name, const char *body, CUarray_format format, unsigned channels)
{
    struct surface surface = make(format, channels, 0);
    const unsigned bytes = channel_bytes(format) * channels;
    static unsigned char texels[TEXELS * 16];

    memset(texels, 0x5a, sizeof texels);
    copy(surface, texels, bytes, false);
    scatter(false);
    launch_points(body, surface.object);
    copy(surface, texels, bytes, true);
    report(name, texels, (size_t)TEXELS * bytes);
    end(surface);
}

static void query(const char *property, bool of_surface)
{
    struct surface surface = make(CU_AD_FORMAT_UNSIGNED_INT8, 4, 0);
    char name[32], body[128];
    uint32_t results[POINTS][CHANNELS];

    snprintf(name, sizeof name, "%s.%s", of_surface ? "suq" : "txq", property);
    snprintf(body, sizeof body, "%s.b32 %%r5, [%%rd1];", name);
    launch_points(body, of_surface ? surface.object : surface.texture);
    must(cu->MemcpyDtoH_v2(results, results_at, sizeof results), "cuMemcpyDtoH");
    report(name, results, sizeof results);
    end(surface);
}

/* Kernels of older programs name their texture; a launch uses the binding at that time. */
static void references(void)
{
    static const char text[] =
        ".version 6.0\n.target sm_50, texmode_unified\n.address_size 64\n"
        ".global .texref named;\n"
        ".visible .entry k(.param .u64 out)\n{\n"
        ".reg .b64 %rd<3>; .reg .b32 %r<8>;\n"
        "ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4;\n"
        "add.s64 %rd1, %rd1, %rd2;\n"
        "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [named, {%r0}];\n"
        "st.global.u32 [%rd1], %r1;\nret;\n}\n";
    uint32_t words[POINTS], results[2][POINTS];
    CUdeviceptr memory[2];
    CUfunction function;
    CUmodule module;
    CUtexref named;
    size_t offset;

    must(cu->ModuleLoadData(&module, text), "cuModuleLoadData");
    must(cu->ModuleGetFunction(&function, module, "k"), "cuModuleGetFunction");
    must(cu->ModuleGetTexRef(&named, module, "named"), "cuModuleGetTexRef");
    must(cu->TexRefSetFormat(named, CU_AD_FORMAT_UNSIGNED_INT32, 1), "cuTexRefSetFormat");
    must(cu->TexRefSetFlags(named, CU_TRSF_READ_AS_INTEGER), "cuTexRefSetFlags");
    for (unsigned i = 0; i < 2; i++) {
        CUdeviceptr out = results_at + i * sizeof results[0];
        void *parameters[] = {&out};

        for (unsigned j = 0; j < POINTS; j++)
            words[j] = next_random();
        must(cu->MemAlloc_v2(&memory[i], sizeof words), "cuMemAlloc");
        must(cu->MemcpyHtoD_v2(memory[i], words, sizeof words), "cuMemcpyHtoD");
        must(cu->TexRefSetAddress_v2(&offset, named, memory[i], sizeof words),
             "cuTexRefSetAddress");
        must(cu->LaunchKernel(function, 1, 1, 1, POINTS, 1, 1, 0, NULL, parameters, NULL),
             "cuLaunchKernel");
    }
    must(cu->MemcpyDtoH_v2(results, results_at, sizeof results), "cuMemcpyDtoH");
    report("references", results, sizeof results);
    for (unsigned i = 0; i < 2; i++)
        must(cu->MemFree_v2(memory[i]), "cuMemFree");
    must(cu->ModuleUnload(module), "cuModuleUnload");
}

#define COORDINATES "shl.b32 %r9, %r1, 2; mad.lo.u32 %r10, %r1, 1000, %r2; "

void surfaces_each(CUdeviceptr points, CUdeviceptr results)
{
    cu = cushim_driver();
    points_at = points;
    results_at = results;
    load_words("suld.b.3d.trap",
               COORDINATES "suld.b.3d.b32.trap {%r5}, [%rd1, {%r9, %r2, %r3, %r3}];", 0, false);
    load_words("suld.b.3d.zero",
               COORDINATES "suld.b.3d.b32.zero {%r5}, [%rd1, {%r9, %r2, %r3, %r3}];", 0, true);
    load_words("suld.b.3d.clamp",
               COORDINATES "suld.b.3d.b32.clamp {%r5}, [%rd1, {%r9, %r2, %r3, %r3}];", 0, true);
    load_words("suld.b.a2d.zero",
               COORDINATES "suld.b.a2d.b32.zero {%r5}, [%rd1, {%r3, %r9, %r2, %r2}];",
               CUDA_ARRAY3D_LAYERED, true);
    store("sust.b.3d.b32", COORDINATES "sust.b.3d.b32.trap [%rd1, {%r9, %r2, %r3, %r3}], {%r10};",
          CU_AD_FORMAT_UNSIGNED_INT32, 1);
    store("sust.b.3d.b8",
          COORDINATES
          "cvt.u16.u32 %h1, %r10; sust.b.3d.b8.zero [%rd1, {%r1, %r2, %r3, %r3}], {%h1};",
          CU_AD_FORMAT_UNSIGNED_INT8, 1);
    store("sust.b.3d.v2.b16",
          COORDINATES "cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2;\n"
                      "sust.b.3d.v2.b16.trap [%rd1, {%r9, %r2, %r3, %r3}], {%h1, %h2};",
          CU_AD_FORMAT_UNSIGNED_INT16, 2);
    store("sust.b.3d.v2.b64",
          COORDINATES "shl.b32 %r9, %r1, 4; cvt.u64.u32 %rd5, %r10; not.b64 %rd6, %rd5;\n"
                      "sust.b.3d.v2.b64.trap [%rd1, {%r9, %r2, %r3, %r3}], {%rd5, %rd6};",
          CU_AD_FORMAT_UNSIGNED_INT32, 4);
    for (int of_surface = 0; of_surface < 2; of_surface++) {
        query("width", of_surface);
        query("height", of_surface);
        query("depth", of_surface);
    }
    references();
}
