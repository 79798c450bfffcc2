# SPDX-License-Identifier: Apache-2.0
"""The lazy-load table: every slot loads the driver, then forwards the call or returns the error.

With it stand the anchors, which only what has this table may have.
"""

from prototypes import EVERY_SLOT, HEAD, Spelling, arguments, function, table, wrap

THUNKS = '''#if CUSHIM__THUNKS
CUSHIM__LAZY_THUNKS(%d);

cushim_function (*const cushim__lazy_link)(unsigned symbol) = cushim__lazy_target;
#else
'''

# Where there is no driver, the registry answers these.
ANSWERED = {'GetErrorName': 'cushim__get_error_name', 'GetErrorString': 'cushim__get_error_string'}


def without_driver(row):
    if row.slot in ANSWERED:
        return '%s(%s)' % (ANSWERED[row.slot], arguments(row))
    return 'cushim__return_load_error()'


def anchors(counts):
    return ('\n/* Programs that were compiled with that many slots refer to these. */'
            + ''.join('\nvoid cushim_slots_%d(void)\n{\n}\n' % count for count in counts))


def emit_lazy(rows, types, counts):
    spelling = Spelling(types)
    lines = [HEAD + '/* The lazy-load table: each slot loads the driver, then forwards the call. */',
             '#include "loader/loader.h"\n',
             EVERY_SLOT,
             THUNKS % len(rows)]
    for row in rows:
        call = 'driver->%s(%s)' % (row.slot, arguments(row))
        lines += function('lazy', row, spelling, [
            '    const struct cushim_table *driver = cushim__load_lazily();',
            wrap('return driver ? %s : %s;' % (call, without_driver(row)), 8, '    ')])
    return ('\n'.join(lines) + '\n' + table('lazy', rows, 'cushim__lazy_table') + '#endif\n'
            + anchors(counts))
