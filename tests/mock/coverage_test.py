#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page on what the mock implements, against what every function answers.

    coverage_test.py PROGRAM PAGE
"""

import os
import re
import subprocess
import sys
import unittest

# What Meson starts programs of another system with.
WRAPPER = os.environ.get('EXE_WRAPPER', '').split()


class Coverage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = subprocess.run([*WRAPPER, PROGRAM, 'context'], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        cls.told = dict(line.split(' ', 1) for line in text.splitlines())
        with open(PAGE, encoding='ascii') as file:
            cls.page = file.read()
        cls.rows = {symbol: (kind, difference) for symbol, kind, difference in re.findall(
            r'^\| `(cu\w+)` \| (\w+) \| (.*) \|$', cls.page, re.MULTILINE)}

    def test_page_has_every_function(self):
        self.assertEqual(set(self.rows), set(self.told))
        self.assertEqual(len(self.rows), 673)

    def test_function_is_refused_exactly_where_the_page_says_so(self):
        wrong = [symbol for symbol, (kind, _) in self.rows.items()
                 if (kind in ('refused', 'absent')) != (self.told[symbol] == 'refused')]
        self.assertEqual(wrong, [])

    def test_no_function_crashes_or_hangs_on_zeros(self):
        self.assertEqual([symbol for symbol, word in self.told.items() if word == 'ended'], [])

    def test_approximate_function_says_what_differs_and_no_other_does(self):
        wrong = [symbol for symbol, (kind, difference) in self.rows.items()
                 if (kind == 'approximate') != bool(difference)]
        self.assertEqual(wrong, [])

    def test_counts_are_those_of_the_rows(self):
        kinds = [kind for kind, _ in self.rows.values()]
        counts = [list(map(int, row)) for row in re.findall(
            r'^\| [A-Z][a-zA-Z ]+ \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$', self.page,
            re.MULTILINE)]
        self.assertEqual(len(counts), 2)
        self.assertEqual([sum(column) for column in zip(*counts)],
                         [kinds.count(kind) for kind in ('exact', 'approximate', 'refused',
                                                         'absent')] + [len(kinds)])


if __name__ == '__main__':
    PROGRAM, PAGE = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
