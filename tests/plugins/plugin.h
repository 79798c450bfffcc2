/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin: a shared object that contains cushim. A host program that knows nothing of CUDA opens
 * it and calls the functions that plugin() returns. Codes are CUresult as int.
 */
#ifndef CUSHIM_TESTS_PLUGINS_PLUGIN_H
#define CUSHIM_TESTS_PLUGINS_PLUGIN_H

#include <stddef.h>

/* Facts about the cushim in a plugin. */
struct plugin_facts {
    unsigned version;
    size_t slots;        /* when the plugin was compiled */
    size_t symbols;      /* according to its cushim */
    size_t table_size;   /* of the current table */
    const void *current; /* the address of its cushim's pointer to the current table */
    char state[32], library[1024];
};

struct plugin {
    void (*report)(struct plugin_facts *facts);
    int (*load)(void);
    int (*init)(void);
    int (*count_devices)(int *count); /* through the table */
    int (*retain)(void **context);    /* the primary context of device 0; the driver's handle */
    int (*release)(void);
    int (*synchronize)(void); /* blocks while the driver does */
    /* Count the devices at the end of the plugin or of the process, whichever comes first. */
    int (*at_exit)(int *code);
};

/* The only exported symbol of a plugin, with the name "plugin". */
typedef const struct plugin *(*plugin_function)(void);

#endif
