/* SPDX-License-Identifier: Apache-2.0 */
/* Result codes: every code of the installed cuda.h is known, and nothing answers NULL. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/error.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    CUresult code;
    const char *name;
} header[] = {
#include "error_names.h"
};

/* The toolkit whose codes the registry has; a newer header may add some that it lacks. */
enum { REGISTRY_VERSION = 13000 };

static bool is_too_new(CUresult code)
{
    return CUDA_VERSION > REGISTRY_VERSION &&
           strcmp(cushim_error_name(code), "unrecognized CUresult") == 0;
}

/* Numbers that no toolkit gives a meaning, and two that become 0 and 700 if cut to 16 bits. */
static const int unknown[] = {-1, 9, 12345, 65536, 65536 + 700, INT_MIN, INT_MAX};

static void every_code_of_cuda_h_answers_its_own_name(void **state)
{
    (void)state;
    assert_true(COUNT(header) > 50);
    for (size_t i = 0; i < COUNT(header); i++) {
        if (!is_too_new(header[i].code))
            assert_string_equal(cushim_error_name(header[i].code), header[i].name);
    }
}

static void every_text_is_one_line_that_ends_as_promised(void **state)
{
    (void)state;
    for (int code = -1; code < 1100; code++) {
        const char *texts[] = {
            cushim_error_name((CUresult)code),
            cushim_error_string((CUresult)code),
            cushim_error_advice((CUresult)code),
        };

        for (size_t i = 0; i < COUNT(texts); i++) {
            assert_non_null(texts[i]);
            assert_true(strlen(texts[i]) > 3);
            assert_null(strpbrk(texts[i], "\r\n\t"));
        }
        assert_int_not_equal(texts[1][strlen(texts[1]) - 1], '.');
        assert_int_equal(texts[2][strlen(texts[2]) - 1], '.');
    }
}

static void every_code_of_cuda_h_has_a_meaning_and_advice_of_its_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(header); i++) {
        const CUresult a = header[i].code;

        for (size_t k = 0; k < i && !is_too_new(a); k++) {
            const CUresult b = header[k].code;

            assert_string_not_equal(cushim_error_string(a), cushim_error_string(b));
            assert_string_not_equal(cushim_error_advice(a), cushim_error_advice(b));
        }
    }
}

static void unknown_codes_say_that_they_are_unknown(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(unknown); i++) {
        const CUresult code = (CUresult)unknown[i];

        assert_string_equal(cushim_error_name(code), "unrecognized CUresult");
        assert_non_null(strstr(cushim_error_string(code), "does not know"));
        assert_non_null(strstr(cushim_error_advice(code), "cuGetErrorName"));
        assert_int_equal(cushim_error_sticky(code), CUSHIM_STICKY_NO);
    }
}

static void faults_of_a_kernel_end_the_context(void **state)
{
    static const int faults[] = {700, 702, 710, 714, 715, 716, 717, 718, 719};

    (void)state;
    for (size_t i = 0; i < COUNT(faults); i++)
        assert_int_equal(cushim_error_sticky((CUresult)faults[i]), CUSHIM_STICKY_CONTEXT);
}

static void a_lost_driver_ends_the_process(void **state)
{
    static const int lost[] = {4, 803, 804, 810};

    (void)state;
    for (size_t i = 0; i < COUNT(lost); i++)
        assert_int_equal(cushim_error_sticky((CUresult)lost[i]), CUSHIM_STICKY_PROCESS);
}

static void answers_and_mistakes_of_a_call_are_not_sticky(void **state)
{
    static const int harmless[] = {0, 1, 2, 3, 34, 36, 100, 201, 302, 303, 400, 600, 709, 900, 999};

    (void)state;
    for (size_t i = 0; i < COUNT(harmless); i++)
        assert_int_equal(cushim_error_sticky((CUresult)harmless[i]), CUSHIM_STICKY_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_of_cuda_h_answers_its_own_name),
        cmocka_unit_test(every_text_is_one_line_that_ends_as_promised),
        cmocka_unit_test(every_code_of_cuda_h_has_a_meaning_and_advice_of_its_own),
        cmocka_unit_test(unknown_codes_say_that_they_are_unknown),
        cmocka_unit_test(faults_of_a_kernel_end_the_context),
        cmocka_unit_test(a_lost_driver_ends_the_process),
        cmocka_unit_test(answers_and_mistakes_of_a_call_are_not_sticky),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
