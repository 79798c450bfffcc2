# SPDX-License-Identifier: Apache-2.0
"""effects.tsv, read and checked: what each function of the driver does, and when it may be called.

The head of the table explains its columns. A row that names no function or parameter, or uses a
word in the wrong place, raises RegistryError, which names the file and the line.
"""

import re
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from registry import RegistryError, rows_of
from rows import Function

UNKNOWN = 'unknown'

# What a call does to an object: the words that may follow its type and parameter. The readers of
# the effects rely on those that are NEEDED, and on a parameter: only a primary context is named by
# its device instead, and the context that a call configures may be the current one.
VERBS = {
    'creates': ('in-context', 'bytes', 'count', 'flags'),
    'creates-or-retains': (),
    'returns': ('of', 'bytes', 'name'),
    'lists': ('count',),
    'destroys': (),
    'retains': ('count', 'device'),
    'releases': ('count', 'device'),
    'resets': ('device',),
    'moves': ('count', 'flags'),
    'takes': ('of',),
    'pushes': (),
    'pops': (),
    'sets': (),
    'configures': ('device', 'flags'),
}
NEEDED = {'returns': {'of'}, 'takes': {'of'}, 'moves': {'count', 'flags'},
          'configures': {'flags'}}

# The types of objects, as tags name them, and the kinds of memory.
TYPES = (
    'context', 'green-context', 'stream', 'event', 'module', 'function', 'library', 'kernel',
    'link', 'graph', 'node', 'exec', 'conditional', 'pool', 'user-object', 'array',
    'mipmapped-array', 'texture', 'surface', 'texture-reference', 'surface-reference',
    'physical-memory', 'external-memory', 'external-semaphore', 'graphics-resource', 'callback',
    'log-callback', 'memory', 'global',
)
MEMORY = ('device-memory', 'page-locked-memory', 'registered-memory', 'reserved-memory')
PRIMARY = 'primary-context'

# What a call queues, records or waits for on a stream, and does to captures and graphs.
WORK = (
    '-', 'copy', 'copy-2d', 'copy-3d', 'copy-batch', 'copy-attributes', 'set', 'set-2d', 'kernel',
    'kernels', 'graph', 'host-function', 'callback', 'allocate', 'free', 'work', 'wait-outside',
    'signal-outside', 'outside', 'record', 'record-context', 'wait-event', 'wait-event-context',
    'begin-capture', 'end-capture', 'update-capture', 'begin-capture-to-cig',
    'end-capture-to-cig', 'add-copy', 'add-node',
)

# What may follow, and which work.
WORK_FLAGS = {'peer': ('copy', 'copy-3d'), 'unified': ('copy',)}

# The handles that a function has, if its work, what it waits for or what it asks is about them.
HANDLES = {
    'kernel': ['CUfunction'],
    'graph': ['CUgraphExec'],
    'record': ['CUevent'],
    'record-context': ['CUevent'],
    'wait-event': ['CUevent'],
    'wait-event-context': ['CUevent'],
    'waits=event': ['CUevent'],
    'asks=event': ['CUevent'],
    'asks=elapsed': ['CUevent', 'CUevent'],
}

# The facts of the columns `host` and `state`, with their values beside `unknown`.
HOST = {
    'waits': ('no', 'may', 'copy', 'event', 'stream', 'context', 'memory', 'all'),
    'asks': ('no', 'yes', 'event', 'stream', 'elapsed', 'library'),
    'resource': ('no', 'takes', 'returns'),
    'context': ('current', 'other'),
}
STATE = {
    'init': ('no', 'arguments', 'yes'),
    'callback': ('no', 'yes'),
    'sticky': ('no', 'arguments', 'yes'),
    'fork': ('no', 'yes'),
    'capture': ('yes', 'unsafe', 'refused'),
}
FAILURE = ('none', 'untouched', 'zero', 'minus-one')


class ObjectEffect(NamedTuple):
    """One effect on one object; parameters are indices, None where there is none."""

    verb: str
    type: str
    parameter: Optional[int]
    owner_type: Optional[str]
    owner: Optional[int]
    places: Dict[str, Tuple[int, ...]]
    in_context: bool


