#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs with checked indirect calls (clang's -fsanitize=cfi-icall) call through the table.

    cfi_test.py PROGRAM LIBRARY DRIVER TWO_FILES "INCLUDE..."

LIBRARY is the shared library, DRIVER the mock's, TWO_FILES the folder of cushim.c. The test proves
what docs/plugins.md says. Each program also makes a wrong call when asked, and must be stopped.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

CHECKED = ['-flto', '-fuse-ld=lld', '-fvisibility=hidden', '-fsanitize=cfi-icall',
           '-fno-sanitize-trap=cfi-icall']
ACROSS = '-fsanitize-cfi-cross-dso'
# The message of the compiler's runtime when it stops a program.
STOPPED = 'control flow integrity check'

WITHOUT = {'CUSHIM_LIBRARY': 'none'}
MISSING = 36


def compiled(folder, *arguments):
    path = os.path.join(folder, 'program')
    return path, subprocess.run(['clang', '-std=c11', *CHECKED, *arguments, '-pthread', '-ldl',
                                 '-o', path],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                check=False)


class Checked(unittest.TestCase):
    ran = 0

    def program(self, *arguments):
        folder = tempfile.TemporaryDirectory(prefix='cushim-cfi-')
        self.addCleanup(folder.cleanup)
        path, done = compiled(folder.name, *INCLUDE, *arguments, PROGRAM)
        self.assertEqual(done.returncode, 0, done.stdout)
        return path

    def run_program(self, path, word, **environment):
        Checked.ran += 1
        return subprocess.run([path, word], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False,
                              env={**os.environ, 'LD_LIBRARY_PATH': os.path.dirname(LIBRARY),
                                   **environment})

    def with_driver(self):
        return {'CUSHIM_LIBRARY': DRIVER,
                'CUSHIM_MOCK_SETTINGS': 'quiet = yes\ndriver_version = 12.0'}

    def judge(self, path):
        """Without a driver and with one, loaded before the first call or by it."""
        for word in 'calls', 'loaded':
            done = self.run_program(path, word, **WITHOUT)
            self.assertEqual(done.returncode, 0, done.stderr)
            answers = [line.split()[1] for line in done.stdout.splitlines()]
            self.assertEqual(len(answers), 5 + (word == 'loaded'))
            self.assertEqual(len(set(answers)), 1)
            self.assertNotEqual(answers[0], '0')
            done = self.run_program(path, word, **self.with_driver())
            self.assertEqual(done.returncode, 0, done.stderr)
            answers = [line.split()[1] for line in done.stdout.splitlines()]
            self.assertEqual(answers[-5:], ['0', '0', '0', str(MISSING), '0'])
        done = self.run_program(path, 'wrong', **WITHOUT)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(STOPPED, done.stderr)
        self.assertNotIn('not stopped', done.stdout)

    def test_program_with_the_shared_library_calls_any_slot(self):
        self.judge(self.program(ACROSS, LIBRARY))

    def test_program_that_has_the_two_files_inside_calls_any_slot(self):
        self.judge(self.program(ACROSS, '-DTWO_FILES', '-DCUSHIM__THUNKS=0', '-I' + TWO_FILES,
                                os.path.join(TWO_FILES, 'cushim.c')))

    def test_function_that_is_left_alone_needs_no_check_across_libraries(self):
        self.judge(self.program('-DUNCHECKED', LIBRARY))

    def test_machine_code_in_the_program_itself_is_stopped(self):
        """The check cannot know these functions, so the two files are compiled without it."""
        path = self.program(ACROSS, '-DTWO_FILES', '-I' + TWO_FILES,
                            os.path.join(TWO_FILES, 'cushim.c'))
        done = self.run_program(path, 'calls', **WITHOUT)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(STOPPED, done.stderr)


def why_not():
    for name in 'clang', 'ld.lld':
        if not shutil.which(name):
            return name + ' is not installed'
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, 'empty.c')
        with open(source, 'w', encoding='ascii') as file:
            file.write('int main(void) { return 0; }\n')
        path, done = compiled(folder, ACROSS, source)
        if done.returncode != 0:
            return 'clang does not link such a program: ' + done.stdout.splitlines()[0]
        if subprocess.run([path], check=False).returncode != 0:
            return 'such a program does not run here'
    return None


if __name__ == '__main__':
    PROGRAM, LIBRARY, DRIVER, TWO_FILES = sys.argv[1:5]
    INCLUDE = sys.argv[5].split()
    REASON = why_not()
    if REASON:
        print('skipped: ' + REASON)
        sys.exit(77)
    RESULT = unittest.main(argv=sys.argv[:1], verbosity=2, exit=False)
    print('%d runs of checked programs' % Checked.ran)
    sys.exit(not RESULT.result.wasSuccessful())
