# SPDX-License-Identifier: Apache-2.0
"""The functions of the mock: src/mock/driver_functions.tsv, read and checked against the registry.

The head of that file explains its columns. A row that breaks a rule raises RegistryError, which
names the file and the line.
"""

import re
from typing import Collection, Dict, Iterable, List, NamedTuple, Optional, Tuple

from registry import RegistryError, rows_of
from rows import Function

# The kinds of the mock's objects, by the type of their handles.
OBJECTS = {
    'CUarray': 'array', 'CUcontext': 'context', 'CUdevice': 'device',
    'CUdevResourceDesc': 'description', 'CUevent': 'event', 'CUexternalMemory': 'external',
    'CUgraphExec': 'exec', 'CUfunction': 'function', 'CUgraph': 'graph', 'CUgreenCtx': 'green',
    'CUkernel': 'kernel',
    'CUlibrary': 'library', 'CUlinkState': 'link', 'CUmipmappedArray': 'mipmap',
    'CUmodule': 'module', 'CUgraphNode': 'node',
    'CUmemoryPool': 'pool', 'CUstream': 'stream', 'CUtexref': 'texture',
    'CUuserObject': 'user_object'}

# The kinds whose struct has another name.
STRUCTS = {'green': 'context'}

# What a parameter is that is none of its symbol's.
CURRENT, ASYNCHRONOUS, SLOT = 'current', 'asynchronous', 'slot'

# The checks. The first three look at a parameter of the symbol, the others at none.
NOT_NULL, FIND, FIND_OR_CURRENT = 'not null', 'find', 'find or current'
WIDE_CURRENT, UNCAPTURED = 'wide current', 'uncaptured'
# The device is able to do what an attribute says.
NEEDS = 'needs'
# The last check of a function that makes it itself.
ITSELF_UNCAPTURED = 'itself uncaptured'

_PARAMETER = re.compile(r'(?:(?P<const>const )?(?P<current>current)|(?P<given>\w+)'
                        r'(?: as (?P<const_object>const )?(?P<object>\w+))?)$')
_CHECK = re.compile(r'(?P<alone>current|wide current|uncaptured)$|(?P<pointer>\w+) != NULL$'
                    r'|needs (?P<attribute>[A-Z0-9_]+)$'
                    r'|find (?P<handle>\w+)(?P<or_current> or current)?$')


class Parameter(NamedTuple):
    """One parameter of a function of the mock."""

    name: str
    place: Optional[int]  # which parameter of the symbol it is or stands for
    type: Optional[str]  # of an object or of what the symbol lacks; None: as the symbol has it
    is_object: bool
    is_output: bool


class Check(NamedTuple):
    """What a wrapper checks before it calls the function."""

    what: str
    place: Optional[int]  # of the parameter of the symbol
    attribute: Optional[str] = None  # of the device, without CU_DEVICE_ATTRIBUTE_


class Implementation(NamedTuple):
    """One row; `difference` is None if the function answers as the driver does."""

    slot: str
    also: Tuple[str, ...]
    parameters: Tuple[Parameter, ...]
    checks: Tuple[Check, ...]
    difference: Optional[str]

    @property
    def places(self) -> List[int]:
        """The parameters of the symbol that the wrapper looks at or hands on, in their order."""
        return sorted({one.place for one in (*self.parameters, *self.checks)
                       if one.place is not None})


class _Row:
    """A row while it is read."""

    def __init__(self, path: str, line: int, symbol: str, function: Function):
        self.path, self.line, self.symbol, self.function = path, line, symbol, function
        self.names = [parameter.name for parameter in function.parameters]

    def fail(self, message: str, *words) -> RegistryError:
        return RegistryError(self.path, self.line, message % words)

    def place(self, name: str) -> int:
        if name not in self.names:
            raise self.fail('%s has no parameter %s', self.symbol, name)
        return self.names.index(name)

    def parameter(self, text: str) -> Parameter:
        match = _PARAMETER.match(text)
        if not match:
            raise self.fail("'%s' is no parameter", text)
        if match.group('current'):
            return Parameter(CURRENT, None, (match.group('const') or '') + 'struct mock_context *',
                             True, False)
        given = match.group('given')
        if given in (ASYNCHRONOUS, SLOT):
            return Parameter(given, None, 'bool ' if given == ASYNCHRONOUS else 'unsigned ',
                             False, False)
        place = self.place(given)
        if not match.group('object'):
            return Parameter(given, place, None, False, False)
        type = self.function.parameters[place].type
        kind = OBJECTS.get(type.replace(' *', ''))
        if not kind:
            raise self.fail('%s has the type %s, which has no objects', given, type)
        return Parameter(match.group('object'), place,
                         '%sstruct mock_%s *%s' % (match.group('const_object') or '',
                                                   STRUCTS.get(kind, kind),
                                                   '*' if type.endswith('*') else ''),
                         True, type.endswith('*'))

    def check(self, text: str) -> Check:
        match = _CHECK.match(text)
        if not match:
            raise self.fail("'%s' is no check", text)
        if match.group('alone'):
            return Check(match.group('alone'), None)
        if match.group('attribute'):
            return Check(NEEDS, None, match.group('attribute'))
        if match.group('pointer'):
            return Check(NOT_NULL, self.place(match.group('pointer')))
        place = self.place(match.group('handle'))
        type = self.function.parameters[place].type
        if type not in OBJECTS or (match.group('or_current') and type != 'CUcontext'):
            raise self.fail('%s has the type %s, which cannot be found so', match.group('handle'),
                            type)
        return Check(FIND_OR_CURRENT if match.group('or_current') else FIND, place)


