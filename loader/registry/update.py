#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bring the registry up to date with a CUDA toolkit.

Reads cuda.h, cudaProfiler.h, cudaGL.h, cudaEGL.h, cudaVDPAU.h and the cuda*Typedefs.h beside them.
What the registry lacks is added: functions at the end of functions.tsv (the order of rows is the
ABI of the table, so no row ever moves), their types to types.tsv, result codes to results.tsv,
device attributes and limits to attributes.tsv, all other enumerators to enumerators.tsv. Nothing is removed, no row that is there is changed
but for a twin that it gets, and an older toolkit changes nothing but the age of a type, code or
attribute that it declares and the registry takes for newer.

Two things remain for a human: the meaning of a new result code, and whether a new `_v2` may fall
back to the older ABI. The tests of the registry fail until the first is written.
"""

import argparse
import os
import re
import sys
from typing import Dict, Iterable, List, Optional

import registry
from header import Declaration, Header, HeaderError, read_header, read_versions
from registry import RegistryError
from rows import (NEWEST_UNDATED, OLDEST_HEADER, PREFIXES, SECTIONS, Attribute, Function, Result,
                  Type)
from spelling import Spelling

_HEADERS = ('cuda.h', 'cudaProfiler.h', 'cudaGL.h', 'cudaEGL.h', 'cudaVDPAU.h')
_VERSIONS = ('cudaTypedefs.h', 'cudaProfilerTypedefs.h', 'cudaGLTypedefs.h', 'cudaEGLTypedefs.h',
             'cudaVDPAUTypedefs.h')

_ATTRIBUTES = {'device': 'CUdevice_attribute', 'limit': 'CUlimit'}


class UpdateError(Exception):
    """The toolkit and the registry contradict each other, or a human has to decide."""


class Toolkit:
    """The driver API as one toolkit's headers declare it."""

    def __init__(self, include: str):
        paths = [os.path.join(include, name) for name in _HEADERS]
        headers = [read_header(path) for path in paths if os.path.exists(path)]
        if not headers or os.path.basename(headers[0].path) != 'cuda.h':
            raise UpdateError('%s: there is no cuda.h' % include)
        self.cuda: Header = headers[0]
        if self.cuda.version is None:
            raise UpdateError('%s: no CUDA_VERSION' % self.cuda.path)
        self.version: int = self.cuda.version
        # What the version column of codes and attributes says of this toolkit.
        self.dated: int = self.version if self.version > NEWEST_UNDATED else 0
        self.spelling = Spelling(self.cuda, headers[1:])
        self.declarations: Dict[str, Declaration] = {}
        for header in headers:
            self.declarations.update(header.functions)
        self._versions = read_versions([os.path.join(include, name) for name in _VERSIONS])
        # Rows of all that is declared, as yet without version, group and twin.
        self.functions = [self._function(item) for item in self.declarations.values()]

    def since(self, function: Function) -> Optional[int]:
        """When this ABI came, by the toolkit's own typedefs; None if they do not say.

        They name a function and a version, not a symbol: the ABIs of one function are counted off
        against the versions that have the same prototype.
        """
        suffix = function.symbol[-5:] if function.per_thread else ''
        wanted = self.spelling.canonical(function.types)
        versions = [version for version, types
                    in sorted(self._versions.get(function.base + suffix, {}).items())
                    if self.spelling.canonical(types) == wanted]
        alike = sorted((other.abi, other.symbol) for other in self.functions
                       if (other.base, other.per_thread) == (function.base, function.per_thread)
                       and self.spelling.canonical(other.types) == wanted)
        if len(alike) != len(versions):
            return None
        return versions[alike.index((function.abi, function.symbol))]

    def group(self, function: Function) -> str:
        """The subject of a function; old ABIs stand outside the sections, beside no text."""
        sections = [item.section for symbol, item in self.declarations.items()
                    if item.section and _base(symbol) == function.base]
        section = (sections + [''])[0].replace('_DEPRECATED', '')
        for other, prefix, group in PREFIXES:
            if section == other and function.symbol.startswith(prefix):
                return group
        if section not in SECTIONS:
            raise UpdateError("%s is in the section '%s', which has no group yet: add it to "
                              'rows.py' % (function.symbol, section))
        return SECTIONS[section]

    def types(self, names: Iterable[str]) -> List[str]:
        """Those of the names that cuda.h gives to the type of that name in types.tsv.

        Where it stands for a struct that has a row of its own, by its tag, it is an older one.
        """
        return [name for name in names if self.spelling.declares(name) not in (None, *(
            other for other in names if other.startswith(('struct ', 'union '))))]

    def _function(self, item: Declaration) -> Function:
        platform = None if item.platform == '-' else item.platform
        return Function(item.symbol, 0, '', self.spelling.parameters(item.parameters), None, None,
                        platform)


