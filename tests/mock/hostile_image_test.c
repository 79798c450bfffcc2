/* SPDX-License-Identifier: Apache-2.0 */
/* Images that lie about where they end: nothing is read beyond it. */
#include <string.h>

#include "image_world.h"
#include "tests/support/memory.h"

static unsigned char buffer[CUBIN_BYTES], other[CUBIN_BYTES];

static void image_that_is_cut_off_is_refused_wherever_it_is_cut(void **state)
{
    const size_t size = cubin_make(buffer, 90);

    (void)state;
    for (size_t cut = 1; cut < size; cut++) {
        struct memory_map map;
        unsigned char *start = memory_at_an_end(buffer, cut, &map);

        if (read_image(start) != CUDA_ERROR_INVALID_IMAGE)
            fail_msg("cut at %zu", cut);
        memory_free(&map);
    }
}

static void text_without_an_end_is_refused(void **state)
{
    static const char text[] = HEAD ".visible .entry k() { ret; }\n";
    struct memory_map map;

    (void)state;
    assert_int_equal(read_image(memory_at_an_end(text, sizeof text - 1, &map)),
                     CUDA_ERROR_INVALID_IMAGE);
    memory_free(&map);
    assert_int_equal(read_image(memory_at_an_end(text, sizeof text, &map)), CUDA_SUCCESS);
    memory_free(&map);
    assert_int_equal(read_image((const void *)16), CUDA_ERROR_INVALID_IMAGE);
}

static void offsets_beyond_the_end_are_refused(void **state)
{
    static const uint64_t lies[] = {UINT64_MAX, UINT64_MAX - 7, UINT64_C(1) << 40, 1 << 20};
    static const char *const sections[] = {".shstrtab", ".strtab", ".symtab", ".nv.info.scale",
                                           ".nv.global.init"};

    (void)state;
    for (size_t i = 0; i < COUNT(lies); i++) {
        const size_t size = cubin_make(other, 90);

        memcpy(buffer, other, sizeof buffer);
        memcpy(buffer + CUBIN_SECTIONS, &lies[i], sizeof lies[i]);
        assert_int_equal(cushim__image_read_bytes(&image, buffer, size, &target),
                         CUDA_ERROR_INVALID_IMAGE);
        for (size_t j = 0; j < COUNT(sections); j++) {
            enum { OFFSET = 24, SIZE = 32 };
            const size_t section = cubin_section(other, sections[j]);

            memcpy(buffer, other, sizeof buffer);
            memcpy(buffer + section + OFFSET, &lies[i], sizeof lies[i]);
            assert_int_equal(cushim__image_read_bytes(&image, buffer, size, &target),
                             CUDA_ERROR_INVALID_IMAGE);
            memcpy(buffer, other, sizeof buffer);
            memcpy(buffer + section + SIZE, &lies[i], sizeof lies[i]);
            assert_int_equal(cushim__image_read_bytes(&image, buffer, size, &target),
                             CUDA_ERROR_INVALID_IMAGE);
        }
    }
}

static void other_elf_files_are_refused(void **state)
{
    (void)state;
    cubin_make(buffer, 90);
    buffer[CUBIN_MACHINE] = 62;
    assert_int_equal(read_image(buffer), CUDA_ERROR_INVALID_IMAGE);
    cubin_make(buffer, 90);
    buffer[CUBIN_CLASS] = 1;
    assert_int_equal(read_image(buffer), CUDA_ERROR_UNKNOWN); /* as the driver says */
    memset(buffer + 4, 0, sizeof buffer - 4);
    assert_int_equal(read_image(buffer), CUDA_ERROR_INVALID_IMAGE);
}

/* Nothing is known of the result, but that it is one and nothing else is read. */
static void no_damage_of_one_byte_leads_astray(void **state)
{
    static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
    const size_t size = cubin_make(other, 90);
    unsigned read = 0;

    (void)state;
    for (size_t at = 0; at < size; at++) {
        for (size_t i = 0; i < COUNT(values); i++) {
            struct memory_map map;
            unsigned char *start;

            memcpy(buffer, other, sizeof buffer);
            buffer[at] = values[i];
            start = memory_at_an_end(buffer, size, &map);
            read += read_image(start) == CUDA_SUCCESS;
            memory_free(&map);
        }
    }
    assert_in_range(read, size, size * COUNT(values) - 1);
}

static void fat_binary_within_itself_has_an_end(void **state)
{
    size_t size;

    (void)state;
    size = fatbin_begin(other);
    for (unsigned i = 0; i < 10; i++) {
        fatbin_begin(buffer);
        size = fatbin_add(buffer, FATBIN_PTX, 50, 0, other, size);
        memcpy(other, buffer, sizeof other);
    }
    assert_int_equal(read_image(buffer), CUDA_ERROR_INVALID_IMAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(image_that_is_cut_off_is_refused_wherever_it_is_cut),
        IMAGE_TEST(text_without_an_end_is_refused),
        IMAGE_TEST(offsets_beyond_the_end_are_refused),
        IMAGE_TEST(other_elf_files_are_refused),
        IMAGE_TEST(no_damage_of_one_byte_leads_astray),
        IMAGE_TEST(fat_binary_within_itself_has_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
