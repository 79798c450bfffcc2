# SPDX-License-Identifier: Apache-2.0
"""The registry: the CUDA driver API as data, read from its tables and checked on the way.

Everything that cushim generates comes from these tables, so a mistake in a row would become a wrong
call into a driver. Hence nothing is guessed and nothing is skipped: a row that breaks a rule raises
RegistryError, which names the file and the line.
"""

import re
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from rows import (ATTRIBUTE_PREFIXES, GROUPS, KINDS, NEWEST_UNDATED, OLDEST_HEADER,
                  PLATFORMS, Attribute, Deviation, Function, Meaning, Parameter, Result,
                  Type)

_BUILT_IN = frozenset('const char short int long unsigned signed float double void size_t'.split())


class RegistryError(Exception):
    """A row breaks a rule; the message begins with `file:line:`."""

    def __init__(self, path: str, line: int, message: str):
        super().__init__('%s:%d: %s' % (path, line, message))


def read_functions(path: str, types: Sequence[Type] = ()) -> List[Function]:
    """Read and check functions.tsv; with `types`, also that every type in it is known there."""
    functions: List[Function] = []
    lines: Dict[str, int] = {}
    for line, fields in rows_of(path, 7):
        symbol, since, group, parameters, twin, fallback, platform = fields
        if not re.match(r'cu[A-Z]\w*$', symbol):
            raise RegistryError(path, line, "'%s' is no driver symbol" % symbol)
        if symbol in lines:
            raise RegistryError(path, line, '%s is already in line %d' % (symbol, lines[symbol]))
        lines[symbol] = line
        if group not in GROUPS:
            raise RegistryError(path, line, "%s: unknown group '%s'" % (symbol, group))
        if platform != '-' and platform not in PLATFORMS:
            raise RegistryError(path, line, "%s: unknown platform '%s'" % (symbol, platform))
        functions.append(Function(symbol, _version(path, line, since), group,
                                  _parameters(path, line, parameters),
                                  _optional(twin), _optional(fallback), _optional(platform)))
    _check_relations(path, functions, lines)
    if types:
        _check_types(path, functions, lines, {row.type: row for row in types})
    return functions


def read_types(path: str) -> List[Type]:
    """Read and check types.tsv."""
    types: Dict[str, Type] = {}
    for line, (type, kind, plain, since) in rows_of(path, 4):
        if type in types:
            raise RegistryError(path, line, '%s is there twice' % type)
        if kind not in KINDS:
            raise RegistryError(path, line, "%s: unknown kind '%s'" % (type, kind))
        if not set(re.findall(r'\w+', plain)) & _BUILT_IN:
            raise RegistryError(path, line, "%s: '%s' is no plain C type" % (type, plain))
        version = _version(path, line, since)
        if version < OLDEST_HEADER:
            raise RegistryError(path, line, '%s: %d stands for what is older'
                                % (type, OLDEST_HEADER))
        types[type] = Type(type, kind, plain, version)
    return list(types.values())


def read_results(path: str, complete: bool = True) -> List[Result]:
    """Read and check results.tsv; `complete` also demands that a human has explained each."""
    results: Dict[int, Result] = {}
    for line, (number, name, since, sticky, meaning, advice) in rows_of(path, 6):
        if not re.match(r'\d+$', number):
            raise RegistryError(path, line, "'%s' is no number" % number)
        if not re.match(r'CUDA_[A-Z0-9_]+$', name):
            raise RegistryError(path, line, "'%s' is no result" % name)
        if int(number) in results or name in (row.name for row in results.values()):
            raise RegistryError(path, line, '%s (%s) is there twice' % (name, number))
        if complete and not (sticky and meaning and advice and sticky != '?'):
            raise RegistryError(path, line, '%s: not explained yet' % name)
        results[int(number)] = Result(int(number), name, _dated(path, line, since), sticky,
                                      meaning, advice)
    return list(results.values())


def read_attributes(path: str) -> List[Attribute]:
    """Read and check attributes.tsv."""
    attributes: List[Attribute] = []
    for line, (kind, number, name, since) in rows_of(path, 4):
        if kind not in ATTRIBUTE_PREFIXES:
            raise RegistryError(path, line, "'%s' is neither of %s"
                                % (kind, ' and '.join(ATTRIBUTE_PREFIXES)))
        if not re.match(r'(0|[1-9]\d*)$', number):
            raise RegistryError(path, line, "'%s' is no number" % number)
        if not re.match(r'[A-Z][A-Z0-9_]*$', name) or name.startswith('CU_'):
            raise RegistryError(path, line, "'%s' is no name without its prefix" % name)
        row = Attribute(kind, int(number), name, _dated(path, line, since))
        if attributes and row[:2] <= attributes[-1][:2]:
            raise RegistryError(path, line, '%s: the rows ascend by kind and number' % name)
        if (kind, name) in ((other.kind, other.name) for other in attributes):
            raise RegistryError(path, line, '%s is there twice' % name)
        attributes.append(row)
    return attributes


