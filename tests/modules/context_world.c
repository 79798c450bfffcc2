/* SPDX-License-Identifier: Apache-2.0 */
#include "context_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <cushim/log.h>

#include "fake.h"

char context_logged[CONTEXT_LOGGED_BYTES];

static void keep(void *data, const char *message)
{
    (void)data;
    snprintf(context_logged, sizeof context_logged, "%s", message);
}

int context_setup(void **state)
{
    context_logged[0] = '\0';
    cushim_log_set(keep, NULL);
    return fake_setup(state);
}

struct cushim_context *context_made(CUdevice device)
{
    struct cushim_context *context = NULL;

    assert_int_equal(cushim_context_create(&context, device, NULL), CUDA_SUCCESS);
    assert_non_null(context);
    fake_forget();
    return context;
}

CUcontext context_handle_of(const struct cushim_context *context)
{
    CUcontext handle = NULL;

    assert_int_equal(cushim_context_handle(context, &handle), CUDA_SUCCESS);
    return handle;
}
