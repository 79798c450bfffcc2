#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plugins that contain cushim, in a host program that knows nothing of CUDA.

    plugins_test.py HOST SANITIZER WAITING_DRIVER MOCK_DRIVER|none NO_DRIVER NAME=PLUGIN...

The host checks the conditions of each case; this script selects the drivers and the orders.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

TURNS = 1000
# What each call returns: there is no driver; the file is not a driver.
NO_LIBRARY, NO_DRIVER = 303, 302


def environment(driver):
    """Return the caller's environment with one driver, without other variables for cushim and its
    mock.
    """
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith('CUSHIM_') and name not in ('LD_LIBRARY_PATH',
                                                               'MALLOC_PERTURB_')}
    return dict(kept, CUSHIM_LIBRARY=driver, CUSHIM_MOCK_SETTINGS='quiet = yes')


class Plugins(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix='cushim-plugins-')
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        os.chmod(cls.folder, 0o755)

    def path(self, name, content=''):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            with open(path, 'w', encoding='ascii') as file:
                file.write(content)
        return path

    def broken(self):
        return self.path('libcuda-broken.so.1', 'This is no library.\n')

    def host(self, *words, driver='none'):
        result = subprocess.run([HOST, *words], env=environment(driver),
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                check=False)
        self.assertEqual(result.returncode, 0, '%s:\n%s' % (' '.join(words), result.stdout))
        return result.stdout

    def mock(self):
        if MOCK == 'none':
            self.skipTest('the mock driver was not built')
        return MOCK

    # --- open and close, a thousand times ---

    def cycle(self, driver, code):
        print(self.host('cycle', PLUGINS['newer'], str(TURNS), str(code), driver=driver))

    def test_nothing_is_left_without_a_driver(self):
        self.cycle('none', NO_LIBRARY)

    def test_nothing_is_left_where_no_file_is(self):
        self.cycle('/nonexistent/libcuda.so.1', NO_LIBRARY)

    def test_nothing_is_left_with_a_driver(self):
        self.cycle(self.mock(), 0)

    def test_nothing_is_left_with_a_file_that_is_no_library(self):
        self.cycle(self.broken(), NO_LIBRARY)

    def test_nothing_is_left_with_a_library_that_is_no_driver(self):
        self.cycle(NOT_A_DRIVER, NO_DRIVER)

    # --- two versions in one process ---

    def test_two_versions_share_the_driver(self):
        for scope in 'local', 'global':
            for one, other in (('newer', 'older'), ('older', 'newer')):
                with self.subTest('%s, %s first' % (scope, one)):
                    self.host('pair', PLUGINS[one], PLUGINS[other], scope, 'two',
                              driver=self.mock())

    def test_names_that_are_not_hidden_are_bound_to_another_plugin(self):
        """Shows why the static library hides its symbols, and that this test would detect it if it
        did not.
        """
        self.host('pair', PLUGINS['exporting'], PLUGINS['older-exporting'], 'global', 'bound')

    def test_host_ends_in_any_order(self):
        for driver, code in ((self.mock(), 0), ('none', NO_LIBRARY), (self.broken(), NO_LIBRARY)):
            for first in 'first', 'second', 'none', 'exit':
                with self.subTest('%s, %s' % (os.path.basename(driver), first)):
                    self.host('order', PLUGINS['newer'], PLUGINS['older'], str(code), first,
                              driver=driver)

    # --- host programs that do more ---

    def test_host_forks_after_the_plugin_is_gone(self):
        self.host('fork-closed', PLUGINS['newer'], driver=self.mock())

    def test_plugin_that_stays_is_closed_during_a_call(self):
        self.host('busy', PLUGINS['staying'], driver=WAITING_DRIVER)

    def test_plugin_is_used_at_the_end_of_the_process(self):
        for driver in self.mock(), 'none':
            with self.subTest(os.path.basename(driver)):
                self.host('handler', PLUGINS['newer'], driver=driver)


if __name__ == '__main__':
    HOST, SANITIZER, WAITING_DRIVER, MOCK, NOT_A_DRIVER = sys.argv[1:6]
    PLUGINS = dict(word.split('=', 1) for word in sys.argv[6:])
    if SANITIZER != 'none':
        print('skipped: a sanitizer keeps memory and descriptors of its own')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
