/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Textures in all modes. On a GPU, this prints digests of the results of each mode that is exact.
 * On the mock, it compares with them, and the other modes with the reference.
 */
#include <cushim/cushim.h>
#include <cushim/testing/mock.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mode.h"
#include "surfaces.h"
#include "tests/support/structs.h"

enum { PITCH = 1024, ROOM = 1 << 16 };

static const struct cushim_table *cu;
static CUdeviceptr points_at, results_at;
static unsigned failures;
static char *kept; /* the lines that an H200 has printed; NULL: print them */

void must(CUresult result, const char *what)
{
    if (result != CUDA_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, (int)result);
        exit(2);
    }
}

/* --- seeded contents and points --- */

static uint64_t state;

uint32_t next_random(void)
{
    uint64_t value = state += UINT64_C(0x9e3779b97f4a7c15);

    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)((value ^ value >> 27) >> 16);
}

static void fill(const struct mode *mode, unsigned char *texels)
{
    const size_t count = (size_t)mode->width * mode->height * mode->depth * mode->channels;

    for (size_t i = 0; i < count; i++) {
        const float real = (float)(int32_t)next_random() / 0x1p31f;
        /* A half between 1/64 and 2. */
        const uint16_t half = (uint16_t)(next_random() & 0x83ff) | (uint16_t)(9 + next_random() % 7)
                                                                       << 10;
        const uint32_t bits = next_random();

        if (mode->format == CU_AD_FORMAT_FLOAT)
            memcpy(texels + i * 4, &real, 4);
        else if (mode->format == CU_AD_FORMAT_HALF)
            memcpy(texels + i * 2, &half, 2);
        else
            memcpy(texels + i * channel_bytes(mode->format), &bits, channel_bytes(mode->format));
    }
}

/*
 * Whole numbers, halves, midpoints between two filter weights, and any numbers, inside and outside
 * the texture.
 */
static double coordinate(unsigned extent, unsigned kind)
{
    static const double steps[] = {1, 2, 256, 512, 65536};
    const double any = next_random() / 0x1p32 * 3 * extent - extent;

    return floor(any * steps[kind]) / steps[kind];
}

static void place(const struct mode *mode, struct point *point)
{
    const unsigned extents[3] = {mode->width, mode->height, mode->depth};
    const unsigned kind = next_random() % 5;

    for (unsigned i = 0; i < 3; i++) {
        const double at = coordinate(extents[i], kind);

        if (mode->integer_coordinates)
            point->at[i].integer = (int32_t)floor(at);
        else if (mode->geometry >= GCUBE)
            point->at[i].real = (float)(int32_t)next_random() / 0x1p31f;
        else
            point->at[i].real =
                (float)(mode->flags & CU_TRSF_NORMALIZED_COORDINATES ? at / extents[i] : at);
    }
    point->layer = next_random() % (mode->depth + 2);
}

/* --- one mode --- */

static CUarray array_of(const struct mode *mode, const unsigned char *texels)
{
    const bool layered =
        mode->geometry == GA1D || mode->geometry == GA2D || mode->geometry == GACUBE;
    const bool flat = mode->geometry == G1D || mode->geometry == GA1D;
    const CUDA_ARRAY3D_DESCRIPTOR described = {
        .Width = mode->width,
        .Height = flat ? 0 : mode->height,
        .Depth = mode->depth > 1 ? mode->depth : 0,
        .Format = mode->format,
        .NumChannels = mode->channels,
        .Flags = (layered ? CUDA_ARRAY3D_LAYERED : 0u) |
                 (mode->geometry >= GCUBE ? CUDA_ARRAY3D_CUBEMAP : 0u) |
                 (mode->gathered >= 0 ? CUDA_ARRAY3D_TEXTURE_GATHER : 0u),
    };
    CUDA_MEMCPY3D copy = {
        FROM_HOST(texels, mode->width * mode->channels * channel_bytes(mode->format)),
        .srcHeight = mode->height,
        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
        .WidthInBytes = mode->width * mode->channels * channel_bytes(mode->format),
        .Height = mode->height,
        .Depth = mode->depth,
    };

    must(cu->Array3DCreate_v2(&copy.dstArray, &described), "cuArray3DCreate");
    must(cu->Memcpy3D_v2(&copy), "cuMemcpy3D");
    return copy.dstArray;
}

