/* SPDX-License-Identifier: Apache-2.0 */
/* What the project is for: two halves of an image become one, in the memory of the GPU. */
#ifndef BLEND_H
#define BLEND_H

#include <stddef.h>

#include <cushim/cushim.h>

/* Both halves have `bytes`, the image twice as many. In the current context. */
CUresult blend(unsigned char *image, const unsigned char *top, const unsigned char *bottom,
               size_t bytes);

#endif
