/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressed fat binaries: files of nvcc 13.0 with the kernel of fatbins/fill.cu. The mock executes
 * them, and detects damage at any place safely.
 */

#include "image_fixture.h"
#include "src/mock/image/decompress.h"

enum { FILE_BYTES = 1024, PLAIN_OFFSET = 16 + 56, COMPRESSED_OFFSET = 16 + 16 };

static unsigned char bytes[FILE_BYTES];
static size_t size;

static void read_file(const char *name)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof path, "%s/fatbins/%s", FILES, name);
    file = fopen(path, "rb");
    assert_non_null(file);
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size > 0 && size < sizeof bytes);
}

/* Read from memory that ends right after these bytes. */
static CUresult read_copy(size_t count)
{
    unsigned char *copy = malloc(count);
    CUresult code;

    assert_non_null(copy);
    memcpy(copy, bytes, count);
    cushim__mock_image_clear(&image);
    code = cushim__mock_image_read_bytes(&image, copy, count, &target);
    free(copy);
    return code;
}

static void declares_fill(void)
{
    static const struct mock_image_parameter parameters[] = {{0, 8}, {8, 4}, {12, 4}};

    assert_int_equal(read_copy(size), CUDA_SUCCESS);
    declares_parameters("fill", parameters, 3);
    assert_non_null(image.program);
    assert_false(image.opaque);
}

IMAGE_TEST(lz4_is_decompressed)
{
    read_file("fill-lz4.fatbin");
    declares_fill();
}

/* A build without libzstd assumes that the file may declare anything, and logs the reason. */
IMAGE_TEST(zstd_is_decompressed_if_the_build_knows_it)
{
    read_file("fill-zstd.fatbin");
    if (cushim__mock_can_decompress(MOCK_ZSTD)) {
        declares_fill();
        return;
    }
    assert_int_equal(read_copy(size), CUDA_SUCCESS);
    assert_true(image.opaque && image.needs_zstd);
}

IMAGE_TEST(damage_is_found_or_harmless)
{
    static const char *const files[] = {"fill-lz4.fatbin", "fill-zstd.fatbin"};

    for (size_t file = 0; file < 2; file++) {
        read_file(files[file]);
        for (size_t i = 0; i < size; i++) {
            static const unsigned char changes[] = {1, 0x80, 0xff};
            const unsigned char was = bytes[i];

            for (size_t j = 0; j < 3; j++) {
                bytes[i] = was ^ changes[j];
                read_copy(size);
            }
            bytes[i] = was;
        }
        for (size_t i = 0; i < size; i++)
            assert_int_equal(read_copy(i), CUDA_ERROR_INVALID_IMAGE);
    }
}

/* The decompressed size must be exactly the one in the header, and possible for the input. */
IMAGE_TEST(wrong_sizes_are_refused)
{
    static const uint64_t sizes[] = {0, 1, 2, 100000, UINT64_C(1) << 31, UINT64_MAX};
    uint64_t plain;

    read_file("fill-lz4.fatbin");
    memcpy(&plain, bytes + PLAIN_OFFSET, sizeof plain);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memcpy(bytes + PLAIN_OFFSET, &sizes[i], sizeof *sizes);
        assert_int_equal(read_copy(size), CUDA_ERROR_INVALID_IMAGE);
    }
    for (int off = -1; off <= 1; off += 2) {
        const uint64_t other = plain + (uint64_t)off;

        memcpy(bytes + PLAIN_OFFSET, &other, sizeof other);
        assert_int_equal(read_copy(size), CUDA_ERROR_INVALID_IMAGE);
    }
    memcpy(bytes + PLAIN_OFFSET, &plain, sizeof plain);
    bytes[COMPRESSED_OFFSET + 3] = 1; /* larger than the entry */
    assert_int_equal(read_copy(size), CUDA_ERROR_INVALID_IMAGE);
}

/* Each row is an LZ4 block and its decompressed text, or NULL if the block is invalid. */
IMAGE_TEST(blocks_of_lz4)
{
    static const struct {
        const char *block;
        size_t bytes;
        const char *plain;
        size_t plain_bytes;
    } cases[] = {
        {"\060abc", 4, "abc", 3},
        {"\021a\001\000\020b", 6, "aaaaaab", 7}, /* a match that overlaps its own output */
        {"\040ab\002\000\040cd", 8, "abababcd", 8},
        {"\360\0000123456789abcde", 17, "0123456789abcde", 15}, /* a length of several bytes */
        /* a match with such a length, and no final literals */
        {"\037a\001\000\001\000", 6, "aaaaaaaaaaaaaaaaaaaaa", 21},
        {"\060ab", 3, NULL, 3},
        {"\020a\002\000\020b", 6, NULL, 6}, /* a match before the beginning */
        {"\020a\000\000\020b", 6, NULL, 6},
        {"\020a\001", 3, NULL, 5},
        {"\037a\001\000\377", 5, NULL, 280},
        {"\060abc", 4, NULL, 2},
        {"\060abc", 4, NULL, 4},
        {"\377\377\377\377", 4, NULL, 900},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char *plain = NULL, *block = malloc(cases[i].bytes);
        CUresult code;

        assert_non_null(block);
        memcpy(block, cases[i].block, cases[i].bytes);
        code =
            cushim__mock_decompress(MOCK_LZ4, block, cases[i].bytes, cases[i].plain_bytes, &plain);
        free(block);
        assert_int_equal(code, cases[i].plain ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE);
        if (!cases[i].plain)
            continue;
        assert_memory_equal(plain, cases[i].plain, cases[i].plain_bytes);
        free(plain);
    }
}
