# SPDX-License-Identifier: Apache-2.0
"""For tests: one typed call of every slot, and what a driver exports."""

from prototypes import EVERY_SLOT, HEAD, Spelling, wrap

EXPORTS = '''/*
 * EXPORT(symbol, number in slot order, name for cuGetProcAddress, version, per-thread stream)
 */
'''


def emit_calls(rows, types):
    """With zero arguments, which the compiler checks against the slot's type.

    Handles and numbers are 0; pointers are what the caller hands over, NULL or scratch memory.
    """
    spelling = Spelling(types)
    lines = [HEAD + '/* One call of every slot, in slot order. */',
             '#include "tests/support/calls.h"\n',
             EVERY_SLOT]
    for row in rows:
        arguments = ', '.join(
            '(%s)memory' % spelling.type(p.type) if p.type.endswith('*')
            else '(%s){0}' % spelling.type(p.type) for p in row.parameters)
        lines += [wrap('static CUresult call_%s(const struct cushim_table *table, void *memory)'
                       % row.slot, 4),
                  '{', '    (void)memory;',
                  wrap('return table->%s(%s);' % (row.slot, arguments), 8, '    '), '}\n']
    lines.append('const cushim_call cushim_calls[] = {')
    lines += ['    call_%s,' % row.slot for row in rows]
    return '\n'.join(lines + ['};', '', 'const size_t cushim_call_count = %d;' % len(rows), ''])


def emit_driver(rows):
    """One macro call per symbol of the registry.

    The C file that includes the output says what a symbol is (EXPORT), how new the driver is
    (DRIVER_VERSION) and what it lacks (LACK_cuName). Symbols that need a body of their own are left
    out by defining OWN_cuName.
    """
    lines = [HEAD + EXPORTS]
    for index, row in enumerate(rows):
        lines += ['#if DRIVER_VERSION >= %d && !defined(LACK_%s) && !defined(OWN_%s)'
                  % (row.since, row.symbol, row.symbol),
                  'EXPORT(%s, %d, %s, %d, %d)'
                  % (row.symbol, index, row.base, row.since, row.per_thread),
                  '#endif']
    return '\n'.join(lines + [''])
