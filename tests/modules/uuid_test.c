/* SPDX-License-Identifier: Apache-2.0 */
/* UUIDs as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/uuid.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define DIGITS "4d656f1c-7a3b-1d2e-9f80-01234567abff"

static const unsigned char bytes[16] = {0x4d, 0x65, 0x6f, 0x1c, 0x7a, 0x3b, 0x1d, 0x2e,
                                        0x9f, 0x80, 0x01, 0x23, 0x45, 0x67, 0xab, 0xff};

static void a_uuid_is_written_in_five_groups_after_gpu(void **state)
{
    CUuuid uuid;
    char text[CUSHIM_UUID_TEXT_SIZE + 1];

    (void)state;
    memcpy(uuid.bytes, bytes, sizeof bytes);
    memset(text, '!', sizeof text);
    assert_int_equal(cushim_uuid_format(&uuid, text), CUDA_SUCCESS);
    assert_string_equal(text, "GPU-" DIGITS);
    assert_int_equal(strlen(text) + 1, CUSHIM_UUID_TEXT_SIZE);
    assert_int_equal(text[CUSHIM_UUID_TEXT_SIZE], '!');
}

static void a_uuid_is_read_with_and_without_a_prefix_and_in_either_case(void **state)
{
    static const char *const texts[] = {
        "GPU-" DIGITS,
        "MIG-" DIGITS,
        DIGITS,
        "GPU-4D656F1C-7A3B-1D2E-9F80-01234567ABFF",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        CUuuid uuid;

        memset(&uuid, 0, sizeof uuid);
        assert_int_equal(cushim_uuid_parse(&uuid, texts[i]), CUDA_SUCCESS);
        assert_memory_equal(uuid.bytes, bytes, sizeof bytes);
    }
}

static void what_is_no_uuid_is_refused_and_changes_nothing(void **state)
{
    static const char *const texts[] = {
        "",
        "GPU-",
        "gpu-" DIGITS,
        "GPU-GPU-" DIGITS,
        " " DIGITS,
        DIGITS " ",
        DIGITS "0",
        "GPU-4d656f1c",
        "4d656f1c-7a3b-1d2e-9f80-01234567abf",
        "4d656f1c-7a3b-1d2e-9f80-01234567abfg",
        "4d656f1c-7a3b-1d2e-9f80-01234567ab-ff",
        "4d656f1c7a3b1d2e9f8001234567abff",
        "4d656f1c_7a3b-1d2e-9f80-01234567abff",
        "4d656f1-c7a3b-1d2e-9f80-01234567abff",
        "MIG-GPU-" DIGITS "/1/0",
    };
    CUuuid uuid, before;

    (void)state;
    memset(&uuid, 0x5a, sizeof uuid);
    before = uuid;
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_int_equal(cushim_uuid_parse(&uuid, texts[i]), CUDA_ERROR_INVALID_VALUE);
        assert_memory_equal(&uuid, &before, sizeof uuid);
    }
}

static void null_is_refused(void **state)
{
    CUuuid uuid;
    char text[CUSHIM_UUID_TEXT_SIZE];

    (void)state;
    assert_int_equal(cushim_uuid_format(NULL, text), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_uuid_format(&uuid, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_uuid_parse(NULL, DIGITS), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_uuid_parse(&uuid, NULL), CUDA_ERROR_INVALID_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_uuid_is_written_in_five_groups_after_gpu),
        cmocka_unit_test(a_uuid_is_read_with_and_without_a_prefix_and_in_either_case),
        cmocka_unit_test(what_is_no_uuid_is_refused_and_changes_nothing),
        cmocka_unit_test(null_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
