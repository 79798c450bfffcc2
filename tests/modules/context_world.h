/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of context objects share: a fake driver whose log is kept. */
#ifndef CUSHIM_TESTS_MODULES_CONTEXT_WORLD_H
#define CUSHIM_TESTS_MODULES_CONTEXT_WORLD_H

#include <cushim/context.h>

enum { CONTEXT_LOGGED_BYTES = 512 };

/* The last message of the log; empty at the start of a test. */
extern char context_logged[CONTEXT_LOGGED_BYTES];

/* For cmocka, in the place of fake_setup(). */
int context_setup(void **state);

/* A context of a device, whose making is forgotten. */
struct cushim_context *context_made(CUdevice device);

CUcontext context_handle_of(const struct cushim_context *context);

#endif
