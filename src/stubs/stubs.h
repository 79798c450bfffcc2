/* SPDX-License-Identifier: Apache-2.0 */
/* How a stub is defined. The generated stubs.c has the stubs. */
#ifndef CUSHIM_STUBS_H
#define CUSHIM_STUBS_H

#include <cushim/driver.h>

/*
 * Hidden, so that the linked file keeps the stubs to itself, whatever it exports. Weak, so that a
 * program may define a function of the driver itself. Windows has no such attributes that its
 * linkers respect in a library; there the linker decides whether to allow a second definition.
 */
#if defined(__ELF__)
#define CUSHIM__STUB __attribute__((visibility("hidden"), weak))
#else
#define CUSHIM__STUB
#endif

#endif
