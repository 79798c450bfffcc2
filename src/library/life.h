/* SPDX-License-Identifier: Apache-2.0 */
/* How the library begins with its process, and ends with it: the system calls both. */
#ifndef CUSHIM_MOCK_LIBRARY_LIFE_H
#define CUSHIM_MOCK_LIBRARY_LIFE_H

/* library.c */
void cushim__library_begin(void);
void cushim__library_end(void);

/* Where the system has mapped the library. Windows only. */
const char *cushim__library_base(void);

#endif
