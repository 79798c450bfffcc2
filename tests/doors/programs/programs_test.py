#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One program, several ways to a driver, one output.

    programs_test.py MOCK FOLDER NAME EXPECTED WAY...

FOLDER/NAME-header was compiled through <cushim/cuda.h>, and NAME-stubs is linked to the static
library; both need no driver. NAME-linked is linked to MOCK, a libcuda.so.1 or nvcuda.dll, and NAME-toolkit
to the library that a toolkit has for linking, as the program was written to be. EXPECTED is the output.
CUSHIM_RUNNER is what programs are started by, as a list in JSON; OBJDUMP reads those of Windows.
"""

import json
import os
import re
import subprocess
import sys
import unittest

DOORS = ('header', 'stubs')
RUNNER = json.loads(os.environ.get('CUSHIM_RUNNER', '[]'))
WINDOWS = 'OBJDUMP' in os.environ


def program(way):
    return os.path.join(FOLDER, NAME + '-' + way + ('.exe' if WINDOWS else ''))


def run(way, **variables):
    kept = {name: value for name, value in os.environ.items() if not name.startswith('CU')}
    environment = dict(kept, CUSHIM_MOCK_SETTINGS='quiet = yes', **variables)
    return subprocess.run([*RUNNER, program(way)], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          timeout=60)


def needs_driver(way):
    """Whether the system would look for a driver to start the program."""
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
                if way in DOORS:
                    variable = {'CUSHIM_LIBRARY': MOCK}
                elif WINDOWS:
                    variable = {}  # its folder is in WINEPATH
                else:
                    variable = {'LD_LIBRARY_PATH': os.path.dirname(MOCK)}
                result = run(way, **variable)
                self.assertEqual(result.stdout, expected)
                self.assertEqual(result.returncode, 0)

    def test_no_driver_is_no_obstacle_to_start(self):
        for way in DOORS:
            with self.subTest(way):
                result = run(way, CUSHIM_LIBRARY='none')
                self.assertEqual((result.stdout, result.stderr),
                                 ('cuInit(0): 303 CUDA_ERROR_SHARED_OBJECT_INIT_FAILED\n', ''))
                self.assertEqual(result.returncode, 1)

    def test_driver_is_needed_by_the_linked_ones_alone(self):
        for way in WAYS:
            with self.subTest(way):
                self.assertEqual(needs_driver(way), way not in DOORS)


if __name__ == '__main__':
    MOCK, FOLDER, NAME, EXPECTED, *WAYS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