class Work(NamedTuple):
    """What a call queues, '-' for nothing; `places` has the parameters by what they are."""

    word: str
    places: Dict[str, int]
    unit: int
    flags: Tuple[str, ...]


class Effects(NamedTuple):
    """A row; `facts` has the values of the columns `host` and `state`, and `failure`."""

    symbol: str
    objects: Optional[Tuple[ObjectEffect, ...]]
    work: Optional[Work]
    facts: Dict[str, str]
    unfollowed: Tuple[str, ...]
    source: str


class _Reader:
    """Reads the fields of one row."""

    def __init__(self, path: str, line: int, function: Function):
        self.path, self.line, self.function = path, line, function
        self.names = [parameter.name for parameter in function.parameters]

    def fail(self, message: str) -> RegistryError:
        return RegistryError(self.path, self.line, '%s: %s' % (self.function.symbol, message))

    def place(self, name: str) -> int:
        if name not in self.names:
            raise self.fail("it has no parameter '%s'" % name)
        return self.names.index(name)

    def require_handles(self, word: str) -> None:
        needed = HANDLES.get(word, [])
        given = [parameter.type for parameter in self.function.parameters
                 if parameter.type in needed]
        if len(given) < len(needed):
            raise self.fail("'%s' needs %s" % (word, ' and '.join(needed)))

    def effect(self, text: str) -> ObjectEffect:
        words = text.split(' ')
        verb, kind = (words + ['', ''])[:2]
        if verb not in VERBS:
            raise self.fail("unknown effect '%s'" % verb)
        if kind not in TYPES + MEMORY + (PRIMARY,):
            raise self.fail("unknown type of object '%s'" % kind)
        rest = words[2:]
        parameter = self.place(rest.pop(0)) if rest and '=' not in rest[0] else None
        owner_type = owner = None
        in_context = False
        places: Dict[str, Tuple[int, ...]] = {}
        while rest:
            word, _, value = rest.pop(0).partition('=')
            if word not in VERBS[verb] or bool(value) == (word in ('of', 'in-context')):
                raise self.fail("unknown word '%s' of '%s'" % (word, verb))
            if word == 'in-context':
                in_context = True
            elif word == 'of':
                if len(rest) < 2 or rest[0] not in TYPES:
                    raise self.fail("'of' is followed by a type and a parameter")
                owner_type, owner = rest.pop(0), self.place(rest.pop(0))
            elif word in places:
                raise self.fail("'%s' is said twice" % word)
            else:
                places[word] = tuple(self.place(name) for name in value.split('*'))
                if len(places[word]) > (2 if word == 'bytes' else 1):
                    raise self.fail("'%s' has too many parameters" % value)
        if {'bytes', 'count'} <= set(places):
            raise self.fail("'%s' has both bytes and a count" % text)
        if NEEDED.get(verb, set()) - set(places) - ({'of'} if owner_type else set()):
            raise self.fail("'%s' lacks %s" % (text, ' or '.join(sorted(NEEDED[verb]))))
        if (kind == PRIMARY) != ('device' in places):
            raise self.fail('a primary-context has a device, and nothing else has one')
        if parameter is None and verb != 'configures' and (kind != PRIMARY or verb == 'retains'):
            raise self.fail("'%s' is of no parameter" % text)
        return ObjectEffect(verb, kind, parameter, owner_type, owner, places, in_context)

    def work(self, text: str) -> Work:
        word, *rest = text.split(' ')
        if word not in WORK:
            raise self.fail("unknown work '%s'" % word)
        self.require_handles(word)
        flags = []
        while rest and word in WORK_FLAGS.get(rest[-1], ()) and rest[-1] not in flags:
            flags.append(rest.pop())
        places: Dict[str, int] = {}
        unit = 0
        if word in ('copy', 'copy-attributes') and len(rest) == 4 and rest[1] == '<-':
            places = dict(zip(('to', 'from', 'bytes'), map(self.place, rest[0:1] + rest[2:])))
            unit = 1
        elif word in ('set', 'set-2d') and len(rest) == 2:
            size = rest[1].split('*')
            if not re.match(r'[124]$', size[0]) or len(size) != (2 if word == 'set' else 3):
                raise self.fail("'%s' is no size like 4*N" % rest[1])
            places = dict(zip(('to', 'bytes', 'rows'), map(self.place, rest[:1] + size[1:])))
            unit = int(size[0])
        elif word == 'kernel' and len(rest) == 1 and rest[0].startswith('arguments='):
            places = {'arguments': self.place(rest[0].partition('=')[2])}
        elif rest or word in ('copy', 'set', 'set-2d'):
            raise self.fail("'%s' is no work as the head of the table describes it" % text)
        return Work(word, places, unit, tuple(flags))

    def facts(self, text: str, known: Dict[str, Sequence[str]]) -> Dict[str, str]:
        pairs = [word.partition('=')[::2] for word in text.split(' ')]
        facts = dict(pairs)
        if [name for name, _ in pairs] != list(known):
            raise self.fail("the facts are %s, in this order" % ', '.join(known))
        for name, value in facts.items():
            if value != UNKNOWN and value not in known[name]:
                raise self.fail("unknown value '%s' of %s" % (value, name))
            self.require_handles('%s=%s' % (name, value))
        return facts

    def outputs(self, text: str) -> Tuple[str, Tuple[str, ...]]:
        match = re.match(r'failure=([\w-]+)(?: unfollowed=(\w+(?:,\w+)*))?$', text)
        if not match or match.group(1) not in (*FAILURE, UNKNOWN):
            raise self.fail("outputs are failure=VALUE unfollowed=PARAMETER,..., not '%s'" % text)
        failure = match.group(1)
        unfollowed = tuple(match.group(2).split(',')) if match.group(2) else ()
        for name in unfollowed:
            self.place(name)
        return failure, unfollowed