/* The resource descriptor; `array` and `memory` receive what has to be freed. */
static CUDA_RESOURCE_DESC resource_of(const struct mode *mode, const unsigned char *texels,
                                      CUarray *array, CUdeviceptr *memory)
{
    const size_t row = mode->width * mode->channels * channel_bytes(mode->format);
    CUDA_RESOURCE_DESC resource = {.resType = mode->resource};

    if (mode->resource == CU_RESOURCE_TYPE_ARRAY) {
        resource.res.array.hArray = *array = array_of(mode, texels);
        return resource;
    }
    must(cu->MemAlloc_v2(memory, (size_t)PITCH * mode->height + 4096), "cuMemAlloc");
    for (unsigned i = 0; i < mode->height; i++)
        must(cu->MemcpyHtoD_v2(*memory + (size_t)i * PITCH, texels + i * row, row), "cuMemcpyHtoD");
    if (mode->resource == CU_RESOURCE_TYPE_PITCH2D) {
        resource.res.pitch2D.devPtr = *memory;
        resource.res.pitch2D.format = mode->format;
        resource.res.pitch2D.numChannels = mode->channels;
        resource.res.pitch2D.width = mode->width;
        resource.res.pitch2D.height = mode->height;
        resource.res.pitch2D.pitchInBytes = PITCH;
    } else {
        resource.res.linear.devPtr = *memory;
        resource.res.linear.format = mode->format;
        resource.res.linear.numChannels = mode->channels;
        resource.res.linear.sizeInBytes = row;
    }
    return resource;
}

/* Each point has four input words at `in`, and four results at `out`. */
void launch_points(const char *body, uint64_t handle)
{
    static char text[8192];
    void *parameters[] = {&handle, &points_at, &results_at};
    CUmodule module;
    CUfunction function;

    snprintf(text, sizeof text,
             ".version 6.0\n.target sm_50\n.address_size 64\n"
             ".visible .entry k(.param .u64 handle, .param .u64 in, .param .u64 out)\n{\n"
             ".reg .b64 %%rd<8>; .reg .b32 %%r<20>; .reg .b16 %%h<8>;\n"
             "ld.param.u64 %%rd1, [handle]; ld.param.u64 %%rd2, [in]; ld.param.u64 %%rd3, [out];\n"
             "mov.u32 %%r0, %%tid.x; mul.wide.u32 %%rd4, %%r0, 16;\n"
             "add.s64 %%rd2, %%rd2, %%rd4; add.s64 %%rd3, %%rd3, %%rd4;\n"
             "ld.global.v4.u32 {%%r1, %%r2, %%r3, %%r4}, [%%rd2];\n"
             "mov.u32 %%r5, 0; mov.u32 %%r6, 0; mov.u32 %%r7, 0; mov.u32 %%r8, 0;\n"
             "%s\n"
             "st.global.v4.u32 [%%rd3], {%%r5, %%r6, %%r7, %%r8};\nret;\n}\n",
             body);
    must(cu->ModuleLoadData(&module, text), body);
    must(cu->ModuleGetFunction(&function, module, "k"), "cuModuleGetFunction");
    must(cu->LaunchKernel(function, 1, 1, 1, POINTS, 1, 1, 0, NULL, parameters, NULL),
         "cuLaunchKernel");
    must(cu->CtxSynchronize(), body);
    must(cu->ModuleUnload(module), "cuModuleUnload");
}

static void read_mode(const struct mode *mode, CUtexObject texture, const struct point *points,
                      uint32_t (*results)[CHANNELS])
{
    static const char *const coordinates[] = {"%r1",
                                              "%r1, %r2",
                                              "%r1, %r2, %r3, %r3",
                                              "%r4, %r1",
                                              "%r4, %r1, %r2, %r2",
                                              "%r1, %r2, %r3, %r3",
                                              "%r4, %r1, %r2, %r3"};
    char opcode[64], body[256];

    mode_opcode(mode, opcode, sizeof opcode);
    snprintf(body, sizeof body, "%s {%%r5, %%r6, %%r7, %%r8}, [%%rd1, {%s}];", opcode,
             coordinates[mode->geometry]);
    must(cu->MemcpyHtoD_v2(points_at, points, POINTS * sizeof *points), "cuMemcpyHtoD");
    launch_points(body, texture);
    must(cu->MemcpyDtoH_v2(results, results_at, POINTS * sizeof *results), "cuMemcpyDtoH");
}

