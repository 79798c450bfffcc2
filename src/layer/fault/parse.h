/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of faults as text: `SITE[@devN][:CONDITION,...] => EFFECT`. */
#ifndef CUSHIM_LAYER_FAULT_PARSE_H
#define CUSHIM_LAYER_FAULT_PARSE_H

#include "src/base/lines.h"
#include "src/layer/fault/rule.h"

/*
 * Read a rule from a part of the current line. On a refusal the message of `lines` says where and
 * why. CUDA_SUCCESS or INVALID_VALUE.
 */
CUresult cushim__fault_read(struct cushim__fault_rule *rule, const struct cushim__word *text,
                            const struct cushim__lines *lines);

/* Read what a struct says; `message` as for text, without a place. */
CUresult cushim__fault_take(struct cushim__fault_rule *rule, const struct cushim_fault *fault,
                            char *message, size_t message_size);

/* Write a rule so that it reads as the same. */
void cushim__fault_write(const struct cushim__fault_rule *rule, char text[CUSHIM__FAULT_TEXT]);

#endif
