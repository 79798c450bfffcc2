/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_LOADER_READ_H
#define CUSHIM_LOADER_READ_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Read a part of a file, however many pieces the system makes of it. Files are read and not mapped:
 * one that somebody cuts short meanwhile is then one that ends, and no signal.
 *
 * Returns the number of bytes, which are fewer where the file ends; -1: it cannot be read, as errno
 * tells.
 */
ssize_t cushim__read_at(int file, void *bytes, size_t size, uint64_t place);

#endif
