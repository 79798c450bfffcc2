/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions between the UTF-16 of Windows and the UTF-8 of all other code. */
#ifndef CUSHIM_SRC_BASE_WIDE_WINDOWS_H
#define CUSHIM_SRC_BASE_WIDE_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/report.h>

/* Units for every path that fits a report, since UTF-16 has no more units than UTF-8 has bytes. */
enum { CUSHIM__WIDE_PATH = CUSHIM_REPORT_PATH_BYTES };

/* Convert to UTF-16. Returns false if the text is too long or not valid UTF-8. */
bool cushim__wide_from(const char *text, wchar_t *wide, size_t units);

/* The same for a path, with backslashes, which every call accepts. */
bool cushim__wide_path(const char *path, wchar_t *wide, size_t units);

/* Convert to UTF-8; text that does not fit ends in `...`. */
void cushim__wide_to(const wchar_t *wide, char *text, size_t size);

/* The system's message for an error, without its full stop and line end. */
void cushim__wide_message(unsigned long error, char *text, size_t size);

#endif
