/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handles and allocations that the layer has seen, by object type and value. The table knows
 * the tags by which recordings and messages name them, and where the program created them if it
 * did. All of it is under the layer's lock.
 */
#ifndef CUSHIM_LAYER_HANDLE_TABLE_H
#define CUSHIM_LAYER_HANDLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/call_site.h"
#include "src/base/tree.h"
#include "src/driver_api/object_type.h"

/* How recordings and messages name a handle or an address. */
struct cushim__tag {
    uint64_t offset;      /* of addresses */
    uint32_t number;      /* 0 for `address?` and for values that the driver defines */
    uint8_t type;         /* enum cushim__object_type; CUSHIM__NO_TYPE if it is no handle */
    uint8_t is_destroyed; /* the handle of an object that was destroyed */
};

/* The call that created something, and where the program made the call. */
struct cushim__maker {
    unsigned slot;
    struct cushim__call_place place;
};

struct cushim__handle {
    struct cushim__tree_node node; /* first member */
    uint64_t value;                /* the handle, or the address of its first byte */
    uint64_t bytes;                /* of memory and globals */
    enum cushim__object_type type;
    uint32_t number;
    bool is_live;           /* the program has created it and not released it */
    bool is_destroyed;      /* the value may be used again, for another object */
    bool is_ending;         /* a call that is under way destroys it; set for check only */
    bool is_returned;       /* the driver has returned it; else a program has only passed it */
    bool is_held_elsewhere; /* a primary context with a reference that was not seen to be taken */
    uint8_t ended_with;     /* type of the object that it was destroyed with, or CUSHIM__NO_TYPE */
    uint64_t uses;          /* references that the program has to release */
    int device;             /* of a primary context; otherwise -1 */
    void *order;            /* what check knows of the object, until it forgets it; or NULL */
    struct cushim__maker maker;
    struct cushim__maker retainer; /* took the program's last reference to a primary context */
    struct cushim__maker ender;    /* the call that destroys it; set for check only */
    struct cushim__handle *owner;  /* with which this object is destroyed; NULL if not known */
    struct cushim__handle *next_destroyed, *previous_destroyed; /* in the order of destruction */
    struct cushim__handle *first_owned, *next_owned,
        *previous_owned; /* the objects that it owns; its neighbours in its owner's list */
};

/*
 * Find a handle, not an address; if `may_add`, add it if it is not in the table. Returns NULL if it
 * is not there, or if memory runs out.
 */
struct cushim__handle *cushim__handle_find(enum cushim__object_type type, uint64_t value,
                                           bool may_add);

/* The same for a handle that the driver has just returned, and so is not of a destroyed object. */
struct cushim__handle *cushim__handle_returned(enum cushim__object_type type, uint64_t value);

/*
 * The allocation or global that contains an address, or NULL. If the table keeps destroyed memory,
 * it may be such.
 */
struct cushim__handle *cushim__handle_at(uint64_t address);

/*
 * Forget the destroyed memory from `start` up to the next object that exists, because a new object
 * of unknown size begins at `start` and may cover it.
 */
void cushim__handle_forget_destroyed(uint64_t start);

/* Add a new object and forget what had this value or lay there. NULL if memory runs out. */
struct cushim__handle *cushim__handle_create(enum cushim__object_type type, uint64_t value,
                                             uint64_t bytes);
void cushim__handle_own(struct cushim__handle *owner, struct cushim__handle *owned);

/* Note that an object and what it owns are destroyed; or only what it owns. */
void cushim__handle_destroy(struct cushim__handle *object);
void cushim__handle_destroy_owned(const struct cushim__handle *owner);

/* The primary context of a device, or NULL if it is not in the table. */
struct cushim__handle *cushim__handle_of_primary(int device);

/* The next object of a type after `previous`, or the first if that is NULL. */
struct cushim__handle *cushim__handle_next(enum cushim__object_type type,
                                           const struct cushim__handle *previous);

/* The tag of an object, and a tag as text: `stream#2`, `memory#1+256`, `NULL`, `address?`, ... */
struct cushim__tag cushim__handle_tag(const struct cushim__handle *object);
void cushim__tag_text(const struct cushim__tag *tag, uint64_t value, char *text, size_t size);

/*
 * Keep more destroyed objects, and memory too, until something else lies there or the table is
 * cleared. `forget` is called for each object that is removed from the table. If it is NULL, keep
 * no more than by default.
 */
void cushim__handles_keep(void (*forget)(struct cushim__handle *object));

/* Remove an object from the table, which then no longer knows that it existed. */
void cushim__handle_forget(struct cushim__handle *object);

/* Forget everything, including given names; tags count from 1 again. */
void cushim__handles_clear(void);

#endif
