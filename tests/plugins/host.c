/* SPDX-License-Identifier: Apache-2.0 */
/* usage: host CASE WORD... */
#include "host.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(char **words);
} cases[] = {
    {"cycle", cycle},           {"pair", pair},
    {"order", order},           {"fork-before", fork_before},
    {"fork-after", fork_after}, {"fork-closed", fork_closed},
    {"secure", secure},         {"busy", busy},
    {"handler", handler},
};

void host_failed(const char *file, int line, const char *claim)
{
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, claim);
    _Exit(1);
}

struct host_plugin host_open(const char *path, int flags)
{
    struct host_plugin plugin = {.handle = dlopen(path, RTLD_NOW | flags)};
    plugin_function function;
    void *symbol;

    if (!plugin.handle)
        host_failed(path, 0, dlerror());
    symbol = dlsym(plugin.handle, "plugin");
    REQUIRE(symbol);
    memcpy(&function, &symbol, sizeof function);
    plugin.functions = function();
    return plugin;
}

void host_close(struct host_plugin *plugin, const char *path)
{
    REQUIRE(dlclose(plugin->handle) == 0);
    REQUIRE(!dlopen(path, RTLD_NOW | RTLD_NOLOAD));
    plugin->functions = NULL;
}

int main(int count, char **words)
{
    for (size_t i = 0; count > 2 && i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(cases[i].name, words[1]) == 0)
            return cases[i].run(words + 2);
    }
    fprintf(stderr, "usage: host CASE WORD...\n");
    return 64;
}
