#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A library in a folder where Windows searches for libraries is never loaded as the driver.

The system folder is used only under Wine, and cleaned up again, so nothing else may run at that
time.
"""

import os
import shutil
import tempfile
import unittest

from harness import COMMAND, DONE, NO_DRIVER, RUNNER, ToolTest, fake, host_path

NAME = 'nvcuda.dll'
PREFIX = os.environ.get('WINEPREFIX') or os.path.expanduser('~/.wine')
SYSTEM = os.path.join(PREFIX, 'drive_c', 'windows', 'system32', NAME)


def put_library(folder, version=13000):
    return shutil.copyfile(os.environ['CUSHIM_FAKE_%d' % version], os.path.join(folder, NAME))


class HijackTest(ToolTest):

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = os.path.join(temporary.name, 'folder')
        self.program = os.path.join(self.folder, 'program.exe')
        os.mkdir(self.folder)
        shutil.copyfile(COMMAND[-1], self.program)
        os.chmod(self.program, 0o755)

    def folders(self):
        """Map each place of the library to how the command is run that could load it from there."""
        path = host_path(self.folder)
        beside = [*COMMAND[:-1], self.program]
        return {
            'current folder': {'folder': self.folder},
            "program's folder": {'command': beside},
            'both': {'folder': self.folder, 'command': beside},
            # Wine prepends WINEPATH to the PATH of Windows; Windows itself knows only PATH.
            'PATH': {'WINEPATH': path, 'PATH': os.environ['PATH'] + os.pathsep + path},
        }

    def run_everywhere(self):
        for name, how in self.folders().items():
            with self.subTest(name):
                yield self.run_command('info', '--json', **how)


class Hijack(HijackTest):

    def test_not_loaded_where_there_is_no_driver(self):
        put_library(self.folder)
        for result in self.run_everywhere():
            self.assert_status(result, NO_DRIVER)
            report = result.json()['report']
            self.assertEqual([report['state'], report['library']], ['not-found', ''])
            self.assertEqual(result.calls, [])

    def test_would_be_a_driver_if_it_were_named(self):
        path = host_path(put_library(self.folder))
        self.assert_status(self.run_command('info', CUSHIM_LIBRARY=path), DONE)


@unittest.skipUnless(RUNNER, "no test writes to the system's folder of a real Windows")
class DriverOfAContainer(ToolTest):
    """Windows puts the drivers of the machine into a folder of its container."""

    STORE = os.path.join(os.path.dirname(SYSTEM), 'HostDriverStore')

    def setUp(self):
        self.assertFalse(os.path.exists(self.STORE))
        self.addCleanup(shutil.rmtree, self.STORE, ignore_errors=True)

    def put(self, name, package):
        folder = os.path.join(self.STORE, 'FileRepository', package)
        os.makedirs(folder)
        shutil.copyfile(os.environ['CUSHIM_FAKE_13000'], os.path.join(folder, name))
        return 'C:\\windows\\system32\\HostDriverStore\\FileRepository\\%s\\%s' % (package, name)

    def diagnostics(self, *command):
        result = self.run_command('info', '--json', **({'command': command} if command else {}))
        self.assert_status(result, NO_DRIVER)
        return {row['name']: row for row in result.json()['diagnostics']}

    def test_named_if_it_is_not_in_the_system_folder(self):
        self.put('nvldumdx.dll', 'nv_dispi.inf_amd64_0')
        path = self.put('nvcuda64.dll', 'nv_dispi.inf_amd64_1')
        found = self.diagnostics()['host-driver-only']
        self.assertEqual(found['evidence'].lower(), path.lower())
        self.assertIn('CUSHIM_LIBRARY', found['advice'])
        self.assert_status(self.run_command('info', CUSHIM_LIBRARY=path), DONE)

    def test_elevated_process_is_not_told_to_set_a_variable_that_it_ignores(self):
        self.put('nvcuda64.dll', 'nv_dispi.inf_amd64_1')
        found = self.diagnostics(RUNNER[0], COMMAND[-1])['host-driver-only']
        self.assertNotIn('CUSHIM_LIBRARY', found['advice'])
        self.assertIn('nvcuda.dll', found['advice'])

    def test_other_packages_are_no_driver(self):
        self.put('nvldumdx.dll', 'nv_dispi.inf_amd64_0')
        self.put('nvcuda64.dll', 'amd.inf_amd64_1')
        self.assertNotIn('host-driver-only', self.diagnostics())


@unittest.skipUnless(RUNNER, "no test writes to the system's folder of a real Windows")
class InTheSystemsFolder(HijackTest):

    def setUp(self):
        super().setUp()
        self.assertFalse(os.path.exists(SYSTEM), 'this Wine has a driver: %s' % SYSTEM)
        self.addCleanup(lambda: os.path.exists(SYSTEM) and os.remove(SYSTEM))

    def test_found(self):
        put_library(os.path.dirname(SYSTEM), 12020)
        report = self.run_command('info', '--json').json()['report']
        self.assertEqual([report['state'], report['driver_version']], ['ready', 12020])
        self.assertEqual(report['library'].lower(), 'c:\\windows\\system32\\' + NAME)
        self.assertEqual(report['candidates'][0]['origin'], 'search')

    def test_found_and_not_the_other_one(self):
        put_library(os.path.dirname(SYSTEM), 12020)
        put_library(self.folder)
        for result in self.run_everywhere():
            self.assert_status(result, DONE)
            self.assertEqual(result.json()['report']['driver_version'], 12020)

    def test_broken_and_not_replaced_by_the_other_one(self):
        with open(SYSTEM, 'w', encoding='ascii') as file:
            file.write('no library')
        put_library(self.folder)
        for result in self.run_everywhere():
            self.assert_status(result, NO_DRIVER)
            candidate, = result.json()['report']['candidates']
            self.assertEqual(candidate['outcome'], 'not-a-library')
            self.assertIn(NAME + ': it is not a PE file', candidate['message'])


if __name__ == '__main__':
    unittest.main()
