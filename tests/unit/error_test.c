/* SPDX-License-Identifier: Apache-2.0 */
/* Result codes: each has a name, a meaning and advice, and no function returns NULL. */
#include <limits.h>

#include <cushim/error.h>

#include "tests/support/cmocka.h"

/* Every CUDA result code is below this number. */
enum { MOST_CODES = 1100 };

/* tests/registry checks that each code of cuda.h has a row. */
TEST_ALONE(every_known_code_has_a_name_a_meaning_and_advice_of_its_own)
{
    CUresult known[MOST_CODES];
    size_t count = 0;

    for (int code = 0; code < MOST_CODES; code++) {
        if (strcmp(cushim_error_name((CUresult)code), "unrecognized CUresult") != 0)
            known[count++] = (CUresult)code;
    }
    assert_true(count > 90);
    assert_string_equal(cushim_error_name(CUDA_SUCCESS), "CUDA_SUCCESS");
    assert_string_equal(cushim_error_name(CUDA_ERROR_NO_DEVICE), "CUDA_ERROR_NO_DEVICE");
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(cushim_error_name(known[i]), cushim_error_name(known[k]));
            assert_string_not_equal(cushim_error_string(known[i]), cushim_error_string(known[k]));
            assert_string_not_equal(cushim_error_advice(known[i]), cushim_error_advice(known[k]));
        }
    }
}

TEST_ALONE(every_text_is_one_line_that_ends_as_documented)
{
    for (int code = -1; code < MOST_CODES; code++) {
        const char *texts[] = {
            cushim_error_name((CUresult)code),
            cushim_error_string((CUresult)code),
            cushim_error_advice((CUresult)code),
        };

        for (size_t i = 0; i < COUNT(texts); i++)
            assert_true(texts[i] && strlen(texts[i]) > 3 && !strpbrk(texts[i], "\r\n\t"));
        assert_int_not_equal(texts[1][strlen(texts[1]) - 1], '.');
        assert_int_equal(texts[2][strlen(texts[2]) - 1], '.');
    }
}

TEST_ALONE(unknown_code_is_reported_as_unknown)
{
    /*
     * Numbers that no toolkit defines, and two that would become 0 and 700 if truncated to 16 bits.
     */
    static const int unknown[] = {-1, 9, 12345, 65536, 65536 + 700, INT_MIN, INT_MAX};

    for (size_t i = 0; i < COUNT(unknown); i++) {
        const CUresult code = (CUresult)unknown[i];

        assert_string_equal(cushim_error_name(code), "unrecognized CUresult");
        CONTAINS(cushim_error_string(code), "does not know");
        CONTAINS(cushim_error_advice(code), "cuGetErrorName");
        assert_int_equal(cushim_error_sticky(code), CUSHIM_STICKY_NO);
    }
}

TEST_ALONE(code_says_what_it_makes_unusable)
{
    static const int faults[] = {700, 702, 714, 719, 0}; /* kernel faults */
    static const int lost[] = {4, 803, 804, 810, 0};     /* the device is lost */
    static const int harmless[] = {1, 2, 3, 34, 36, 100, 201, 302, 303, 400, 600, 709, 900, 999, 0};

    for (const int *code = faults; *code; code++)
        assert_int_equal(cushim_error_sticky((CUresult)*code), CUSHIM_STICKY_CONTEXT);
    for (const int *code = lost; *code; code++)
        assert_int_equal(cushim_error_sticky((CUresult)*code), CUSHIM_STICKY_PROCESS);
    for (const int *code = harmless; *code; code++)
        assert_int_equal(cushim_error_sticky((CUresult)*code), CUSHIM_STICKY_NO);
}
