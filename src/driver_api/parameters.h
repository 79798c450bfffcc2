/* SPDX-License-Identifier: Apache-2.0 */
/* What the registry says about the driver's functions: parameters, and when they may be called. */
#ifndef CUSHIM_DRIVER_API_PARAMETERS_H
#define CUSHIM_DRIVER_API_PARAMETERS_H

#include <stdbool.h>
#include <stdint.h>

/* What a parameter is, and so what its value holds. */
enum cushim__parameter_kind {
    CUSHIM__PARAMETER_HANDLE,      /* CUevent, ...: the handle */
    CUSHIM__PARAMETER_HANDLE_OUT,  /* CUevent *: where a handle is, or is to be written */
    CUSHIM__PARAMETER_ADDRESS,     /* CUdeviceptr: the address */
    CUSHIM__PARAMETER_ADDRESS_OUT, /* CUdeviceptr *: where an address is, or is to be written */
    CUSHIM__PARAMETER_SIGNED,      /* int and enumerations: sign-extended */
    CUSHIM__PARAMETER_UNSIGNED,    /* unsigned, size_t and the like */
    CUSHIM__PARAMETER_FLOAT,       /* float: its bits */
    CUSHIM__PARAMETER_TEXT,        /* const char *: the pointer */
    CUSHIM__PARAMETER_POINTER,     /* to anything else: the pointer itself */
    CUSHIM__PARAMETER_STRUCT,      /* by value: 0 */
};

struct cushim__parameter {
    const char *name, *type; /* as in the registry; the type of a handle without its star */
    enum cushim__parameter_kind kind;
    bool is_unfollowed; /* a pointer that must not be followed after the call */
};

/* Generated: the parameters of all slots, and the first of each slot (one more than slots). */
extern const struct cushim__parameter cushim__parameters[];
extern const uint16_t cushim__parameter_first[];

static inline unsigned cushim__parameter_count(unsigned slot)
{
    return (unsigned)(cushim__parameter_first[slot + 1] - cushim__parameter_first[slot]);
}

static inline const struct cushim__parameter *cushim__parameter_at(unsigned slot, unsigned index)
{
    return &cushim__parameters[cushim__parameter_first[slot] + index];
}

/* Flags that say when a function may be called. */
enum {
    CUSHIM__BEFORE_INIT = 1,        /* works before cuInit */
    CUSHIM__IN_HOST_FUNCTION = 2,   /* may be called by a host function; others return 800 there */
    CUSHIM__AFTER_STICKY_ERROR = 4, /* works after a sticky error */
    CUSHIM__AFTER_FORK = 8,         /* works in the child of a process that had called cuInit */
    /* Before cuInit, the function checks its arguments first, and its result for them counts. */
    CUSHIM__ARGUMENTS_FIRST = 16,
};

uint8_t cushim__call_rules(unsigned slot);

#endif
