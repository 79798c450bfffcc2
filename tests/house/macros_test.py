# SPDX-License-Identifier: Apache-2.0
"""Macros of the public headers have one meaning: no other file and no build file defines one.

    macros_test.py SOURCE_ROOT

Otherwise a name could mean one thing in the headers and another thing in some source files.
"""

import os
import re
import sys
import unittest

DEFINE = re.compile(r'^\s*#\s*define\s+(\w+)', re.MULTILINE)
ARGUMENT = re.compile('''['"]-D(\\w+)''')
OTHERS = ('dist', 'examples', 'loader', 'meson.build', 'src', 'tests')
source_root = None


def texts(root, top):
    """Yield the (path, text) of each source and build file below `top`, which may be a file."""
    paths = [top] + [os.path.relpath(os.path.join(folder, name), root)
                     for folder, _, files in os.walk(os.path.join(root, top)) for name in files]
    for path in paths:
        if path.endswith(('.c', '.h', '.h.in', '.cpp', '.py', 'meson.build')):
            with open(os.path.join(root, path), encoding='utf-8') as file:
                yield path, file.read()


class Macros(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.public = {name for _, text in texts(source_root, 'include')
                      for name in DEFINE.findall(text)}
        cls.others = {(name, path) for top in OTHERS for path, text in texts(source_root, top)
                      for name in DEFINE.findall(text) + ARGUMENT.findall(text)}

    def test_headers_sources_and_builds_are_read(self):
        self.assertIn('CUSHIM_VERSION', self.public)
        self.assertIn(('CUSHIM__CALLED_BY_THUNKS', 'loader/loader.h'), self.others)
        self.assertIn(('CUSHIM_STATIC', 'meson.build'), self.others)

    def test_public_macros_are_defined_in_public_headers_alone(self):
        self.assertEqual(sorted(one for one in self.others if one[0] in self.public), [])


if __name__ == '__main__':
    source_root = sys.argv.pop(1)
    unittest.main()
