#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/testing.md tells the truth: its excerpts are in the examples, and its programs say that.

    guide_test.py SOURCE FOLDER_OF_THE_PROGRAMS FOLDER_OF_THE_COMMAND

In a console block a line `...` stands for any lines. Where in a program something lies is the
build's, and what the C library has on its stack the machine's.
"""

import glob
import os
import re
import subprocess
import sys
import unittest

SECONDS = 120


def blocks(page, language):
    return re.findall(r'(?ms)^```%s\n(.*?)^```$' % language, page)


def sessions(block):
    """Of each command its lines of output."""
    found = []
    for line in block.splitlines():
        if line.startswith('$ '):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def blur(text):
    """Places in the program as one; those behind the first are left out."""
    return re.sub(r'(\S+)\+0x[0-9a-f]+(?: \S+\+0x[0-9a-f]+)*', r'\1+0x', text)


def fits(expected, lines):
    """Whether lines are those that are expected, where `...` is any number of them."""
    if not expected:
        return not lines
    if expected[0] == '...':
        return any(fits(expected[1:], lines[skipped:]) for skipped in range(len(lines) + 1))
    return bool(lines) and lines[0] == expected[0] and fits(expected[1:], lines[1:])


class Guide(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(SOURCE, 'docs', 'testing.md'), encoding='utf-8') as file:
            cls.page = file.read()
        cls.examples = {}
        for path in glob.glob(os.path.join(SOURCE, 'examples', 'testing', '*.c')):
            with open(path, encoding='utf-8') as file:
                cls.examples[os.path.basename(path)] = file.read()

    def test_excerpts_are_in_the_examples(self):
        excerpts = blocks(self.page, 'c')
        self.assertGreater(len(excerpts), 5)
        for excerpt in excerpts:
            self.assertTrue(any(excerpt in text for text in self.examples.values()), excerpt)

    def test_each_example_is_in_the_guide(self):
        self.assertGreater(len(self.examples), 5)
        for name in self.examples:
            self.assertIn('(../examples/testing/%s)' % name, self.page)

    def test_commands_say_what_the_guide_shows(self):
        shown = [session for block in blocks(self.page, 'console') for session in sessions(block)]
        self.assertGreater(len(shown), 8)
        environment = dict(os.environ, PATH=COMMAND + os.pathsep + os.environ['PATH'])
        for name in 'CUSHIM_MOCK_SETTINGS', 'CUSHIM_MOCK_CONFIG', 'CUDA_VISIBLE_DEVICES':
            environment.pop(name, None)
        for command, output in shown:
            result = subprocess.run(['bash', '-c', command], cwd=PROGRAMS, env=environment,
                                    stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                    timeout=SECONDS)
            expected = blur('\n'.join(output)).splitlines()
            either = [blur(result.stderr + result.stdout).splitlines(),
                      blur(result.stdout + result.stderr).splitlines()]
            with self.subTest(command=command):
                self.assertTrue(any(fits(expected, lines) for lines in either),
                                '%s\n%s' % (result.stdout, result.stderr))


if __name__ == '__main__':
    SOURCE, PROGRAMS, COMMAND = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
