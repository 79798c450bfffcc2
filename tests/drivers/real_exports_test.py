#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cushim symbols` of NVIDIA's own drivers: each exported name, as another reader finds it.

    real_exports_test.py FOLDER COMMAND DRIVER_API_JSON
"""

import glob
import json
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '../binary'))

import built_file  # noqa: E402


class RealExports(unittest.TestCase):
    def test_has_lacks_and_besides_are_those_of_the_file(self):
        with open(DATA, encoding='ascii') as file:
            registry = {row['symbol'] for row in json.load(file)['functions']
                        if row['platform'] is None}
        libraries = sorted(glob.glob(os.path.join(FOLDER, '*', 'libcuda.so.1')))
        self.assertGreater(len(libraries), 0)
        for library in libraries:
            with self.subTest(library):
                printed = json.loads(subprocess.run([COMMAND, 'symbols', '--json', library],
                                                 stdout=subprocess.PIPE, check=True).stdout)
                has, lacks = ({row['symbol'] for row in printed[word]} for word in ('has', 'lacks'))
                exported = {symbol.name for symbol in
                            built_file.File(library).symbols(built_file.DYNAMIC_SYMBOLS)
                            if symbol.name.startswith('cu')}
                self.assertGreater(len(has), 200)
                self.assertEqual(has, exported & registry)
                self.assertEqual(lacks, registry - exported)
                self.assertEqual(printed['besides'], sorted(exported - registry))
                print('%s: has %d, lacks %d, besides %d'
                      % (library, len(has), len(lacks), len(printed['besides'])))


if __name__ == '__main__':
    FOLDER, COMMAND, DATA = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
