/* SPDX-License-Identifier: Apache-2.0 */
/* Sites: names and patterns of functions, and kinds of operations. */
#ifndef CUSHIM_LAYER_FAULT_SITE_H
#define CUSHIM_LAYER_FAULT_SITE_H

#include <stdbool.h>

#include "src/base/lines.h"

/* What the site of an operation begins with. */
extern const char cushim__site_operation[];

/* The kinds of operations of the mock: the names of their classes. Ends with NULL. */
extern const char *const cushim__site_kinds[];

/* Whether there is such a site: else why not is said at its place. */
CUresult cushim__site_check(const struct cushim__lines *lines, const struct cushim__word *site);

#endif
