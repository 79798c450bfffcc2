# SPDX-License-Identifier: Apache-2.0
"""What stands in the slots of a filled table for symbols that its driver lacks.

The functions take the parameters of their slot and ignore them, so that a call through the slot is
a call of the right type.
"""

from prototypes import EVERY_SLOT, HEAD, Spelling, function, table

FIND = '''
cushim_function cushim__missing_function(unsigned symbol)
{
    cushim_function function;

    memcpy(&function, (const char *)&missing_table + sizeof(size_t) + symbol * sizeof function,
           sizeof function);
    return function;
}
#endif
'''

THUNKS = '''#if CUSHIM__THUNKS
CUSHIM__MISSING_THUNKS(%d);

/* With -flto the linker does not see that the thunks call it. */
__attribute__((used)) static CUresult (*const missing_link)(unsigned symbol) = cushim__missing;

extern const char cushim__missing_thunks[];

cushim_function cushim__missing_function(unsigned symbol)
{
    const char *address = cushim__missing_thunks + symbol * CUSHIM__THUNK_BYTES;
    cushim_function function;

    memcpy(&function, &address, sizeof function);
    return function;
}
#else
'''


def emit_missing(rows, types):
    spelling = Spelling(types)
    lines = [HEAD + '/* The functions of slots for symbols that a driver lacks. */',
             '#include "loader/loader.h"\n',
             '#include <string.h>\n',
             EVERY_SLOT,
             THUNKS % len(rows)]
    for index, row in enumerate(rows):
        lines += function('missing', row, spelling, [
            *('    (void)%s;' % p.name for p in row.parameters),
            '    return cushim__missing(%du);' % index])
    return '\n'.join(lines) + '\n' + 'static ' + table('missing', rows, 'missing_table') + FIND
