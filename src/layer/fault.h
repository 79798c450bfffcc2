/* SPDX-License-Identifier: Apache-2.0 */
/* Faults, as the watch asks for them. */
#ifndef CUSHIM_LAYER_FAULT_H
#define CUSHIM_LAYER_FAULT_H

#include "src/layer/watch.h"

/* What comes before a call. False: it is not made, and `*answer` is what it answers. */
bool cushim__fault_before(struct cushim__call *call, CUresult *answer);

/* What a call that was made answers. */
CUresult cushim__fault_after(struct cushim__call *call, CUresult answer);

/* The layer ends: drop the rules, and let those go that hang. */
void cushim__fault_end(void);

#endif
