# SPDX-License-Identifier: Apache-2.0
"""What the loader knows of each slot: name, base name, version, fallback.

All names stand in one string and are reached by offset: an array of pointers would cost a plugin
one relocation per symbol.
"""

from prototypes import HEAD


def emit_symbols(rows):
    numbers = {row.symbol: index for index, row in enumerate(rows)}
    names, entries, offset = [], [], 0
    for row in rows:
        if not row.symbol.startswith(row.base):
            raise ValueError('%s: its base name %s is no prefix' % (row.symbol, row.base))
        flags = [text for text, on in (('CUSHIM__PER_THREAD', row.per_thread),
                                       ('CUSHIM__INTEROP', row.interop),
                                       ('CUSHIM__WINDOWS', row.platform == 'windows')) if on]
        fallback = str(numbers[row.fallback]) if row.fallback else 'CUSHIM__NO_FALLBACK'
        names.append('    "%s\\0"' % row.symbol)
        entries.append('    {%d, %d, %s, %d, %s},' % (offset, row.since, fallback, len(row.base),
                                                      ' | '.join(flags) or '0'))
        offset += len(row.symbol) + 1
    if offset > 0xffff:
        raise ValueError('the names no longer fit 16-bit offsets: widen cushim__symbol.name')
    return '\n'.join([
        HEAD + '/* What the loader knows of each slot, in slot order. See loader/symbols.h. */',
        '#include "loader/symbols.h"\n',
        '#if defined(__GNUC__)',
        '#pragma GCC diagnostic ignored "-Woverlength-strings"',
        '#endif\n',
        'const char cushim__symbol_names[] =',
        '\n'.join(names) + ';\n',
        'const struct cushim__symbol cushim__symbols[CUSHIM__SYMBOL_COUNT] = {',
        '\n'.join(entries),
        '};\n'])
