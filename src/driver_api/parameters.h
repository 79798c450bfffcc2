/* SPDX-License-Identifier: Apache-2.0 */
/* What the registry says about the parameters of the driver's functions. */
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
    bool is_unfollowed;    /* a pointer that must not be followed after the call */
    uint8_t failure_bytes; /* how many a failing call writes there: enum cushim__failure */
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

#endif
