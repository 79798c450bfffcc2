#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of the registry against the toolkit: toolkit_test.py CUDA_INCLUDE CLASS

Attributes: attributes.tsv names every device attribute and limit of the header, as that does.
Results:    results.tsv has every enumerator of CUresult, under the number of the header.
Exports:    the toolkit's own stub of the driver library exports each core row, and no others.

A toolkit may be newer than the registry (toolkit.check_known), or older: the tables do not say
since when there is an enumerator, so those after 13.0 are listed here.
"""

import glob
import os
import re
import sys
import unittest

import toolkit
import registry

ENUMS = (('device', 'CUdevice_attribute', 80), ('limit', 'CUlimit', 6))
# Enumerators after 13.0: by number, the version that they came with.
LATER = {
    'device': {148: 13010, 149: 13040, 150: 13040, **dict.fromkeys(range(151, 157), 13030),
               157: 13040, 158: 13040, 161: 13040},
    'limit': {10: 13040},
    'result': {917: 13010, 918: 13030, 47: 13040, 227: 13040, 919: 13040},
}


def later(kind, version):
    return [number for number, since in LATER[kind].items() if since > version]


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
            # Enumerators are renamed and added: an older header may know neither name nor number.
            if header.version >= 13000:
                self.assertEqual(set(known) - set(names), set(later(kind, header.version)))
                for number in set(known) & set(names):
                    self.assertIn(known[number], names[number])


class Results(unittest.TestCase):
    def test_rows_are_the_enumerators_of_curesult(self):
        header = toolkit.header('cuda.h')
        declared = {name: number for number, name in header.enums['CUresult']}
        rows = {row.name: row.number for row in registry.read_results(toolkit.table('results'))}
        names = {number: name for name, number in rows.items()}
        toolkit.check_known(self, declared, rows, 'CUresult')
        for name, number in declared.items():
            self.assertEqual(rows.get(name, number), number, name)
            self.assertEqual(names.get(number, name), name)
        # An older header than 13.0 simply lacks the newer codes.
        if header.version >= 13000:
            self.assertEqual(set(rows.values()) - set(declared.values()),
                             set(later('result', header.version)))
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
        toolkit.check_known(self, symbols, every, stubs[0])
        self.assertEqual(sorted(rows - symbols), [], 'a row of this age or older, not exported')
        print('%d symbols of %s' % (len(symbols), stubs[0]))


if __name__ == '__main__':
    toolkit.main(only=sys.argv[2])
