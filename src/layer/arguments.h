/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoded arguments of calls: what the program passed, and what the driver has written. Handles
 * and addresses get the tags of the handle table.
 */
#ifndef CUSHIM_LAYER_ARGUMENTS_H
#define CUSHIM_LAYER_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/testing/recording.h>

#include "src/base/text.h"
#include "src/driver_api/parameters.h"
#include "src/layer/handle_table.h"

/* How the value of a parameter is decoded. */
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

struct cushim__decoder {
    uint8_t form; /* enum cushim__form */
    uint8_t type; /* enum cushim__object_type */
};

/* The decoders of all parameters are made once, under the layer's lock. */
void cushim__decoders_prepare(void);
struct cushim__decoder cushim__decoder_of(unsigned slot, unsigned index);

/* Read the value that the driver has written to `where`. False if that is NULL or not written. */
bool cushim__written_read(struct cushim__decoder decoder, uint64_t where, uint64_t *value);

enum {
    CUSHIM__TEXT_SHOWN = 40, /* bytes of a text */
    CUSHIM__TEXTS = 2 * (CUSHIM__TEXT_SHOWN + 2),
};

struct cushim__argument {
    uint64_t value, written;
    struct cushim__tag tag; /* of the handle or address that was passed, or written */
    bool is_written;
    uint8_t text; /* where its text begins in `texts`, counted from 1; 0 if it has none */
};

struct cushim__arguments {
    bool is_decoded;   /* a subscriber wanted decoded arguments when the call began */
    uint64_t recorded; /* number of the call in the recording; 0 if it is not recorded */
    uint8_t texts_used;
    struct cushim__argument list[CUSHIM_RECORDED_ARGUMENTS];
    char texts[CUSHIM__TEXTS]; /* each ends with NUL, or with \1 if it was cut */
};

struct cushim__call;

/*
 * Note that a subscriber begins or ceases to want decoded arguments. While none wants them, the
 * layer does not follow handles, so the next subscriber begins with an empty table. All of this is
 * under the layer's lock.
 */
void cushim__decoding_begin(unsigned subscription);
void cushim__decoding_stop(unsigned subscription);

/* Forget the handles when the layer ends. */
void cushim__decoding_end(void);

/*
 * Decode what is passed when a call begins. When it ends, decode what was written and update the
 * leak tracker.
 */
void cushim__arguments_decode(struct cushim__call *call);
void cushim__arguments_decode_results(struct cushim__call *call, CUresult answer);

/* Print the tag or text of an argument, or "" if it has none. */
void cushim__argument_tag(const struct cushim__arguments *arguments, unsigned slot, unsigned index,
                          char *text, size_t size);

/* Print a call, such as `cuEventCreate(phEvent -> event#1, Flags=2)`. */
void cushim__arguments_print(struct cushim__text *text, unsigned slot,
                             const struct cushim__arguments *arguments);

#endif
