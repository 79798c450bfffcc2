# SPDX-License-Identifier: Apache-2.0
"""For tests: what a driver exports, one macro call per symbol of the registry.

The C file that includes the output says what a symbol is (EXPORT), how new the driver is
(DRIVER_VERSION) and what it lacks (LACK_cuName). Symbols that need a body of their own are left out
by defining OWN_cuName.
"""

from prototypes import HEAD

INTRODUCTION = '''/*
 * EXPORT(symbol, number in slot order, name for cuGetProcAddress, version, per-thread stream)
 */
'''


def emit_driver(rows):
    lines = [HEAD + INTRODUCTION]
    for index, row in enumerate(rows):
        lines.append('#if DRIVER_VERSION >= %d && !defined(LACK_%s) && !defined(OWN_%s)'
                     % (row.since, row.symbol, row.symbol))
        lines.append('EXPORT(%s, %d, %s, %d, %d)'
                     % (row.symbol, index, row.base, row.since, row.per_thread))
        lines.append('#endif')
    return '\n'.join(lines + [''])
