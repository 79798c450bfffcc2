/* SPDX-License-Identifier: Apache-2.0 */
/* What a test consists of, and what is said of it at its end. */
#ifndef CUSHIM_LAYER_TEST_H
#define CUSHIM_LAYER_TEST_H

#include <stdbool.h>

#include <cushim/testing/test.h>

#include "src/base/text.h"

struct cushim_test {
    struct cushim_mock *mock;   /* NULL: it runs on a driver, or the program has ended it */
    struct cushim_layer *layer; /* NULL: the program has ended it */
    CUcontext former;           /* current before it */
    CUcontext context;          /* current when it began */
    bool has_retained;          /* and it is this test's reference */
};

/*
 * Tell what was wrong: nothing is said of a test that was right. What of it the program has ended
 * by itself is said, and is not there any more.
 */
void cushim__test_tell(struct cushim_test *test, struct cushim__text *text);

#endif
