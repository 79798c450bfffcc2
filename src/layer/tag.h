/* SPDX-License-Identifier: Apache-2.0 */
/* Tags as text, and names that the program gave. Under the layer's lock. */
#ifndef CUSHIM_LAYER_RECORDING_TAG_H
#define CUSHIM_LAYER_RECORDING_TAG_H

#include <cushim/testing/recording.h>

#include "src/layer/handle_table.h"

/* `stream#2`, `memory#1+256`, `NULL`, `CU_STREAM_LEGACY`, `address?` or the program's name. */
void cushim__tag_text(const struct cushim__tag *tag, uint64_t value, char *text, size_t size);

/* Forget all names. */
void cushim__tags_clear(void);

#endif
