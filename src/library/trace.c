/* SPDX-License-Identifier: Apache-2.0 */
/* The trace that the environment asks for. */
#include <stdio.h>
#include <stdlib.h>

#include "src/base/system.h"
#include "src/layer/trace.h"
#include "src/library/library.h"

static bool begin(const struct trace_options *options, char *message, size_t size)
{
    const CUresult code = cushim__trace_begin(options);

    if (code != CUDA_SUCCESS)
        snprintf(message, size, "there is no memory for the trace");
    return code == CUDA_SUCCESS;
}

static void complain(const char *what)
{
    fprintf(stderr, "cushim: the trace cannot be written: %s\n", what);
}

/* A mock that stands for the real driver leaves it to the library that calls it. */
bool cushim__library_traces(void)
{
    char *path = NULL, *driver = NULL;
    const bool is_asked = cushim__variable_said("CUSHIM_TRACE", &path) && path &&
                          cushim__variable_said("CUSHIM_DRIVER", &driver) && !driver;

    free(path);
    free(driver);
    return is_asked;
}

bool cushim__library_trace(const char *driver, int driver_version, char *message, size_t size)
{
    struct trace_options options = {.driver = driver,
                                    .driver_version = (uint32_t)driver_version,
                                    .buffer_bytes = TRACE_BUFFER_BYTES,
                                    .times_device = true};
    char *path = NULL, *settings = NULL;
    bool is_done = true;

    if (!cushim__variable_said("CUSHIM_TRACE", &path) ||
        !cushim__variable_said("CUSHIM_TRACE_OPTIONS", &settings)) {
        snprintf(message, size, "there is no memory for the trace");
        is_done = false;
    } else if (path) {
        options.path = path;
        options.complain = complain;
        is_done = cushim__trace_options_read(&options, settings ? settings : "",
                                             "CUSHIM_TRACE_OPTIONS", message, size) &&
                  begin(&options, message, size);
    }
    free(path);
    free(settings);
    return is_done;
}
