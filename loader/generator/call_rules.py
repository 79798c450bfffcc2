# SPDX-License-Identifier: Apache-2.0
"""When which function of the driver may be called, by slot."""

from prototypes import HEAD

FLAGS = {
    'before-init': 'CUSHIM__BEFORE_INIT',
    'arguments-first': 'CUSHIM__ARGUMENTS_FIRST',
    'in-host-function': 'CUSHIM__IN_HOST_FUNCTION',
    'after-sticky-error': 'CUSHIM__AFTER_STICKY_ERROR',
    'after-fork': 'CUSHIM__AFTER_FORK',
}

SHAPE = '''
#include "src/driver_api/parameters.h"

/* In slot order. */
static const uint8_t rules[] = {
%s};

uint8_t cushim__call_rules(unsigned slot)
{
    return rules[slot];
}
'''


def emit_call_rules(rows, rules):
    """`rules` maps symbols to the names of rules; a twin follows those of the function itself."""
    bases = {row.twin: row.symbol for row in rows if row.twin}
    lines = []
    for row in rows:
        names = rules.get(bases.get(row.symbol, row.symbol), ())
        lines.append('    %s, /* %s */\n' % (' | '.join(FLAGS[name] for name in names) or '0',
                                             row.symbol))
    return HEAD + SHAPE % ''.join(lines)
