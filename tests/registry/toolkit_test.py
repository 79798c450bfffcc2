#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of the registry against the toolkit: toolkit_test.py CUDA_INCLUDE CLASS

Attributes: attributes.tsv names every device attribute and limit of the header, as that does.
Results:    results.tsv has every enumerator of CUresult, under the number of the header.
Exports:    the toolkit's own stub of the driver library exports each core row, and no others.
"""

import glob
import os
import re
import sys
import unittest

import toolkit
from header import read_header
import registry

ENUMS = (('device', 'CUdevice_attribute', 80), ('limit', 'CUlimit', 6))


class Attributes(unittest.TestCase):
    def test_rows_are_the_enumerators_of_the_header(self):
        header = read_header(os.path.join(toolkit.include(), 'cuda.h'))
        rows = registry.read_attributes(toolkit.table('attributes'))
        newest = header.version >= max(row.since for row in toolkit.functions())
        for kind, enum, least in ENUMS:
            prefix = registry.ATTRIBUTE_PREFIXES[kind]
            names = {}
            for number, name in header.enums[enum]:
                if name != prefix + 'MAX':
                    names.setdefault(number, []).append(name)
            self.assertGreater(len(names), least)
            known = {row.number: prefix + row.name for row in rows if row.kind == kind}
            self.assertEqual(sorted(set(names) - set(known)), [], '%s: run update.py' % enum)
            # Enumerators are renamed and added: an older header may know neither name nor number.
            if newest:
                self.assertEqual(sorted(known), sorted(names))
                for number, name in known.items():
                    self.assertIn(name, names[number])


class Results(unittest.TestCase):
    def test_rows_are_the_enumerators_of_curesult(self):
        header = read_header(os.path.join(toolkit.include(), 'cuda.h'))
        declared = {name: number for number, name in header.enums['CUresult']}
        rows = {row.name: row.number for row in registry.read_results(toolkit.table('results'))}
        for name, number in declared.items():
            self.assertEqual(rows.get(name), number, '%s: run update.py' % name)
        # CUresult has no versions: an older header simply lacks the newer codes.
        if header.version >= max(row.since for row in toolkit.functions()):
            self.assertEqual(sorted(set(rows) - set(declared)), [])
        self.assertGreater(len(declared), 70)


class Exports(unittest.TestCase):
    def test_core_rows_are_the_symbols_of_the_stub_library(self):
        root = os.path.dirname(os.path.abspath(toolkit.include()))
        stubs = sorted(glob.glob(os.path.join(root, 'lib*', 'stubs', 'libcuda.so')))
        if not stubs:
            self.skipTest('no lib*/stubs/libcuda.so in %s' % root)
        version = toolkit.version()
        every = set(row.symbol for row in toolkit.functions())
        rows = set(row.symbol for row in toolkit.functions()
                   if not row.interop and row.since <= version)
        # The debugger's own begin with cudbg.
        symbols = set(name for name in toolkit.exports(stubs[0]) if re.match('cu[A-Z]', name))
        self.assertEqual(sorted(symbols - every), [], 'exported, but in no row: run update.py')
        self.assertEqual(sorted(rows - symbols), [], 'a row of this age or older, not exported')
        print('%d symbols of %s' % (len(symbols), stubs[0]))


if __name__ == '__main__':
    toolkit.main(only=sys.argv[2])
