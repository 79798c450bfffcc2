/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Primary contexts that are held while somebody looks for what is left: else what a program forgets
 * in one would go with it, and nobody would learn of it. The references are in the book of what the
 * program has made (book.h), until cushim__hold_settle() takes them out.
 */
#ifndef CUSHIM_LAYER_LEFT_HOLD_H
#define CUSHIM_LAYER_LEFT_HOLD_H

#include "src/layer/watch.h"

/* From now on one reference is held of each primary context that the program retains. */
void cushim__hold_begin(void);

/* A call has ended; the calling thread has not left it. Not under the layer's lock. */
void cushim__hold_see(const struct cushim__call *call, CUresult answer);

/* The book is the program's alone from now on. */
void cushim__hold_settle(void);

/*
 * References that the program has on a device's primary context and did not have when the hold
 * began; 0 if it has made that itself since. After cushim__hold_settle().
 */
uint64_t cushim__hold_surplus(int device);

/* Give back what is held. */
void cushim__hold_end(void);

enum { CUSHIM__HOLD_DEVICES = 64 };

#endif
