/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls do to the objects of a driver: which function makes what, ends what, and changes which
 * context is current. A row per deed; what a driver does beyond these rows is its own.
 */
#ifndef CUSHIM_LAYER_LEFT_DEED_H
#define CUSHIM_LAYER_LEFT_DEED_H

#include "src/layer/object_type.h"
#include "src/layer/watch.h"

enum cushim__act {
    CUSHIM__MAKES,      /* writes the handle or address of something that begins */
    CUSHIM__MAKES_HERE, /* the same, of what goes with the context that is current */
    CUSHIM__MAKES_REST, /* the same, of what another call may have made already */
    CUSHIM__TAKES_HERE, /* begins at an address that is passed */
    CUSHIM__SHOWS,      /* writes the handle or address of what goes with something else */
    CUSHIM__ENDS,
    CUSHIM__RETAINS, /* one reference more, and so on */
    CUSHIM__RELEASES,
    CUSHIM__MOVES, /* releases, if a parameter says so */
    CUSHIM__RETAINS_PRIMARY,
    CUSHIM__RELEASES_PRIMARY,
    CUSHIM__RESETS_PRIMARY,
    CUSHIM__PUSHES, /* a context becomes current, and so on */
    CUSHIM__POPS,
    CUSHIM__SETS,
};

enum { CUSHIM__NO_PARAMETER = 255 };

struct cushim__deed {
    uint16_t slot;
    uint8_t act;  /* enum cushim__act */
    uint8_t noun; /* enum cushim__noun */
    uint8_t parameter;
    /* How many bytes or references: the product of these, passed or written; or the device. */
    uint8_t amount, times;
    uint8_t owner_noun, owner; /* of SHOWS: what it goes with; of MOVES: the flags */
};

/* The deeds of a slot; NULL: it has none. They stand one after another up to another slot. */
const struct cushim__deed *cushim__deed_first(unsigned slot);
const struct cushim__deed *cushim__deed_next(const struct cushim__deed *deed);

#endif