def read_enumerations(path: str) -> Dict[str, Dict[str, int]]:
    """Read and check enumerators.tsv: the numbers of enumerators by the name of their type."""
    enumerations: Dict[str, Dict[str, int]] = {}
    for line, (name, members) in rows_of(path, 2):
        if name <= max(enumerations, default=''):
            raise RegistryError(path, line, '%s: the rows ascend by name' % name)
        enumerations[name] = {}
        for member in members.split(' '):
            match = re.match(r'(CU\w+)=(-?\d+)$', member)
            if not match or match.group(1) in enumerations[name]:
                raise RegistryError(path, line, "%s: '%s' is no new enumerator" % (name, member))
            enumerations[name][match.group(1)] = int(match.group(2))
    return enumerations


def read_exceptions(path: str, functions: Iterable[Function]) -> List[Deviation]:
    """Read and check exceptions.tsv: a `missing` row must be old enough, an `early` one too new."""
    since = {function.symbol: function.since for function in functions}
    deviations: List[Deviation] = []
    for line, (driver, version, symbol, kind) in rows_of(path, 4):
        number = _version(path, line, version)
        if symbol not in since:
            raise RegistryError(path, line, '%s is not in the registry' % symbol)
        if kind != ('missing' if since[symbol] <= number else 'early'):
            raise RegistryError(path, line, "%s dates from %d and cannot be '%s' in %d"
                                % (symbol, since[symbol], kind, number))
        deviations.append(Deviation(driver, number, symbol, kind))
    return deviations


