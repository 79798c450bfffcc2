/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that continues with the CPU when the device is lost, and its test.
 *
 *     cc device_lost.c $(pkg-config --cflags --libs cushim-mock)
 *
 * Work is asynchronous, so a later call reports its failure. Built with -DWITH_BUG, the program
 * ignores the result of that call, and assumes that a frame is drawn that is not.
 *
 * Exit status 0 if all tests pass; otherwise the failures are printed.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cushim/cushim.h>
#include <cushim/testing/layer.h>
#include <cushim/testing/test.h>

/* ---- The program: draw frames, with the GPU as long as there is one. ---- */

enum { FRAMES = 6, PIXELS = 1 << 16 };

struct renderer {
    bool is_on_gpu;
    struct cushim_context *context;
    struct cushim_stream *stream;
    CUstream handle;
    CUdeviceptr memory;
    void *staging; /* page-locked, so that copies to it are asynchronous */
};

static unsigned char colour(unsigned frame)
{
    return (unsigned char)(17 * (frame + 1));
}

/* On a lost device all of these calls return errors, but the program still makes them. */
static void renderer_close(struct renderer *renderer)
{
    struct cushim_context_scope scope = {0};

    cushim_context_push(renderer->context, &scope);
    if (renderer->staging)
        cushim_driver()->MemFreeHost(renderer->staging);
    if (renderer->memory)
        cushim_driver()->MemFree_v2(renderer->memory);
    cushim_context_pop(&scope);
    cushim_stream_release(renderer->stream);
    cushim_context_release(renderer->context);
    *renderer = (struct renderer){0};
}

/* Create what the GPU needs; without a GPU, or if a call fails, the CPU draws. */
static void renderer_open(struct renderer *renderer)
{
    struct cushim_context_scope scope = {0};
    CUresult code = cushim_driver_init(NULL);

    *renderer = (struct renderer){0};
    if (code == CUDA_SUCCESS)
        code = cushim_context_retain_primary(0, &renderer->context);
    if (code == CUDA_SUCCESS)
        code = cushim_stream_create(renderer->context, NULL, &renderer->stream);
    if (code == CUDA_SUCCESS)
        code = cushim_stream_get_handle(renderer->stream, &renderer->handle);
    if (code == CUDA_SUCCESS)
        code = cushim_context_push(renderer->context, &scope);
    if (code == CUDA_SUCCESS)
        code = cushim_driver()->MemAlloc_v2(&renderer->memory, PIXELS);
    if (code == CUDA_SUCCESS)
        code = cushim_driver()->MemAllocHost_v2(&renderer->staging, PIXELS);
    cushim_context_pop(&scope);
    renderer->is_on_gpu = code == CUDA_SUCCESS;
    if (!renderer->is_on_gpu)
        renderer_close(renderer);
}

static CUresult draw_on_gpu(const struct renderer *renderer, unsigned frame, unsigned char *picture)
{
    const struct cushim_table *driver = cushim_driver();
    CUresult code;

    code = driver->MemsetD8Async(renderer->memory, colour(frame), PIXELS, renderer->handle);
    if (code == CUDA_SUCCESS)
        code = driver->MemcpyDtoHAsync_v2(renderer->staging, renderer->memory, PIXELS,
                                          renderer->handle);
#ifdef WITH_BUG
    cushim_stream_synchronize(renderer->stream);
#else
    if (code == CUDA_SUCCESS)
        code = cushim_stream_synchronize(renderer->stream);
#endif
    if (code == CUDA_SUCCESS)
        memcpy(picture, renderer->staging, PIXELS);
    return code;
}

static void renderer_draw(struct renderer *renderer, unsigned frame, unsigned char *picture)
{
    if (renderer->is_on_gpu && draw_on_gpu(renderer, frame, picture) == CUDA_SUCCESS)
        return;
    if (renderer->is_on_gpu)
        renderer_close(renderer); /* what is lost stays lost */
    memset(picture, colour(frame), PIXELS);
}

/* ---- The test: lose the device at different calls, and check every frame. ---- */

static bool is_drawn(const unsigned char *picture, unsigned frame)
{
    for (unsigned i = 0; i < PIXELS; i++) {
        if (picture[i] != colour(frame))
            return false;
    }
    return true;
}

/* Count the wrong frames. */
static unsigned draw_all(struct renderer *renderer)
{
    static unsigned char picture[PIXELS];
    unsigned wrong = 0;

    for (unsigned frame = 0; frame < FRAMES; frame++) {
        memset(picture, 0, sizeof picture);
        renderer_draw(renderer, frame, picture);
        if (!is_drawn(picture, frame)) {
            printf("  frame %u is not drawn\n", frame);
            wrong++;
        }
    }
    return wrong;
}

/* Returns 0 if all frames are right. */
static unsigned test_faults(const char *faults, bool is_on_gpu_at_the_end)
{
    char text[4096] = "";
    const struct cushim_test_options options = {.size = sizeof options,
                                                .context = true,
                                                .faults = faults,
                                                .message = text,
                                                .message_size = sizeof text};
    struct cushim_test *test = NULL;
    struct renderer renderer;
    unsigned wrong;

    printf("%s\n", faults);
    if (cushim_test_begin(&options, &test) != CUDA_SUCCESS) {
        printf("  %s\n", text);
        return 1;
    }
    renderer_open(&renderer);
    wrong = draw_all(&renderer);
    if (renderer.is_on_gpu != is_on_gpu_at_the_end) {
        printf("  the last frame is drawn by the wrong one\n");
        wrong++;
    }
    renderer_close(&renderer);
    if (cushim_test_end(test, text, sizeof text) != CUDA_SUCCESS) {
        printf("%s", text);
        wrong++;
    }
    return wrong;
}

int main(void)
{
    unsigned wrong = 0;

    wrong += test_faults("# nothing fails", true);
    wrong += test_faults("cuInit => return(NO_DEVICE)", false);
    wrong += test_faults("cuMemsetD8Async:nth=2 => lost", false);
    wrong += test_faults("op.copy:nth=3 => lost", false);
    puts(wrong ? "there are failures" : "4 tests passed");
    return wrong != 0;
}