def read_effects(path: str, functions: Sequence[Function]) -> Dict[str, Effects]:
    """Read and check effects.tsv: the row of each symbol that is no per-thread twin.

    The rows are in the order of the functions. A function that is newer than the rows may have
    none, and then everything about it is unknown.
    """
    twins = {function.twin for function in functions}
    places = {function.symbol: place for place, function in enumerate(functions)
              if function.symbol not in twins}
    table: Dict[str, Effects] = {}
    last = -1
    for line, (symbol, objects, work, host, state, outputs, source) in rows_of(path, 7):
        if symbol not in places:
            raise RegistryError(path, line, '%s is not in the registry, or a twin' % symbol)
        if places[symbol] <= last:
            raise RegistryError(path, line, '%s: the rows are in the order of the functions'
                                % symbol)
        last = places[symbol]
        reader = _Reader(path, line, functions[last])
        facts = {**reader.facts(host, HOST), **reader.facts(state, STATE)}
        facts['failure'], unfollowed = reader.outputs(outputs)
        if not re.match(r'(reference|\d+(,\d+)*)$', source):
            raise reader.fail("a source is 'reference' or numbers of statements, not '%s'" % source)
        table[symbol] = Effects(
            symbol,
            None if objects == UNKNOWN else
            tuple(reader.effect(text) for text in objects.split('; ') if text != '-'),
            None if work == UNKNOWN else reader.work(work), facts, unfollowed, source)
    return table


def nothing_known(symbol: str) -> Effects:
    """What stands for a function without a row."""
    return Effects(symbol, None, None,
                   {name: UNKNOWN for name in (*HOST, *STATE, 'failure')}, (), 'reference')


def count_unknown(table: Dict[str, Effects], symbols: Sequence[str]) -> Dict[str, int]:
    """How many of the functions have no value, by column."""
    rows = [table.get(symbol, nothing_known(symbol)) for symbol in symbols]
    counts = {name: sum(row.facts[name] == UNKNOWN for row in rows)
              for name in (*HOST, *STATE, 'failure')}
    return {'objects': sum(row.objects is None for row in rows),
            'work': sum(row.work is None for row in rows), **counts}