def update_functions(toolkit: Toolkit, functions: List[Function], say) -> List[Function]:
    """Return the rows with those added that only the toolkit has."""
    known = {function.symbol: function for function in functions}
    added: List[Function] = []
    for function in toolkit.functions:
        row = known.get(function.symbol)
        if row is None:
            since = toolkit.since(function)
            if since is None:
                since = toolkit.version
                say("note: no typedef dates %s; it gets this toolkit's version" % function.symbol)
            added.append(function._replace(since=since, group=toolkit.group(function)))
            say('functions.tsv: add %s (%d)' % (function.symbol, since))
            older = [other.symbol for other in toolkit.functions
                     if (other.base, other.per_thread) == (function.base, function.per_thread)
                     and other.abi < function.abi and other.types == function.types]
            if older:
                say('note: %s has the signature of %s; decide whether it may fall back to it'
                    % (function.symbol, ' and '.join(older)))
        elif toolkit.spelling.canonical(row.types) != toolkit.spelling.canonical(function.types):
            raise UpdateError('%s is (%s) in the registry, but (%s) in the header of CUDA %d'
                              % (row.symbol, row.prototype, function.prototype, toolkit.version))
    rows = functions + added
    names = set(row.symbol for row in rows)
    for i, row in enumerate(rows):
        for twin in (row.symbol + '_ptds', row.symbol + '_ptsz'):
            if twin in names and not row.twin:
                rows[i] = row._replace(twin=twin)
                if row.symbol in known:
                    say('functions.tsv: %s gets the twin %s' % (row.symbol, twin))
    return rows


def update_types(toolkit: Toolkit, functions: List[Function], types: List[Type], say) -> List[Type]:
    """Return the types with those added that a row uses and no row explains.

    A type dates from the first row that uses it, or from an older toolkit that declares it.
    """
    rows = {row.type: row for row in types}
    for function in sorted(functions, key=lambda row: row.since):
        for parameter in function.parameters:
            row = toolkit.spelling.type(parameter.base_type, max(function.since, OLDEST_HEADER))
            if row is not None and row.type not in rows:
                rows[row.type] = row
                say('types.tsv: add %s (%s)' % (row.type, row.kind))
    for name in toolkit.types(rows):
        since = max(toolkit.version, OLDEST_HEADER)
        if since < rows[name].since:
            rows[name] = rows[name]._replace(since=since)
            say('types.tsv: %s dates from %d' % (name, since))
    return list(rows.values())


def update_results(toolkit: Toolkit, results: List[Result], say) -> List[Result]:
    """Return the result codes with those added, unexplained, that only the toolkit has."""
    rows = {row.number: row for row in results}
    numbers = {row.name: row.number for row in results}
    for number, name in toolkit.cuda.enums['CUresult']:
        if numbers.get(name, number) != number:
            raise UpdateError('%s is %d in the registry, but %d in the header of CUDA %d'
                              % (name, numbers[name], number, toolkit.version))
        if number not in rows:
            rows[number] = Result(number, name, toolkit.dated, '?', '', '')
            say('results.tsv: add %d %s; write its meaning' % (number, name))
        elif rows[number].name != name:
            raise UpdateError('%d is %s in the registry, but %s in the header of CUDA %d'
                              % (number, rows[number].name, name, toolkit.version))
        elif rows[number].since > toolkit.version:
            rows[number] = rows[number]._replace(since=toolkit.dated)
            say('results.tsv: %s dates from %d' % (name, toolkit.version))
    return sorted(rows.values())


