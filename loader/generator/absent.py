# SPDX-License-Identifier: Apache-2.0
"""Tables of refusals: the process has no driver (absent), or the driver lacks one symbol (missing).

The functions take the parameters of their slot and ignore them, so that a call through the slot is
a call of the right type.
"""

from prototypes import HEAD, Spelling, table, wrap


def emit_absent(rows, types):
    return refusals('absent', 'without a driver: each slot returns the reason', rows, types,
                    lambda index: 'cushim__absent()')


def emit_missing(rows, types):
    return refusals('missing', 'of slots for symbols that a driver lacks', rows, types,
                    lambda index: 'cushim__missing(%du)' % index)


def refusals(kind, purpose, rows, types, answer):
    spelling = Spelling(rows, types)
    lines = [HEAD + '/* The table %s. */' % purpose, '#include "loader/tables.h"\n']
    for index, row in enumerate(rows):
        lines.append(wrap('static CUresult CUDAAPI %s_%s(%s)' % (kind, row.slot,
                                                                 spelling.parameters(row)), 4))
        lines.append('{')
        lines += ['    (void)%s;' % p.name for p in row.parameters]
        lines.append('    return %s;' % answer(index))
        lines.append('}\n')
    return '\n'.join(lines) + '\n' + table(kind, rows, 'cushim__%s_table' % kind)
