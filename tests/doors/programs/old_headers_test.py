#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs, compiled with the headers of old toolkits, print what they print with the newest.

    old_headers_test.py MOCK STUBS LIBRARY "INCLUDE..." "CC..." SOURCE...

Beside each SOURCE is what it prints. The toolkits are those that headers/fetch.sh has brought.
"""

import glob
import os
import subprocess
import sys
import tempfile
import unittest


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False, timeout=60, **options)


class OldHeaders(unittest.TestCase):
    def build(self, program, toolkit, source, way):
        flags = ['-include', 'cushim/cuda.h'] if way == 'header' else [STUBS]
        inputs = [source] + flags if way == 'stubs' else flags + [source]
        result = run(*CC, '-std=c11', *INCLUDE, '-isystem' + toolkit, *inputs, LIBRARY, '-ldl',
                     '-pthread', '-o', program)
        self.assertEqual((result.returncode, result.stderr), (0, ''))

    def test_programs_print_the_same(self):
        environment = dict(os.environ, CUSHIM_LIBRARY=MOCK, CUSHIM_MOCK_SETTINGS='quiet = yes',
                           LD_LIBRARY_PATH=os.path.dirname(LIBRARY))
        for toolkit in TOOLKITS:
            for source in SOURCES:
                for way in 'header', 'stubs':
                    with self.subTest(toolkit=toolkit, source=os.path.basename(source), way=way), \
                            tempfile.TemporaryDirectory() as folder:
                        program = os.path.join(folder, 'program')
                        self.build(program, toolkit, source, way)
                        result = run(program, env=environment)
                        with open(source[:-1] + 'expected', encoding='ascii') as file:
                            self.assertEqual(result.stdout, file.read())
                        self.assertEqual(result.returncode, 0)


if __name__ == '__main__':
    MOCK, STUBS, LIBRARY, INCLUDE, CC = (sys.argv[1], sys.argv[2], sys.argv[3],
                                         sys.argv[4].split(), sys.argv[5].split())
    SOURCES = sys.argv[6:]
    CACHE = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    TOOLKITS = sorted(glob.glob(os.path.join(CACHE, 'cushim', 'headers', '[0-9]*', 'include')))
    if not TOOLKITS:
        print('skipped: there are no old headers; tests/doors/headers/fetch.sh brings some')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
