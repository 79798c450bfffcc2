/* SPDX-License-Identifier: Apache-2.0 */
/* An image under test, for an sm_90 and PTX up to 9.0. */
#ifndef CUSHIM_TESTS_MOCK_IMAGE_FIXTURE_H
#define CUSHIM_TESTS_MOCK_IMAGE_FIXTURE_H

#include "cubin.h"
#include "src/mock/image/image.h"
#include "tests/support/cmocka.h"

/* The directives at the beginning of PTX text. */
#define HEAD ".version 6.0\n.target sm_50\n.address_size 64\n"

extern const struct mock_image_target target;
extern struct mock_image image;
extern unsigned lines; /* lines of the mock's log */

int image_setup(void **state);
int image_teardown(void **state);
#define IMAGE_TEST(name) TEST_BETWEEN(name, image_setup, image_teardown)

/* Read an image, which replaces the previous one. */
CUresult read_image(const void *start);

void declares_parameters(const char *kernel, const struct mock_image_parameter *parameters,
                         size_t count);

/* `initial` may be NULL, which means zeros. */
void declares_variable(const char *name, size_t bytes, const void *initial);

#endif
