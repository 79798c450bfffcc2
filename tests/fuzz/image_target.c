/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The readers of images: PTX text, cubins, fat binaries, and images that the mock's linker has
 * joined. The input ends at the end of a page, so that an access beyond it faults.
 */
#include <stdlib.h>
#include <string.h>

#include "src/mock/core/state.h"
#include "src/mock/image/image.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/memory.h"

static const struct mock_image_target target = {.architecture = 90, .ptx_version = 90};

/* Replaces the mock's log. */
void cushim__mock_log(const char *format, ...)
{
    (void)format;
}

static void check_code(CUresult code)
{
    CLAIM(code == CUDA_SUCCESS || code == CUDA_ERROR_INVALID_IMAGE ||
          code == CUDA_ERROR_INVALID_PTX || code == CUDA_ERROR_INVALID_SOURCE ||
          code == CUDA_ERROR_UNSUPPORTED_PTX_VERSION || code == CUDA_ERROR_NO_BINARY_FOR_GPU ||
          code == CUDA_ERROR_OUT_OF_MEMORY || code == CUDA_ERROR_UNKNOWN);
}

static void check_kernel(const struct mock_image *image, const struct mock_image_kernel *kernel)
{
    CLAIM(kernel->name && kernel->part <= image->part_count);
    CLAIM(cushim__mock_image_kernel(image, kernel->name) != NULL);
    for (size_t i = 0; i < kernel->parameter_count; i++)
        CLAIM(kernel->parameters[i].offset <= kernel->parameter_bytes &&
              kernel->parameters[i].bytes <= kernel->parameter_bytes);
}

/* Every byte of the variable's value is readable, and every address in it is valid. */
static void check_global(const struct mock_image *image, const struct mock_image_global *global)
{
    CLAIM(global->name && global->part <= image->part_count);
    CLAIM(cushim__mock_image_global_of(image, global->name, global->part) != NULL);
    CLAIM(!global->initial || global->bytes > 0);
    if (global->initial)
        CLAIM(global->initial[0] + global->initial[global->bytes - 1] <= 2 * UINT8_MAX);
    for (size_t i = 0; i < global->address_count; i++) {
        CLAIM(global->addresses[i].bytes == 1 || global->addresses[i].bytes == 8);
        CLAIM(global->addresses[i].offset + global->addresses[i].bytes <= global->bytes);
    }
}

/* The variables of a refused image are not examined. */
static void check_image(const struct mock_image *image, CUresult code)
{
    check_code(code);
    CLAIM(fuzz_is_closed(image->message, sizeof image->message));
    for (size_t i = 0; i < image->kernel_count; i++)
        check_kernel(image, &image->kernels[i]);
    for (size_t i = 0; code == CUDA_SUCCESS && i < image->global_count; i++)
        check_global(image, &image->globals[i]);
    cushim__mock_image_unresolved(image);
}

static bool is_same(const struct mock_image *image, const struct mock_image *other)
{
    bool same =
        image->kernel_count == other->kernel_count && image->global_count == other->global_count;

    for (size_t i = 0; same && i < image->kernel_count; i++)
        same = strcmp(image->kernels[i].name, other->kernels[i].name) == 0 &&
               image->kernels[i].parameter_bytes == other->kernels[i].parameter_bytes;
    for (size_t i = 0; same && i < image->global_count; i++)
        same = strcmp(image->globals[i].name, other->globals[i].name) == 0 &&
               image->globals[i].bytes == other->globals[i].bytes;
    return same;
}

/* An image by itself, with the size that its header states. */
static void check_unknown_size(const unsigned char *start)
{
    struct mock_image image = {0};

    check_image(&image, cushim__mock_image_read(&image, start, &target));
    cushim__mock_image_clear(&image);
}

/* A joined image declares the same as its part, or is refused with the same code. */
static void check_joined(const struct mock_image *alone, CUresult code, const uint8_t *data,
                         size_t size)
{
    const struct mock_joined_part parts[] = {{data, size}, {data, size}};
    struct mock_image image = {0};
    size_t bytes = 0;
    void *joined = cushim__mock_image_join(parts, 1, &bytes);

    CLAIM(joined && bytes > size);
    CLAIM(cushim__mock_image_read_bytes(&image, joined, bytes, &target) == code);
    CLAIM(code != CUDA_SUCCESS || is_same(alone, &image));
    cushim__mock_image_clear(&image);
    free(joined);
    joined = cushim__mock_image_join(parts, 2, &bytes);
    CLAIM(joined != NULL);
    check_image(&image, cushim__mock_image_read_bytes(&image, joined, bytes, &target));
    cushim__mock_image_clear(&image);
    free(joined);
}

/* PTX that is also translated and linked. */
static void check_executed(const unsigned char *start, size_t size)
{
    struct mock_image_target executing = target;
    struct mock_image image = {0};
    struct ptx_error error = {.line = 0};
    CUresult code;

    executing.executes = true;
    code = cushim__mock_image_read_bytes(&image, start, size, &executing);
    check_image(&image, code);
    CLAIM(fuzz_is_closed(image.error.text, sizeof image.error.text) &&
          fuzz_is_closed(image.error.instruction, sizeof image.error.instruction));
    if (code == CUDA_SUCCESS && image.program)
        CLAIM(cushim__ptx_link(image.program, &error) || error.text[0] != '\0');
    cushim__mock_image_clear(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mock_image image = {0};
    struct memory_map map;
    const unsigned char *start;
    CUresult code;

    if (size == 0)
        return -1;
    start = memory_at_an_end(data, size, &map);
    CLAIM(start != NULL);
    code = cushim__mock_image_read_bytes(&image, start, size, &target);
    check_image(&image, code);
    if (code != CUDA_ERROR_OUT_OF_MEMORY)
        check_joined(&image, code, data, size);
    if (code != CUDA_ERROR_OUT_OF_MEMORY)
        check_executed(start, size);
    cushim__mock_image_clear(&image);
    check_unknown_size(start);
    memory_free(&map);
    return 0;
}
