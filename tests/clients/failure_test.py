#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""For a client that fails, the script prints its output, and commands that reproduce the failure.

usage: failure_test.py COMMAND
"""
import contextlib
import io
import subprocess
import sys
import unittest

from clients import Client, Suite, run_one

COMMAND = sys.argv.pop(1)
FIRST = Client('first', (), (), 'fails', ('sh', '-c', 'echo "$WORD @WORK@" $CUSHIM_MOCK_SETTINGS; '
                                          'cat made; echo bad >&2; exit 3'),
               build=('sh', '-c', 'echo "built it\'s" >made'), options=('--set', 'seed=5'),
               environment={'WORD': "a 'b"})


def fail(client):
    """Return the output about a client that fails, and the commands in it."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        if run_one(Suite(COMMAND, '/plain', '/beside'), client) is not False:
            raise AssertionError('it does not fail: ' + said.getvalue())
    printed, _, script = said.getvalue().partition('again, in a shell:\n')
    return printed, script


def run_script(script):
    return subprocess.run(['sh', '-c', script], capture_output=True, text=True, check=False)


class Failing(unittest.TestCase):

    def test_ends_of_both_streams(self):
        printed, _ = fail(FIRST)
        self.assertRegex(printed, r"status 3\n +the end of stdout:\n +a 'b /\S+ seed=5\n"
                               r" +built it's\n +the end of stderr:\n(?: .*\n)* +bad\n")

    def test_commands_do_the_same_again(self):
        _, script = fail(FIRST)
        self.assertIn(' run --set seed=5 -- sh -c ', script)
        result = run_script(script)
        self.assertEqual(result.returncode, 3, result)
        self.assertRegex(result.stdout, r"\Aa 'b /\S+ seed=5\nbuilt it's\n\Z")
        self.assertTrue(result.stderr.endswith('bad\n'), result)

    def test_one_that_does_not_end(self):
        endless = FIRST._replace(command=('sh', '-c', 'echo begun; sleep 6000'))
        for seconds in (2 ** power for power in range(10)):  # so that it has begun
            printed, script = fail(endless._replace(seconds=seconds))
            self.assertIn(f'not done after {seconds} s: ', printed)
            if 'begun\n' in printed.partition('end of stdout:')[2]:
                break
        self.assertRegex(printed, r'end of stdout:\n +begun\n')
        self.assertIn('sleep 6000', script)

    def test_one_that_passes_without_a_driver(self):
        printed, script = fail(FIRST._replace(command=('sh', '-c', 'cat no-driver/* || true; pwd')))
        self.assertIn('passes without a driver too', printed)
        result = run_script(script)
        self.assertEqual(result.returncode, 0, result)
        self.assertTrue(result.stdout.startswith('no library\nno library\n/'), result)


if __name__ == '__main__':
    unittest.main()
