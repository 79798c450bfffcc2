/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls do to the objects of a driver (api_effect.c), and which objects the program has
 * created by them and not released (leak_tracker.c). Under the layer's lock.
 */
#ifndef CUSHIM_LAYER_LEAK_TRACKER_H
#define CUSHIM_LAYER_LEAK_TRACKER_H

#include <stdint.h>

#include <cuda.h>

#include "src/base/text.h"
#include "src/layer/handle_table.h"

struct cushim__call;

enum cushim__effect {
    CUSHIM__CREATES,              /* writes the handle or address of a new object */
    CUSHIM__CREATES_IN_CONTEXT,   /* the same for one that is destroyed with the current context */
    CUSHIM__CREATES_OR_RETAINS,   /* the same for one that another call may have created already */
    CUSHIM__REGISTERS_IN_CONTEXT, /* the new object begins at an address that is passed */
    CUSHIM__RETURNS_PART, /* writes the handle or address of an object destroyed with its owner */
    CUSHIM__DESTROYS,
    CUSHIM__RETAINS,
    CUSHIM__RELEASES,
    CUSHIM__MOVES_REFERENCES, /* releases references if a parameter says so */
    CUSHIM__RETAINS_PRIMARY,
    CUSHIM__RELEASES_PRIMARY,
    CUSHIM__RESETS_PRIMARY,
    CUSHIM__PUSHES_CURRENT,
    CUSHIM__POPS_CURRENT,
    CUSHIM__SETS_CURRENT,
};

enum { CUSHIM__NO_PARAMETER = 255 };

/* One effect of one function, by its first ABI. What has no row is not tracked. */
struct cushim__api_effect {
    uint16_t slot;
    uint8_t kind; /* enum cushim__effect */
    uint8_t type; /* enum cushim__object_type */
    uint8_t parameter;
    /* Parameters, passed or written, whose product is the bytes or references; or the device. */
    uint8_t amount, times;
    uint8_t owner_type, owner; /* the owner for RETURNS_PART, the flags for MOVES_REFERENCES */
};

/* The effects of a slot, which follow one another in the table; NULL if there are no more. */
const struct cushim__api_effect *cushim__api_effect_first(unsigned slot);
const struct cushim__api_effect *cushim__api_effect_next(const struct cushim__api_effect *effect);

/* Note what a call has done, by what it answered. What it wrote has been decoded. */
void cushim__tracker_update(const struct cushim__call *call, CUresult answer);

/* Whether an answer means that the driver has not done what was asked, not some other error. */
bool cushim__answer_refuses(CUresult answer);

/* Note in `maker` which call this is, and where the program makes it. */
void cushim__tracker_note(const struct cushim__call *call, struct cushim__maker *maker);

/* Do not count one reference to the primary context of a device: it is not the program's. */
void cushim__tracker_ignore_primary(int device);

/*
 * Print what calls after the one of this number (0 for all) have created and the program has not
 * released. Not under the lock, because it asks the dynamic linker, and while no call is under way.
 */
void cushim__leaks_print(struct cushim__text *text, uint64_t call);

/* A text that did not fit ends in `...`. */
void cushim__text_mark_cut(struct cushim__text *text);

#endif
