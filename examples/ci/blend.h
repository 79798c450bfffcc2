/* SPDX-License-Identifier: Apache-2.0 */
/* Combine two halves of an image in the memory of the GPU. */
#ifndef BLEND_H
#define BLEND_H

#include <stddef.h>

#include <cushim/cushim.h>

/* Each half has `bytes`, and the image twice as many. Uses the current context. */
CUresult blend(unsigned char *image, const unsigned char *top, const unsigned char *bottom,
               size_t bytes);

#endif
