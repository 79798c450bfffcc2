# SPDX-License-Identifier: Apache-2.0
"""The layer: what stands in each slot of a table that watches calls, and what their parameters are.

The function of a slot hands the call on while nobody subscribes to the slot; else it passes its
arguments to the subscribers as 64-bit values. See src/layer/layer.h.
"""

from prototypes import EVERY_SLOT, HEAD, Spelling, arguments, table, wrap

INCLUDES = '#include "src/layer/layer.h"\n'

KIND = 'CUSHIM__PARAMETER_'

# Pointers by these names lead to arrays, and not to one handle that is written.
ARRAYS = ('from', 'to')


def is_array(parameter):
    return parameter.name in ARRAYS or parameter.name.endswith('s')


class Kinds:
    """What a parameter is, by its type."""

    def __init__(self, types):
        self.kinds = {entry.type: entry.kind for entry in types}

    def pointer(self, parameter):
        kind = self.kinds.get(parameter.base_type)
        if parameter.type == 'const char *':
            return 'TEXT'
        if 'const' in parameter.type or parameter.type.count('*') > 1 or is_array(parameter):
            return 'POINTER'
        if parameter.base_type == 'CUdeviceptr':
            return 'ADDRESS_OUT'
        return 'HANDLE_OUT' if kind == 'handle' else 'POINTER'

    def of(self, parameter):
        kind = self.kinds.get(parameter.base_type)
        if parameter.type.endswith('*'):
            return self.pointer(parameter)
        if parameter.base_type == 'CUdeviceptr':
            return 'ADDRESS'
        if kind == 'handle':
            return 'HANDLE'
        if kind == 'function':
            return 'POINTER'
        if kind == 'struct' or parameter.type.startswith('struct '):
            return 'STRUCT'
        if kind == 'enum' or parameter.type in ('int', 'char', 'CUdevice'):
            return 'SIGNED'
        return 'FLOAT' if parameter.type == 'float' else 'UNSIGNED'


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


def function(index, row, spelling, kinds):
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
        wrap('static CUresult CUDAAPI layer_%s(%s)' % (row.slot, spelling.parameters(row)), 4),
        '{',
        '    if (cushim__is_unwatched(%du))' % index,
        wrap('return %s;' % call, 12, '        '),
        wrap('return watch_%s(%s);' % (row.slot, arguments(row)), 8, '    '),
        '}\n',
    ]


def emit_table(rows, types):
    spelling = Spelling(types)
    kinds = Kinds(types)
    lines = [HEAD + '/* The table of the layer. */', INCLUDES, EVERY_SLOT]
    for index, row in enumerate(rows):
        lines += function(index, row, spelling, kinds)
    return '\n'.join(lines) + '\n' + table('layer', rows, 'cushim__layer_table')


def emit_parameters(rows, types):
    kinds = Kinds(types)
    lines = [HEAD + '/* What the parameters of all functions are. */',
             '#include "src/layer/layer.h"\n',
             'const struct cushim__parameter cushim__parameters[] = {']
    first = [0]
    for row in rows:
        lines.append('    /* %s */' % row.symbol)
        for parameter in row.parameters:
            kind = kinds.of(parameter)
            name = parameter.base_type if kind.startswith(('HANDLE', 'ADDRESS')) else parameter.type
            lines.append('    {"%s", "%s", %s%s},' % (parameter.name, name, KIND, kind))
        first.append(first[-1] + len(row.parameters))
    lines += ['};', '', 'const uint16_t cushim__parameter_first[] = {',
              wrap(', '.join(map(str, first)), 4, '    ') + ',', '};', '']
    return '\n'.join(lines)
