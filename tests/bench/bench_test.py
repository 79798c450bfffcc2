#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the table shows results, and how figures are computed; nothing is measured. The figures in
README.md must be those of RESULTS.md.

    bench_test.py RESULTS.md README.md
"""

import json
import os
import re
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True
import bench  # noqa: E402
import cost_test  # noqa: E402
import measure  # noqa: E402
import rows  # noqa: E402
import table  # noqa: E402


def missed(name):
    """Return a result of a row that misses its goal."""
    found, = [found for found in rows.rows() if found.name == name]
    figure = measure.Figure(1e6, absolute=1e6)
    return table.result_of(found, figure, None)


def bench_that_prints(text):
    return types.SimpleNamespace(path=lambda name: name, run=lambda *words: text)


class Table(unittest.TestCase):
    def test_reasons_are_with_the_results_that_they_were_written_for(self):
        results = [missed('module.event-record'), missed('load.driver')]
        development = table.markdown({}, results, 'development')
        self.assertIn(rows.PARTS, development)
        self.assertIn('| no: not known yet | `load.driver` |', development)
        self.assertIn('| no: not known yet | `module.event-record` |',
                      table.markdown({}, results, 'h200'))

    def test_a_table_that_is_printed_gives_no_reason(self):
        printed = table.text([missed('module.event-record'), missed('load.driver')])
        self.assertNotIn(rows.PARTS, printed)
        self.assertEqual(len(re.findall(r' no$', printed, re.MULTILINE)), 2)

    def test_each_reason_is_of_a_row_with_a_goal(self):
        goals = {found.name for found in rows.rows() if found.goal}
        for part, reasons in rows.REASONS.items():
            self.assertTrue(table.has_part(RESULTS, part))
            self.assertLessEqual(set(reasons), goals)

    def test_headings_of_the_results_are_those_of_the_table(self):
        with open(RESULTS, encoding='utf-8') as file:
            found = re.findall(r'^### (\d+)\. (.*)$', file.read(), re.MULTILINE)
        self.assertGreater(len(found), 8)
        for number, heading in found:
            self.assertEqual(heading, rows.SECTIONS[int(number)])

    def test_routes_are_as_many_as_the_heading_says(self):
        self.assertEqual(len(rows.ROUTES), 6)
        self.assertIn('six', rows.SECTIONS[1])

    def test_what_cushim_was_compiled_with_is_reported_if_the_build_is_there(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(bench.settings_of(folder), '')
            os.mkdir(os.path.join(folder, 'meson-info'))
            with open(os.path.join(folder, 'meson-info', 'intro-buildoptions.json'), 'w',
                      encoding='utf-8') as file:
                json.dump([{'name': 'optimization', 'value': '3'},
                           {'name': 'hardening', 'value': 'auto'},
                           {'name': 'c_args', 'value': ['-march=native']}], file)
            self.assertEqual(bench.settings_of(folder),
                             '-O3, hardening auto, c_args -march=native')


class Rounds(unittest.TestCase):
    def test_each_way_begins_a_round(self):
        for ways in ('linker', 'names', 'cushim'), ('linker', 'cushim'):
            order = []
            with mock.patch.object(cost_test, 'run', order.append):
                answers = cost_test.rounds({way: way for way in ways}, 6)
            self.assertEqual({way: len(found) for way, found in answers.items()},
                             dict.fromkeys(ways, 6))
            self.assertEqual(order[::len(ways)], list(ways) * (6 // len(ways)))


class Figures(unittest.TestCase):
    def test_note_has_the_row_first_and_what_it_is_measured_by_behind(self):
        found = measure.Bench('', None, 9, True, None)
        times = {'table': [20.0] * 3, 'raw': [10.0] * 3}
        self.assertEqual(found.ratio(times, 'table', 'raw')[::3], (2.0, '20.0 ns to 10.0 ns'))
        self.assertEqual(found.rate(times, 'table', 'raw')[::3], (0.5, '20.0 ns to 10.0 ns'))

    def test_goals_ask_for_numbers_and_not_for_what_is_shown(self):
        for absolute, is_met in (1.9, True), (2.1, False):
            figure = measure.Figure(1.5, note='nothing to read', absolute=absolute)
            self.assertIs(rows.within(None, figure), is_met)

    def test_bytes_that_nobody_knows_are_not_measured(self):
        with self.assertRaises(measure.Skip):
            rows.pending_bytes(bench_that_prints('100.0 -\n'))
        self.assertEqual(rows.pending_bytes(bench_that_prints('100.0 160\n')).value, 160)


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


class Readme(unittest.TestCase):
    def test_figures_are_those_of_the_results(self):
        sentence, rows = QUOTED
        quoted = re.search(sentence, ' '.join(read(README).split()))
        self.assertIsNotNone(quoted, 'README.md quotes no figures')
        measured = {tuple(row[:2]) for row in rows_of(read(RESULTS))}
        for row, figure in zip(rows, quoted.groups(), strict=True):
            self.assertIn((row, figure + ' instructions'), measured)


if __name__ == '__main__':
    RESULTS, README = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
