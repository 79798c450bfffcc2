#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the tables of the registry with the toolkit: toolkit_test.py CUDA_INCLUDE CLASS

Attributes: attributes.tsv names every device attribute and limit of the header, as that does.
Results:    results.tsv has every enumerator of CUresult, under the number of the header.
Exports:    the toolkit's own stub of the driver library exports each core row, and no others.

A toolkit may be newer than the registry (toolkit.check_known), or older: then it lacks the rows of
later versions.
"""

import glob
import os
import re
import sys
import unittest

import toolkit
import registry
from rows import NEWEST_UNDATED

ENUMS = (('device', 'CUdevice_attribute', 80), ('limit', 'CUlimit', 6))


class Attributes(unittest.TestCase):
    def test_rows_are_the_enumerators_of_the_header(self):
        header = toolkit.header('cuda.h')
        rows = registry.read_attributes(toolkit.table('attributes'))
        for kind, enum, least in ENUMS:
            prefix = registry.ATTRIBUTE_PREFIXES[kind]
            names = {}
            for number, name in header.enums[enum]:
                if name != prefix + 'MAX':
                    names.setdefault(number, []).append(name)
            self.assertGreater(len(names), least)
            known = {row.number: prefix + row.name for row in rows if row.kind == kind}
            toolkit.check_known(self, map(str, names), map(str, known), enum)
            # CUDA renames and adds enumerators, so an older header may lack a name or a number.
            if header.version >= NEWEST_UNDATED:
                self.assertEqual(set(known) - set(names),
                                 {row.number for row in rows
                                  if row.kind == kind and row.since > header.version})
                for number in set(known) & set(names):
                    self.assertIn(known[number], names[number])


class Results(unittest.TestCase):
    def test_rows_are_the_enumerators_of_curesult(self):
        header = toolkit.header('cuda.h')
        declared = {name: number for number, name in header.enums['CUresult']}
        results = registry.read_results(toolkit.table('results'))
        rows = {row.name: row.number for row in results}
        names = {row.number: row.name for row in results}
        toolkit.check_known(self, declared, rows, 'CUresult')
        for name, number in declared.items():
            self.assertEqual(rows.get(name, number), number, name)
            self.assertEqual(names.get(number, name), name)
        # Rows of codes have no version, so an older header may lack any of them.
        if header.version >= NEWEST_UNDATED:
            self.assertEqual(set(rows.values()) - set(declared.values()),
                             {row.number for row in results if row.since > header.version})
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
        # The functions for debuggers begin with cudbg.
        symbols = set(name for name in toolkit.exports(stubs[0]) if re.match('cu[A-Z]', name))
        toolkit.check_known(self, symbols, every, stubs[0])
        self.assertEqual(sorted(rows - symbols), [], 'a row of this age or older, not exported')
        print('%d symbols of %s' % (len(symbols), stubs[0]))


if __name__ == '__main__':
    toolkit.main(only=sys.argv[2])
