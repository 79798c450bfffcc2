#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The figures that README.md quotes are those of RESULTS.md.

    readme_test.py README.md RESULTS.md

README.md has a table whose heading is `| measured | |`: each row of it is what was measured and the
figure, and both stand so in one row of RESULTS.md.
"""

import re
import sys
import unittest

LEAST_ROWS = 3


def rows_of(text):
    """The cells of each row of a Markdown table, in all tables of a text."""
    return [[cell.strip() for cell in line.strip().strip('|').split('|')]
            for line in text.splitlines() if line.lstrip().startswith('|')]


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


class Readme(unittest.TestCase):
    def test_figures_are_those_of_the_results(self):
        quoted = re.search(r'^\| measured \| \|\n\|[-|]*\n((?:\|.*\n)+)', README, re.MULTILINE)
        self.assertIsNotNone(quoted, 'README.md has no table | measured | |')
        rows = rows_of(quoted.group(1))
        measured = [tuple(row[:2]) for row in rows_of(RESULTS)]
        self.assertGreaterEqual(len(rows), LEAST_ROWS)
        for what, figure in rows:
            self.assertIn((what, figure), measured)


if __name__ == '__main__':
    README, RESULTS = (read(path) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1], verbosity=2)
