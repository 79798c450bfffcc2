#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The toolkit's own stub of the driver library exports each core row, and nothing without a row."""

import glob
import os
import re
import unittest

import toolkit


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
    toolkit.main()
