/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handles and allocations that the layer has seen, by object type and value: the tags by which
 * recordings and messages name them, and, of those that the program has created, where it did.
 * All of it is under the layer's lock.
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
    uint32_t number;      /* 0: `address?`, or a value that the driver defines */
    uint8_t type;         /* enum cushim__object_type; CUSHIM__NO_TYPE: it is no handle */
    uint8_t is_destroyed; /* the handle of an object that was destroyed */
};

/* Which call has created something, and where the program made it. */
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
    bool is_destroyed;      /* the value may come again, and is another object then */
    bool is_ending;         /* a call that is under way destroys it; only if check wants to know */
    bool is_returned;       /* the driver has given it: not only has a program passed it */
    bool is_held_elsewhere; /* a primary context: a reference of it was not seen to be taken */
    uint8_t ended_with; /* type of the object that it was destroyed with; CUSHIM__NO_TYPE: none */
    uint64_t uses;      /* references that the program has to release */
    int device;         /* of a primary context; -1: it is none */
    void *order;        /* check's: what it knows of the object, until it forgets it; or NULL */
    struct cushim__maker maker;
    struct cushim__maker retainer; /* of a primary context: the program's last reference */
    struct cushim__maker ender;    /* if check wants to know: has destroyed it */
    struct cushim__handle *owner;  /* is destroyed with this; NULL: not known */
    struct cushim__handle *next_destroyed, *previous_destroyed; /* in the order of destruction */
    struct cushim__handle *first_owned, *next_owned,
        *previous_owned; /* what it owns; of one owner */
};

/* Not for addresses. NULL: it is not in the table, and not added, or there is no memory. */
struct cushim__handle *cushim__handle_find(enum cushim__object_type type, uint64_t value,
                                           bool may_add);

/* The same for a handle that the driver has just returned, and so means no destroyed object. */
struct cushim__handle *cushim__handle_returned(enum cushim__object_type type, uint64_t value);

/*
 * The allocation or global that an address lies in; NULL: none. If destroyed memory is kept it may
 * be that.
 */
struct cushim__handle *cushim__handle_at(uint64_t address);

/*
 * Something begins there, and how far it goes is not known: destroyed memory from there up to the
 * next that exists may be none any more.
 */
void cushim__handle_forget_destroyed(uint64_t start);

/* A new object: whatever had this value, or lay there, no longer exists. NULL: no memory. */
struct cushim__handle *cushim__handle_create(enum cushim__object_type type, uint64_t value,
                                             uint64_t bytes);
void cushim__handle_own(struct cushim__handle *owner, struct cushim__handle *owned);

/* It is destroyed, and so is what it owns; or that alone. */
void cushim__handle_destroy(struct cushim__handle *object);
void cushim__handle_destroy_owned(const struct cushim__handle *owner);

/* The primary context of a device; NULL: not in the table. */
struct cushim__handle *cushim__handle_of_primary(int device);

/* The next of a type after `previous`; NULL for `previous`: the first. */
struct cushim__handle *cushim__handle_next(enum cushim__object_type type,
                                           const struct cushim__handle *previous);

/* `stream#2`, `memory#1+256`, `NULL`, `CU_STREAM_LEGACY`, `address?` or the program's name. */
struct cushim__tag cushim__handle_tag(const struct cushim__handle *object);
void cushim__tag_text(const struct cushim__tag *tag, uint64_t value, char *text, size_t size);

/*
 * Keep more of what was destroyed, and memory, too, until something else lies there. It begins anew
 * with each table. `forget` is called of each object that is not known any longer; NULL: keep as
 * much as before.
 */
void cushim__handles_keep(void (*forget)(struct cushim__handle *object));

/* No longer known: not what it was, and not that it was destroyed. */
void cushim__handle_forget(struct cushim__handle *object);

/* Forget everything, names too; tags begin with 1 again. */
void cushim__handles_clear(void);

#endif
