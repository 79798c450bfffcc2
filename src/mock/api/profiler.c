/* SPDX-License-Identifier: Apache-2.0 */
/* The profiler's switch: nothing profiles the mock. */
#include "src/mock/api/api.h"
#include "src/mock/api/context.h"

static CUresult check(void)
{
    struct mock_context *context;

    return cushim__mock_context_current(&context);
}

/* The driver itself has not supported this for long. */
MOCK_EXACT(ProfilerInitialize)
(const char *configFile, const char *outputFile, unsigned int outputMode)
{
    (void)configFile;
    (void)outputFile;
    (void)outputMode;
    return CUDA_ERROR_NOT_SUPPORTED;
}

MOCK_EXACT(ProfilerStart)(void)
{
    return check();
}

MOCK_EXACT(ProfilerStop)(void)
{
    return check();
}
