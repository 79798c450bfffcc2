#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Colour: only on a terminal, and not if NO_COLOR is set or TERM names a terminal without colours.
"""

import os
import pty
import re
import subprocess
import unittest

from harness import COMMAND, ToolTest, environment, fake

COLOUR = re.compile('\x1b\\[[0-9;]*m')


class Colour(ToolTest):

    def at_terminal(self, *arguments, **settings):
        """Return what a terminal receives from standard output and standard error."""
        own, its = pty.openpty()
        settings = {'TERM': 'xterm', 'NO_COLOR': '', **settings}
        with subprocess.Popen([*COMMAND, *arguments], env=environment(settings), stdout=its,
                              stderr=its, stdin=subprocess.DEVNULL) as process:
            os.close(its)
            received = b''
            while True:
                try:
                    part = os.read(own, 65536)
                except OSError:  # EIO: the other end is closed
                    part = b''
                if not part:
                    break
                received += part
            process.wait(timeout=300)
        os.close(own)
        return received.decode('utf-8', 'replace').replace('\r\n', '\n')

    def test_state_is_green_or_red(self):
        self.assertIn('\nstate       \x1b[32mready\x1b[0m\n',
                      self.at_terminal('info', '--library', fake(13000)))
        self.assertIn('\nstate       \x1b[31mdisabled\x1b[0m\n',
                      self.at_terminal('info', CUSHIM_LIBRARY='none'))

    def test_label_of_an_error_is_red(self):
        self.assertEqual(self.at_terminal('info', '--jsn'),
                         "\x1b[31mcushim:\x1b[0m info has no option '--jsn'; did you mean --json?\n"
                         '\x1b[1madvice:\x1b[0m Read the manual with `cushim help info`.\n')

    def test_text_is_the_same_without_colour(self):
        for words in ['info', '--library', fake(13000)], ['info', '--jsn'], ['nonsense']:
            with self.subTest(words=words):
                printed = self.run_command(*words, TERM='xterm')
                self.assertEqual(COLOUR.sub('', self.at_terminal(*words)),
                                 printed.out + printed.err)

    def test_there_is_none_if_it_is_refused(self):
        for settings in ({'NO_COLOR': '1'}, {'NO_COLOR': '0'}, {'TERM': 'dumb'}, {'TERM': ''}):
            for words in ['info', '--library', fake(13000)], ['info', '--jsn']:
                with self.subTest(settings=settings, words=words):
                    self.assertNotIn('\x1b', self.at_terminal(*words, **settings))

    def test_there_is_none_in_json(self):
        self.assertNotIn('\x1b', self.at_terminal('info', '--json', '--library', fake(13000)))
        self.assertNotIn('\x1b', self.at_terminal('info', '--json', '--jsn'))

    def test_there_is_none_where_nobody_looks(self):
        for words in ['info', '--library', fake(13000)], ['info', '--jsn']:
            result = self.run_command(*words, TERM='xterm', NO_COLOR='')
            self.assertNotIn('\x1b', result.out + result.err)


if __name__ == '__main__':
    unittest.main()
