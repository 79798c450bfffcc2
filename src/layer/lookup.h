/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols that a rule makes missing, where a program asks the driver for them. */
#ifndef CUSHIM_LAYER_FAULT_LOOKUP_H
#define CUSHIM_LAYER_FAULT_LOOKUP_H

#include "src/layer/watch.h"

/* Whether a call is cuGetProcAddress, in any of its versions. */
bool cushim__is_lookup(const struct cushim__call *call);

/*
 * What cuGetProcAddress has to answer, where the driver has answered `answer`: a symbol that is
 * missing is replaced by the one of the version before it, if there is one, as a driver without it
 * does. Without the layer's lock.
 */
CUresult cushim__lookup_hide(const struct cushim__call *call, CUresult answer);

#endif
