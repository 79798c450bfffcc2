#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write one generated file from the registry.

    generate.py WHAT OUTPUT [MOCK_FUNCTIONS]

The build calls this once per file; nobody edits the output. It depends on the registry alone, and
for the mock driver on the table of its functions, so these give the same bytes everywhere. A file
that is as it should be is left alone, so that nothing is built again for it.
"""

import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, 'registry'))
sys.path.insert(0, os.path.join(HERE, 'generator'))
sys.dont_write_bytecode = True

import attributes  # noqa: E402
import calls  # noqa: E402
import cuda_names  # noqa: E402
import drivers  # noqa: E402
import effects  # noqa: E402
import effects_table  # noqa: E402
import exports  # noqa: E402
import groups  # noqa: E402
import json_file  # noqa: E402
import layer  # noqa: E402
import lazy  # noqa: E402
import meanings  # noqa: E402
import missing  # noqa: E402
import mock  # noqa: E402
import mock_functions  # noqa: E402
import parameters  # noqa: E402
import registry  # noqa: E402
import results  # noqa: E402
import retries  # noqa: E402
import slots  # noqa: E402
import symbols  # noqa: E402
import versions  # noqa: E402

EFFECTS = os.path.join(HERE, 'registry', 'effects.tsv')
EXPORTS = os.path.join(HERE, 'registry', 'exports.tsv')
MEANINGS = os.path.join(HERE, 'registry', 'meanings.tsv')
ENUMERATORS = os.path.join(HERE, 'registry', 'enumerators.tsv')

EMITTERS = {
    'slots': ('the table struct (public header)',
              lambda rows, types, codes, names: slots.emit_slots(
                  rows, types, exports.slot_counts(EXPORTS, rows))),
    'cuda_names': ('the names of <cuda.h> over the table (public header)',
              lambda rows, types, codes, names: cuda_names.emit_cuda_names(rows, types)),
    'stubs': ('what is linked instead of the driver',
              lambda rows, types, codes, names: cuda_names.emit_stubs(rows, types)),
    'symbols': ('names, versions and fallbacks of the slots',
                lambda rows, types, codes, names: symbols.emit_symbols(rows)),
    'lazy': ('the table that loads the driver at its first call',
             lambda rows, types, codes, names: lazy.emit_lazy(
                 rows, types, exports.slot_counts(EXPORTS, rows))),
    'missing': ('the functions for symbols that the driver lacks',
                lambda rows, types, codes, names: missing.emit_missing(rows, types)),
    'results': ('names and texts of the result codes (private header)',
                lambda rows, types, codes, names: results.emit_results(codes)),
    'attributes': ('names of device attributes and limits (private header)',
                   lambda rows, types, codes, names: attributes.emit_attributes(names)),
    'versions': ('the newest version of CUDA (private header)',
                 lambda rows, types, codes, names: versions.emit_versions(
                     registry.newest_version(rows, codes, names))),
    'groups': ('sections of the driver API by slot (private header)',
               lambda rows, types, codes, names: groups.emit_groups(rows)),
    'meanings': ('what some names of <cuda.h> mean (private header)',
                 lambda rows, types, codes, names: meanings.emit_meanings(
                     rows, registry.read_meanings(MEANINGS, rows))),
    'effects': ('what the functions do, by slot',
                lambda rows, types, codes, names: effects.emit_effects(
                    rows, types, effects_table.read_effects(EFFECTS, rows))),
    'json': ('the registry as JSON, for other programs',
             lambda rows, types, codes, names: json_file.emit_json(
                 rows, types, codes, names, registry.read_enumerations(ENUMERATORS),
                 registry.newest_version(rows, codes, names))),
    'exports': ('the version script of the shared library',
                lambda rows, types, codes, names: exports.emit_exports(EXPORTS, rows)),
    'calls': ('for tests: one typed call of every slot',
              lambda rows, types, codes, names: calls.emit_calls(rows, types)),
    'driver': ('for tests: the source of a small driver that exports every symbol',
               lambda rows, types, codes, names: drivers.emit_driver(rows)),
    'layer_table': ('the table of the layer',
                    lambda rows, types, codes, names: layer.emit_table(rows, types)),
    'parameters': ('what the parameters of all functions are',
                   lambda rows, types, codes, names: parameters.emit_parameters(
                       rows, types, effects_table.read_effects(EFFECTS, rows))),
    'mock_exports': ('the functions that the library of the mock exports',
                     lambda rows, types, codes, names: mock.emit_exports(rows, types)),
    'mock_exports_windows': ('the same for Windows',
                             lambda rows, types, codes, names: mock.emit_exports(rows, types,
                                                                                 'windows')),
    'mock_definition': ('the module definition of that library for Windows',
                        lambda rows, types, codes, names: mock.emit_definition(rows)),
}

# These also take what the mock implements.
MOCK_EMITTERS = {
    'mock_calls': ('prototypes of the functions of the mock (private header)', mock.emit_calls),
    'mock_table': ('the table of the mock',
                   lambda rows, types, implementations: mock.emit_table(
                       rows, types, implementations, effects_table.read_effects(EFFECTS, rows))),
    'mock_page': ('what the mock implements (Markdown)',
                  lambda rows, types, implementations: mock.emit_page(rows, implementations)),
    'retries': ('for tests: a table that makes each call again for each thing that it lacks',
                retries.emit_retries),
}


def write(path, text):
    try:
        with open(path, encoding='ascii', newline='\n') as file:
            if file.read() == text:
                return
    except (OSError, UnicodeDecodeError):
        pass
    with open(path, 'w', encoding='ascii', newline='\n') as output:
        output.write(text)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog='WHAT is one of:\n' + '\n'.join(
            '  %-20s  %s' % (name, text)
            for name, (text, _) in {**EMITTERS, **MOCK_EMITTERS}.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('what', metavar='WHAT', choices=sorted({**EMITTERS, **MOCK_EMITTERS}))
    parser.add_argument('output', metavar='OUTPUT')
    parser.add_argument('mock_functions', metavar='MOCK_FUNCTIONS', nargs='?',
                        help='table of what the mock implements')
    arguments = parser.parse_args()
    if bool(arguments.mock_functions) != (arguments.what in MOCK_EMITTERS):
        parser.error('%s is made of the registry %s the table of what the mock implements'
                     % (arguments.what, 'and' if arguments.what in MOCK_EMITTERS else 'without'))

    data = os.path.join(HERE, 'registry')
    try:
        rows = registry.read_functions(os.path.join(data, 'functions.tsv'))
        types = registry.read_types(os.path.join(data, 'types.tsv'))
        codes = registry.read_results(os.path.join(data, 'results.tsv'))
        names = registry.read_attributes(os.path.join(data, 'attributes.tsv'))
        if arguments.what in MOCK_EMITTERS:
            facts = effects_table.read_effects(EFFECTS, rows)
            implementations = mock_functions.read_mock_functions(
                arguments.mock_functions, rows,
                {symbol for symbol, row in facts.items() if row.facts['capture'] == 'unsafe'})
            text = MOCK_EMITTERS[arguments.what][1](rows, types, implementations)
        else:
            text = EMITTERS[arguments.what][1](rows, types, codes, names)
    except registry.RegistryError as error:
        sys.exit('generate.py: %s' % error)
    write(arguments.output, text)


if __name__ == '__main__':
    main()
