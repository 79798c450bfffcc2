#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual pages: roff reports no errors, and the statements of docs/cushim.3 are true. The
program on the reference's main page works, too.

    manual_test.py Format PAGE...
    manual_test.py Content SOURCE CUSHIM "COMPILER ARGUMENT..."

CUSHIM is the library to link to.
"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as file:
        return file.read()


def plain(text):
    """Return roff text without fonts and escapes."""
    text = re.sub(r'\\f[BIRP]', '', text).replace('\\-', '-').replace('\\\\', '\\')
    return re.sub(r'(?m)^\.(?:B|I|BI|BR|IR|RI) (.*)$', lambda match: ''.join(
        shlex.split(match[1])) if '"' in match[1] or ' ,' in match[1] else match[1], text)


class Format(unittest.TestCase):
    def assert_silent(self, *command):
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                check=False, env=dict(os.environ, MANWIDTH='80', LC_ALL='C.UTF-8'))
        # The pages have no date, because the installed version determines their age.
        words = [line for line in (result.stdout + result.stderr).splitlines()
                 if 'missing date' not in line]
        self.assertEqual(words, [], command)

    def test_mandoc_has_no_warning(self):
        if not shutil.which('mandoc'):
            self.skipTest('mandoc is not installed')
        for page in PAGES:
            self.assert_silent('mandoc', '-T', 'lint', '-W', 'warning', page)

    def test_groff_has_no_warning(self):
        if not shutil.which('groff'):
            self.skipTest('groff is not installed')
        for page in PAGES:
            self.assert_silent('groff', '-man', '-Tutf8', '-ww', '-z', page)

    def test_sections_are_those_of_manual_pages(self):
        for page in PAGES:
            sections = re.findall(r'(?m)^\.SH "?(.*?)"?$', read(page))
            usual = ['NAME', 'SYNOPSIS', 'DESCRIPTION']
            self.assertEqual([name for name in sections if name in usual], usual, page)
            self.assertEqual(sections[0], 'NAME')


class Content(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix='cushim-manual-')
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        page = read(SOURCE, 'docs', 'cushim.3')
        parts = re.split(r'(?m)^\.SH "?(.*?)"?\n', page)
        cls.sections = dict(zip(parts[1::2], parts[2::2]))
        cls.page = plain(page)

    def compile(self, text, *arguments):
        source = os.path.join(self.folder, 'program.c')
        with open(source, 'w', encoding='utf-8') as file:
            file.write(text)
        result = subprocess.run([*COMPILER, '-Wall', '-Wextra', '-Werror', source, *arguments],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                check=False)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_synopsis_has_the_prototypes_of_the_headers(self):
        lines = [''.join(shlex.split(line[4:]) if line[:4] == '.BI ' else line[3:])
                 for line in self.sections['SYNOPSIS'].splitlines() if line[:2] == '.B']
        self.assertEqual(lines[0], '#include <cushim/cushim.h>')
        self.assertGreaterEqual(len(lines), 9)
        self.compile('\n'.join(lines) + '\n', '-fsyntax-only')

    def test_example_runs_without_a_driver(self):
        self.assert_runs(plain(re.search(r'(?s)\.EX\n(.*?)\.EE', self.sections['EXAMPLES'])[1]))

    def test_program_of_the_reference_runs_without_a_driver(self):
        page = read(SOURCE, 'docs', 'reference', 'main.md')
        self.assert_runs(re.search(r'(?s)@code\{\.c\}\n(.*?)@endcode', page)[1])

    def assert_runs(self, text):
        program = os.path.join(self.folder, 'program')
        self.compile(text, LIBRARY, '-Wl,-rpath,' + os.path.dirname(LIBRARY), '-o', program)
        result = subprocess.run([program], env=dict(os.environ, CUSHIM_LIBRARY='none'),
                                stdout=subprocess.PIPE, text=True, check=True)
        self.assertRegex(result.stdout, r'^on the CPU: \w')

    def test_functions_headers_and_codes_exist(self):
        functions = set(re.findall(r'\b(cushim_\w+)(?= ?\()', self.page))
        self.assertGreaterEqual(len(functions), 8)
        self.assertEqual(functions - set(re.findall(r'`[^`\n]*?(cushim_\w+)\(',
                                                    read(SOURCE, 'docs', 'api.md'))), set())
        headers = set(re.findall(r'\b([a-z_]+\.h)\b', self.page)) - {'stdio.h'}
        self.assertGreaterEqual(len(headers), 8)
        for name in headers:
            self.assertTrue(os.path.exists(os.path.join(SOURCE, 'include', 'cushim', name)), name)
        results = read(SOURCE, 'loader', 'registry', 'results.tsv')
        for code in set(re.findall(r'\bCUDA_[A-Z_]+\b', self.page)):
            self.assertRegex(results, r'\b%s\b' % code)

    def test_variables_are_read(self):
        text = ''.join(read(path) for folder in ('loader', 'src')
                       for path in glob.glob(os.path.join(SOURCE, folder, '**', '*.[ch]'),
                                             recursive=True))
        names = set(re.findall(r'\bCUSHIM_[A-Z_]+', self.sections['ENVIRONMENT']))
        self.assertEqual(names, {'CUSHIM_LIBRARY', 'CUSHIM_MOCK_CONFIG', 'CUSHIM_MOCK_KERNELS',
                                 'CUSHIM_MOCK_SETTINGS'})
        for name in names:
            self.assertIn('"%s"' % name, text)


if __name__ == '__main__':
    if sys.argv[1] == 'Format':
        PAGES = sys.argv[2:]
        if not shutil.which('mandoc') and not shutil.which('groff'):
            print('skipped: neither mandoc nor groff is installed')
            sys.exit(77)
    else:
        SOURCE, LIBRARY, arguments = sys.argv[2:]
        COMPILER = arguments.split()
    unittest.main(argv=[sys.argv[0], sys.argv[1]], verbosity=2)