def read_meanings(path: str, functions: Iterable[Function]) -> List[Meaning]:
    """Read and check meanings.tsv: the symbol must be as old as the major version."""
    since = {function.symbol: function.since for function in functions}
    meanings: List[Meaning] = []
    for line, (name, major, symbol) in rows_of(path, 3):
        number = _version(path, line, major + '000')
        if symbol not in since:
            raise RegistryError(path, line, '%s is not in the registry' % symbol)
        if since[symbol] >= number + 1000:
            raise RegistryError(path, line, '%s is newer than CUDA %s' % (symbol, major))
        row = Meaning(name, number // 1000, symbol)
        if row[:2] in (other[:2] for other in meanings):
            raise RegistryError(path, line, '%s of CUDA %s is there twice' % (name, major))
        meanings.append(row)
    return meanings


def newest_version(*tables: Iterable) -> int:
    """The newest version of CUDA that has a row in one of the tables."""
    return max(row.since for rows in tables for row in rows)


def write_functions(path: str, functions: Iterable[Function]) -> None:
    """Write the rows in the order given; the comment at the head of the file stays."""
    _write(path, ((row.symbol, str(row.since), row.group, row.prototype, row.twin or '-',
                   row.fallback or '-', row.platform or '-') for row in functions))


def write_types(path: str, types: Iterable[Type]) -> None:
    """Write the rows sorted by name; the comment at the head of the file stays."""
    _write(path, ((row.type, row.kind, row.plain, str(row.since)) for row
                  in sorted(types, key=lambda row: (row.type.lower(), row.type))))


def write_results(path: str, results: Iterable[Result]) -> None:
    """Write the rows sorted by number; the comment at the head of the file stays."""
    _write(path, ((str(row.number), row.name, str(row.since or '-'), row.sticky, row.meaning,
                   row.advice) for row in sorted(results)))


def write_attributes(path: str, attributes: Iterable[Attribute]) -> None:
    """Write the rows sorted by kind and number; the comment at the head of the file stays."""
    _write(path, ((row.kind, str(row.number), row.name, str(row.since or '-'))
                  for row in sorted(attributes)))


def write_enumerations(path: str, enumerations: Dict[str, Dict[str, int]]) -> None:
    """Write the rows sorted by type; the comment at the head of the file stays."""
    _write(path, ((name, ' '.join('%s=%d' % member for member in members.items()))
                  for name, members in sorted(enumerations.items())))


def rows_of(path: str, columns: int) -> Iterator[Tuple[int, List[str]]]:
    """The rows of a table behind its comment, each with its line."""
    head = True
    with open(path, encoding='utf-8', newline='') as file:
        for line, text in enumerate(file, 1):
            if head and text.startswith('#'):
                continue
            head = False
            if not text.endswith('\n') or text.endswith('\r\n'):
                raise RegistryError(path, line, 'a line ends with one newline character')
            fields = text[:-1].split('\t')
            if len(fields) != columns:
                raise RegistryError(path, line, '%d columns between tabs instead of %d'
                                    % (len(fields), columns))
            if any(field != field.strip() for field in fields):
                raise RegistryError(path, line, 'a field begins or ends with blanks')
            yield line, fields


def _write(path: str, rows: Iterable[Sequence[str]]) -> None:
    with open(path, encoding='utf-8', newline='') as file:
        text = file.readlines()
    head = next((i for i, line in enumerate(text) if not line.startswith('#')), len(text))
    with open(path, 'w', encoding='utf-8', newline='\n') as file:
        file.writelines(text[:head])
        file.writelines('\t'.join(row) + '\n' for row in rows)


def _optional(field: str) -> Optional[str]:
    return None if field == '-' else field


def _version(path: str, line: int, text: str) -> int:
    """CUDA counts major * 1000 + minor * 10."""
    if not re.match(r'[1-9]\d?0\d0$', text):
        raise RegistryError(path, line, "'%s' is no CUDA version like 12080" % text)
    return int(text)


def _dated(path: str, line: int, text: str) -> int:
    if text == '-':
        return 0
    version = _version(path, line, text)
    if version <= NEWEST_UNDATED:
        raise RegistryError(path, line, '- stands for %d and what is older' % NEWEST_UNDATED)
    return version


def _parameters(path: str, line: int, text: str) -> Tuple[Parameter, ...]:
    if text == 'void':
        return ()
    parameters: List[Parameter] = []
    for part in text.split(', '):
        match = re.match(r'((?:\w+ )+\**|(?:\w+ )+\*const \*+)([A-Za-z_]\w*)$', part)
        if not match or part in _BUILT_IN:
            raise RegistryError(path, line, "'%s' is no parameter like 'type name'" % part)
        parameters.append(Parameter(match.group(1).rstrip(), match.group(2)))
    if len(set(parameter.name for parameter in parameters)) != len(parameters):
        raise RegistryError(path, line, 'two parameters have the same name')
    return tuple(parameters)


def _check_relations(path: str, functions: Sequence[Function], lines: Dict[str, int]) -> None:
    """Check what rows say about each other: twins, fallbacks, and the order of ABIs."""
    rows = {function.symbol: function for function in functions}
    twins = set(function.twin for function in functions)
    newest: Dict[Tuple[str, bool], Function] = {}
    for function in sorted(functions, key=lambda row: row.abi):
        def demand(rule: bool, message: str) -> None:
            if not rule:
                raise RegistryError(path, lines[function.symbol],
                                    '%s: %s' % (function.symbol, message))

        if function.twin:
            twin = rows.get(function.twin)
            demand(twin is not None, 'its twin %s is not in the registry' % function.twin)
            demand(function.twin in (function.symbol + '_ptds', function.symbol + '_ptsz'),
                   '%s is not its per-thread name' % function.twin)
            demand(twin.types == function.types, 'its twin has another signature')
        demand(not function.per_thread or function.symbol in twins, 'it is the twin of no row')
        demand(not function.per_thread or function.since >= 7000,
               'per-thread default streams date from 7000')
        if function.fallback:
            other = rows.get(function.fallback)
            demand(other is not None,
                   'its fallback %s is not in the registry' % function.fallback)
            demand(other.types == function.types, 'its fallback has another signature')
            demand((other.base, other.per_thread) == (function.base, function.per_thread)
                   and other.abi < function.abi and not other.fallback,
                   'its fallback is not an older ABI of the same function')
        older = newest.get((function.base, function.per_thread))
        demand(older is None or older.since < function.since,
               'it is not younger than %s' % (older.symbol if older else ''))
        newest[(function.base, function.per_thread)] = function


def _check_types(path: str, functions: Sequence[Function], lines: Dict[str, int],
                 types: Dict[str, Type]) -> None:
    """Check that each type is explained, no younger than its rows, and by value only if known.

    A slot whose types are newer than the header at hand is spelled in plain C. That works for
    pointers to unknown structs, but a struct by value must be one that the oldest header has.
    """
    for function in functions:
        for parameter in function.parameters:
            type_name = parameter.base_type
            if set(type_name.split()) <= _BUILT_IN:
                continue
            if type_name not in types:
                raise RegistryError(path, lines[function.symbol],
                                    '%s: types.tsv does not know %s' % (function.symbol, type_name))
            row = types[type_name]
            if row.kind == 'struct' and '*' not in parameter.type and row.since > OLDEST_HEADER:
                raise RegistryError(path, lines[function.symbol], '%s: %s passes by value, but '
                                    'headers of %d lack it' % (function.symbol, type_name,
                                                               OLDEST_HEADER))
            if row.since > max(function.since, OLDEST_HEADER):
                raise RegistryError(path, lines[function.symbol], '%s: types.tsv says that %s '
                                    'dates from %d' % (function.symbol, type_name, row.since))
