/* SPDX-License-Identifier: Apache-2.0 */
/* The profiler's switch: nothing profiles the mock. */
#include "src/mock/api/context.h"
#include "src/mock/call.h"

static CUresult check(void)
{
    struct cushim__context *context;

    return cushim__context_current(&context);
}

/* The driver itself has not supported this for long. */
CUSHIM__EXACT(ProfilerInitialize)
(const char *configFile, const char *outputFile, unsigned int outputMode)
{
    (void)configFile;
    (void)outputFile;
    (void)outputMode;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUSHIM__EXACT(ProfilerStart)(void)
{
    return check();
}

CUSHIM__EXACT(ProfilerStop)(void)
{
    return check();
}
