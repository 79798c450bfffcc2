#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The two files hold all of the library, and show nothing of it.

    two_files_test.py SOURCE_ROOT FOLDER_OF_THE_TWO_FILES LIBRARY CUDA_INCLUDE COMPILER...

LIBRARY is the static one, of the same sources.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def defined(path):
    """Names of the functions and objects that other files can see."""
    lines = output('nm', '--defined-only', '--extern-only', path).splitlines()
    return sorted({line.split()[2] for line in lines if len(line.split()) == 3})


class TwoFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix='cushim-two-files-')
        cls.addClassCleanup(folder.cleanup)
        cls.object = os.path.join(folder.name, 'cushim.o')
        include = ['-isystem', CUDA_INCLUDE] if CUDA_INCLUDE else []
        subprocess.run([*COMPILER, '-std=c11', '-O2', '-c', os.path.join(FOLDER, 'cushim.c'),
                        *include, '-o', cls.object], check=True)
        cls.text = {}
        for name in 'cushim.h', 'cushim.c':
            with open(os.path.join(FOLDER, name), encoding='ascii') as file:
                cls.text[name] = file.read()

    def parts(self, name):
        return re.findall(r'(?m)^/\* ---- (\S+) ---- \*/$', self.text[name])

    @staticmethod
    def headers_of_the_mock():
        with open(os.path.join(SOURCE, 'include', 'cushim', 'meson.build'),
                  encoding='ascii') as file:
            lists = re.findall(r'(?m)^(?:mock|cmocka)_headers = \[([^]]*)\]', file.read())
        return {'cushim/' + name for listed in lists for name in re.findall(r"'([^']+)'", listed)}

    def test_every_source_of_the_tree_is_in(self):
        """Also those of systems that this build is not for."""
        sources = [os.path.relpath(path, SOURCE) for folder in ('loader', 'src')
                   for path in glob.glob(os.path.join(SOURCE, folder, '*.c'))]
        self.assertGreater(len(sources), 30)
        self.assertEqual(sorted(set(sources) - set(self.parts('cushim.c'))), [])

    def test_every_public_header_is_in(self):
        headers = {'cushim/' + os.path.basename(path)
                   for path in glob.glob(os.path.join(SOURCE, 'include', 'cushim', '*.h'))}
        # The mock is a library of its own; the header that includes all others has nothing itself.
        headers -= self.headers_of_the_mock() | {'cushim/cushim.h'}
        headers |= {'cushim/slots.h', 'cushim/version.h'}
        self.assertEqual(sorted(headers - set(self.parts('cushim.h'))), [])
        self.assertIn('#define CUSHIM_DOORS_H', self.text['cushim.h'])

    def test_nothing_is_in_twice(self):
        parts = self.parts('cushim.h') + self.parts('cushim.c')
        twice = {name for name in parts if parts.count(name) > 1}
        # A header that only systems need is in the part of each.
        portable = self.text['cushim.c'].partition('#pragma GCC visibility pop')[0]
        self.assertEqual([name for name in twice if name in portable], [])
        self.assertEqual(len(self.parts('cushim.h')), len(set(self.parts('cushim.h'))))

    def test_functions_and_objects_are_those_of_the_library(self):
        names = defined(LIBRARY)
        self.assertIn('cushim_load', names)
        self.assertEqual(defined(self.object), names)

    def test_nothing_can_be_seen_outside_of_what_is_linked(self):
        shown = [line for line in output('readelf', '-sW', self.object).splitlines()
                 if re.search(r' (GLOBAL|WEAK) +(?!HIDDEN)\w+ +(?!UND)\w+ ', line)]
        self.assertEqual(shown, [])

    def test_no_function_of_the_driver_is_left_to_the_linker(self):
        names = output('nm', '--undefined-only', self.object)
        self.assertIn('dlopen', names)
        self.assertEqual(re.findall(r'\bcu[A-Z]\w*', names), [])

    def test_they_say_what_they_are_and_hold_no_path(self):
        for name, text in self.text.items():
            self.assertTrue(text.startswith('/* SPDX-License-Identifier: Apache-2.0 */\n'), name)
            self.assertRegex(text[:500], r'cushim \d+\.\d+\.\d+ in two files')
            self.assertIn('change those, not th', text[:1200])
            self.assertNotIn(SOURCE, text)
            self.assertNotIn(FOLDER, text)
            self.assertNotRegex(text, r'(?m)^#\s*(line|\d)')


if __name__ == '__main__':
    SOURCE, FOLDER, LIBRARY, CUDA_INCLUDE = sys.argv[1:5]
    COMPILER = sys.argv[5:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
