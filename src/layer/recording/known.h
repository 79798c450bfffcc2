/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What handles and allocations the layer has seen: their tags, and for those that the program has
 * made where it did. All of it under the layer's lock.
 */
#ifndef CUSHIM_LAYER_RECORDING_KNOWN_H
#define CUSHIM_LAYER_RECORDING_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/tree.h"
#include "src/layer/left/place.h"
#include "src/layer/recording/noun.h"

/* How recordings and messages name a handle or an address. */
struct cushim__tag {
    uint64_t offset;      /* of addresses */
    uint32_t number;      /* 0: `address?`, or a value that the driver defines */
    uint8_t noun;         /* enum cushim__noun; CUSHIM__NO_NOUN: it is no handle */
    uint8_t is_destroyed; /* the handle of what is no more */
};

/* Who made something, and where. */
struct cushim__maker {
    unsigned slot;
    uint64_t call;
    unsigned thread;
    struct cushim__caller place;
};

struct cushim__known {
    struct cushim__tree_node node; /* first member */
    uint64_t value;                /* the handle, or the address of its first byte */
    uint64_t bytes;                /* of memory and globals */
    enum cushim__noun noun;
    uint32_t number;
    bool is_live;  /* the program has made it and not given it back */
    bool is_gone;  /* it is destroyed: the value may come again and is another thing then */
    uint64_t uses; /* references that the program has to give back */
    int device;    /* of a primary context; -1: it is none */
    struct cushim__maker maker;
    struct cushim__maker retainer;   /* of a primary context: the program's last reference */
    struct cushim__known *owner;     /* goes when this goes; NULL: nothing known */
    struct cushim__known *next_gone; /* the next that went */
    size_t owned;                    /* how many it owns */
};

/* What is seen; NULL: not known (and `add` is false, or there is no memory). Not for addresses. */
struct cushim__known *cushim__known_handle(enum cushim__noun noun, uint64_t value, bool add);

/* The same, of what the driver has given back: what has gone is not meant. */
struct cushim__known *cushim__known_given(enum cushim__noun noun, uint64_t value);

/* The allocation or global that an address lies in; NULL: none. */
struct cushim__known *cushim__known_memory(uint64_t address);

/* Something that has begun: whatever had this value, or lay there, has not. NULL: no memory. */
struct cushim__known *cushim__known_make(enum cushim__noun noun, uint64_t value, uint64_t bytes);
void cushim__known_own(struct cushim__known *owner, struct cushim__known *owned);

/* It is destroyed, and so is what it owns. */
void cushim__known_end(struct cushim__known *known);
void cushim__known_end_owned(const struct cushim__known *owner);

/* The primary context of a device; NULL: not known. */
struct cushim__known *cushim__known_primary(int device);

/* Those of a noun: the one after `previous` (NULL: the first). */
struct cushim__known *cushim__known_next(enum cushim__noun noun,
                                         const struct cushim__known *previous);

/* What is live. */
struct cushim__known_counts {
    size_t handles, allocations;
    uint64_t bytes;
};
struct cushim__known_counts cushim__known_count(void);

/* The tag of a handle, an address, something known. */
struct cushim__tag cushim__known_tag(const struct cushim__known *known);

/* Forget everything; tags begin with 1 again. */
void cushim__known_clear(void);

#endif
