/* SPDX-License-Identifier: Apache-2.0 */
/* What the layer has seen of a call: its arguments with their tags, and what the driver wrote. */
#ifndef CUSHIM_LAYER_RECORDING_SEEN_H
#define CUSHIM_LAYER_RECORDING_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/testing/recording.h>

#include "src/layer/decoder.h"
#include "src/layer/handle_table.h"

enum {
    CUSHIM__TEXT_SHOWN = 40, /* bytes of a text */
    CUSHIM__TEXTS = 2 * (CUSHIM__TEXT_SHOWN + 2),
};

struct cushim__argument {
    uint64_t value, written;
    struct cushim__tag tag; /* of the handle or address: passed, or written */
    bool is_written;
    uint8_t text; /* where its text begins in `texts`, counted from 1; 0: it is none */
};

struct cushim__seen {
    bool is_filled;    /* somebody has asked for it when the call began */
    uint64_t recorded; /* its number in the recording; 0: it is in none */
    uint8_t texts_used;
    struct cushim__argument arguments[CUSHIM_RECORDED_ARGUMENTS];
    char texts[CUSHIM__TEXTS]; /* each closed by NUL, or by \1 if it goes on */
};

struct cushim__call;
struct cushim__parameter;

/* What a slot's parameters are. */
unsigned cushim__seen_count(unsigned slot);
const struct cushim__parameter *cushim__seen_parameter(unsigned slot, unsigned index);

struct cushim__reading cushim__seen_reading(unsigned slot, unsigned index);

/* A call begins: look at what is passed. */
void cushim__seen_begin(struct cushim__seen *seen, const struct cushim__call *call);

/* It has ended: look at what is written, and keep book of what is made and destroyed. */
void cushim__seen_end(struct cushim__seen *seen, const struct cushim__call *call, CUresult answer);

/* An argument as the recording shows it behind its name: `-> event#1`, `=2`, or nothing. */
void cushim__seen_show(const struct cushim__seen *seen, unsigned slot, unsigned index, char *text,
                       size_t size);

/* Its tag or text alone; "": it has none. */
void cushim__seen_tag(const struct cushim__seen *seen, unsigned slot, unsigned index, char *text,
                      size_t size);

#endif
