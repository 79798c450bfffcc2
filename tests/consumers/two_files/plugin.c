/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin with its own copy of cushim: see host.c. */
#include <stdio.h>

#include "cushim.h"

/* The function `plugin_look`: load this driver, and describe it. */
typedef int plugin_look_function(const char *library, char *text, size_t size);

__attribute__((visibility("default"))) plugin_look_function plugin_look;

int plugin_look(const char *library, char *text, size_t size)
{
    const struct cushim_load_options options = {.size = sizeof options, .library = library};
    const CUresult code = cushim_driver_init(&options);
    int devices = 0;

    if (code == CUDA_SUCCESS && cushim_driver()->DeviceGetCount(&devices) == CUDA_SUCCESS)
        snprintf(text, size, "%d devices", devices);
    else
        snprintf(text, size, "%s", cushim_error_name(code));
    return 0;
}
