#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/devices.rs on the mock and without a driver.

    rust_test.py EXAMPLE LIBCUSHIM MOCK
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest


class Rust(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix='cushim-rust-')
        cls.addClassCleanup(folder.cleanup)
        cls.program = os.path.join(folder.name, 'devices')
        os.symlink(LIBRARY, os.path.join(folder.name, 'libcushim.so'))
        subprocess.run(['rustc', '-D', 'warnings', '-L', folder.name, '-o', cls.program, EXAMPLE],
                       check=True)

    def run_on(self, driver, settings):
        return subprocess.run([self.program], capture_output=True, text=True, check=False,
                              env=dict(os.environ, CUSHIM_LIBRARY=driver,
                                       CUSHIM_MOCK_SETTINGS=settings + '\nquiet = yes\n',
                                       LD_LIBRARY_PATH=os.path.dirname(LIBRARY)))

    def test_devices_are_named(self):
        for version, green in (('13.0', 'yes'), ('12.3', 'no')):
            result = self.run_on(MOCK, 'devices = 2\ndriver_version = ' + version)
            self.assertEqual((result.returncode, result.stderr), (0, ''))
            self.assertEqual(result.stdout, 'device 0: NVIDIA H200\ndevice 1: NVIDIA H200\n'
                             'green contexts: %s\n' % green)

    def test_without_a_driver_the_reason_is_printed(self):
        result = self.run_on('none', '')
        self.assertEqual((result.returncode, result.stdout), (1, ''))
        self.assertIn('no CUDA: ', result.stderr)


if __name__ == '__main__':
    EXAMPLE, LIBRARY, MOCK = sys.argv[1], *map(os.path.abspath, sys.argv[2:])
    if not shutil.which('rustc'):
        print('skipped: there is no rustc')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
