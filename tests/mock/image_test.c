/* SPDX-License-Identifier: Apache-2.0 */
/* What cubins, fat binaries and joined images declare. */
#include <stdlib.h>

#include "image_world.h"

static unsigned char buffer[CUBIN_BYTES], other[CUBIN_BYTES];

static void cubin_declares_what_its_symbols_are(void **state)
{
    static const struct cushim__image_parameter parameters[] = {{0, 1}, {8, 8}, {16, 4}};
    const struct cushim__image_kernel *kernel;

    (void)state;
    cubin_make(buffer, 90);
    assert_int_equal(read_image(buffer), CUDA_SUCCESS);
    assert_int_equal(image.kernel_count, 1);
    declares_parameters("scale", parameters, COUNT(parameters));
    kernel = cushim__image_kernel(&image, "scale");
    assert_int_equal(kernel->registers, 40);
    assert_int_equal(kernel->shared_bytes, 64);
    assert_int_equal(kernel->binary_version, 90);
    declares_variable("start", 8, "\7\0\0\0\0\0\0\0");
    declares_variable("zeros", 12, NULL);
    declares_variable("table", 4, "\5\0\0\0");
    assert_true(cushim__image_global(&image, "table")->constant);
    assert_null(cushim__image_global(&image, "scale"));
}

static void cubin_of_another_family_is_not_for_the_device(void **state)
{
    (void)state;
    cubin_make(buffer, 80);
    assert_int_equal(read_image(buffer), CUDA_ERROR_NO_BINARY_FOR_GPU);
    cubin_make(buffer, 100);
    assert_int_equal(read_image(buffer), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

static void best_entry_of_a_fat_binary_counts(void **state)
{
    static const char ptx[] = HEAD ".visible .entry text() { ret; }\n";
    const size_t size = cubin_make(other, 90);

    (void)state;
    fatbin_begin(buffer);
    fatbin_add(buffer, FATBIN_PTX, 50, 0, ptx, sizeof ptx);
    assert_int_equal(read_image(buffer), CUDA_SUCCESS);
    assert_non_null(cushim__image_kernel(&image, "text"));

    fatbin_add(buffer, FATBIN_CUBIN, 90, 0, other, size);
    assert_int_equal(read_image(buffer), CUDA_SUCCESS);
    assert_non_null(cushim__image_kernel(&image, "scale"));
    assert_null(cushim__image_kernel(&image, "text"));
}

static void compressed_entry_may_declare_anything(void **state)
{
    (void)state;
    fatbin_begin(buffer);
    fatbin_add(buffer, FATBIN_CUBIN, 90, FATBIN_COMPRESSED, "compressed", 10);
    assert_int_equal(read_image(buffer), CUDA_SUCCESS);
    assert_true(image.opaque);
    assert_int_equal(image.kernel_count, 0);

    fatbin_begin(buffer);
    fatbin_add(buffer, FATBIN_CUBIN, 80, FATBIN_COMPRESSED, "compressed", 10);
    assert_int_equal(read_image(buffer), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

static void wrapper_of_a_fat_binary_is_no_image(void **state)
{
    static const char ptx[] = HEAD ".visible .entry text() { ret; }\n";
    const struct {
        uint32_t magic, version;
        const void *data;
        void *unused;
    } wrapper = {0x466243b1, 1, buffer, NULL};

    (void)state;
    fatbin_begin(buffer);
    fatbin_add(buffer, FATBIN_PTX, 50, 0, ptx, sizeof ptx);
    assert_int_equal(read_image(&wrapper), CUDA_ERROR_INVALID_IMAGE);
}

static void joined_images_are_read_as_one(void **state)
{
    static const char one[] = HEAD ".visible .global .u32 x = 4;\n.visible .entry one() { ret; }\n";
    static const char two[] = HEAD ".extern .global .u32 x;\n.visible .entry two() { ret; }\n";
    const struct cushim__joined_part parts[] = {
        {one, sizeof one}, {two, sizeof two - 1}, {buffer, cubin_make(buffer, 90)}};
    size_t bytes = 0;
    unsigned char *joined = cushim__image_join(parts, COUNT(parts), &bytes);

    (void)state;
    assert_non_null(joined);
    assert_memory_equal(joined, buffer, 20);
    assert_int_equal(read_image(joined), CUDA_SUCCESS);
    assert_int_equal(image.kernel_count, 3);
    assert_non_null(cushim__image_kernel(&image, "one"));
    assert_non_null(cushim__image_kernel(&image, "two"));
    assert_non_null(cushim__image_kernel(&image, "scale"));
    declares_variable("x", 4, "\4\0\0\0");
    free(joined);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(cubin_declares_what_its_symbols_are),
        IMAGE_TEST(cubin_of_another_family_is_not_for_the_device),
        IMAGE_TEST(best_entry_of_a_fat_binary_counts),
        IMAGE_TEST(compressed_entry_may_declare_anything),
        IMAGE_TEST(wrapper_of_a_fat_binary_is_no_image),
        IMAGE_TEST(joined_images_are_read_as_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
