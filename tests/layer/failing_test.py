#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The output of failing tests, as a user sees it: each fails, and its message is complete. The other
tests of this folder have the texts of every failure.

    failing_test.py PROGRAM SOURCE places|no-places

If the toolchain cannot unwind, the message says that the call site is unknown.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

# The command with which Meson starts programs for another system.
WRAPPER = os.environ.get('EXE_WRAPPER', '').split()

PROGRAM, SOURCE, PLACES = sys.argv[1:4]

# The output of each test, line by line; a place is one or more addresses in the program.
PLACE = 'an unknown place'
if PLACES == 'places':
    PLACE = r'failing(?:\.exe)?\+0x[0-9a-f]+(?: \S+\+0x[0-9a-f]+)*'
STRANGE = (
    r'cushim_cmocka_begin\(\): the initial state of the test is no struct cushim_test_options, or '
    r'its \.size is not set to sizeof\(struct cushim_test_options\)')
EXPECTED = {
    'leak': [
        r'cushim: warning: CUSHIM-leak-context: context#1 is never released',
        r'  context#1 was made by cuDevicePrimaryCtxRetain, call 2 of thread 1, at ' + PLACE,
        r'cushim: warning: CUSHIM-leak-memory: memory#1, 640 bytes, is never freed',
        r'  memory#1 was made by cuMemAlloc_v2, call 4 of thread 1, at ' + PLACE,
    ],
    'expectation': [
        r'expected exactly 2 times: cuEventCreate\(phEvent, Flags\); it came 0 times',
    ],
    'settings': [
        r'cushim_test_begin\(\) returned 1',
        r'settings:1:.*fast.*',
    ],
    'strange': [STRANGE],
    'sizeless': [STRANGE],
}


def run(name):
    return subprocess.run([*WRAPPER, PROGRAM, name], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, timeout=120)


class Failing(unittest.TestCase):
    def test_without_a_failure_nothing_is_reported(self):
        result = run('nothing')
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertNotIn('CUSHIM-leak', result.stdout)

    def test_each_failure_fails_and_is_reported(self):
        for name, lines in EXPECTED.items():
            with self.subTest(name):
                result = run(name)
                self.assertNotEqual(result.returncode, 0, result.stdout)
                for line in lines:
                    self.assertRegex(result.stdout,
                                     r'(?m)(^|Could not run test: |ERROR: )%s\r?$' % line)

    def test_what_an_assertion_has_reported_is_not_reported_at_the_end(self):
        self.assertEqual(run('expectation').stdout.count('expected exactly 2 times'), 1)

    def test_place_leads_to_the_line_of_the_call(self):
        addr2line = shutil.which('addr2line')
        if not addr2line or WRAPPER or PLACES != 'places':
            self.skipTest('the C test compares the addresses')
        printed = re.search(r'memory#1 was made by .* at failing\+(0x[0-9a-f]+)', run('leak').stdout)
        line = subprocess.run([addr2line, '-e', PROGRAM, printed.group(1)], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.split(' ')[0].strip()
        with open(SOURCE, encoding='utf-8') as file:
            lines = file.read().split('\n')
        self.assertTrue(line.split(':')[0].endswith('failing.c'), line)
        self.assertIn('/* the leak */', lines[int(line.split(':')[1]) - 1])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
