#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the shared library and the command export, need and contain.

    binary_test.py SANITIZER FILE...
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

READELF = shutil.which('readelf')
NM = shutil.which('nm')


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def is_library(path):
    return '.so' in os.path.basename(path)


class Binary(unittest.TestCase):
    """Each claim about each file; the library is among them unless only a static one was built."""

    def each(self, of=lambda path: True):
        paths = [path for path in PATHS if of(path)]
        if not paths:
            self.skipTest('no such file was built')
        for path in paths:
            with self.subTest(os.path.basename(path)):
                yield path

    def test_library_exports_cushim_and_nothing_else(self):
        for path in self.each(is_library):
            symbols = [line.split()[-1].partition('@')[0]
                       for line in output(NM, '-D', '--defined-only', path).splitlines()]
            self.assertEqual([name for name in symbols if not name.startswith('cushim_')], [])
            for name in ['cushim_load', 'cushim_table_fill', 'cushim_report_get', 'cushim__current']:
                self.assertIn(name, symbols)
            # What is hidden by name is hidden; the current table is read by an inline function.
            self.assertEqual([name for name in symbols if name.startswith('cushim__')],
                             ['cushim__current'])

    def test_no_function_of_the_driver_is_left_to_the_linker(self):
        for path in self.each():
            self.assertEqual(re.findall(r'\bcu[A-Z]\w*', output(NM, '-D', '--undefined-only', path)),
                             [])

    def test_no_library_of_cuda_is_needed(self):
        for path in self.each():
            needed = re.findall(r'\(NEEDED\).*\[(.*)\]', output(READELF, '-dW', path))
            self.assertEqual([name for name in needed if 'cuda' in name or 'nvidia' in name], [])
            self.assertTrue(needed)

    def test_text_is_not_relocated(self):
        for path in self.each():
            self.assertNotIn('TEXTREL', output(READELF, '-dW', path))

    def test_stack_is_not_executable(self):
        for path in self.each():
            stack = re.search(r'GNU_STACK .*', output(READELF, '-lW', path)).group(0)
            self.assertRegex(stack, r' RW ')
            self.assertNotIn('E', stack.split()[-2])

    def test_no_segment_is_writable_and_executable(self):
        for path in self.each():
            segments = re.findall(r'^ +LOAD .*', output(READELF, '-lW', path), re.MULTILINE)
            self.assertTrue(segments)
            self.assertEqual([line for line in segments if 'RWE' in line], [])

    def test_relocated_data_is_read_only(self):
        for path in self.each(is_library):
            self.assertIn('GNU_RELRO', output(READELF, '-lW', path))
            self.assertRegex(output(READELF, '-dW', path), r'BIND_NOW|FLAGS_1.*NOW')

    def test_nothing_runs_at_load_or_unload_but_what_the_compiler_puts_there(self):
        """frame_dummy and __do_global_dtors_aux: one entry each, and no other."""
        for path in self.each(is_library):
            sections = output(READELF, '-SW', path)
            for name in ['init_array', 'fini_array']:
                found = re.search(r'\.%s +\w+ +\w+ +\w+ +(\w+)' % name, sections)
                self.assertTrue(found is None or int(found.group(1), 16) <= 8, name)

    def test_no_thread_local_storage(self):
        for path in self.each(is_library):
            self.assertNotRegex(output(READELF, '-lW', path), r'^ +TLS ')


if __name__ == '__main__':
    SANITIZER, PATHS = sys.argv[1], sys.argv[2:]
    if not (READELF and NM):
        print('skipped: readelf and nm (binutils) are not installed')
        sys.exit(77)
    if SANITIZER != 'none':
        print('skipped: a sanitizer adds exports, constructors and storage of its own')
        sys.exit(77)
    if not PATHS:
        print('skipped: neither a shared library nor the command was built')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
