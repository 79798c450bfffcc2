/* SPDX-License-Identifier: Apache-2.0 */
/* A host of plugins: no CUDA, no cushim. */
#ifndef CUSHIM_TESTS_PLUGINS_HOST_H
#define CUSHIM_TESTS_PLUGINS_HOST_H

#include <stdbool.h>

#include "plugin.h"

/* Say what is wrong, with its place, and end the process. */
#define REQUIRE(claim) ((claim) ? (void)0 : host_failed(__FILE__, __LINE__, #claim))
_Noreturn void host_failed(const char *file, int line, const char *claim);

/* An open plugin. */
struct host_plugin {
    void *handle;
    const struct plugin *functions;
};

/* Open a plugin with flags of dlopen() besides RTLD_NOW. */
struct host_plugin host_open(const char *path, int flags);

/* Close it; it must be gone then. */
void host_close(struct host_plugin *plugin, const char *path);

/* Cases: what the host does, with the words that follow on the command line. */
int cycle(char **words);
int pair(char **words);
int order(char **words);
int fork_before(char **words);
int fork_after(char **words);
int fork_closed(char **words);
int secure(char **words);
int busy(char **words);
int handler(char **words);

#endif
