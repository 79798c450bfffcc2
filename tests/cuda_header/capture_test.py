#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The compatibility header and the stubs affect the file that contains them, and nothing else in
the process.

    capture_test.py DRIVER PLUGIN OTHER INLINE HOST...

INLINE is a C++ program that uses the header, compiled with -O0, with all symbols exported; empty:
there is none.
"""

import os
import re
import subprocess
import sys
import unittest


def run(*command):
    environment = dict(os.environ, CUSHIM_LIBRARY=DRIVER, CUSHIM_MOCK_SETTINGS='quiet = yes')
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            check=False, env=environment)
    if result.returncode != 0:
        raise AssertionError('%s exits with %d:\n%s' % (' '.join(command), result.returncode,
                                                        result.stdout))
    return result.stdout


class Capture(unittest.TestCase):
    def test_each_reaches_its_own_driver(self):
        for host in HOSTS:
            with self.subTest(os.path.basename(host)):
                own = 'driver' if host.endswith('capture-real') else 'stubs'
                self.assertEqual(run(host, PLUGIN, OTHER),
                                 'program %s, plugin stubs, other driver, own own\n' % own)

    def test_no_name_of_the_driver_is_exported(self):
        for path in [PLUGIN, *HOSTS]:
            with self.subTest(os.path.basename(path)):
                names = re.findall(r' [A-Z] (cu[A-Z]\w*)', run('nm', '-D', '--defined-only', path))
                self.assertEqual(names, [])

    def test_no_function_of_the_header_is_exported(self):
        if not INLINE:
            self.skipTest('there is no C++ compiler')
        self.assertRegex(run('nm', INLINE), r'(?m) cushim_cuda_cuMemAlloc_v2$')
        self.assertNotRegex(run('nm', '-D', '--defined-only', INLINE), r'(?m) cushim_cuda_cu\w+$')

    def test_hosts_export_what_is_not_hidden(self):
        """Otherwise the preceding test would prove nothing."""
        for path in HOSTS:
            self.assertIn(' main\n', run('nm', '-D', '--defined-only', path))

    def test_only_what_is_called_is_kept(self):
        """The plugin is linked with --gc-sections."""
        names = re.findall(r' [a-zA-Z] (cu[A-Z]\w*)', run('nm', '--defined-only', PLUGIN))
        self.assertEqual(names, ['cuCtxSynchronize'])


if __name__ == '__main__':
    DRIVER, PLUGIN, OTHER, INLINE, *HOSTS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
