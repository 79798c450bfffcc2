/* SPDX-License-Identifier: Apache-2.0 */
/* How a stub is defined: see the generated stubs.c. */
#ifndef CUSHIM_STUBS_H
#define CUSHIM_STUBS_H

#include <cushim/driver.h>

/*
 * Hidden: the file that is linked keeps them for itself, whatever it exports. Weak: a program that
 * defines a function of the driver itself means its own. Windows' object files have no such words
 * that its linkers heed in a library: there a second definition is the linker's to allow.
 */
#if defined(__ELF__)
#define CUSHIM__STUB __attribute__((visibility("hidden"), weak))
#else
#define CUSHIM__STUB
#endif

#endif
