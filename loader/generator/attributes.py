# SPDX-License-Identifier: Apache-2.0
"""What the numbers of device attributes and limits are called, without their common prefix."""

from prototypes import HEAD
from rows import ATTRIBUTE_PREFIXES

NAMES = {'device': 'attribute', 'limit': 'limit'}

SHAPE = '''
#ifndef CUSHIM_LOADER_ATTRIBUTES_H
#define CUSHIM_LOADER_ATTRIBUTES_H

%(counts)s
/* In arrays as wide as the longest: pointers would cost a relocation each. */
struct cushim__attribute {
    unsigned number;
    char name[%(width)d];
};
'''

TABLE = '''
/* Ascending by number; %(prefix)s stands before each name. */
static const struct cushim__attribute cushim__%(name)ss[CUSHIM__%(macro)s_COUNT] = {
%(entries)s};
'''


def emit_attributes(attributes):
    kinds = {kind: [row for row in attributes if row.kind == kind] for kind in NAMES}
    counts = ''.join('#define CUSHIM__%s_COUNT %d\n' % (NAMES[kind].upper(), len(rows))
                     for kind, rows in kinds.items())
    width = max(len(row.name) for row in attributes) + 1
    return (HEAD + SHAPE % {'counts': counts, 'width': width}
            + ''.join(table(kind, rows) for kind, rows in kinds.items()) + '\n#endif\n')


def table(kind, rows):
    return TABLE % {
        'prefix': ATTRIBUTE_PREFIXES[kind],
        'name': NAMES[kind],
        'macro': NAMES[kind].upper(),
        'entries': ''.join('    {%d, "%s"},\n' % (row.number, row.name) for row in rows),
    }
