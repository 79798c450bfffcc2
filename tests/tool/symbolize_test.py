#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cushim symbolize`: functions and lines instead of addresses, and malicious texts."""

import os
import re
import subprocess
import tempfile
import unittest

from harness import COMMAND, DONE, FAILED, ToolTest, environment

PROGRAM = os.environ['CUSHIM_FINDINGS']
FOLDER, NAME = os.path.split(PROGRAM)
SOURCE = os.environ['CUSHIM_FINDINGS_SOURCE']


def line_of(words):
    with open(SOURCE, encoding='utf-8') as file:
        return next(n for n, line in enumerate(file, 1) if words in line)


class Symbolize(ToolTest):

    def symbolize(self, text, *options, **settings):
        run = subprocess.run([*COMMAND, 'symbolize', *options], input=text.encode(),
                             env=environment(settings), capture_output=True, timeout=300,
                             check=False)
        self.assertEqual((run.returncode, run.stderr), (DONE, b''))
        return run.stdout.decode()

    def address(self, function):
        """Return a call site as in a message: the offset of a function's second byte."""
        names = subprocess.run(['nm', PROGRAM], capture_output=True, text=True, check=True).stdout
        [offset] = re.findall(r'^([0-9a-f]+) [tT] %s$' % function, names, re.MULTILINE)
        return '%s+0x%x' % (NAME, int(offset, 16) + 1)

    def test_addresses_become_functions_and_lines(self):
        text = self.symbolize('at %s %s; (%s)\n' % ((self.address('misuse'),) * 2
                                                    + (self.address('main'),)), '--folder', FOLDER)
        place = r'misuse \((?:\S*/)?findings\.c:\d+\)'
        self.assertRegex(text, r'^at %s %s; \(main \((?:\S*/)?findings\.c:\d+\)\)\n$'
                         % (place, place))

    @unittest.skipUnless(os.environ['CUSHIM_UNWINDS'] == '1', 'the toolchain cannot unwind')
    def test_misuse_of_a_program_leads_to_its_line(self):
        run = self.run_command('run', '--', PROGRAM, 'misuse')
        self.assertRegex(self.symbolize(run.err, '--folder', FOLDER),
                         r' at query \(\S*findings\.c:%d\) misuse \(\S*findings\.c:%d\)'
                         % (line_of('the misuse */'), line_of('its caller */')))

    def test_current_folder_and_path_are_searched(self):
        run = self.run_command('symbolize', '/dev/null', folder=FOLDER, status=DONE)
        with tempfile.NamedTemporaryFile('w') as file:
            file.write(self.address('main'))
            file.flush()
            here = self.run_command('symbolize', file.name, folder=FOLDER)
            path = self.run_command('symbolize', '--', file.name, folder='/',
                                    PATH=FOLDER + ':' + os.environ['PATH'])
        self.assertRegex(here.out, r'^main \(')
        self.assertEqual(path.out, here.out)

    def test_what_is_not_known_stays(self):
        for text in ('', '\n', 'no end of line', 'no-such-module+0x12\n', 'x+0x\n', '+0x12',
                     '\0\xff+0x1\0\n', NAME + '+0xffffffffffffffff\n', NAME + '+0x1g',
                     NAME + '+0x12345678123456781234\n', 'a' * 70000 + '+0x1\n'):
            with self.subTest(text=text[:40]):
                self.assertEqual(self.symbolize(text, '--folder', FOLDER), text)

    def test_text_names_no_path_and_no_command(self):
        address = self.address('main').split('+')[1]
        with tempfile.TemporaryDirectory() as folder:
            marker = os.path.join(folder, 'marker')
            for text in ('%s/%s+%s' % (FOLDER, NAME, address), '../%s+%s' % (NAME, address),
                         '..+0x1 .+0x1 -e+0x1 --version+0x1', '$(touch %s)+0x1' % marker,
                         '`touch %s`+0x1;touch %s+0x1' % (marker, marker)):
                with self.subTest(text=text):
                    self.assertEqual(self.symbolize(text, '--folder', FOLDER), text)
            self.assertFalse(os.path.exists(marker))

    def test_pipe_of_a_modules_name_is_not_opened(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(os.path.join(folder, 'pipe'))
            self.assertEqual(self.symbolize('pipe+0x1\n', '--folder', folder), 'pipe+0x1\n')

    def test_tool_is_started_once_for_each_module(self):
        with tempfile.TemporaryDirectory() as folder:
            log, tool = os.path.join(folder, 'log'), os.path.join(folder, 'addr2line')
            with open(tool, 'w', encoding='ascii') as file:
                file.write('#!/bin/sh\necho >> "%s"\n'
                           'while read a; do echo "$a"; echo "f$a"; echo c:1; done\n' % log)
            os.chmod(tool, 0o755)
            path = folder + ':' + os.environ['PATH']
            text = self.symbolize(('%s+0x1 ' % NAME) * 3000, '--folder', FOLDER, PATH=path)
            self.assertEqual(text, 'f0x1 (c:1) ' * 3000)
            with open(log, encoding='ascii') as file:
                self.assertEqual(file.read(), '\n')

    def test_tool_that_ends_leaves_the_rest_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            tool = os.path.join(folder, 'addr2line')
            with open(tool, 'w', encoding='ascii') as file:
                file.write('#!/bin/sh\nread a; echo "$a"; echo f; echo c:1\n'
                           'read a; echo "$a"; echo "??"; echo "??:0"\n')
            os.chmod(tool, 0o755)
            text = self.symbolize('%s+0x1 %s+0x2 %s+0x3' % ((NAME,) * 3), '--folder', FOLDER,
                                  PATH=folder + ':' + os.environ['PATH'])
        self.assertEqual(text, 'f (c:1) %s+0x2 %s+0x3' % (NAME, NAME))

    def test_machine_without_a_tool_says_so(self):
        run = self.run_command('symbolize', PATH='/nowhere', status=FAILED)
        self.assertIn('neither addr2line nor llvm-symbolizer', run.err)

    def test_file_that_is_not_there_is_a_failure(self):
        run = self.run_command('symbolize', '/nowhere/file', status=FAILED)
        self.assertIn('/nowhere/file cannot be read', run.err)

    def test_program_in_the_place_of_its_output_is_refused(self):
        run = self.run_command('symbolize', PROGRAM, status=FAILED)
        self.assertEqual(run.out, '')
        self.assertIn('is a program', run.err)
        self.assertIn('pipe it in', run.err)


if __name__ == '__main__':
    unittest.main()
