#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One program that reaches a driver in several ways, with the same output.

    programs_test.py Programs MOCK FOLDER EXPECTED WAY...
    programs_test.py OldHeaders MOCK STUBS LIBRARY "INCLUDE..." "CC..." SOURCE

FOLDER/streams-header was compiled with <cushim/cuda.h>, and streams-stubs is linked to the static
library; both need no driver. streams-linked is linked to MOCK, a libcuda.so.1 or nvcuda.dll, and
streams-toolkit to a toolkit's stub library, for which the program was written. EXPECTED is the
output. OldHeaders compiles SOURCE with the headers of old toolkits that headers/fetch.sh has
downloaded; the output must be the same. CUSHIM_RUNNER is the command that starts programs, as a
JSON list; OBJDUMP reads programs for Windows.
"""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

COMPATIBLE = ('header', 'stubs')
RUNNER = json.loads(os.environ.get('CUSHIM_RUNNER', '[]'))
WINDOWS = 'OBJDUMP' in os.environ


def program(way):
    return os.path.join(FOLDER, 'streams-' + way + ('.exe' if WINDOWS else ''))


def run(way, **variables):
    kept = {name: value for name, value in os.environ.items() if not name.startswith('CU')}
    environment = dict(kept, CUSHIM_MOCK_SETTINGS='quiet = yes', **variables)
    return subprocess.run([*RUNNER, program(way)], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def run_quiet(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False, **options)


def needs_driver(way):
    """Return whether the system needs a driver to start the program."""
    if WINDOWS:
        text = output(os.environ['OBJDUMP'], '-p', program(way))
        return 'DLL Name: nvcuda.dll' in text
    text = output(os.environ.get('READELF', 'readelf'), '-dsW', program(way))
    names = bool(re.search(r' UND cu[A-Z]', text))
    library = '[libcuda.so.1]' in text
    assert names == library, 'names of the driver, and no library that has them'
    return library


def output(*command):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, check=True).stdout


class Programs(unittest.TestCase):
    def test_output_is_the_same_in_each_way(self):
        with open(EXPECTED, encoding='ascii') as file:
            expected = file.read()
        self.assertGreater(expected.count('\n'), 100)
        for way in WAYS:
            with self.subTest(way):
                if way in COMPATIBLE:
                    variable = {'CUSHIM_LIBRARY': MOCK}
                elif WINDOWS:
                    variable = {}  # its folder is in WINEPATH
                else:
                    variable = {'LD_LIBRARY_PATH': os.path.dirname(MOCK)}
                result = run(way, **variable)
                self.assertEqual(result.stdout, expected)
                self.assertEqual(result.returncode, 0)

    def test_no_driver_is_no_obstacle_to_start(self):
        for way in COMPATIBLE:
            with self.subTest(way):
                result = run(way, CUSHIM_LIBRARY='none')
                self.assertEqual((result.stdout, result.stderr),
                                 ('cuInit(0): 303 CUDA_ERROR_SHARED_OBJECT_INIT_FAILED\n', ''))
                self.assertEqual(result.returncode, 1)

    def test_driver_is_needed_by_the_linked_ones_alone(self):
        for way in WAYS:
            with self.subTest(way):
                self.assertEqual(needs_driver(way), way not in COMPATIBLE)


class OldHeaders(unittest.TestCase):
    def build(self, program, toolkit, way):
        flags = ['-include', 'cushim/cuda.h'] if way == 'header' else [STUBS]
        inputs = [SOURCE] + flags if way == 'stubs' else flags + [SOURCE]
        result = run_quiet(*CC, '-std=c11', *INCLUDE, '-isystem' + toolkit, *inputs, LIBRARY,
                           '-ldl', '-pthread', '-o', program)
        self.assertEqual((result.returncode, result.stderr), (0, ''))

    def test_program_prints_the_same(self):
        environment = dict(os.environ, CUSHIM_LIBRARY=MOCK, CUSHIM_MOCK_SETTINGS='quiet = yes',
                           LD_LIBRARY_PATH=os.path.dirname(LIBRARY))
        with open(SOURCE[:-1] + 'expected', encoding='ascii') as file:
            expected = file.read()
        for toolkit in TOOLKITS:
            for way in COMPATIBLE:
                with self.subTest(toolkit=toolkit, way=way), \
                        tempfile.TemporaryDirectory() as folder:
                    program = os.path.join(folder, 'program')
                    self.build(program, toolkit, way)
                    result = run_quiet(program, env=environment)
                    self.assertEqual((result.returncode, result.stdout), (0, expected))


if __name__ == '__main__':
    WHAT, *WORDS = sys.argv[1:]
    if WHAT == 'Programs':
        MOCK, FOLDER, EXPECTED, *WAYS = WORDS
    else:
        MOCK, STUBS, LIBRARY, INCLUDE, CC, SOURCE = WORDS
        INCLUDE, CC = INCLUDE.split(), CC.split()
        CACHE = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
        TOOLKITS = sorted(glob.glob(os.path.join(CACHE, 'cushim', 'headers', '[0-9]*', 'include')))
        if not TOOLKITS:
            print('skipped: there are no old headers; '
                  'tests/cuda_header/headers/fetch.sh downloads some')
            sys.exit(77)
    unittest.main(argv=[sys.argv[0], WHAT], verbosity=2)
