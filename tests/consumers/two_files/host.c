/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with a copy of cushim loads two plugins with their own copies, with all symbols global:
 * each uses the driver that it asked for.
 *
 * usage: host PLUGIN LIBRARY PLUGIN LIBRARY
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cushim.h"

/* The function `plugin_look` of a plugin: load this driver, and describe it. */
typedef int plugin_look_function(const char *library, char *text, size_t size);

static plugin_look_function *look_of(const char *path)
{
    plugin_look_function *look = NULL;
    void *plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    void *address = plugin ? dlsym(plugin, "plugin_look") : NULL;

    memcpy(&look, &address, sizeof look);
    return look;
}

static void print_reason(const char *label)
{
    struct cushim_report *report;

    if (cushim_report_create(&report) != CUDA_SUCCESS)
        return;
    printf("%s: %s\n", label, cushim_report_reason(report));
    cushim_report_destroy(report);
}

int main(int count, char **arguments)
{
    char text[100];

    for (int i = 1; i + 1 < count; i += 2) {
        plugin_look_function *look = look_of(arguments[i]);

        if (!look || look(arguments[i + 1], text, sizeof text) != 0)
            return 1;
        printf("plugin: %s\n", text);
    }
    print_reason("host, before");
    cushim_driver_load(NULL);
    print_reason("host");
    return 0;
}
