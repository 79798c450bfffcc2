#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""results.tsv has every enumerator of CUresult, under the number of the header, and explains it."""

import os
import unittest

import toolkit
from header import read_header
import registry


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


if __name__ == '__main__':
    toolkit.main()
