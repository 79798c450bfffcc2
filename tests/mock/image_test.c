/* SPDX-License-Identifier: Apache-2.0 */
/* What cubins, fat binaries and linked images declare. */
#include <elf.h>

#include "image_fixture.h"
#include "src/mock/image/elf_file.h"
#include "tests/support/memory.h"

static unsigned char buffer[CUBIN_BYTES], other[CUBIN_BYTES];

IMAGE_TEST(cubin_declares_what_its_symbols_are)
{
    static const struct mock_image_parameter parameters[] = {{0, 1}, {8, 8}, {16, 4}};
    const struct mock_image_kernel *kernel;

    cubin_make(buffer, 90);
    assert_int_equal(read_image(buffer), CUDA_SUCCESS);
    assert_int_equal(image.kernel_count, 1);
    declares_parameters("scale", parameters, COUNT(parameters));
    kernel = cushim__mock_image_kernel(&image, "scale");
    assert_int_equal(kernel->registers, 40);
    assert_int_equal(kernel->local_bytes, 8);
    assert_int_equal(kernel->max_threads, 64);
    assert_int_equal(kernel->required_block[0], 32);
    assert_int_equal(kernel->required_block[1], 2);
    assert_int_equal(kernel->required_block[2], 1);
    assert_int_equal(kernel->shared_bytes, 64);
    assert_int_equal(kernel->binary_version, 90);
    declares_variable("start", 8, "\7\0\0\0\0\0\0\0");
    declares_variable("zeros", 12, NULL);
    declares_variable("table", 4, "\5\0\0\0");
    assert_true(cushim__mock_image_global(&image, "table")->constant);
    assert_null(cushim__mock_image_global(&image, "scale"));
}

