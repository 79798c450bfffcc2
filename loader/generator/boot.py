# SPDX-License-Identifier: Apache-2.0
"""The boot table: every slot loads the driver, then forwards the call."""

from prototypes import HEAD, Spelling, table, wrap


def emit_boot(rows, types):
    spelling = Spelling(rows, types)
    lines = [HEAD + '/* The boot table: each slot loads the driver, then forwards the call. */',
             '#include "loader/tables.h"\n']
    for row in rows:
        lines.append(wrap('static CUresult CUDAAPI boot_%s(%s)' % (row.slot,
                                                                   spelling.parameters(row)), 4))
        lines.append('{')
        lines.append(wrap('return cushim__first_use()->%s(%s);' % (
            row.slot, ', '.join(p.name for p in row.parameters)), 8, '    '))
        lines.append('}\n')
    return '\n'.join(lines) + '\n' + table('boot', rows, 'cushim__boot_table')
