/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a cubin costs that lists very many parameters, in steps from one attribute to the next: they
 * are counted, by a function that the linker puts in place of the reader's.
 */
#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "image_world.h"
#include "src/mock/image/elf_attribute.h"

enum { FEW = 64, MANY = 4096, WORDS = 4 };

static size_t steps;

bool __real_cushim__attribute_next(const struct cushim__elf_file *file, const Elf64_Shdr *section,
                                   size_t *offset, struct cushim__attribute *attribute);
bool __wrap_cushim__attribute_next(const struct cushim__elf_file *file, const Elf64_Shdr *section,
                                   size_t *offset, struct cushim__attribute *attribute);

bool __wrap_cushim__attribute_next(const struct cushim__elf_file *file, const Elf64_Shdr *section,
                                   size_t *offset, struct cushim__attribute *attribute)
{
    steps++;
    return __real_cushim__attribute_next(file, section, offset, attribute);
}

/* Read a cubin whose kernel has parameters of these numbers, each 4 bytes at 4 times its place. */
static void read_parameters(const unsigned *numbers, size_t count)
{
    const size_t bytes = count * WORDS * sizeof(uint32_t);
    unsigned char *buffer = calloc(1, CUBIN_BYTES + bytes);
    size_t size, section;
    Elf64_Shdr header;

    assert_non_null(buffer);
    size = cubin_make(buffer, 90);
    section = cubin_section(buffer, ".nv.info.scale");
    memcpy(&header, buffer + section, sizeof header);
    header.sh_offset = size;
    header.sh_size = bytes;
    memcpy(buffer + section, &header, sizeof header);
    for (size_t i = 0; i < count; i++) {
        const uint32_t words[WORDS] = {0x000c1704, 0, numbers[i] | (uint32_t)i * 4 << 16,
                                       0x1f000u | 4u << 18};

        memcpy(buffer + size + i * sizeof words, words, sizeof words);
    }
    steps = 0;
    cushim__image_clear(&image);
    assert_int_equal(cushim__image_read_bytes(&image, buffer, size + bytes, &target), CUDA_SUCCESS);
    free(buffer);
}

static size_t steps_for(size_t count, bool backwards)
{
    unsigned numbers[MANY];

    for (size_t i = 0; i < count; i++)
        numbers[i] = (unsigned)(backwards ? count - 1 - i : i);
    read_parameters(numbers, count);
    assert_int_equal(cushim__image_kernel(&image, "scale")->parameter_count, count);
    return steps;
}

static void work_grows_with_the_parameters_and_no_faster(void **state)
{
    (void)state;
    for (int backwards = 0; backwards < 2; backwards++) {
        const size_t few = steps_for(FEW, backwards), many = steps_for(MANY, backwards);

        print_message("steps: %zu for %d parameters, %zu for %d\n", few, FEW, many, MANY);
        assert_true(few > FEW);
        assert_true(many <= few * (MANY / FEW));
    }
}

static void the_first_of_two_parameters_with_one_number_counts(void **state)
{
    static const unsigned numbers[] = {1, 0, 1, 0, 0};
    const struct cushim__image_parameter expected[] = {{.offset = 4, .bytes = 4},
                                                       {.offset = 0, .bytes = 4}};

    (void)state;
    read_parameters(numbers, COUNT(numbers));
    declares_parameters("scale", expected, COUNT(expected));
}

static void parameters_behind_a_missing_number_count_for_nothing(void **state)
{
    static const unsigned gap[] = {0, 1, 3, 4, 0xffff}, headless[] = {1, 2, 3};
    const struct cushim__image_parameter expected[] = {{.offset = 0, .bytes = 4},
                                                       {.offset = 4, .bytes = 4}};

    (void)state;
    read_parameters(gap, COUNT(gap));
    declares_parameters("scale", expected, COUNT(expected));
    read_parameters(headless, COUNT(headless));
    declares_parameters("scale", NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(work_grows_with_the_parameters_and_no_faster),
        IMAGE_TEST(the_first_of_two_parameters_with_one_number_counts),
        IMAGE_TEST(parameters_behind_a_missing_number_count_for_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
