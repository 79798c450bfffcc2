#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The result of every function of the mock for zeros, compared with the mock's page and with a
driver.

    slots_test.py PROGRAM PAGE

zeros.tsv has the driver's results. Only functions that the page calls exact are compared with them,
except where the driver crashed. KNOWN lists the remaining differences; an entry that no longer
differs must be removed.
"""

import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, '../../loader/registry'))

import registry  # noqa: E402

STATES = ('none', 'init', 'context')

# The command with which Meson starts programs for another system.
WRAPPER = os.environ.get('EXE_WRAPPER', '').split()

# The symbol without its per-thread suffix, and the state.
KNOWN = {
    # Without output pointers, the mock succeeds; with one, it requires cuInit.
    ('cuMemGetAddressRange_v2', 'none'),
}


def read_measured():
    with open(os.path.join(HERE, 'zeros.tsv'), encoding='utf-8') as file:
        rows = [line.rstrip('\n').split('\t') for line in file if not line.startswith('#')]
    return {(row[0], state): answer for row in rows for state, answer in zip(STATES, row[1:])}


def read_mock():
    reported = {}
    for state in STATES:
        text = subprocess.run([*WRAPPER, PROGRAM, state], check=True, stdout=subprocess.PIPE,
                              text=True).stdout
        for line in text.splitlines():
            symbol, answer = line.split(' ', 1)
            reported[symbol, state] = answer.replace('answered ', '')
    return reported


class Slots(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.answers = read_mock()
        cls.reported = {symbol: answer for (symbol, state), answer in cls.answers.items()
                    if state == 'context'}
        with open(PAGE, encoding='ascii') as file:
            cls.page = file.read()
        cls.rows = {symbol: (kind, difference) for symbol, kind, difference in re.findall(
            r'^\| `(cu\w+)` \| (\w+) \| (.*) \|$', cls.page, re.MULTILINE)}

    def test_page_has_every_function(self):
        self.assertEqual(set(self.rows), set(self.reported))
        self.assertEqual(set(self.rows), {row.symbol for row in registry.read_functions(
            os.path.join(HERE, '../../loader/registry/functions.tsv'))})

    def test_function_is_refused_exactly_where_the_page_says_so(self):
        wrong = [symbol for symbol, (kind, _) in self.rows.items()
                 if (kind in ('refused', 'absent')) != (self.reported[symbol] == 'refused')]
        self.assertEqual(wrong, [])

    def test_no_function_crashes_or_hangs_on_zeros(self):
        self.assertEqual([symbol for symbol, word in self.reported.items() if word == 'ended'], [])

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

    def test_exact_functions_answer_as_the_driver(self):
        different, compared = {}, 0
        for (symbol, state), answer in read_measured().items():
            if self.rows[symbol][0] != 'exact' or answer == 'crash':
                continue
            compared += 1
            if self.answers[symbol, state] != answer:
                different[re.sub('_pt[ds][sz]$', '', symbol), state] = '%s, not %s' % (
                    self.answers[symbol, state], answer)
        self.assertGreater(compared, 1000)
        self.assertEqual({case: what for case, what in different.items() if case not in KNOWN}, {})
        self.assertEqual(sorted(set(KNOWN) - set(different)), [])


if __name__ == '__main__':
    PROGRAM, PAGE = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
