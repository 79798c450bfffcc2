# SPDX-License-Identifier: Apache-2.0
"""What the sources of the mock implement: their definitions, read and checked against the registry.

A definition begins a line and may go on over several:

    MOCK_EXACT(EventCreate)(CUevent *event, unsigned int flags)
    {

    MOCK_APPROXIMATE(CtxCreate_v3,
                        "execution affinity is not simulated")(CUcontext *context, ...)
    {

    MOCK_ALSO(CtxPopCurrent)
    MOCK_EXACT(CtxPopCurrent_v2)(CUcontext *pctx)
    {

See src/mock/api/api.h. Nothing is guessed: what looks like a definition and is none, names no slot
or parameter, or defines a slot twice raises SourceError, which names the file and the line.
"""

import re
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

from rows import Function

_MENTION = re.compile(r'(?:MOCK_ALSO\s*\([^)]*\)\s*)?MOCK_(?:EXACT|APPROXIMATE)\s*\('
                      r'|MOCK_ALSO\s*\(')
_DEFINITION = re.compile(r'''^(?:MOCK_ALSO\((?P<also>[\w\s,]+)\)\s*)?MOCK_(?:
        EXACT\(\s*(?P<exact>\w+)\s*\)
      | APPROXIMATE\(\s*(?P<approximate>\w+)\s*,\s*(?P<difference>(?:"[^"\n]*"\s*)+)\)
    )\s*\((?P<parameters>[^;{}]*)\)\s*\{''', re.MULTILINE | re.VERBOSE)


class SourceError(Exception):
    """A definition breaks a rule; the message begins with `file:line:`."""

    def __init__(self, path: str, line: int, message: str):
        super().__init__('%s:%d: %s' % (path, line, message))


# The parameters that a definition may have beside those of its slot, and what finds each.
CURRENT = {'current': 'cushim__mock_context_current(&%(object)s)',
           'wide_current': 'cushim__mock_memory_context(&%(object)s)'}

# Others: whether the slot takes a stream, and which of the function's slots it is.
ASYNCHRONOUS = 'asynchronous'
SLOT = 'slot'
OF_THE_SLOT = {ASYNCHRONOUS: 'bool asynchronous', SLOT: 'unsigned slot'}

# And one that is always true: the wrapper refuses the call where a capture forbids unsafe ones.
UNCAPTURED = 'uncaptured'

# What finds the object of a handle, where that is more than a look into the table of handles.
FINDERS = {kind: 'cushim__mock_%s_find(%%(handle)s, &%%(object)s)' % kind
           for kind in ('context', 'device', 'pool', 'stream')}
FINDERS['function'] = 'cushim__mock_function_in(%(handle)s, NULL, &%(object)s)'

# By the type that a definition gives a parameter in the place of a handle: the handle's type, and
# what finds the object.
OBJECTS = {'struct mock_%s *' % kind: (handle, FINDERS.get(
    kind, 'cushim__mock_object_find(%%(handle)s, MOCK_%s, &%%(object)s)' % kind.upper()))
    for kind, handle in (
        ('array', 'CUarray'), ('context', 'CUcontext'), ('device', 'CUdevice'),
        ('event', 'CUevent'), ('exec', 'CUgraphExec'), ('function', 'CUfunction'),
        ('graph', 'CUgraph'),
        ('kernel', 'CUkernel'), ('library', 'CUlibrary'), ('link', 'CUlinkState'),
        ('module', 'CUmodule'), ('node', 'CUgraphNode'), ('pool', 'CUmemoryPool'),
        ('stream', 'CUstream'), ('texture', 'CUtexref'), ('user_object', 'CUuserObject'))}

# By the type that a definition gives a parameter in the place of a pointer to a handle: the type of
# the pointer. The wrapper writes the handle of the object that the function has made or found.
OUTPUTS = {kind[:-1] + '**': handle + ' *' for kind, (handle, _) in OBJECTS.items()}
_PARAMETER = re.compile(r'(?P<type>.*?)\b(?P<mark>NOT_NULL |OR_CURRENT )?(?P<name>\w+)$')


class Parameter(NamedTuple):
    """One parameter of a definition, with what the wrapper does before it calls the function."""

    name: str
    type: str
    mark: str  # NOT_NULL, OR_CURRENT or nothing

    @property
    def object_type(self) -> str:
        return re.sub('^const ', '', self.type)

    @property
    def finder(self) -> Optional[str]:
        """What finds the object; None: the slot's argument is passed on."""
        if self.mark == 'OR_CURRENT':
            return 'cushim__mock_context_find_or_current(%(handle)s, &%(object)s)'
        return CURRENT.get(self.name) or OBJECTS.get(self.object_type, (None, None))[1]

    @property
    def is_output(self) -> bool:
        """Whether the wrapper writes the handle of what the function sets."""
        return self.type in OUTPUTS

    @property
    def handle_type(self) -> Optional[str]:
        """The type of the handle, or of the pointer to one, in whose place it stands."""
        if self.name in CURRENT:
            return None
        return OUTPUTS.get(self.type) or OBJECTS.get(self.object_type, (None, None))[0]


