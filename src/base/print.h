/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Print to standard error, but not through the program's `stderr`, which may be buffered or of wide
 * characters. Each text is one write, so those of several threads and processes do not mix.
 */
#ifndef CUSHIM_SRC_BASE_PRINT_H
#define CUSHIM_SRC_BASE_PRINT_H

void cushim__print(const char *text);

/* The same with a format; what does not fit into 4,096 bytes is cut. */
#if defined(__GNUC__)
__attribute__((format(__printf__, 1, 2)))
#endif
void cushim__print_format(const char *format, ...);

#endif
