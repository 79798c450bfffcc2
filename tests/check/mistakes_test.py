#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One program with ten mistakes: `cushim run`, `cushim check --mock` and a test find the same, and
say it in the same words.

    mistakes_test.py COMMAND PROGRAM
"""
import re
import subprocess
import sys
import unittest

COMMAND, PROGRAM = sys.argv[1:3]
IDS = ['event-destroyed', 'destroyed-twice', 'handle-kind', 'handle-unknown', 'event-time',
       'memory-freed', 'memory-freed-twice', 'memory-bounds', 'race', 'leak-event']
# In a test, the context is the test's own, and the program that is no test keeps it.
KEPT = 'CUSHIM-leak-context'


def findings(text):
    """Each finding as its lines."""
    parts = re.split(r'^(?=\S)', text, flags=re.MULTILINE)
    return [part for part in parts if ': CUSHIM-' in part and KEPT not in part]


class Mistakes(unittest.TestCase):

    def run_program(self, *words):
        result = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                check=False, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        return findings(result.stdout + result.stderr)

    def test_each_way_finds_the_same_in_the_same_words(self):
        test = self.run_program(PROGRAM, 'test')
        run = self.run_program(COMMAND, 'run', '--quiet', '--set', 'races=report', '--set',
                               'leaks=report', '--', PROGRAM)
        check = self.run_program(COMMAND, 'check', '--mock', '--quiet', '--', PROGRAM)
        self.assertEqual([re.search(r': CUSHIM-([a-z-]+): ', one).group(1) for one in test], IDS)
        self.maxDiff = None
        self.assertEqual(run, test)
        self.assertEqual(check, test)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
