# SPDX-License-Identifier: Apache-2.0
"""What the driver's functions do, as src/driver_api/effects.h declares it.

A per-thread twin does what its legacy function does, on another stream.
"""

from effects_table import MEMORY, PRIMARY, UNKNOWN, nothing_known
from parameters import Kinds
from prototypes import HEAD, wrap

# Effects that have members of their own in struct cushim__effects.
APART = ('lists', 'configures')

# Memory that some functions of CUDA 2 and 3 name by 32 bits.
NARROW = ('UNSIGNED', 'POINTER')

# Members that hold the first parameter of a C type and kind.
BY_TYPE = {
    'stream': ('CUstream', 'HANDLE'),
    'event': ('CUevent', 'HANDLE'),
    'function': ('CUfunction', 'HANDLE'),
    'exec': ('CUgraphExec', 'HANDLE'),
    'mode': ('CUstreamCaptureMode', 'SIGNED'),
    'config': ('CUlaunchConfig', 'POINTER'),
    'resource_desc': ('CUDA_RESOURCE_DESC', 'POINTER'),
    'node_params': ('CUgraphNodeParams', 'POINTER'),
    'kernel_node': ('CUDA_KERNEL_NODE_PARAMS', 'POINTER'),
}
INPUTS = ('resource_desc', 'kernel_node')
KERNEL_NODES = ('CUDA_KERNEL_NODE_PARAMS', 'struct CUDA_KERNEL_NODE_PARAMS_st')

SHAPE = '''/* What the functions of the driver do. See src/driver_api/effects.h. */
#include "src/driver_api/effects.h"

#define NONE CUSHIM__NO_PARAMETER

const struct cushim__object_effect cushim__object_effects[] = {
%s};

/* In slot order. */
const struct cushim__effects cushim__effects[CUSHIM__SYMBOL_COUNT] = {
%s};
'''


def enumerator(prefix, word):
    return 'CUSHIM__%s_%s' % (prefix, word.upper().replace('-', '_'))


def place(index):
    return 'NONE' if index is None else str(index)


def type_of(effect):
    return 'memory' if effect.type in MEMORY else 'context' if effect.type == PRIMARY \
        else effect.type


def kind_of(effect):
    verb = effect.verb
    if effect.type == PRIMARY:
        verb += '-primary'
    elif effect.type == 'registered-memory' and verb == 'creates':
        verb = 'registers'
    if effect.in_context:
        verb += '-in-context'
    return enumerator('EFFECT', verb)


class Facts:
    """What is known of one row of functions.tsv, as members of the two structs."""

    def __init__(self, row, base, effects, kinds):
        self.row, self.base, self.effects = row, base, effects
        self.kinds = [kinds.of(parameter) for parameter in base.parameters]

    def is_narrow(self, index):
        base_type = self.base.parameters[index].base_type
        return self.kinds[index] in NARROW and base_type == 'unsigned int'

    def objects(self):
        return [effect for effect in self.effects.objects or () if effect.verb not in APART]

    def apart(self, verb):
        found = [effect for effect in self.effects.objects or () if effect.verb == verb]
        return found[0] if found else None

    def object_rows(self):
        for effect in self.objects():
            amounts = effect.places.get('bytes', effect.places.get('count',
                                        effect.places.get('device', ())))
            amounts = (*amounts, None, None)[:2]
            flags = effect.places.get('flags', (None,))[0]
            yield {
                'kind': kind_of(effect),
                'type': enumerator('TYPE', type_of(effect)),
                'memory': enumerator('MEMORY', effect.type.replace('-memory', ''))
                if effect.type in MEMORY else 'CUSHIM__MEMORY_OTHER',
                'parameter': place(effect.parameter),
                'amount': place(amounts[0]),
                'times': place(amounts[1]),
                'owner_type': enumerator('TYPE', effect.owner_type) if effect.owner_type else '0',
                'owner': place(effect.owner),
                'flags': place(flags),
                'name': place(effect.places.get('name', (None,))[0]),
            }

    def narrow(self):
        work = self.effects.work
        indices = [effect.parameter for effect in self.objects()
                   if type_of(effect) in ('memory', 'global')]
        if work and work.word in ('copy', 'set', 'set-2d'):
            indices += [work.places[side] for side in ('to', 'from') if side in work.places]
        return (any(self.is_narrow(index) for index in indices)
                or any(p.base_type.endswith('_v1_st') for p in self.base.parameters))

    def by_type(self):
        for member, (type_name, kind) in BY_TYPE.items():
            names = KERNEL_NODES if member == 'kernel_node' else (type_name,)
            yield member, next((index for index, parameter in enumerate(self.base.parameters)
                                if parameter.base_type in names and self.kinds[index] == kind
                                and (member not in INPUTS or 'const' in parameter.type)), None)

    def members(self, first):
        effects = self.effects
        work, objects = effects.work, self.objects()
        members = {'first': str(first), 'objects': str(len(objects))}
        if work is None or work.word != '-':
            members['work'] = enumerator('WORK', work.word if work else UNKNOWN)
        for name in ('waits', 'asks', 'resource'):
            if effects.facts[name] not in ('no', UNKNOWN):
                members[name] = enumerator(name.upper(), effects.facts[name])
        for name in ('init', 'callback', 'sticky', 'fork', 'capture'):
            if effects.facts[name] != UNKNOWN:
                members[name] = enumerator('CALL', effects.facts[name])
        if effects.facts['failure'] not in ('none', UNKNOWN):
            members['failure'] = enumerator('FAILURE', effects.facts['failure'])
        members.update((name, place(index)) for name, index in self.by_type())
        places = dict(work.places) if work else {}
        for name in ('arguments', 'to', 'from', 'bytes', 'rows'):
            index = places.get(name)
            if name in ('to', 'from') and index is not None \
                    and self.base.parameters[index].base_type == 'CUarray':
                index = None
            members[name] = place(index)
        if work and work.unit:
            members['unit'] = str(work.unit)
        configured = [effect.places['flags'][0] for effect in effects.objects or ()
                      if type_of(effect) == 'context' and 'flags' in effect.places]
        members['context_flags'] = place(configured[0] if configured else None)
        listed = self.apart('lists')
        members['listed'] = place(listed.parameter if listed else None)
        if listed:
            members['listed_type'] = enumerator('TYPE', listed.type)
            members['listed_count'] = place(listed.places.get('count', (None,))[0])
        flags = {
            'is_per_thread': self.row.per_thread,
            'is_narrow': self.narrow(),
            'is_peer': work and 'peer' in work.flags,
            'is_unified': work and 'unified' in work.flags,
            'concerns_other_context': effects.facts['context'] == 'other',
        }
        members.update((name, 'true') for name, is_set in flags.items() if is_set)
        return members


def entry(row, members):
    text = '{%s},' % ', '.join('.%s = %s' % item for item in members.items())
    return '    /* %s */\n%s\n' % (row.symbol, wrap(text, 5, '    '))


def emit_effects(rows, types, table):
    """`table` maps symbols to their rows of effects.tsv."""
    bases = {row.twin: row for row in rows if row.twin}
    kinds = Kinds(types)
    objects, slots = [], []
    for row in rows:
        base = bases.get(row.symbol, row)
        facts = Facts(row, base, table.get(base.symbol) or nothing_known(base.symbol), kinds)
        slots.append(entry(row, facts.members(len(objects))))
        objects += [entry(row, members) for members in facts.object_rows()]
    return HEAD + SHAPE % (''.join(objects), ''.join(slots))
