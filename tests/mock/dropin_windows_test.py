#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The mock as nvcuda.dll, used by programs that know nothing of it.

    dropin_windows_test.py LIBRARY CLIENT LINKED VERSION

Output and settings are the same as on other systems, so dropin_test.py provides these tests.
"""

import os
import re
import sys
import unittest

import dropin_test
from dropin_test import ROOT, ROWS, WRAPPER, Setup, Words, run  # noqa: F401 (imports its tests)

QUIET = 'quiet = yes'


def beside(library):
    """Return an environment in which the loader finds the library by its name."""
    folder = ROOT + os.path.dirname(library)
    if WRAPPER:
        return {'WINEPATH': folder}
    return {'PATH': folder + os.pathsep + os.environ['PATH']}


class Library(unittest.TestCase):
    def exported(self):
        """Return the names that the file exports, from its export directory."""
        with open(LIBRARY, 'rb') as file:
            data = file.read()

        def number(offset, size=4):
            return int.from_bytes(data[offset:offset + size], 'little')

        head = number(0x3c)
        self.assertEqual(data[head:head + 4], b'PE\0\0')
        optional = head + 24
        first = optional + number(head + 20, 2)
        sections = [(number(at + 12), number(at + 8), number(at + 20))
                    for at in range(first, first + 40 * number(head + 6, 2), 40)]

        def place(address):
            return next(raw + address - start for start, size, raw in sections
                        if start <= address < start + size)

        def text(address):
            at = place(address)
            return data[at:data.index(b'\0', at)].decode('ascii')

        directory = place(number(optional + 112))
        names = place(number(directory + 32))
        return text(number(directory + 12)), [text(number(names + 4 * index))
                                              for index in range(number(directory + 24))]

    def test_exports_the_driver_and_its_own_identity_and_nothing_else(self):
        name, names = self.exported()
        driver = {symbol for symbol in names if re.match(r'cu[A-Z]', symbol)}
        self.assertEqual(name, 'nvcuda.dll')
        self.assertEqual(driver, {row.symbol for row in ROWS})
        self.assertEqual(set(names) - driver, {'cushim_mock_current', 'cushim_mock_identity',
                                               'cushim_mock_race', 'cushim_mock_get_state',
                                               'cushim_mock_misuse'})

    def test_is_found_by_its_name(self):
        output, _ = run('nvcuda.dll', 'cuInit', **beside(LIBRARY))
        self.assertEqual(output, ['cuInit 0'])

    def test_linked_program_runs(self):
        output, errors = run(program=LINKED, CUSHIM_MOCK_SETTINGS='driver_version = 12.7',
                             **beside(LIBRARY))
        self.assertEqual(output, ['cuInit 0', 'cuDriverGetVersion 0', 'version 12070'])
        self.assertEqual(len(errors), 1)
        self.assertIn('12.7', errors[0])

    def test_later_symbols_are_hidden_and_earlier_ones_are_not(self):
        output, errors = run(ROOT + LIBRARY, 'has:cuEventElapsedTime', 'has:cuEventElapsedTime_v2',
                             'has:cuInit', 'has:cuWGLGetDevice', 'has:cushim_mock_identity',
                             'cuInit',
                             CUSHIM_MOCK_SETTINGS=QUIET + '\ndriver_version = 12.7')
        self.assertEqual(output, ['cuEventElapsedTime 1', 'cuEventElapsedTime_v2 0', 'cuInit 1',
                                  'cuWGLGetDevice 1', 'cushim_mock_identity 1', 'cuInit 0'])
        self.assertEqual(errors, [])


if __name__ == '__main__':
    LIBRARY, CLIENT, LINKED, VERSION = sys.argv[1:]
    dropin_test.LIBRARY, dropin_test.CLIENT, dropin_test.VERSION = ROOT + LIBRARY, CLIENT, VERSION
    unittest.main(argv=sys.argv[:1], verbosity=2)
