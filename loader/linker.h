/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_LOADER_LINKER_H
#define CUSHIM_LOADER_LINKER_H

#include <stdbool.h>

/* What is known of glibc's dynamic linker in this process. */
struct cushim__linker {
    bool has_old_subfolders; /* it is of glibc before 2.37, or of an unknown one */
    bool is_known;           /* which subfolders it tries, and that nobody leads it elsewhere */
};

struct cushim__linker cushim__linker_ask(void);

#endif