class Definition(NamedTuple):
    """What the mock implements; `difference` is None if it answers as the driver does.

    `slot` is what the function is named by; it may answer others as well. The parameters stand in
    the order in which they are looked at.
    """

    slot: str
    also: Tuple[str, ...]
    difference: Optional[str]
    parameters: Tuple[Parameter, ...]
    path: str
    line: int


def read_definitions(paths: Iterable[str],
                     functions: Iterable[Function]) -> Dict[str, Definition]:
    """Read and check the definitions in all sources, by slot."""
    slots = {function.slot: function for function in functions}
    definitions: Dict[str, Definition] = {}
    for path in paths:
        for definition in _definitions(path):
            where = (path, definition.line)
            for slot in (definition.slot, *definition.also):
                if slot not in slots:
                    raise SourceError(*where, 'there is no slot %s' % slot)
                if slot in definitions:
                    other = definitions[slot]
                    raise SourceError(*where, '%s is already defined at %s:%d'
                                      % (slot, other.path, other.line))
                definitions[slot] = definition
            _check_parameters(where, definition, slots)
    return definitions


def places(definition: Definition, row: Function) -> List[Optional[int]]:
    """Which parameter of its slot each of the definition's is, None for those beside them.

    Objects stand for the handles of their type, in the slot's order. Raises KeyError.
    """
    handles = {}
    for place, parameter in enumerate(row.parameters):
        handles.setdefault(parameter.type, []).append(place)
    names = {parameter.name: place for place, parameter in enumerate(row.parameters)}
    found = []
    for parameter in definition.parameters:
        if parameter.handle_type:
            waiting = handles.get(parameter.handle_type)
            found.append(waiting.pop(0) if waiting else None)
        else:
            found.append(names.get(parameter.name))
        if found[-1] is None and parameter.name not in (*CURRENT, *OF_THE_SLOT, UNCAPTURED):
            raise KeyError(parameter.name)
    return found


def other_place(place: int, row: Function, other: Function) -> Optional[int]:
    """Where another slot of the same function has a parameter; None: it lacks it.

    Slots with the same types have it in the same place, others by its name. Raises KeyError.
    """
    types = [[parameter.type for parameter in one.parameters] for one in (row, other)]
    if types[0] == types[1]:
        return place
    wanted = row.parameters[place]
    known = {parameter.name for parameter in row.parameters}
    found = None
    for index, parameter in enumerate(other.parameters):
        if parameter.name not in known:
            raise KeyError(parameter.name)
        if parameter.name == wanted.name:
            if parameter.type != wanted.type:
                raise KeyError(parameter.name)
            found = index
    return found


def _check_parameters(where, definition, slots):
    row = slots[definition.slot]
    try:
        used = [place for place in places(definition, row) if place is not None]
    except KeyError as error:
        raise SourceError(*where, '%s has no parameter %s' % (row.slot, error.args[0]))
    for slot in definition.also:
        try:
            for place in used:
                other_place(place, row, slots[slot])
        except KeyError as error:
            raise SourceError(*where, '%s has no parameter %s as %s has it'
                              % (row.slot, error.args[0], slot))


def _parameters(path, line, text) -> List[Parameter]:
    parameters = []
    for one in text.split(','):
        one = ' '.join(one.split())
        if one == 'void':
            continue
        match = _PARAMETER.match(one)
        if not match:
            raise SourceError(path, line, '"%s" is no parameter' % one)
        parameters.append(Parameter(match.group('name'), match.group('type'),
                                    (match.group('mark') or '').strip()))
    return parameters


def _definitions(path):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    position = 0
    for mention in _MENTION.finditer(text):
        line = text.count('\n', 0, mention.start()) + 1
        match = _DEFINITION.match(text, mention.start())
        if mention.start() < position or not match:
            raise SourceError(path, line, 'this is no definition as src/mock/api/api.h shows them')
        position = match.end()
        difference = None
        if match.group('approximate'):
            difference = ''.join(re.findall(r'"([^"]*)"', match.group('difference')))
            _check_difference(path, line, difference)
        yield Definition(match.group('exact') or match.group('approximate'),
                         tuple(re.findall(r'\w+', match.group('also') or '')), difference,
                         tuple(_parameters(path, line, match.group('parameters'))), path, line)


def _check_difference(path, line, text):
    """It stands in a row of a Markdown table, and reads on from the function's name."""
    if (not text.strip() or text != text.strip() or text.endswith('.') or not text.isascii()
            or not text.isprintable() or set(text) & set('|\\<>')):
        raise SourceError(path, line, 'what differs is to be said in a few plain words, not "%s"'
                          % text)
