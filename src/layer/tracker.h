/* SPDX-License-Identifier: Apache-2.0 */
/* The book of what the program has made and not given back. Under the layer's lock. */
#ifndef CUSHIM_LAYER_LEFT_BOOK_H
#define CUSHIM_LAYER_LEFT_BOOK_H

#include "src/layer/arguments.h"

struct cushim__call;

/* Enter what a call has done that answered so. What it wrote has been read. */
void cushim__book_enter(const struct cushim__seen *seen, const struct cushim__call *call,
                        CUresult answer);

/* One reference on the primary context of a device is none that the program has to give back. */
void cushim__book_excuse_primary(int device);

#endif
