/* SPDX-License-Identifier: Apache-2.0 */
/* Which objects of a driver the program has created and not released. Under the layer's lock. */
#ifndef CUSHIM_LAYER_LEAK_TRACKER_H
#define CUSHIM_LAYER_LEAK_TRACKER_H

#include <stdint.h>

#include <cuda.h>

#include "src/base/text.h"
#include "src/driver_api/effects.h"
#include "src/layer/handle_table.h"

struct cushim__call;

/* Note what a call has done, by what it answered. What it wrote has been decoded. */
void cushim__tracker_update(const struct cushim__call *call, CUresult answer);

/* Whether a code says that the driver has refused a call, and is not the error of other work. */
bool cushim__answer_refuses(CUresult answer);

/* Note in `maker` which call this is, and where the program makes it. */
void cushim__tracker_note(const struct cushim__call *call, struct cushim__maker *maker);

/* Do not count one reference to the primary context of a device: it is not the program's. */
void cushim__tracker_ignore_primary(int device);

/* End a text that did not fit with `...`. */
void cushim__text_mark_cut(struct cushim__text *text);

#endif
