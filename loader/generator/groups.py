# SPDX-License-Identifier: Apache-2.0
"""Which section of the driver API each slot belongs to: for the command, the loader needs none."""

from prototypes import HEAD

SHAPE = '''
#ifndef CUSHIM_LOADER_GROUPS_H
#define CUSHIM_LOADER_GROUPS_H

#include <stdint.h>

static const char *const cushim__groups[] = {
%(names)s};

/* The number of its group for each slot, in slot order. */
static const uint8_t cushim__slot_groups[] = {
%(numbers)s};

#endif
'''


def emit_groups(rows):
    names = sorted({row.group for row in rows})
    return HEAD + SHAPE % {
        'names': ''.join('    "%s",\n' % name for name in names),
        'numbers': ''.join('    %d, /* %s */\n' % (names.index(row.group), row.symbol)
                           for row in rows),
    }
