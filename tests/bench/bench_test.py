#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The figures in README.md are those of RESULTS.md, and each reason in RESULTS.md is of a row that
can miss a goal.

    bench_test.py RESULTS.md README.md
"""

import re
import sys
import unittest

sys.dont_write_bytecode = True
import rows  # noqa: E402
import table  # noqa: E402

# Sentences of README.md, and the rows of RESULTS.md from which their figures come, in order.
QUOTED = (r'takes ([\d.]+) instructions when it is linked and ([\d.]+) through the table; '
          r'`cushim_event_query\(\)` adds ([\d.]+)\. ',
          ['linked, by the PLT, executable', 'the table, libcushim.so, executable',
           'cushim_event_query: more than the raw call'])


def rows_of(text):
    """Return the cells of each row of all Markdown tables in a text."""
    return [[cell.strip() for cell in line.strip().strip('|').split('|')]
            for line in text.splitlines() if line.lstrip().startswith('|')]


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


class Pages(unittest.TestCase):
    def test_each_reason_is_of_a_row_with_a_goal(self):
        goals = {found.name for found in rows.rows() if found.goal}
        for part, reasons in rows.REASONS.items():
            self.assertTrue(table.has_part(RESULTS, part))
            self.assertLessEqual(set(reasons), goals)

    def test_figures_of_the_readme_are_those_of_the_results(self):
        sentence, names = QUOTED
        quoted = re.search(sentence, ' '.join(read(README).split()))
        self.assertIsNotNone(quoted, 'README.md quotes no figures')
        measured = {tuple(row[:2]) for row in rows_of(read(RESULTS))}
        for name, figure in zip(names, quoted.groups(), strict=True):
            self.assertIn((name, figure + ' instructions'), measured)


if __name__ == '__main__':
    RESULTS, README = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
