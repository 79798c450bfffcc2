# SPDX-License-Identifier: Apache-2.0
"""What the parameters of the functions are: src/driver_api/parameters.h."""

from prototypes import HEAD, wrap

# What a failing call may leave where it writes its results, and the number that stands for it.
WRITTEN = {'zero': '0', 'minus-one': '-1'}

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


def failure_bytes(parameter, facts):
    """How many bytes a failing call writes where a parameter refers to; `facts` may be None."""
    is_result = parameter.type.endswith('*') and parameter.type != 'void *' \
        and ('const' not in parameter.type or parameter.type.endswith('**'))
    if not facts or facts.facts['failure'] not in WRITTEN or not is_result \
            or parameter.name in facts.unfollowed:
        return 0
    return 4 if parameter.type == 'unsigned int *' else 8


def emit_parameters(rows, types, effects):
    """`effects` maps symbols to their rows of effects.tsv; a twin follows those of its base."""
    bases = {row.twin: row for row in rows if row.twin}
    kinds = Kinds(types)
    lines = [HEAD + '/* What the parameters of all functions are. */',
             '#include "src/driver_api/parameters.h"\n',
             'const struct cushim__parameter cushim__parameters[] = {']
    first = [0]
    for row in rows:
        lines.append('    /* %s */' % row.symbol)
        base = bases.get(row.symbol, row)
        facts = effects.get(base.symbol)
        unfollowed = facts.unfollowed if facts else ()
        for parameter, of_base in zip(row.parameters, base.parameters):
            kind = kinds.of(parameter)
            name = parameter.base_type if kind.startswith(('HANDLE', 'ADDRESS')) else parameter.type
            mark = 'true' if of_base.name in unfollowed else 'false'
            lines.append('    {"%s", "%s", %s%s, %s, %d},'
                         % (parameter.name, name, KIND, kind, mark,
                            failure_bytes(of_base, facts)))
        first.append(first[-1] + len(row.parameters))
    lines += ['};', '', 'const uint16_t cushim__parameter_first[] = {',
              wrap(', '.join(map(str, first)), 4, '    ') + ',', '};', '']
    return '\n'.join(lines)
