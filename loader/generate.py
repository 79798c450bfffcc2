#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write one generated C file from the registry.

    generate.py WHAT OUTPUT

The build calls this once per file; nobody edits the output. It depends on the registry alone, so
the same registry gives the same bytes everywhere.
"""

import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, 'registry'))
sys.path.insert(0, os.path.join(HERE, 'generator'))
sys.dont_write_bytecode = True

import absent  # noqa: E402
import boot  # noqa: E402
import calls  # noqa: E402
import drivers  # noqa: E402
import registry  # noqa: E402
import results  # noqa: E402
import slots  # noqa: E402
import symbols  # noqa: E402

EMITTERS = {
    'slots': ('the table struct (public header)',
              lambda rows, types, codes: slots.emit_slots(rows, types)),
    'symbols': ('names, versions and fallbacks of the slots',
                lambda rows, types, codes: symbols.emit_symbols(rows)),
    'boot': ('the table that loads the driver at its first call',
             lambda rows, types, codes: boot.emit_boot(rows, types)),
    'absent': ('the table of a process without a driver',
               lambda rows, types, codes: absent.emit_absent(rows, types)),
    'missing': ('the functions for symbols that the driver lacks',
                lambda rows, types, codes: absent.emit_missing(rows, types)),
    'results': ('names and texts of the result codes (private header)',
                lambda rows, types, codes: results.emit_results(codes)),
    'calls': ('for tests: one typed call of every slot',
              lambda rows, types, codes: calls.emit_calls(rows, types)),
    'driver': ('for tests: the source of a small driver that exports every symbol',
               lambda rows, types, codes: drivers.emit_driver(rows)),
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog='WHAT is one of:\n' + '\n'.join(
            '  %-8s  %s' % (name, text) for name, (text, _) in EMITTERS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('what', metavar='WHAT', choices=sorted(EMITTERS))
    parser.add_argument('output', metavar='OUTPUT')
    arguments = parser.parse_args()

    data = os.path.join(HERE, 'registry')
    try:
        rows = registry.read_functions(os.path.join(data, 'functions.tsv'))
        types = registry.read_types(os.path.join(data, 'types.tsv'))
        codes = registry.read_results(os.path.join(data, 'results.tsv'))
    except registry.RegistryError as error:
        sys.exit('generate.py: %s' % error)
    text = EMITTERS[arguments.what][1](rows, types, codes)
    with open(arguments.output, 'w', encoding='ascii', newline='\n') as output:
        output.write(text)


if __name__ == '__main__':
    main()