def update_attributes(toolkit: Toolkit, attributes: List[Attribute], say) -> List[Attribute]:
    """Return the attributes with those numbers added that only the toolkit names.

    Where a number has two names in a header, the first is taken: a human may prefer the other. A
    name that moved to another number is for a human as well.
    """
    rows = {(row.kind, row.number): row for row in attributes}
    taken = {(row.kind, row.name): row.number for row in attributes}
    for kind, prefix in registry.ATTRIBUTE_PREFIXES.items():
        for number, name in toolkit.cuda.enums[_ATTRIBUTES[kind]]:
            short = name[len(prefix):]
            if short == 'MAX':
                continue
            row = rows.get((kind, number))
            if row is None:
                if (kind, short) in taken:
                    raise UpdateError('%s is %d in the registry, but %d in the header of CUDA %d'
                                      % (name, taken[(kind, short)], number, toolkit.version))
                rows[(kind, number)] = Attribute(kind, number, short, toolkit.dated)
                taken[(kind, short)] = number
                say('attributes.tsv: add %s' % name)
            elif row.since > toolkit.version:
                rows[(kind, number)] = row._replace(since=toolkit.dated)
                say('attributes.tsv: %s dates from %d' % (name, toolkit.version))
    return sorted(rows.values())


def update_enumerations(toolkit: Toolkit, enumerations: Dict[str, Dict[str, int]], say):
    """Return the enumerations with what only the toolkit names, unless that is an old one.

    An enumerator at the end that counts the others is left out, as it changes with each version.
    """
    updated = {name: dict(members) for name, members in enumerations.items()}
    for name, pairs in toolkit.cuda.enums.items():
        if toolkit.version < NEWEST_UNDATED or name in ('CUresult', *_ATTRIBUTES.values()):
            continue
        counts = pairs[-1:] if re.search('_MAX$|_NUM_', pairs[-1][1]) else ()
        for number, member in pairs:
            if (number, member) not in counts and member.startswith('CU'):
                if updated.setdefault(name, {}).get(member) != number:  # masks grow
                    updated[name][member] = number
                    say('enumerators.tsv: %s is %d' % (member, number))
    return updated


def _base(symbol: str) -> str:
    return Function(symbol, 0, '', (), None, None, None).base


def _run(options) -> int:
    changes: List[str] = []
    toolkit = Toolkit(options.include)
    paths = {name: os.path.join(options.registry, name + '.tsv')
             for name in ('functions', 'types', 'results', 'attributes', 'enumerators')}
    functions = registry.read_functions(paths['functions'])
    types = registry.read_types(paths['types'])
    results = registry.read_results(paths['results'], complete=False)
    attributes = registry.read_attributes(paths['attributes'])
    enumerations = registry.read_enumerations(paths['enumerators'])
    new_functions = update_functions(toolkit, functions, changes.append)
    new_types = update_types(toolkit, new_functions, types, changes.append)
    new_results = update_results(toolkit, results, changes.append)
    new_attributes = update_attributes(toolkit, attributes, changes.append)
    new_enumerations = update_enumerations(toolkit, enumerations, changes.append)
    for change in changes:
        print(change)
    if options.check:
        return 1 if changes else 0
    if new_functions != functions:
        registry.write_functions(paths['functions'], new_functions)
    if new_types != types:
        registry.write_types(paths['types'], new_types)
    if new_results != results:
        registry.write_results(paths['results'], new_results)
    if new_attributes != attributes:
        registry.write_attributes(paths['attributes'], new_attributes)
    if new_enumerations != enumerations:
        registry.write_enumerations(paths['enumerators'], new_enumerations)
    registry.read_functions(paths['functions'], registry.read_types(paths['types']))
    return 0


def main() -> int:
    """Return 0 when the registry is up to date, 1 when --check found work, 2 on errors."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog='Exit status: 0 up to date (or brought there), 1 --check found something to add, '
               '2 error.')
    parser.add_argument('include', metavar='TOOLKIT_INCLUDE_DIR',
                        help='the directory with cuda.h, such as /usr/local/cuda/include')
    parser.add_argument('--check', action='store_true',
                        help='change no file, only say what would change')
    parser.add_argument('--registry', metavar='DIR', default=os.path.dirname(__file__) or '.',
                        help='the directory with the tables (default: the one of this script)')
    try:
        return _run(parser.parse_args())
    except (HeaderError, RegistryError, UpdateError, OSError) as error:
        print('error: %s' % error, file=sys.stderr)
        return 2


if __name__ == '__main__':
    sys.exit(main())
