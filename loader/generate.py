#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write one generated file from the registry.

    generate.py WHAT OUTPUT [MOCK_FUNCTIONS]

The build calls this once per file; nobody edits the output. It depends on the registry alone, and
for the mock driver on the table of its functions, so these give the same bytes everywhere. A file
that is as it should be is left alone, so that nothing is built again for it.
"""

import argparse
import functools
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, 'registry'))
sys.path.insert(0, os.path.join(HERE, 'generator'))
sys.dont_write_bytecode = True

import cuda_names  # noqa: E402
import effects  # noqa: E402
import effects_table  # noqa: E402
import exports  # noqa: E402
import for_tests  # noqa: E402
import json_file  # noqa: E402
import layer  # noqa: E402
import lazy  # noqa: E402
import missing  # noqa: E402
import mock  # noqa: E402
import mock_functions  # noqa: E402
import names  # noqa: E402
import parameters  # noqa: E402
import registry  # noqa: E402
import results  # noqa: E402
import retries  # noqa: E402
import slots  # noqa: E402
import symbols  # noqa: E402


def path(name):
    return os.path.join(HERE, 'registry', name)


class Registry:
    """The tables that an emitter takes. Those that not every emitter needs are read when one does."""

    def __init__(self, mock_table):
        self.rows = registry.read_functions(path('functions.tsv'))
        self.types = registry.read_types(path('types.tsv'))
        self.codes = registry.read_results(path('results.tsv'))
        self.attributes = registry.read_attributes(path('attributes.tsv'))
        self.newest = registry.newest_version(self.rows, self.codes, self.attributes)
        self.slot_counts = exports.slot_counts(path('exports.tsv'), self.rows)
        self.mock_table = mock_table

    @functools.cached_property
    def effects(self):
        return effects_table.read_effects(path('effects.tsv'), self.rows)

    @functools.cached_property
    def mock(self):
        return mock_functions.read_mock_functions(
            self.mock_table, self.rows, {symbol for symbol, row in self.effects.items()
                                         if row.facts['capture'] == 'unsafe'})


EMITTERS = {
    'slots': ('the table struct (public header)',
              lambda r: slots.emit_slots(r.rows, r.types, r.slot_counts)),
    'cuda_names': ('the names of <cuda.h> over the table (public header)',
                   lambda r: cuda_names.emit_cuda_names(r.rows, r.types)),
    'stubs': ('what is linked instead of the driver',
              lambda r: cuda_names.emit_stubs(r.rows, r.types)),
    'symbols': ('names, versions and fallbacks of the slots',
                lambda r: symbols.emit_symbols(r.rows)),
    'lazy': ('the table that loads the driver at its first call',
             lambda r: lazy.emit_lazy(r.rows, r.types, r.slot_counts)),
    'missing': ('the functions for symbols that the driver lacks',
                lambda r: missing.emit_missing(r.rows, r.types)),
    'results': ('names and texts of the result codes (private header)',
                lambda r: results.emit_results(r.codes)),
    'attributes': ('names of device attributes and limits (private header)',
                   lambda r: names.emit_attributes(r.attributes)),
    'versions': ('the newest version of CUDA (private header)',
                 lambda r: names.emit_versions(r.newest)),
    'groups': ('sections of the driver API by slot (private header)',
               lambda r: names.emit_groups(r.rows)),
    'meanings': ('what some names of <cuda.h> mean (private header)',
                 lambda r: names.emit_meanings(
                     r.rows, registry.read_meanings(path('meanings.tsv'), r.rows))),
    'effects': ('what the functions do, by slot',
                lambda r: effects.emit_effects(r.rows, r.types, r.effects)),
    'json': ('the registry as JSON, for other programs',
             lambda r: json_file.emit_json(
                 r.rows, r.types, r.codes, r.attributes,
                 registry.read_enumerations(path('enumerators.tsv')), r.newest)),
    'exports': ('the version script of the shared library',
                lambda r: exports.emit_exports(path('exports.tsv'), r.rows)),
    'calls': ('for tests: one typed call of every slot',
              lambda r: for_tests.emit_calls(r.rows, r.types)),
    'driver': ('for tests: the source of a small driver that exports every symbol',
               lambda r: for_tests.emit_driver(r.rows)),
    'layer_table': ('the table of the layer', lambda r: layer.emit_table(r.rows, r.types)),
    'parameters': ('what the parameters of all functions are',
                   lambda r: parameters.emit_parameters(r.rows, r.types, r.effects)),
    'mock_exports': ('the functions that the library of the mock exports',
                     lambda r: mock.emit_exports(r.rows, r.types)),
    'mock_exports_windows': ('the same for Windows',
                             lambda r: mock.emit_exports(r.rows, r.types, 'windows')),
    'mock_definition': ('the module definition of that library for Windows',
                        lambda r: mock.emit_definition(r.rows)),
}

# These also take what the mock implements.
MOCK_EMITTERS = {
    'mock_calls': ('prototypes of the functions of the mock (private header)',
                   lambda r: mock.emit_calls(r.rows, r.types, r.mock)),
    'mock_table': ('the table of the mock',
                   lambda r: mock.emit_table(r.rows, r.types, r.mock, r.effects)),
    'mock_page': ('what the mock implements (Markdown)',
                  lambda r: mock.emit_page(r.rows, r.mock)),
    'retries': ('for tests: a table that makes each call again for each thing that it lacks',
                lambda r: retries.emit_retries(r.rows, r.types, r.mock)),
}


def write(output, text):
    try:
        with open(output, encoding='ascii', newline='\n') as file:
            if file.read() == text:
                return
    except (OSError, UnicodeDecodeError):
        pass
    with open(output, 'w', encoding='ascii', newline='\n') as file:
        file.write(text)


def main():
    emitters = {**EMITTERS, **MOCK_EMITTERS}
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog='WHAT is one of:\n' + '\n'.join(
            '  %-20s  %s' % (name, text) for name, (text, _) in emitters.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('what', metavar='WHAT', choices=sorted(emitters))
    parser.add_argument('output', metavar='OUTPUT')
    parser.add_argument('mock_functions', metavar='MOCK_FUNCTIONS', nargs='?',
                        help='table of what the mock implements')
    arguments = parser.parse_args()
    if bool(arguments.mock_functions) != (arguments.what in MOCK_EMITTERS):
        parser.error('%s is made of the registry %s the table of what the mock implements'
                     % (arguments.what, 'and' if arguments.what in MOCK_EMITTERS else 'without'))
    try:
        text = emitters[arguments.what][1](Registry(arguments.mock_functions))
    except registry.RegistryError as error:
        sys.exit('generate.py: %s' % error)
    write(arguments.output, text)


if __name__ == '__main__':
    main()
