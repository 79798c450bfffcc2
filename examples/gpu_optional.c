/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Use the GPU if there is one, and otherwise the CPU, with the same program and the same result.
 *
 *     cc gpu_optional.c $(pkg-config --cflags --libs cushim)
 *
 * It draws rectangles into a picture and prints whether the GPU or the CPU drew it, why, and the
 * checksum of the picture. No line checks whether there is a driver: every call of the part for the
 * GPU may fail; without a driver the first call fails, and its code is the reason.
 *
 * Exit status 0 with and without a GPU.
 */
#include <stdint.h>
#include <stdio.h>

#include <cushim/cushim.h>

enum { WIDTH = 640, HEIGHT = 480, PIXEL_BYTES = 4, ROW_BYTES = WIDTH * PIXEL_BYTES };

static const struct rectangle {
    unsigned left, top, width, height;
    uint32_t colour;
} rectangles[] = {
    {0, 0, WIDTH, HEIGHT, 0xff202428}, /* night */
    {40, 40, 300, 200, 0xffd83a3a},    /* red */
    {200, 120, 320, 240, 0xff3a7bd8},  /* blue, over it */
    {280, 300, 330, 150, 0xffe8c13a},  /* yellow, over both */
    {320, 220, 80, 40, 0xffffffff},    /* and a window */
};
enum { RECTANGLES = sizeof rectangles / sizeof *rectangles };

static void draw_on_cpu(uint32_t *picture)
{
    for (unsigned i = 0; i < RECTANGLES; i++) {
        const struct rectangle *r = &rectangles[i];

        for (unsigned y = r->top; y < r->top + r->height; y++) {
            for (unsigned x = r->left; x < r->left + r->width; x++)
                picture[y * WIDTH + x] = r->colour;
        }
    }
}

/* Draw into memory of the GPU and fetch the result. The context must be current. */
static CUresult draw_in_context(uint32_t *picture, struct cushim_context *context)
{
    const struct cushim_table *driver = cushim_driver();
    struct cushim_stream *stream = NULL;
    CUdeviceptr memory = 0;
    CUstream handle = NULL;
    CUresult code = cushim_stream_create(context, NULL, &stream);

    if (code == CUDA_SUCCESS)
        code = cushim_stream_get_handle(stream, &handle);
    if (code == CUDA_SUCCESS)
        code = driver->MemAlloc_v2(&memory, ROW_BYTES * HEIGHT);
    for (unsigned i = 0; i < RECTANGLES && code == CUDA_SUCCESS; i++) {
        const struct rectangle *r = &rectangles[i];
        CUdeviceptr corner = memory + r->top * ROW_BYTES + r->left * PIXEL_BYTES;

        code = driver->MemsetD2D32Async(corner, ROW_BYTES, r->colour, r->width, r->height, handle);
    }
    if (code == CUDA_SUCCESS)
        code = driver->MemcpyDtoHAsync_v2(picture, memory, ROW_BYTES * HEIGHT, handle);
    if (code == CUDA_SUCCESS)
        code = cushim_stream_synchronize(stream);
    if (memory)
        driver->MemFree_v2(memory);
    cushim_stream_release(stream);
    return code;
}

static CUresult draw_on_gpu(uint32_t *picture)
{
    struct cushim_context *context = NULL;
    struct cushim_context_scope scope = {0};
    CUresult code = cushim_driver_init(NULL);

    if (code == CUDA_SUCCESS)
        code = cushim_context_retain_primary(0, &context);
    if (code == CUDA_SUCCESS)
        code = cushim_context_push(context, &scope);
    if (code == CUDA_SUCCESS) {
        code = draw_in_context(picture, context);
        cushim_context_pop(&scope);
    }
    cushim_context_release(context);
    return code;
}

static uint32_t checksum(const uint32_t *picture)
{
    uint32_t sum = 2166136261U; /* FNV-1a, by words */

    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        sum = (sum ^ picture[i]) * 16777619U;
    return sum;
}

int main(void)
{
    static uint32_t picture[WIDTH * HEIGHT];
    CUresult code = draw_on_gpu(picture);
    char name[128] = "GPU";

    if (code == CUDA_SUCCESS) {
        cushim_driver()->DeviceGetName(name, sizeof name, 0);
        printf("drawn by the GPU: %s\n", name);
    } else {
        draw_on_cpu(picture);
        printf("drawn by the CPU, because %s\n", cushim_error_string(code));
    }
    printf("checksum %08x\n", (unsigned)checksum(picture));
    return 0;
}
