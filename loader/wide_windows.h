/* SPDX-License-Identifier: Apache-2.0 */
/* Windows' own UTF-16 from and to the UTF-8 of everything else here. */
#ifndef CUSHIM_LOADER_WIDE_WINDOWS_H
#define CUSHIM_LOADER_WIDE_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/report.h>

/* Room for each path that fits a report: UTF-16 has no more units than UTF-8 has bytes. */
enum { CUSHIM__WIDE_PATH = CUSHIM_REPORT_PATH_BYTES };

/* False if the text is too long or no UTF-8. */
bool cushim__wide_from(const char *text, wchar_t *wide, size_t units);

/* The same for a path: with backslashes, the only ones that every call takes. */
bool cushim__wide_path(const char *path, wchar_t *wide, size_t units);

/* Cut with dots where it does not fit. */
void cushim__wide_to(const wchar_t *wide, char *text, size_t size);

/* The system's words for an error, without a full stop and the end of the line. */
void cushim__wide_message(unsigned long error, char *text, size_t size);

#endif
