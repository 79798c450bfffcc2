/* SPDX-License-Identifier: Apache-2.0 */
/* Images that lie about where they end: nothing is read beyond it. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image_world.h"

static unsigned char buffer[CUBIN_BYTES], other[CUBIN_BYTES];

/* A copy that ends where memory does. */
static unsigned char *at_the_end(const void *bytes, size_t size, void **map, size_t *map_size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    *map_size = (size + page - 1) / page * page + page;
    *map = mmap(NULL, *map_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(*map, MAP_FAILED);
    assert_int_equal(mprotect((char *)*map + *map_size - page, page, PROT_NONE), 0);
    return memcpy((char *)*map + *map_size - page - size, bytes, size);
}

static void image_that_is_cut_off_is_refused_wherever_it_is_cut(void **state)
{
    const size_t size = cubin_make(buffer, 90);

    (void)state;
    for (size_t cut = 1; cut < size; cut++) {
        size_t map_size;
        void *map;
        unsigned char *start = at_the_end(buffer, cut, &map, &map_size);

        if (read_image(start) != CUDA_ERROR_INVALID_IMAGE)
            fail_msg("cut at %zu", cut);
        munmap(map, map_size);
    }
}

static void text_without_an_end_is_refused(void **state)
{
    static const char text[] = HEAD ".visible .entry k() { ret; }\n";
    size_t map_size;
    void *map;

    (void)state;
    assert_int_equal(read_image(at_the_end(text, sizeof text - 1, &map, &map_size)),
                     CUDA_ERROR_INVALID_IMAGE);
    munmap(map, map_size);
    assert_int_equal(read_image(at_the_end(text, sizeof text, &map, &map_size)), CUDA_SUCCESS);
    munmap(map, map_size);
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
            size_t map_size;
            void *map;
            unsigned char *start;

            memcpy(buffer, other, sizeof buffer);
            buffer[at] = values[i];
            start = at_the_end(buffer, size, &map, &map_size);
            read += read_image(start) == CUDA_SUCCESS;
            munmap(map, map_size);
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
