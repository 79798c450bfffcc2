#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/ctypes_prototypes.py on the mock and without a driver, and the tests in pytest's process.

    ctypes_test.py EXAMPLE DRIVER_API_JSON LIBCUSHIM MOCK TESTS LIBCUSHIM_MOCK
"""

import ctypes
import os
import runpy
import subprocess
import sys
import unittest

SETTINGS = 'devices = 2\nquiet = yes\n'
# Functions that a binding from this file alone cannot call, because they pass a struct by value.
BY_VALUE = {'cuIpcOpenEventHandle', 'cuIpcOpenMemHandle', 'cuIpcOpenMemHandle_v2',
            'cuMemAdvise_v2', 'cuMemPrefetchAsync_v2', 'cuMemPrefetchAsync_v2_ptsz',
            'cuEGLStreamProducerPresentFrame'}


def run(settings, driver=None):
    return subprocess.run([sys.executable, EXAMPLE, DATA, LIBRARY], capture_output=True, text=True,
                          env=dict(os.environ, CUSHIM_MOCK_SETTINGS=settings,
                                   CUSHIM_LIBRARY=driver or MOCK), check=False)


class Prototypes(unittest.TestCase):
    def test_devices_are_named(self):
        result = run(SETTINGS)
        self.assertEqual(result.stderr, '')
        self.assertEqual(result.stdout, 'device 0: NVIDIA H200\ndevice 1: NVIDIA H200\n')
        self.assertEqual(result.returncode, 0)

    def test_failing_call_is_named_with_its_code(self):
        result = run(SETTINGS + 'fault = cuDeviceGetName:nth=2 => return(INVALID_DEVICE)\n')
        self.assertEqual(result.stdout, 'device 0: NVIDIA H200\n')
        self.assertIn('RuntimeError: cuDeviceGetName: CUDA_ERROR_INVALID_DEVICE\n', result.stderr)
        self.assertEqual(result.returncode, 1)

    def test_without_a_driver_the_reason_is_printed(self):
        result = run(SETTINGS, driver='none')
        self.assertRegex(result.stderr, r'(?m)\Astate .*\nreason .*CUSHIM_LIBRARY')
        self.assertEqual(result.returncode, 1)

    def test_every_function_has_its_prototype(self):
        os.environ.update(CUSHIM_MOCK_SETTINGS=SETTINGS, CUSHIM_LIBRARY=MOCK)
        sys.argv[1:] = [DATA, LIBRARY]
        made = runpy.run_path(EXAMPLE)
        functions = {row['symbol']: getattr(made['driver'], row['symbol'], None)
                     for row in made['api']['functions']}
        self.assertGreater(len(functions), 600)
        self.assertEqual({symbol for symbol in functions if not functions[symbol]}, BY_VALUE)
        self.assertEqual(list(functions['cuMemsetD8_v2'].argtypes),
                         [ctypes.c_ulonglong, ctypes.c_ubyte, ctypes.c_size_t])
        self.assertEqual(list(functions['cuStreamWaitEvent'].argtypes),
                         [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint])

    def test_program_is_as_short_as_is_said(self):
        with open(EXAMPLE, encoding='ascii') as file:
            self.assertLessEqual(len(file.readlines()), 40)


PYTEST = '/usr/bin/python3'  # of the system, which has Debian's python3-pytest


@unittest.skipIf(subprocess.run([PYTEST, '-m', 'pytest', '--version'], capture_output=True,
                                check=False).returncode, 'python3-pytest is not installed')
class InProcess(unittest.TestCase):
    def run_tests(self, **environment):
        folders = os.path.dirname(MOCK_LIBRARY), os.path.dirname(os.path.abspath(LIBRARY))
        return subprocess.run(
            [PYTEST, '-B', '-m', 'pytest', '-p', 'no:cacheprovider', '-q', TESTS],
            env=dict(os.environ, CUSHIM_DRIVER_API=DATA, LD_LIBRARY_PATH=os.pathsep.join(folders),
                     **environment), capture_output=True, text=True, check=False)

    def test_each_test_has_its_mock(self):
        result = self.run_tests()
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn('2 passed', result.stdout)

    def test_leak_is_found(self):
        result = self.run_tests(WITH_BUG='')
        self.assertIn('CUSHIM-leak-memory', result.stdout)
        self.assertIn('2 passed, 1 error', result.stdout)


if __name__ == '__main__':
    EXAMPLE, DATA, LIBRARY = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3]
    MOCK = os.path.abspath(sys.argv[4])  # for the version that cushim asks for
    TESTS, MOCK_LIBRARY = (os.path.abspath(path) for path in sys.argv[5:7])
    unittest.main(argv=sys.argv[:1], verbosity=2)
