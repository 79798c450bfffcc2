#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write one generated file from the registry.

    generate.py WHAT OUTPUT [SOURCE...]

The build calls this once per file; nobody edits the output. It depends on the registry alone, and
for the mock driver on the sources named, so these give the same bytes everywhere. A file that is
as it should be is left alone, so that nothing is built again for it.
"""

import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, 'registry'))
sys.path.insert(0, os.path.join(HERE, 'generator'))
sys.dont_write_bytecode = True

import attributes  # noqa: E402
import call_rules  # noqa: E402
import calls  # noqa: E402
import cuda_names  # noqa: E402
import drivers  # noqa: E402
import exports  # noqa: E402
import groups  # noqa: E402
import json_file  # noqa: E402
import layer  # noqa: E402
import lazy  # noqa: E402
import missing  # noqa: E402
import mock  # noqa: E402
import mock_sources  # noqa: E402
import parameters  # noqa: E402
import registry  # noqa: E402
import results  # noqa: E402
import retries  # noqa: E402
import slots  # noqa: E402
import symbols  # noqa: E402
import versions  # noqa: E402

CALL_RULES = os.path.join(HERE, 'registry', 'call_rules.tsv')
UNFOLLOWED = os.path.join(HERE, 'registry', 'unfollowed.tsv')
EXPORTS = os.path.join(HERE, 'registry', 'exports.tsv')

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
    'call_rules': ('when which function may be called, by slot',
                   lambda rows, types, codes, names: call_rules.emit_call_rules(
                       rows, registry.read_call_rules(CALL_RULES, rows))),
    'json': ('the registry as JSON, for other programs',
             lambda rows, types, codes, names: json_file.emit_json(
                 rows, types, codes, registry.newest_version(rows, codes, names))),
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
                       rows, types, registry.read_unfollowed(UNFOLLOWED, rows))),
    'mock_exports': ('the functions that the library of the mock exports',
                     lambda rows, types, codes, names: mock.emit_exports(rows, types)),
    'mock_exports_windows': ('the same for Windows',
                             lambda rows, types, codes, names: mock.emit_exports(rows, types,
                                                                                 'windows')),
    'mock_definition': ('the module definition of that library for Windows',
                        lambda rows, types, codes, names: mock.emit_definition(rows)),
}

# These also take what the sources of the mock define.
MOCK_EMITTERS = {
    'mock_calls': ('prototypes of the functions of the mock (private header)', mock.emit_calls),
    'mock_table': ('the table of the mock', mock.emit_table),
    'mock_page': ('what the mock implements (Markdown)',
                  lambda rows, types, definitions: mock.emit_page(rows, definitions)),
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
    parser.add_argument('sources', metavar='SOURCE', nargs='*', help='source of the mock')
    arguments = parser.parse_args()
    if arguments.sources and arguments.what not in MOCK_EMITTERS:
        parser.error('%s is made of the registry alone' % arguments.what)

    data = os.path.join(HERE, 'registry')
    try:
        rows = registry.read_functions(os.path.join(data, 'functions.tsv'))
        types = registry.read_types(os.path.join(data, 'types.tsv'))
        codes = registry.read_results(os.path.join(data, 'results.tsv'))
        names = registry.read_attributes(os.path.join(data, 'attributes.tsv'))
        definitions = mock_sources.read_definitions(arguments.sources, rows)
        if arguments.what in MOCK_EMITTERS:
            text = MOCK_EMITTERS[arguments.what][1](rows, types, definitions)
        else:
            text = EMITTERS[arguments.what][1](rows, types, codes, names)
    except (registry.RegistryError, mock_sources.SourceError) as error:
        sys.exit('generate.py: %s' % error)
    write(arguments.output, text)


if __name__ == '__main__':
    main()
