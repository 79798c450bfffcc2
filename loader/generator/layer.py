# SPDX-License-Identifier: Apache-2.0
"""The layer: what stands in each slot of a table that watches calls.

The function of a slot hands the call on while nobody subscribes to the slot; else it passes its
arguments to the subscribers as 64-bit values. See src/layer/layer.h.
"""

from parameters import Kinds
from prototypes import EVERY_SLOT, HEAD, Spelling, arguments, function, table, wrap

INCLUDES = '#include "src/layer/layer.h"\n'


def value(parameter, kind):
    if kind == 'STRUCT':
        return '0'
    if kind == 'FLOAT':
        return 'cushim__value_of_float(%s)' % parameter.name
    if kind == 'SIGNED':
        return '(uint64_t)(int64_t)%s' % parameter.name
    if kind in ('UNSIGNED', 'ADDRESS'):
        return parameter.name
    return '(uintptr_t)%s' % parameter.name


def functions(index, row, spelling, kinds):
    call = 'cushim__layer_next.%s(%s)' % (row.slot, arguments(row))
    values = ', '.join(value(p, kinds.of(p)) for p in row.parameters) or '0'
    return [
        wrap('static CUSHIM__APART CUresult CUDAAPI watch_%s(%s)'
             % (row.slot, spelling.parameters(row)), 4),
        '{',
        '    struct cushim__call call;',
        '    CUresult answer = CUDA_SUCCESS;',
        wrap('const uint64_t values[] = {%s};' % values, 8, '    '),
        '',
        '    call.function = (uintptr_t)watch_%s;' % row.slot,
        '    if (cushim__layer_call_begin(&call, %du, values, &answer))' % index,
        wrap('answer = %s;' % call, 12, '        '),
        '    return cushim__layer_call_end(&call, answer);',
        '}\n',
        *function('layer', row, spelling, [
            '    if (cushim__is_unwatched(%du))' % index,
            wrap('return %s;' % call, 12, '        '),
            wrap('return watch_%s(%s);' % (row.slot, arguments(row)), 8, '    ')]),
    ]


def emit_table(rows, types):
    spelling = Spelling(types)
    kinds = Kinds(types)
    lines = [HEAD + '/* The table of the layer. */', INCLUDES, EVERY_SLOT]
    for index, row in enumerate(rows):
        lines += functions(index, row, spelling, kinds)
    return '\n'.join(lines) + '\n' + table('layer', rows, 'cushim__layer_table')
