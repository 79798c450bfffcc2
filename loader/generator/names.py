# SPDX-License-Identifier: Apache-2.0
"""Headers of names and numbers, for what prints or reads them; the loader needs none of these."""

from prototypes import HEAD
from rows import ATTRIBUTE_PREFIXES, version_text

ATTRIBUTES = {'device': 'attribute', 'limit': 'limit'}

HEADER = HEAD + '''
#ifndef CUSHIM_LOADER_%(guard)s_H
#define CUSHIM_LOADER_%(guard)s_H
%(text)s
#endif
'''

VERSIONS = '''
/* The newest version of CUDA that the registry has. */
#define CUSHIM__NEWEST_VERSION %d
#define CUSHIM__NEWEST_VERSION_TEXT "%s"
'''

GROUPS = '''
#include <stdint.h>

static const char *const cushim__groups[] = {
%s};

/* The number of its group for each slot, in slot order. */
static const uint8_t cushim__slot_groups[] = {
%s};
'''

# What names of <cuda.h> mean against the rule.
MEANINGS = '''
static const struct {
    const char *name;
    int major;
    unsigned slot;
} cushim__meanings[] = {
%s};
'''

WIDTH = '''
/* In arrays as wide as the longest: pointers would cost a relocation each. */
struct cushim__attribute {
    unsigned number;
    char name[%d];
};
'''

TABLE = '''
/* Ascending by number; %(prefix)s stands before each name. */
static const struct cushim__attribute cushim__%(name)ss[CUSHIM__%(macro)s_COUNT] = {
%(entries)s};
'''


def emit_versions(newest):
    return HEADER % {'guard': 'VERSIONS', 'text': VERSIONS % (newest, version_text(newest))}


def emit_groups(rows):
    """Which section of the driver API each slot belongs to."""
    names = sorted({row.group for row in rows})
    numbers = ''.join('    %d, /* %s */\n' % (names.index(row.group), row.symbol) for row in rows)
    return HEADER % {'guard': 'GROUPS', 'text': GROUPS % (
        ''.join('    "%s",\n' % name for name in names), numbers)}


def emit_meanings(rows, meanings):
    numbers = {row.symbol: number for number, row in enumerate(rows)}
    return HEADER % {'guard': 'MEANINGS', 'text': MEANINGS % ''.join(
        '    {"%s", %d, %d}, /* %s */\n' % (one.name, one.major, numbers[one.symbol], one.symbol)
        for one in meanings)}


def emit_attributes(attributes):
    """What the numbers of device attributes and limits are called, without their prefix."""
    kinds = {kind: [row for row in attributes if row.kind == kind] for kind in ATTRIBUTES}
    counts = '\n' + ''.join('#define CUSHIM__%s_COUNT %d\n' % (ATTRIBUTES[kind].upper(), len(rows))
                            for kind, rows in kinds.items())
    width = WIDTH % (max(len(row.name) for row in attributes) + 1)
    return HEADER % {'guard': 'ATTRIBUTES', 'text': counts + width + ''.join(TABLE % {
        'prefix': ATTRIBUTE_PREFIXES[kind],
        'name': ATTRIBUTES[kind],
        'macro': ATTRIBUTES[kind].upper(),
        'entries': ''.join('    {%d, "%s"},\n' % (row.number, row.name) for row in rows),
    } for kind, rows in kinds.items())}
