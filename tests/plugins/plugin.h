/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin: a shared object with cushim inside. A host that knows nothing of CUDA opens it and
 * calls what plugin() answers. Codes are CUresult as int.
 */
#ifndef CUSHIM_TESTS_PLUGINS_PLUGIN_H
#define CUSHIM_TESTS_PLUGINS_PLUGIN_H

#include <stddef.h>

/* What the cushim inside says of itself. */
struct plugin_facts {
    unsigned version;
    size_t slots;        /* as the plugin was compiled */
    size_t symbols;      /* as its cushim counts them */
    size_t table_size;   /* of the current table */
    const void *current; /* where its cushim keeps the current table */
    char state[32], origin[32], library[1024];
};

struct plugin {
    void (*report)(struct plugin_facts *facts);
    int (*load)(void);
    int (*init)(void);
    int (*count_devices)(int *count); /* through the table */
    int (*retain)(void **context);    /* the primary context of device 0, as the driver names it */
    int (*release)(void);
    int (*synchronize)(void); /* blocks, where the driver does */
    /* At the end of the plugin or of the process, whichever comes first: count devices. */
    int (*at_exit)(int *code);
};

/* The only symbol that a plugin exports, by the name "plugin". */
typedef const struct plugin *(*plugin_function)(void);

#endif
