/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver answers after a sticky error, and when a device is lost. */
#ifndef CUSHIM_LAYER_FAULT_BROKEN_H
#define CUSHIM_LAYER_FAULT_BROKEN_H

#include "src/layer/fault/rule.h"
#include "src/layer/watch.h"

/* A sticky error comes: the mock's own if there is a mock, else the layer's. */
void cushim__broken_sticky(CUresult code);

/* Functions that take a device are to be watched, for one may be lost by an operation. */
void cushim__broken_watch(void);

/* What a call answers because of these; CUDA_SUCCESS: it is to be made. */
CUresult cushim__broken_answer(const struct cushim__call *call);

/* All is well again. */
void cushim__broken_end(void);

/* Whether a function takes devices; and whether a call names one of this number. */
bool cushim__takes_device(unsigned slot);
bool cushim__names_device(const struct cushim__call *call, int device);

#endif
