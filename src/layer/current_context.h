/* SPDX-License-Identifier: Apache-2.0 */
/* Which context is current for each thread, as far as its calls tell. Under the layer's lock. */
#ifndef CUSHIM_LAYER_LEFT_CURRENT_H
#define CUSHIM_LAYER_LEFT_CURRENT_H

#include <stdint.h>

/* The handle of the context; 0: none, or not known. */
uint64_t cushim__current_get(unsigned thread);

void cushim__current_push(unsigned thread, uint64_t context);
void cushim__current_pop(unsigned thread);

/* The context that is current, in the place of the one that was; 0: none. */
void cushim__current_set(unsigned thread, uint64_t context);

void cushim__current_clear(void);

#endif
