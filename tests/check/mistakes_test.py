#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One program with ten mistakes: `cushim run`, `cushim check` over the mock and over a driver, and a
test find the same, and say it in the same words.

    mistakes_test.py COMMAND PROGRAM DRIVER

DRIVER is the path of a driver's library: the mock's, which check does not tell from another driver
when it is opened by its path, or NVIDIA's on a machine with a GPU.
"""
import re
import subprocess
import sys
import unittest

COMMAND, PROGRAM, DRIVER = sys.argv[1:4]
IDS = ['event-destroyed', 'destroyed-twice', 'handle-kind', 'stream-destroyed', 'event-time',
       'memory-freed', 'memory-freed-twice', 'memory-bounds', 'race', 'leak-event']
# In a test, the context is the test's own, and the program that is no test keeps it.
KEPT = 'CUSHIM-leak-context'
# The text for a call on which a driver other than the mock would crash.
STOPPED = '; it returns CUDA_ERROR_INVALID_HANDLE, and the driver is not called'


def findings(text):
    """Each finding as its lines; calls are counted from the first that is named."""
    parts = re.split(r'^(?=\S)', text.replace(STOPPED, ''), flags=re.MULTILINE)
    parts = [part for part in parts if ': CUSHIM-' in part and KEPT not in part]
    first = min(int(call) for part in parts for call in re.findall(r'call (\d+) of', part))
    return [re.sub(r'call (\d+) of', lambda call: f'call {int(call[1]) - first} of', part)
            for part in parts]


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
        driver = self.run_program(COMMAND, 'check', '--leaks', '--quiet', '--library', DRIVER, '--',
                                  PROGRAM)
        self.assertEqual([re.search(r': CUSHIM-([a-z-]+): ', one).group(1) for one in test], IDS)
        self.maxDiff = None
        self.assertEqual(run, test)
        self.assertEqual(check, test)
        self.assertEqual(driver, test)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
