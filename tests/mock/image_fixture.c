/* SPDX-License-Identifier: Apache-2.0 */
#include "image_fixture.h"

#include "src/mock/core/state.h"

const struct mock_image_target target = {.architecture = 90, .ptx_version = 90};
struct mock_image image;
unsigned lines;

/* Replaces the mock's log. */
void cushim__mock_log(const char *format, ...)
{
    (void)format;
    lines++;
}

int image_setup(void **state)
{
    lines = 0;
    return 0;
}

int image_teardown(void **state)
{
    cushim__mock_image_clear(&image);
    return 0;
}

CUresult read_image(const void *start)
{
    cushim__mock_image_clear(&image);
    return cushim__mock_image_read(&image, start, &target);
}

void declares_parameters(const char *kernel, const struct mock_image_parameter *parameters,
                         size_t count)
{
    const struct mock_image_kernel *found = cushim__mock_image_kernel(&image, kernel);

    assert_non_null(found);
    assert_true(found->known);
    assert_int_equal(found->parameter_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(found->parameters[i].offset, parameters[i].offset);
        assert_int_equal(found->parameters[i].bytes, parameters[i].bytes);
    }
}

void declares_variable(const char *name, size_t bytes, const void *initial)
{
    const struct mock_image_global *found = cushim__mock_image_global(&image, name);

    assert_non_null(found);
    assert_int_equal(found->bytes, bytes);
    if (initial)
        assert_memory_equal(found->initial, initial, bytes);
    else
        assert_null(found->initial);
}
