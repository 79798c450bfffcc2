#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The exports, dependencies and contents of the shared libraries and of the command.

    binary_test.py SANITIZER FILE... -- HEADER...

The headers are those of the mock's library.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from built_file import READELF, Claims, is_library, is_mock  # noqa: E402

NM = shutil.which(os.environ.get('NM', 'nm'))

# Symbols that musl's start files export from every shared library; glibc's start files hide them.
OF_THE_START_FILES = {'_init', '_fini'}

DECLARATION = re.compile(r'^CUSHIM_API\b[^;(]*?\b(cushim_\w+)\s*\(', re.MULTILINE)


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def exported(path):
    """Return the names of the exported symbols. Names of versions are absolute symbols."""
    lines = output(NM, '-D', '--defined-only', path).splitlines()
    return [line.split()[-1].partition('@')[0] for line in lines if line.split()[-2] != 'A']


def declared(headers):
    """Return the names of the functions that headers declare."""
    names = set()
    for header in headers:
        with open(header, encoding='ascii') as file:
            names |= set(DECLARATION.findall(file.read()))
    return names


class Binary(Claims):
    def tolerated(self, path):
        """Return exports that the project cannot avoid; with glibc there are none."""
        glibc = '[libc.so.6]' in output(READELF, '-dW', path)
        return set() if glibc else OF_THE_START_FILES

    def test_library_exports_cushim_and_nothing_else(self):
        def judge(path):
            symbols = exported(path)
            self.assertEqual([name for name in symbols if not name.startswith('cushim_')
                               and name not in self.tolerated(path)], [])
            for name in ['cushim_driver_load', 'cushim_table_fill', 'cushim_report_create',
                         'cushim_current_table']:
                self.assertIn(name, symbols)
            self.assertEqual([name for name in symbols if name.startswith('cushim__')], [])
        self.each(judge, is_library)

    def test_mock_exports_itself_and_nothing_else(self):
        def judge(path):
            symbols = set(exported(path)) - self.tolerated(path)
            self.assertIn('cushim_mock_create', symbols)
            self.assertEqual(symbols, declared(HEADERS))
        self.each(judge, is_mock)

    def test_no_function_of_the_driver_is_left_to_the_linker(self):
        def judge(path):
            undefined = output(NM, '-D', '--undefined-only', path)
            self.assertEqual(re.findall(r'\bcu[A-Z]\w*', undefined), [])
        self.each(judge)

    def test_no_library_of_cuda_is_needed(self):
        def judge(path):
            needed = re.findall(r'\(NEEDED\).*\[(.*)\]', output(READELF, '-dW', path))
            self.assertEqual([name for name in needed if 'cuda' in name or 'nvidia' in name], [])
            self.assertTrue(needed)
        self.each(judge)

    def test_text_is_not_relocated(self):
        def judge(path):
            self.assertNotIn('TEXTREL', output(READELF, '-dW', path))
        self.each(judge)

    def test_stack_is_not_executable(self):
        def judge(path):
            stack = re.search(r'GNU_STACK .*', output(READELF, '-lW', path)).group(0)
            self.assertRegex(stack, r' RW ')
            self.assertNotIn('E', stack.split()[-2])
        self.each(judge)

    def test_no_segment_is_writable_and_executable(self):
        def judge(path):
            segments = re.findall(r'^ +LOAD .*', output(READELF, '-lW', path), re.MULTILINE)
            self.assertTrue(segments)
            self.assertEqual([line for line in segments if 'RWE' in line], [])
        self.each(judge)

    def test_relocated_data_is_read_only(self):
        def judge(path):
            self.assertIn('GNU_RELRO', output(READELF, '-lW', path))
            self.assertRegex(output(READELF, '-dW', path), r'BIND_NOW|FLAGS_1.*NOW')
        self.each(judge)

    def test_nothing_runs_at_load_or_unload_but_what_the_compiler_puts_there(self):
        """One entry each for frame_dummy and __do_global_dtors_aux, and no other."""
        def judge(path):
            sections = output(READELF, '-SW', path)
            # A function of libgcc on aarch64, in programs with atomic operations.
            asks_processor = len(re.findall(' init_have_lse_atomics$', output(NM, path), re.M))
            for name, entries in {'init_array': 1 + asks_processor, 'fini_array': 1}.items():
                found = re.search(r'\.%s +\w+ +\w+ +\w+ +(\w+)' % name, sections)
                self.assertTrue(found is None or int(found.group(1), 16) <= 8 * entries, name)
        self.each(judge, is_library)

    def test_no_thread_local_storage(self):
        def judge(path):
            self.assertNotRegex(output(READELF, '-lW', path), r'(?m)^ +TLS ')
        self.each(judge, is_library)


if __name__ == '__main__':
    SPLIT = sys.argv.index('--')
    SANITIZER, Claims.paths, HEADERS = sys.argv[1], sys.argv[2:SPLIT], sys.argv[SPLIT + 1:]
    if not (READELF and NM):
        print('skipped: readelf and nm (binutils) are not installed')
        sys.exit(77)
    if SANITIZER != 'none':
        print('skipped: a sanitizer adds exports, constructors and storage of its own')
        sys.exit(77)
    if not Claims.paths:
        print('skipped: neither a shared library nor the command was built')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