static void complain(const char *name, const char *why)
{
    printf("%s: %s\n", name, why);
    failures++;
}

void report(const char *name, const void *results, size_t bytes)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    char line[256];

    for (size_t i = 0; i < bytes; i++)
        digest = (digest ^ ((const unsigned char *)results)[i]) * UINT64_C(0x100000001b3);
    snprintf(line, sizeof line, "%s %016" PRIx64 "\n", name, digest);
    if (!kept)
        printf("%s", line);
    else if (!strstr(kept, line))
        complain(name, "the results are not those of an H200");
}

static void judge(const struct mode *mode, const unsigned char *texels, const struct point *points,
                  uint32_t (*results)[CHANNELS])
{
    unsigned different = 0;
    char name[160];

    mode_name(mode, name, sizeof name);
    if (is_exact(mode)) {
        report(name, results, POINTS * sizeof *results);
        return;
    }
    for (unsigned i = 0; kept && i < POINTS; i++) {
        double expected[CHANNELS];

        reference(mode, texels, &points[i], expected);
        for (unsigned j = 0; j < CHANNELS; j++) {
            float real;

            memcpy(&real, &results[i][j], sizeof real);
            different += !(fabs(real - expected[j]) <= fabs(expected[j]) * 0x1p-23 + 0x1p-24);
        }
    }
    if (different > 0)
        complain(name, "the results differ from the reference by more than rounding");
}

static void try_mode(const struct mode *mode, unsigned number)
{
    static unsigned char texels[ROOM];
    static struct point points[POINTS];
    static uint32_t results[POINTS][CHANNELS];
    const CUDA_TEXTURE_DESC sampling = {
        .addressMode = {mode->address, mode->address, mode->address},
        .filterMode = mode->filter,
        .flags = mode->flags,
    };
    CUarray array = NULL;
    CUdeviceptr memory = 0;
    CUDA_RESOURCE_DESC resource;
    CUtexObject texture;

    state = number;
    fill(mode, texels);
    for (unsigned i = 0; i < POINTS; i++)
        place(mode, &points[i]);
    resource = resource_of(mode, texels, &array, &memory);
    must(cu->TexObjectCreate(&texture, &resource, &sampling, NULL), "cuTexObjectCreate");
    read_mode(mode, texture, points, results);
    must(cu->TexObjectDestroy(texture), "cuTexObjectDestroy");
    if (array)
        must(cu->ArrayDestroy(array), "cuArrayDestroy");
    if (memory)
        must(cu->MemFree_v2(memory), "cuMemFree");
    judge(mode, texels, points, results);
}

static void begin(bool mock)
{
    struct cushim_mock *made;
    CUdevice device;
    CUcontext context;

    if (mock) {
        must(cushim_mock_create(NULL, &made), "cushim_mock_create");
        cushim_mock_install(made);
    } else {
        must(cushim_driver_init(NULL), "cushim_driver_init");
    }
    cu = cushim_driver();
    must(cu->Init(0), "cuInit");
    must(cu->DeviceGet(&device, 0), "cuDeviceGet");
    must(cu->DevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cu->CtxSetCurrent(context), "cuCtxSetCurrent");
    must(cu->MemAlloc_v2(&points_at, POINTS * 16), "cuMemAlloc");
    must(cu->MemAlloc_v2(&results_at, POINTS * 16), "cuMemAlloc");
}

static void read_kept(const char *path)
{
    enum { MOST = 1 << 16 };
    FILE *file = fopen(path, "rb");

    kept = calloc(1, MOST);
    if (!file || !kept || fread(kept, 1, MOST - 1, file) == 0) {
        perror(path);
        exit(2);
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    const bool mock = argc == 3 && strcmp(argv[1], "mock") == 0;

    if (!mock && (argc != 2 || strcmp(argv[1], "driver") != 0)) {
        fprintf(stderr, "usage: textures mock LINES\n"
                        "       textures driver > LINES\n");
        return 2;
    }
    if (mock)
        read_kept(argv[2]);
    begin(mock);
    modes_each(try_mode);
    surfaces_each(points_at, results_at);
    free(kept);
    return failures > 0;
}
