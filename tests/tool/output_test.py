#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Output that cannot be written is a failure with a message, and closed streams do no harm."""

import os
import subprocess
import tempfile
import unittest

from harness import COMMAND, DONE, FAILED, USAGE, ToolTest, environment, fake

PRINTING = [
    ['info'],
    ['info', '--json'],
    ['time'],
    ['time', '--json'],
    ['time', '--json', '--bytes', 'x'],
    ['profile'],
    ['symbols'],
    ['symbols', '--json'],
    ['info', '--help'],
    ['help'],
    ['--version'],
]


def run_shell(arguments, redirection, log=None):
    """Run the command with streams that a shell redirects."""
    settings = {'CUSHIM_LIBRARY': fake(13000)}
    if log:
        settings['FAKE_LOG'] = log
    return subprocess.run(['sh', '-c', '"$@" ' + redirection, 'sh', *COMMAND, *arguments],
                          env=environment(settings), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=False)


class Output(ToolTest):

    @unittest.skipUnless(os.path.exists('/dev/full'), 'this system has no /dev/full')
    def test_full_disk(self):
        for arguments in PRINTING:
            with self.subTest(arguments=arguments):
                run = run_shell(arguments, '>/dev/full')
                self.assertEqual(run.returncode, FAILED)
                self.assertEqual(run.stderr, b'cushim: standard output could not be written: '
                                             b'No space left on device\n')

    def test_closed_output(self):
        for arguments in PRINTING:
            with self.subTest(arguments=arguments):
                run = run_shell(arguments, '>&-')
                self.assertEqual(run.returncode, FAILED)
                self.assertIn(b'cushim: standard output could not be written', run.stderr)

    def test_closed_output_that_is_not_needed(self):
        run = run_shell(['time', '--bytes', 'x'], '>&-')
        self.assertEqual(run.returncode, USAGE)
        self.assertIn(b'--bytes', run.stderr)

    def test_files_of_the_driver_never_get_our_output(self):
        with tempfile.NamedTemporaryFile('r') as log:
            run = run_shell(['info'], '<&- >&- 2>&-', log.name)
            written = log.read()
        self.assertEqual(run.returncode, FAILED)
        self.assertIn('cuInit\n', written)
        self.assertNotIn('cushim', written)
        self.assertNotIn('state', written)

    def test_closed_standard_error_alone_changes_nothing(self):
        run = run_shell(['info'], '2>&-')
        self.assertEqual(run.returncode, DONE)
        self.assertIn(b'Fake GPU', run.stdout)


if __name__ == '__main__':
    unittest.main()
