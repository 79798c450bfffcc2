# SPDX-License-Identifier: Apache-2.0
"""For tests: one typed call of every slot, with zero arguments.

Handles and numbers are 0; pointers are what the caller hands over, NULL or scratch memory. The
compiler checks each call against the slot's type.
"""

from prototypes import EVERY_SLOT, HEAD, Spelling, wrap


def emit_calls(rows, types):
    spelling = Spelling(types)
    lines = [HEAD + '/* One call of every slot, in slot order. */',
             '#include "tests/support/calls.h"\n',
             EVERY_SLOT]
    for row in rows:
        arguments = ', '.join(
            '(%s)memory' % spelling.type(p.type) if p.type.endswith('*')
            else '(%s){0}' % spelling.type(p.type) for p in row.parameters)
        lines.append(wrap('static CUresult call_%s(const struct cushim_table *table, void *memory)'
                          % row.slot, 4))
        lines.append('{')
        lines.append('    (void)memory;')
        lines.append(wrap('return table->%s(%s);' % (row.slot, arguments), 8, '    '))
        lines.append('}\n')
    lines.append('const cushim_call cushim_calls[] = {')
    lines += ['    call_%s,' % row.slot for row in rows]
    return '\n'.join(lines + ['};', '', 'const size_t cushim_call_count = %d;' % len(rows), ''])
