/* SPDX-License-Identifier: Apache-2.0 */
/* What PTX text declares. */

#include "image_fixture.h"

IMAGE_TEST(ptx_variables_have_their_true_sizes_and_values)
{
    static const uint32_t nested[3][4] = {{1, 2}, {3}, {4, 5, 6, 7}};
    static const float vector[4] = {1, 2, 3, 1.5f};
    const float single = 1.5f;
    const double wide = -0.25;
    const int32_t minus = -2;

    assert_int_equal(
        read_image(HEAD
                   ".visible .global .u32 nested[3][4] = {1, 2, 0, 0, 3, 0, 0, 0, 4, 5, 6, 7};\n"
                   ".visible .global .align 4 .b8 counted[3] = {1, 2, 3};\n"
                   ".visible .global .f32 single = 1.5, bits = 0f3FC00000;\n"
                   ".visible .global .f64 wide = -0d3FD0000000000000;\n"
                   ".visible .global .v4 .f32 vector = {1.0, 2.0, 3.0, 1.5};\n"
                   ".visible .global .s32 minus = -2;\n"
                   ".visible .global .b8 zeros[1000];\n"
                   ".const .align 4 .b8 constant[8] = {0xff};\n"),
        CUDA_SUCCESS);
    declares_variable("nested", sizeof nested, nested);
    declares_variable("counted", 3, "\1\2\3");
    declares_variable("single", sizeof single, &single);
    declares_variable("bits", sizeof single, &single);
    declares_variable("wide", sizeof wide, &wide);
    declares_variable("vector", sizeof vector, vector);
    declares_variable("minus", sizeof minus, &minus);
    declares_variable("zeros", 1000, NULL);
    declares_variable("constant", 8, "\xff\0\0\0\0\0\0\0");
    assert_true(cushim__mock_image_global(&image, "constant")->constant);
    assert_false(cushim__mock_image_global(&image, "zeros")->constant);
    assert_int_equal(lines, 0);
}

IMAGE_TEST(bytes_of_addresses_are_noted)
{
    const struct mock_image_global *bytes;

    assert_int_equal(read_image(HEAD ".visible .global .u32 a;\n"
                                     ".visible .global .u8 bytes[3] = {5, 0xFF(a), 0xFF00(a)};\n"),
                     CUDA_SUCCESS);
    declares_variable("bytes", 3, "\5\0\0");
    bytes = cushim__mock_image_global(&image, "bytes");
    assert_int_equal(bytes->address_count, 2);
    assert_string_equal(bytes->addresses[1].name, "a");
    assert_int_equal(bytes->addresses[1].offset, 2);
    assert_int_equal(bytes->addresses[1].bytes, 1);
    assert_int_equal(bytes->addresses[1].shift, 8);
}

IMAGE_TEST(limits_and_shared_memory_of_an_entry_are_read)
{
    const struct mock_image_kernel *kernel;

    assert_int_equal(read_image(HEAD ".entry k()\n.reqntid 32, 2, 1\n.maxnreg 40\n{\n"
                                     ".shared .align 4 .b8 s[1000];\n"
                                     ".shared .align 16 .u32 t;\n"
                                     ".extern .shared .align 16 .b8 rest[];\n"
                                     "{ // a { that is none }\n}\n"
                                     ".pragma \"nounroll }\";\nret;\n}\n"
                                     ".entry next() .maxntid 64\n{ ret; }\n"),
                     CUDA_SUCCESS);
    kernel = cushim__mock_image_kernel(&image, "k");
    assert_int_equal(kernel->shared_bytes, 1012);
    assert_int_equal(kernel->max_threads, 0);
    assert_int_equal(kernel->required_block[0], 32);
    assert_int_equal(kernel->required_block[1], 2);
    assert_int_equal(kernel->ptx_version, 50);
    assert_int_equal(cushim__mock_image_kernel(&image, "next")->max_threads, 64);
    assert_int_equal(cushim__mock_image_kernel(&image, "next")->required_block[0], 0);
}

IMAGE_TEST(what_is_declared_elsewhere_is_known_as_that)
{
    assert_int_equal(read_image(HEAD ".extern .global .u32 far;\n"
                                     ".extern .func (.param .b32 r) vprintf (.param .b64 a);\n"
                                     ".func helper() { ret; }\n"
                                     ".global .texref picture;\n"
                                     ".file 1 \"x.cu\", 1, 2\n"
                                     ".section .debug_info { .b32 100 }\n"
                                     ".visible .entry k() { ret; }\n"),
                     CUDA_SUCCESS);
    assert_int_equal(image.kernel_count, 1);
    assert_int_equal(image.global_count, 2);
    assert_true(image.globals[1].reference);
    assert_string_equal(cushim__mock_image_unresolved(&image)->name, "far");
    assert_int_equal(image.globals[0].bytes, 4);
}

