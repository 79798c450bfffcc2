#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What every function of the mock answers to zeros, against what the driver answered (zeros.tsv).

    zeros_test.py PROGRAM PAGE

Only what is told to be exact is compared, and not where the driver crashed. Each remaining
difference is listed here, and one that is none any more must go from the list.
"""

import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
STATES = ('none', 'init', 'context')

# What Meson starts programs of another system with.
WRAPPER = os.environ.get('EXE_WRAPPER', '').split()

# Symbol without its per-thread suffix, and the state.
KNOWN = {
    # It has nothing to tell and succeeds; with a place for an answer it asks for cuInit.
    ('cuMemGetAddressRange_v2', 'none'),
}


def read_measured():
    with open(os.path.join(HERE, 'zeros.tsv'), encoding='utf-8') as file:
        rows = [line.rstrip('\n').split('\t') for line in file if not line.startswith('#')]
    return {(row[0], state): answer for row in rows for state, answer in zip(STATES, row[1:])}


def read_mock():
    told = {}
    for state in STATES:
        text = subprocess.run([*WRAPPER, PROGRAM, state], check=True, stdout=subprocess.PIPE,
                              text=True).stdout
        for line in text.splitlines():
            symbol, answer = line.split(' ', 1)
            told[symbol, state] = answer.replace('answered ', '')
    return told


class Zeros(unittest.TestCase):
    def test_exact_functions_answer_as_the_driver(self):
        with open(PAGE, encoding='ascii') as file:
            kinds = dict(re.findall(r'^\| `(cu\w+)` \| (\w+) \|', file.read(), re.MULTILINE))
        measured, told = read_measured(), read_mock()
        different, compared = {}, 0
        for (symbol, state), answer in measured.items():
            if kinds[symbol] != 'exact' or answer == 'crash':
                continue
            compared += 1
            if told[symbol, state] != answer:
                different[re.sub('_pt[ds][sz]$', '', symbol), state] = '%s, not %s' % (
                    told[symbol, state], answer)
        self.assertGreater(compared, 1000)
        self.assertEqual({case: what for case, what in different.items() if case not in KNOWN}, {})
        self.assertEqual(sorted(set(KNOWN) - set(different)), [])


if __name__ == '__main__':
    PROGRAM, PAGE = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