def read_mock_functions(path: str, functions: Iterable[Function],
                        unsafe: Optional[Collection[str]] = None) -> Dict[str, Implementation]:
    """Read and check the table: what implements each slot, by the slot.

    `unsafe` has the symbols that a capture can forbid, which the checks are compared with.
    """
    functions = list(functions)
    slots = {function.symbol: place for place, function in enumerate(functions)}
    implementations: Dict[str, Implementation] = {}
    last = -1
    for line, (symbol, also, parameters, checks, answer) in rows_of(path, 5):
        served = [symbol, *_list(also)]
        for one in served:
            if one not in slots:
                raise RegistryError(path, line, 'there is no symbol %s' % one)
            if one[2:] in implementations or served.count(one) > 1:
                raise RegistryError(path, line, '%s is there twice' % one)
        if slots[symbol] <= last:
            raise RegistryError(path, line, '%s: rows are in the order of the registry' % symbol)
        last = slots[symbol]
        row = _Row(path, line, symbol, functions[last])
        if unsafe is not None:
            _check_captures(row, _list(checks), served, unsafe)
        made = _list(checks)
        if made and made[-1] == ITSELF_UNCAPTURED:
            made.pop()
        implementation = Implementation(
            symbol[2:], tuple(one[2:] for one in served[1:]),
            tuple(row.parameter(one) for one in _list(parameters)),
            tuple(row.check(one) for one in made),
            None if answer == 'exact' else answer)
        _check_order(row, implementation)
        _check_objects(row, implementation)
        _check_others(row, implementation, [functions[slots[one]] for one in served[1:]])
        _check_difference(row, implementation)
        implementations.update((one[2:], implementation) for one in served)
    return implementations


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


def _list(field: str) -> List[str]:
    return [] if field == '-' else field.split(', ')


def _check_order(row, implementation):
    """All functions are written in the same way: current, the symbol's parameters, the others."""
    def rank(parameter):
        if parameter.place is not None:
            return (1, parameter.place)
        return ({CURRENT: 0, ASYNCHRONOUS: 2, SLOT: 3}[parameter.name], 0)

    ranks = [rank(parameter) for parameter in implementation.parameters]
    if ranks != sorted(set(ranks)):
        raise row.fail('%s: parameters are in the order of the symbol, after current and before '
                       'asynchronous and slot', row.symbol)


def _check_objects(row, implementation):
    """The wrapper has what it hands on, and writes through no pointer that may be NULL."""
    checks = implementation.checks
    if len(set(checks)) != len(checks):
        raise row.fail('%s: a check is there twice', row.symbol)
    finds = [check.place for check in checks if check.what in (FIND, FIND_OR_CURRENT)]
    currents = [check for check in checks if check.what in (CURRENT, WIDE_CURRENT)]
    if len(set(finds)) != len(finds) or len(currents) > 1:
        raise row.fail('%s: a context or object is found twice', row.symbol)
    for parameter in implementation.parameters:
        if parameter.is_output:
            if Check(NOT_NULL, parameter.place) not in checks:
                raise row.fail('%s: %s may be NULL', row.symbol, row.names[parameter.place])
        elif parameter.is_object and not (currents if parameter.place is None
                                          else parameter.place in finds):
            raise row.fail('%s: nothing finds %s', row.symbol, parameter.name)


def _check_captures(row, checks, served, unsafe):
    """The registry says which calls are unsafe in a capture, the row only in which order."""
    has_check = UNCAPTURED in checks or ITSELF_UNCAPTURED in checks
    for symbol in served:
        if has_check != (symbol in unsafe):
            raise row.fail('%s: the registry %s that it is unsafe in a capture, the checks %s',
                           symbol, *(('does not say', 'do') if has_check else ('says', 'do not')))


def _check_others(row, implementation, others):
    for other in others:
        try:
            for place in implementation.places:
                other_place(place, row.function, other)
        except KeyError as error:
            raise row.fail('%s has no parameter %s as %s has it', row.symbol, error.args[0],
                           other.symbol)


def _check_difference(row, implementation):
    """It stands in a row of a Markdown table, and reads on from the function's name."""
    text = implementation.difference
    if text is not None and (text in ('', '-') or text.endswith('.') or not text.isascii()
                             or not text.isprintable() or set(text) & set('|\\<>')):
        raise row.fail("what differs is to be said in a few plain words, not '%s'", text)