IMAGE_TEST(sizes_beyond_all_memory_are_refused_behind_an_empty_dimension_too)
{
    static const char *const texts[] = {
        HEAD ".global .v4 .f64 a[][18446744073709551615] = {{1}, {2}};\n",
        HEAD ".global .f64 a[][1073741824][1073741824] = {{{1}}, {{2}}};\n",
        HEAD ".global .b8 a[0][18446744073709551615][2];\n",
    };

    for (size_t i = 0; i < COUNT(texts); i++)
        assert_int_equal(read_image(texts[i]), CUDA_ERROR_INVALID_PTX);
}

/* Errors in PTX text are reported with the line, the expected element, and the element found. */

#define ENTRY ".visible .entry k"

IMAGE_TEST(what_was_expected_is_reported)
{
    static const struct {
        const char *text, *reported;
    } cases[] = {
        {".version six\n", "line 1: a version expected, not 'six'"},
        {".version 6.\n", "line 1: a version expected, not '6.'"},
        {".version 6.0x\n", "line 1: a version expected, not '6.0x'"},
        {".version 6.0\n.global", "line 2: a target expected, not '.global'"},
        {".version 6.0\n.target 50", "line 2: a target expected, not '50'"},
        {".version 6.0\n.target sm_50\n.address_size x", "line 3: a number expected, not 'x'"},
        {HEAD ".visible .entry (", "line 4: a name expected, not '('"},
        {HEAD "blah\n", "a declaration expected, not 'blah'"},
        {HEAD ".pragma \"no end", "';' expected, not the end of the text"},
        {HEAD ENTRY "(.reg .u64 a)", "'.param' expected, not '.reg'"},
        {HEAD ENTRY "(.param .u64 a .param", "',' or ')' expected, not '.param'"},
        {HEAD ENTRY "(.param .u64 .align 3 a)", "the alignment is not a power of two"},
        {HEAD ENTRY "(.param .align 3 .u64 a)", "the alignment is not a power of two"},
        {HEAD ENTRY "(.param .align 8192 .u64 a)", "the alignment is not a power of two"},
        {HEAD ENTRY "(.param a)", "a type expected, not 'a'"},
        {HEAD ENTRY "()", "a body expected, not the end of the text"},
        {HEAD ENTRY "() .maxntid 0 { }", "a number of threads expected"},
        {HEAD ENTRY "() .reqntid x { }", "a number expected, not 'x'"},
        {HEAD ENTRY "() { .shared a; }", "a type expected, not 'a'"},
        {HEAD ".func f", "a body expected"},
        {HEAD ".func f() {", "'}' expected"},
        {HEAD ".section .debug {", "'}' expected"},
        {HEAD ".global .attribute x .u32 a;", "'(' expected, not 'x'"},
        {HEAD ".global .attribute(.managed .u32 a;", "')' expected, not the end of the text"},
        {HEAD ".global .u32 a", "';' expected, not the end of the text"},
        {HEAD ".global .u32 a[", "a number expected, not the end of the text"},
        {HEAD ".global .b8 a[99999999999999999999999];", "the variable is too large"},
        {HEAD ".global .b8 a[4294967296][4294967296];", "the variable is too large"},
        {HEAD ".global .u32 a[2][2][2][2][2][2][2][2][2] = {{{{{{{{{{", "a name expected, not '{'"},
        {HEAD ".global .u32 a[2;", "']' expected, not ';'"},
        {HEAD ".global .u32 a[0];", "a size expected"},
        {HEAD ".global .u32 a[];", "a size expected"},
        {HEAD ".global .u32 a[] = {};", "a size expected"},
        {HEAD ".const .b8 a[65537];", "the variable has more than 64 KiB"},
        {HEAD ".const [3 .u32 a;", "']' expected"},
        {HEAD ".global .texref 5;", "a name expected, not '5'"},
        {HEAD ".global .texref t", "';' expected"},
        {HEAD ".global .u32 a = );", "a name expected, not ')'"},
        {HEAD ".global .u64 a = generic(5);", "a name expected, not '5'"},
        {HEAD ".global .u32 a = 1 b", "';' expected, not 'b'"},
        {HEAD ".global .u32 a, b = a;", "an address has 64 bits"},
        {HEAD ".global .f32 a[2] = {1.0 2.0};", "',' or '}' expected"},
        {HEAD ".global .u32 a[2] = {1, 2", "',' or '}' expected"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const CUresult code = read_image(cases[i].text);

        if (code != CUDA_ERROR_INVALID_PTX)
            fail_msg("%s: returned %d", cases[i].text, (int)code);
        if (!strstr(image.message, cases[i].reported))
            fail_msg("%s: \"%s\" is reported, not \"%s\"", cases[i].text, image.message,
                     cases[i].reported);
    }
}

IMAGE_TEST(integers_are_read_in_all_notations)
{
    static const uint32_t table[] = {3, 0xfffffff0, 5, 4, 7};

    assert_int_equal(read_image(HEAD ".visible .global .u32 table[5] = {3, -16, 05, 0b100, 7U};\n"),
                     CUDA_SUCCESS);
    declares_variable("table", sizeof table, table);
    assert_int_equal(lines, 0);
}

IMAGE_TEST(versions_and_threads_may_be_more_than_there_are)
{
    assert_int_equal(read_image(".version 123456.7\n"), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    assert_int_equal(read_image(".version 99999999999.9\n"), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    assert_int_equal(read_image(HEAD "/* no end"), CUDA_SUCCESS);
    assert_int_equal(read_image(HEAD ENTRY "() .maxntid 65536, 65536, 2 { ret; }"), CUDA_SUCCESS);
    assert_int_equal(cushim__mock_image_kernel(&image, "k")->max_threads, UINT32_MAX);
}

/* The same as a driver: 218 was measured. */
IMAGE_TEST(values_that_are_none_are_refused)
{
    static const char *const values[] = {"generic x", "5 + generic", "1 - x", "~x"};

    for (size_t i = 0; i < COUNT(values); i++) {
        char text[200] = HEAD ".visible .global .u64 value = ";

        strcat(text, values[i]);
        strcat(text, ";\n");
        assert_int_equal(read_image(text), CUDA_ERROR_INVALID_PTX);
    }
}

/* A current driver refuses banks, and vectors of 8 for such a target: 218 was measured. */
IMAGE_TEST(attributes_banks_and_vectors_are_passed_over)
{
    assert_int_equal(read_image(HEAD ".visible .global .attribute(.managed) .v2 .u32 pair;\n"
                                     ".const[3] .u32 banked = 5;\n"
                                     ".visible .global .v8 .b16 eight;\n"),
                     CUDA_SUCCESS);
    assert_int_equal(cushim__mock_image_global(&image, "pair")->bytes, 8);
    assert_int_equal(cushim__mock_image_global(&image, "eight")->bytes, 16);
    declares_variable("banked", 4, "\5\0\0\0");
}

/*
 * The same as a driver: 218 was measured. Weak definitions yield when two texts are linked:
 * link_test.c.
 */
IMAGE_TEST(a_text_defines_a_variable_once)
{
    static const char *const linkages[] = {"", ".visible", ".weak", ".common"};

    for (size_t i = 0; i < COUNT(linkages) * COUNT(linkages); i++) {
        const char *const first = linkages[i / COUNT(linkages)];
        const char *const second = linkages[i % COUNT(linkages)];
        char text[200];

        snprintf(text, sizeof text, HEAD "%s .global .u32 a;\n%s .global .u32 a;\n", first, second);
        if (read_image(text) != CUDA_ERROR_INVALID_PTX ||
            !strstr(image.message, "'a' is defined twice"))
            fail_msg("'%s' and '%s': \"%s\" is reported", first, second, image.message);
    }
}

IMAGE_TEST(what_is_defined_may_be_declared_too)
{
    static const char declared[] = ".extern .global .u32 a;\n";
    static const char *const linkages[] = {".visible", ".weak", ".common"};

    for (size_t i = 0; i < COUNT(linkages); i++) {
        char text[300];

        snprintf(text, sizeof text, HEAD "%s%s%s .global .u32 a%s;\n%s", declared, declared,
                 linkages[i], i < 2 ? " = 2" : "", declared);
        assert_int_equal(read_image(text), CUDA_SUCCESS);
        declares_variable("a", 4, i < 2 ? "\2\0\0\0" : NULL);
    }
}
