#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/ctypes_prototypes.py on the mock and without a driver.

    ctypes_test.py EXAMPLE DRIVER_API_JSON LIBCUSHIM MOCK
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
        self.assertEqual(result.stderr, 'no CUDA: CUDA_ERROR_SHARED_OBJECT_INIT_FAILED\n')
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


if __name__ == '__main__':
    EXAMPLE, DATA, LIBRARY = sys.argv[1:4]
    MOCK = os.path.abspath(sys.argv[4])  # for the version that cushim asks for
    unittest.main(argv=sys.argv[:1], verbosity=2)
