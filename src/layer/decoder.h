/* SPDX-License-Identifier: Apache-2.0 */
/* How each parameter of the driver is read: by its kind and type, but for a few that are told. */
#ifndef CUSHIM_LAYER_RECORDING_READING_H
#define CUSHIM_LAYER_RECORDING_READING_H

#include <stdbool.h>
#include <stdint.h>

enum cushim__form {
    CUSHIM__READ_POINTER, /* only whether it is NULL */
    CUSHIM__READ_HANDLE,
    CUSHIM__READ_ADDRESS,
    CUSHIM__READ_SIGNED,
    CUSHIM__READ_UNSIGNED,
    CUSHIM__READ_RESULT, /* a CUresult */
    CUSHIM__READ_FLOAT,
    CUSHIM__READ_TEXT,
    CUSHIM__READ_STRUCT,
    /* What the driver writes when it succeeds. */
    CUSHIM__WRITTEN_HANDLE,
    CUSHIM__WRITTEN_ADDRESS,
    CUSHIM__WRITTEN_SIGNED,
    CUSHIM__WRITTEN_UNSIGNED,
    CUSHIM__WRITTEN_WIDE, /* 64 bits */
    CUSHIM__WRITTEN_FLOAT,
    CUSHIM__WRITTEN_TEXT,
};

struct cushim__reading {
    uint8_t form; /* enum cushim__form */
    uint8_t noun; /* enum cushim__noun */
};

/* Of the parameter with this number in cushim__parameters. */
struct cushim__reading cushim__reading_of(unsigned parameter);

/* It is found out once, under the layer's lock. False: no memory. */
bool cushim__readings_prepare(void);
void cushim__readings_drop(void);

#endif
