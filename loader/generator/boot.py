# SPDX-License-Identifier: Apache-2.0
"""The boot table: every slot loads the driver, then forwards the call or says why there is none."""

from prototypes import HEAD, Spelling, arguments, table, wrap

THUNKS = '''#if CUSHIM__THUNKS
CUSHIM__BOOT_THUNKS(%d);

cushim_function (*const cushim__boot_link)(unsigned symbol) = cushim__boot_target;
#else
'''


def emit_boot(rows, types):
    spelling = Spelling(rows, types)
    lines = [HEAD + '/* The boot table: each slot loads the driver, then forwards the call. */',
             '#include "loader/tables.h"\n',
             THUNKS % len(rows)]
    for row in rows:
        call = 'driver->%s(%s)' % (row.slot, arguments(row))
        lines.append(wrap('static CUresult CUDAAPI boot_%s(%s)' % (row.slot,
                                                                   spelling.parameters(row)), 4))
        lines.append('{')
        lines.append('    const struct cushim_table *driver = cushim__first_use();')
        lines.append(wrap('return driver ? %s : cushim__refuse();' % call, 8, '    '))
        lines.append('}\n')
    return '\n'.join(lines) + '\n' + table('boot', rows, 'cushim__boot_table') + '#endif\n'
