#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One program, several ways to a driver, one output.

    programs_test.py MOCK FOLDER NAME EXPECTED WAY...

FOLDER/NAME-header was compiled through <cushim/cuda.h>, and NAME-stubs is linked to the static
library; both need no driver. NAME-linked is linked to MOCK, a libcuda.so.1, and NAME-toolkit to the
library that a toolkit has for linking, as the program was written to be. EXPECTED is the output.
"""

import os
import re
import subprocess
import sys
import unittest

DOORS = ('header', 'stubs')


def run(way, **variables):
    kept = {name: value for name, value in os.environ.items() if not name.startswith('CU')}
    environment = dict(kept, CUSHIM_MOCK_SETTINGS='quiet = yes', **variables)
    return subprocess.run([os.path.join(FOLDER, NAME + '-' + way)], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          timeout=60)


def dynamic(way):
    return subprocess.run(['readelf', '-dsW', os.path.join(FOLDER, NAME + '-' + way)], text=True,
                          stdout=subprocess.PIPE, check=True).stdout


class Programs(unittest.TestCase):
    def test_output_is_the_same_in_each_way(self):
        with open(EXPECTED, encoding='ascii') as file:
            expected = file.read()
        self.assertGreater(expected.count('\n'), 100)
        for way in WAYS:
            with self.subTest(way):
                variable = {'CUSHIM_LIBRARY': MOCK} if way in DOORS else {
                    'LD_LIBRARY_PATH': os.path.dirname(MOCK)}
                result = run(way, **variable)
                self.assertEqual(result.stdout, expected)
                self.assertEqual(result.returncode, 0)

    def test_no_driver_is_no_obstacle_to_start(self):
        for way in DOORS:
            with self.subTest(way):
                result = run(way, CUSHIM_LIBRARY='none')
                self.assertEqual((result.stdout, result.stderr), ('cuInit(0): 303 ?\n', ''))
                self.assertEqual(result.returncode, 1)

    def test_driver_is_needed_by_the_linked_ones_alone(self):
        for way in WAYS:
            with self.subTest(way):
                text = dynamic(way)
                self.assertEqual('[libcuda.so.1]' in text, way not in DOORS)
                self.assertEqual(bool(re.search(r' UND cu[A-Z]', text)), way not in DOORS)


if __name__ == '__main__':
    MOCK, FOLDER, NAME, EXPECTED, *WAYS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
