/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin with a copy of cushim of its own, as seen by its host. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <stddef.h>

/* What a plugin exports under the name `plugin_look`: load this driver, and say what it found. */
typedef int plugin_look_function(const char *library, char *text, size_t size);

#endif
