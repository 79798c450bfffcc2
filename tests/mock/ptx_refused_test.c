/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with a PTX text is told by line, by what was expected, and by what stands there. */
#include <string.h>

#include "image_world.h"

#define ENTRY ".visible .entry k"

static void what_was_expected_is_told(void **state)
{
    static const struct {
        const char *text, *told;
    } cases[] = {
        {".version six\n", "line 1: a version expected, not 'six'"},
        {".version 6.\n", "line 1: a version expected, not '6.'"},
        {".version 6.0x\n", "line 2: a version expected"},
        {".version 6.0\n.global", "line 2: a target expected, not '.global'"},
        {".version 6.0\n.target 50", "line 2: a target expected, not '50'"},
        {".version 6.0\n.target sm_50\n.address_size x", "an address size of 64 expected"},
        {HEAD ".visible .entry (", "line 4: a name expected, not '('"},
        {HEAD ENTRY "(.reg .u64 a)", "a parameter expected, not '.reg'"},
        {HEAD ENTRY "(.param .u64 a .param", "',' or ')' expected, not '.param'"},
        {HEAD ENTRY "(.param .u64 .align 3 a)", "an alignment expected, not 'a'"},
        {HEAD ENTRY "(.param .align 3 .u64 a)", "an alignment expected"},
        {HEAD ENTRY "(.param .align 8192 .u64 a)", "an alignment expected"},
        {HEAD ENTRY "(.param a)", "a type expected, not 'a'"},
        {HEAD ENTRY "()", "a body expected, not ''"},
        {HEAD ENTRY "() .maxntid 0 { }", "a number of threads expected"},
        {HEAD ENTRY "() .reqntid x { }", "a number of threads expected, not 'x'"},
        {HEAD ENTRY "() { .shared a; }", "a type expected, not 'a'"},
        {HEAD ENTRY "() { }\n" ENTRY "() { }", "k"},
        {HEAD ".func f", "'}' expected"},
        {HEAD ".func f() {", "'}' expected"},
        {HEAD ".section .debug {", "'}' expected"},
        {HEAD ".global .attribute x .u32 a;", "an attribute expected, not 'x'"},
        {HEAD ".global .attribute(.managed .u32 a;", "an attribute expected"},
        {HEAD ".global .u32 a[2;", "']' expected, not ';'"},
        {HEAD ".global .u32 a[0];", "a size expected"},
        {HEAD ".global .u32 a[];", "an initial value expected"},
        {HEAD ".global .u32 a[] = {};", "an initial value expected"},
        {HEAD ".const .b8 a[65537];", "no more than 64 KiB expected"},
        {HEAD ".const [3 .u32 a;", "']' expected"},
        {HEAD ".global .texref 5;", "a name expected, not '5'"},
        {HEAD ".global .texref t", "';' expected"},
        {HEAD ".global .u32 a = );", "an initial value expected"},
        {HEAD ".global .u64 a = generic(5);", "an initial value expected, not ')'"},
        {HEAD ".global .u32 a = 1 b", "an initial value expected"},
        {HEAD ".global .u32 a, b = a;", "64 bits for an address expected"},
        {HEAD ".global .u32 a[2] = {{{1}}};", "fewer braces expected"},
        {HEAD ".global .u32 a[2][2] = {{1, 2, 3}};", "fewer initial values expected"},
        {HEAD ".global .f32 a[2] = {1.0 2.0};", "',' or '}' expected"},
        {HEAD ".global .u32 a[2] = {1, 2", "an initial value expected"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const CUresult code = read_image(cases[i].text);

        if (code != CUDA_ERROR_INVALID_PTX)
            fail_msg("%s: answered %d", cases[i].text, (int)code);
        if (!strstr(image.message, cases[i].told))
            fail_msg("%s: \"%s\" is told, not \"%s\"", cases[i].text, image.message, cases[i].told);
    }
}

static void expressions_of_integers_are_computed(void **state)
{
    static const uint32_t table[] = {3, 0xfffffff0, 5, 4, 7};

    (void)state;
    assert_int_equal(
        read_image(HEAD ".visible .global .u32 table[5] = {1+2, ~15, 6-1, 0b100, 7U};\n"),
        CUDA_SUCCESS);
    declares_variable("table", sizeof table, table);
    assert_int_equal(lines, 0);
}

static void versions_and_threads_may_be_more_than_there_are(void **state)
{
    (void)state;
    assert_int_equal(read_image(".version 123456.7\n"), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    assert_int_equal(read_image(".version 99999999999.9\n"), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    assert_int_equal(read_image(HEAD ENTRY "() .maxntid 65536, 65536, 2 { ret; }"), CUDA_SUCCESS);
    assert_int_equal(cushim__image_kernel(&image, "k")->max_threads, UINT32_MAX);
}

/* Each is 0 then, and a line of the log says so. A driver refuses them: measured, 218. */
static void values_that_are_none_are_not_understood(void **state)
{
    static const char *const values[] = {"generic x", "5 + generic", "1 - x", "~x"};

    (void)state;
    for (size_t i = 0; i < COUNT(values); i++) {
        char text[200] = HEAD ".visible .global .u64 value = ";

        strcat(text, values[i]);
        strcat(text, ";\n");
        lines = 0;
        assert_int_equal(read_image(text), CUDA_SUCCESS);
        declares_variable("value", 8, "\0\0\0\0\0\0\0\0");
        assert_int_equal(lines, 1);
    }
}

/* A driver of today refuses banks, and vectors of 8 for such a target: measured, 218. */
static void attributes_banks_and_vectors_are_passed_over(void **state)
{
    (void)state;
    assert_int_equal(read_image(HEAD ".visible .global .attribute(.managed) .v2 .u32 pair;\n"
                                     ".const[3] .u32 banked = 5;\n"
                                     ".visible .global .v8 .b16 eight;\n"),
                     CUDA_SUCCESS);
    assert_int_equal(cushim__image_global(&image, "pair")->bytes, 8);
    assert_int_equal(cushim__image_global(&image, "eight")->bytes, 16);
    declares_variable("banked", 4, "\5\0\0\0");
}

/* As in a link. In one text a driver refuses what is there twice: measured, 218. */
static void what_is_weak_gives_way(void **state)
{
    (void)state;
    assert_int_equal(read_image(HEAD ".weak .global .u32 a = 1;\n"
                                     ".visible .global .u32 a = 2;\n"
                                     ".weak .global .u32 a = 3;\n"
                                     ".extern .global .u32 a;\n"),
                     CUDA_SUCCESS);
    declares_variable("a", 4, "\2\0\0\0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(what_was_expected_is_told),
        IMAGE_TEST(versions_and_threads_may_be_more_than_there_are),
        IMAGE_TEST(expressions_of_integers_are_computed),
        IMAGE_TEST(values_that_are_none_are_not_understood),
        IMAGE_TEST(attributes_banks_and_vectors_are_passed_over),
        IMAGE_TEST(what_is_weak_gives_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