IMAGE_TEST(cubin_of_another_family_is_not_for_the_device)
{
    cubin_make(buffer, 80);
    assert_int_equal(read_image(buffer), CUDA_ERROR_NO_BINARY_FOR_GPU);
    cubin_make(buffer, 100);
    assert_int_equal(read_image(buffer), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

IMAGE_TEST(best_entry_of_a_fat_binary_counts)
{
    static const char ptx[] = HEAD ".visible .entry text() { ret; }\n";
    const size_t size = cubin_make(other, 90);

    fatbin_begin(buffer);
    fatbin_add(buffer, FATBIN_PTX, 50, 0, ptx, sizeof ptx);
    assert_int_equal(read_image(buffer), CUDA_SUCCESS);
    assert_non_null(cushim__mock_image_kernel(&image, "text"));

    fatbin_add(buffer, FATBIN_CUBIN, 90, 0, other, size);
    assert_int_equal(read_image(buffer), CUDA_SUCCESS);
    assert_non_null(cushim__mock_image_kernel(&image, "scale"));
    assert_null(cushim__mock_image_kernel(&image, "text"));
}

IMAGE_TEST(compressed_entry_that_is_damaged_is_refused_unless_it_is_for_another_device)
{
    fatbin_begin(buffer);
    fatbin_add(buffer, FATBIN_CUBIN, 90, FATBIN_COMPRESSED, "compressed", 10);
    assert_int_equal(read_image(buffer), CUDA_ERROR_INVALID_IMAGE);

    fatbin_begin(buffer);
    fatbin_add(buffer, FATBIN_CUBIN, 80, FATBIN_COMPRESSED, "compressed", 10);
    assert_int_equal(read_image(buffer), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

IMAGE_TEST(wrapper_of_a_fat_binary_is_no_image)
{
    static const char ptx[] = HEAD ".visible .entry text() { ret; }\n";
    const struct {
        uint32_t magic, version;
        const void *data;
        void *unused;
    } wrapper = {0x466243b1, 1, buffer, NULL};

    fatbin_begin(buffer);
    fatbin_add(buffer, FATBIN_PTX, 50, 0, ptx, sizeof ptx);
    assert_int_equal(read_image(&wrapper), CUDA_ERROR_INVALID_IMAGE);
}

IMAGE_TEST(joined_images_are_read_as_one)
{
    static const char one[] = HEAD ".visible .global .u32 x = 4;\n.visible .entry one() { ret; }\n";
    static const char two[] = HEAD ".extern .global .u32 x;\n.visible .entry two() { ret; }\n";
    const struct mock_joined_part parts[] = {
        {one, sizeof one}, {two, sizeof two - 1}, {buffer, cubin_make(buffer, 90)}};
    size_t bytes = 0;
    unsigned char *joined = cushim__mock_image_join(parts, COUNT(parts), &bytes);

    assert_non_null(joined);
    assert_memory_equal(joined, buffer, 20);
    assert_int_equal(read_image(joined), CUDA_SUCCESS);
    assert_int_equal(image.kernel_count, 3);
    assert_non_null(cushim__mock_image_kernel(&image, "one"));
    assert_non_null(cushim__mock_image_kernel(&image, "two"));
    assert_non_null(cushim__mock_image_kernel(&image, "scale"));
    declares_variable("x", 4, "\4\0\0\0");
    free(joined);
}

/* Images with wrong sizes: the reader must not read beyond their end. */

IMAGE_TEST(image_that_is_cut_off_is_refused_wherever_it_is_cut)
{
    const size_t size = cubin_make(buffer, 90);

    for (size_t cut = 1; cut < size; cut++) {
        struct memory_map map;
        unsigned char *start = memory_at_an_end(buffer, cut, &map);

        if (read_image(start) != CUDA_ERROR_INVALID_IMAGE)
            fail_msg("cut at %zu", cut);
        memory_free(&map);
    }
}

IMAGE_TEST(text_without_an_end_is_refused)
{
    static const char text[] = HEAD ".visible .entry k() { ret; }\n";
    struct memory_map map;

    assert_int_equal(read_image(memory_at_an_end(text, sizeof text - 1, &map)),
                     CUDA_ERROR_INVALID_IMAGE);
    memory_free(&map);
    assert_int_equal(read_image(memory_at_an_end(text, sizeof text, &map)), CUDA_SUCCESS);
    memory_free(&map);
    assert_int_equal(read_image((const void *)16), CUDA_ERROR_INVALID_IMAGE);
}

IMAGE_TEST(offsets_beyond_the_end_are_refused)
{
    static const uint64_t lies[] = {UINT64_MAX, UINT64_MAX - 7, UINT64_C(1) << 40, 1 << 20};
    static const char *const sections[] = {".shstrtab", ".strtab", ".symtab", ".nv.info.scale",
                                           ".nv.global.init"};

    for (size_t i = 0; i < COUNT(lies); i++) {
        const size_t size = cubin_make(other, 90);

        memcpy(buffer, other, sizeof buffer);
        memcpy(buffer + CUBIN_SECTIONS, &lies[i], sizeof lies[i]);
        assert_int_equal(cushim__mock_image_read_bytes(&image, buffer, size, &target),
                         CUDA_ERROR_INVALID_IMAGE);
        for (size_t j = 0; j < COUNT(sections); j++) {
            enum { OFFSET = 24, SIZE = 32 };
            const size_t section = cubin_section(other, sections[j]);

            memcpy(buffer, other, sizeof buffer);
            memcpy(buffer + section + OFFSET, &lies[i], sizeof lies[i]);
            assert_int_equal(cushim__mock_image_read_bytes(&image, buffer, size, &target),
                             CUDA_ERROR_INVALID_IMAGE);
            memcpy(buffer, other, sizeof buffer);
            memcpy(buffer + section + SIZE, &lies[i], sizeof lies[i]);
            assert_int_equal(cushim__mock_image_read_bytes(&image, buffer, size, &target),
                             CUDA_ERROR_INVALID_IMAGE);
        }
    }
}

IMAGE_TEST(other_elf_files_are_refused)
{
    cubin_make(buffer, 90);
    buffer[CUBIN_MACHINE] = 62;
    assert_int_equal(read_image(buffer), CUDA_ERROR_INVALID_IMAGE);
    cubin_make(buffer, 90);
    buffer[CUBIN_CLASS] = 1;
    assert_int_equal(read_image(buffer), CUDA_ERROR_UNKNOWN); /* the code that a driver returns */
    memset(buffer + 4, 0, sizeof buffer - 4);
    assert_int_equal(read_image(buffer), CUDA_ERROR_INVALID_IMAGE);
}

/* The result may be anything, but the reader must return one and must not read other memory. */
IMAGE_TEST(no_damage_of_one_byte_leads_astray)
{
    static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
    const size_t size = cubin_make(other, 90);
    unsigned read = 0;

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

IMAGE_TEST(fat_binary_within_itself_has_an_end)
{
    size_t size = fatbin_begin(other);

    for (unsigned i = 0; i < 10; i++) {
        fatbin_begin(buffer);
        size = fatbin_add(buffer, FATBIN_PTX, 50, 0, other, size);
        memcpy(other, buffer, sizeof other);
    }
    assert_int_equal(read_image(buffer), CUDA_ERROR_INVALID_IMAGE);
}

/*
 * The cost of reading a cubin with very many parameters, counted in calls that advance to the next
 * attribute. The linker replaces that function with one that counts.
 */

enum { FEW = 64, MANY = 4096, WORDS = 4 };

static size_t steps;

bool __real_cushim__mock_elf_attribute_next(const struct mock_elf_file *file,
                                            const Elf64_Shdr *section, size_t *offset,
                                            struct mock_elf_attribute *attribute);
bool __wrap_cushim__mock_elf_attribute_next(const struct mock_elf_file *file,
                                            const Elf64_Shdr *section, size_t *offset,
                                            struct mock_elf_attribute *attribute);

bool __wrap_cushim__mock_elf_attribute_next(const struct mock_elf_file *file,
                                            const Elf64_Shdr *section, size_t *offset,
                                            struct mock_elf_attribute *attribute)
{
    steps++;
    return __real_cushim__mock_elf_attribute_next(file, section, offset, attribute);
}

/*
 * Read a cubin whose kernel has parameters with these numbers, each of 4 bytes at 4 times its
 * index.
 */
static void read_parameters(const unsigned *numbers, size_t count)
{
    const size_t bytes = count * WORDS * sizeof(uint32_t);
    unsigned char *cubin = calloc(1, CUBIN_BYTES + bytes);
    size_t size, section;
    Elf64_Shdr header;

    assert_non_null(cubin);
    size = cubin_make(cubin, 90);
    section = cubin_section(cubin, ".nv.info.scale");
    memcpy(&header, cubin + section, sizeof header);
    header.sh_offset = size;
    header.sh_size = bytes;
    memcpy(cubin + section, &header, sizeof header);
    for (size_t i = 0; i < count; i++) {
        const uint32_t words[WORDS] = {0x000c1704, 0, numbers[i] | (uint32_t)i * 4 << 16,
                                       0x1f000u | 4u << 18};

        memcpy(cubin + size + i * sizeof words, words, sizeof words);
    }
    steps = 0;
    cushim__mock_image_clear(&image);
    assert_int_equal(cushim__mock_image_read_bytes(&image, cubin, size + bytes, &target),
                     CUDA_SUCCESS);
    free(cubin);
}

static size_t steps_for(size_t count, bool backwards)
{
    unsigned numbers[MANY];

    for (size_t i = 0; i < count; i++)
        numbers[i] = (unsigned)(backwards ? count - 1 - i : i);
    read_parameters(numbers, count);
    assert_int_equal(cushim__mock_image_kernel(&image, "scale")->parameter_count, count);
    return steps;
}

IMAGE_TEST(work_grows_with_the_parameters_and_no_faster)
{
    for (int backwards = 0; backwards < 2; backwards++) {
        const size_t few = steps_for(FEW, backwards), many = steps_for(MANY, backwards);

        print_message("steps: %zu for %d parameters, %zu for %d\n", few, FEW, many, MANY);
        assert_true(few > FEW);
        assert_true(many <= few * (MANY / FEW));
    }
}

IMAGE_TEST(the_first_of_two_parameters_with_one_number_counts)
{
    static const unsigned numbers[] = {1, 0, 1, 0, 0};
    const struct mock_image_parameter expected[] = {{.offset = 4, .bytes = 4},
                                                    {.offset = 0, .bytes = 4}};

    read_parameters(numbers, COUNT(numbers));
    declares_parameters("scale", expected, COUNT(expected));
}

IMAGE_TEST(parameters_behind_a_missing_number_count_for_nothing)
{
    static const unsigned gap[] = {0, 1, 3, 4, 0xffff}, headless[] = {1, 2, 3};
    const struct mock_image_parameter expected[] = {{.offset = 0, .bytes = 4},
                                                    {.offset = 4, .bytes = 4}};

    read_parameters(gap, COUNT(gap));
    declares_parameters("scale", expected, COUNT(expected));
    read_parameters(headless, COUNT(headless));
    declares_parameters("scale", NULL, 0);
}
