#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The generator writes the same bytes in every run, and the build uses them.

    generated_test.py GENERATE_PY BUILD_FOLDER
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

# The outputs of the generator, and their paths in the build.
BUILT = {
    'attributes': 'loader/attributes.h',
    'cuda_names': 'include/cushim/cuda_names.h',
    'exports': 'loader/libcushim.map',
    'json': 'loader/driver-api.json',
    'lazy': 'loader/lazy.c',
    'missing': 'loader/missing.c',
    'results': 'loader/results.h',
    'slots': 'include/cushim/slots.h',
    'stubs': 'src/stubs/stubs.c',
    'symbols': 'loader/symbols.c',
    'versions': 'loader/versions.h',
}

# Outputs that also depend on the table of the mock's functions.
OF_THE_MOCK = ('mock_calls', 'mock_table', 'mock_page', 'retries')


def emitters():
    text = subprocess.run([sys.executable, GENERATE, '--help'], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return re.findall(r'^  (\w+) ', text.partition('WHAT is one of:')[2], re.MULTILINE)


def generate(what, seed):
    """Run the generator in another folder, with another hash seed and another locale."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'output')
        environment = dict(os.environ, PYTHONHASHSEED=str(seed), LC_ALL='C' if seed else 'C.UTF-8')
        table = [MOCK_FUNCTIONS] if what in OF_THE_MOCK else []
        subprocess.run([sys.executable, GENERATE, what, path, *table], check=True, cwd=folder,
                       env=environment)
        with open(path, 'rb') as file:
            return file.read()


class Generated(unittest.TestCase):
    def test_every_file_is_the_same_at_every_run(self):
        for what in emitters():
            with self.subTest(what):
                self.assertEqual(generate(what, 0), generate(what, 12345))

    def test_build_has_the_files_of_the_present_registry(self):
        self.assertLessEqual(set(BUILT), set(emitters()))
        for what, path in BUILT.items():
            with self.subTest(what):
                with open(os.path.join(BUILD, path), 'rb') as file:
                    self.assertEqual(file.read(), generate(what, 1))

    def test_files_say_that_they_are_generated_and_hold_no_path(self):
        for what in emitters():
            with self.subTest(what):
                text = generate(what, 1).decode('ascii')
                self.assertIn('SPDX-License-Identifier: Apache-2.0', text.splitlines()[0])
                self.assertIn('do not edit', text)
                self.assertNotIn(os.path.dirname(os.path.abspath(GENERATE)), text)
                self.assertTrue(text.endswith('\n') and not text.endswith('\n\n'))


if __name__ == '__main__':
    GENERATE, BUILD = sys.argv[1:]
    MOCK_FUNCTIONS = os.path.join(os.path.dirname(os.path.abspath(GENERATE)), '..', 'src', 'mock',
                                  'driver_functions.tsv')
    unittest.main(argv=sys.argv[:1], verbosity=2)
