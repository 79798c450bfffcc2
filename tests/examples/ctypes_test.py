#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/ctypes_prototypes.py on the mock: its prototypes, its output, and a failing call.

    ctypes_test.py EXAMPLE DRIVER_API_JSON LIBRARY
"""

import ctypes
import os
import runpy
import subprocess
import sys
import unittest

SETTINGS = 'devices = 2\nquiet = yes\n'
# What no binding can call by this file alone: a struct is passed by value.
BY_VALUE = {'cuIpcOpenEventHandle', 'cuIpcOpenMemHandle', 'cuIpcOpenMemHandle_v2',
            'cuMemAdvise_v2', 'cuMemPrefetchAsync_v2', 'cuMemPrefetchAsync_v2_ptsz',
            'cuEGLStreamProducerPresentFrame'}


def run(settings):
    return subprocess.run([sys.executable, EXAMPLE, DATA, LIBRARY], capture_output=True, text=True,
                          env=dict(os.environ, CUSHIM_MOCK_SETTINGS=settings), check=False)


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

    def test_every_function_has_its_prototype(self):
        os.environ['CUSHIM_MOCK_SETTINGS'] = SETTINGS
        sys.argv[1:] = [DATA, LIBRARY]
        made = runpy.run_path(EXAMPLE)
        functions = {row['symbol']: getattr(made['driver'], row['symbol'], None)
                     for row in made['api']['functions']}
        exported = {symbol for symbol, function in functions.items() if function}
        self.assertGreater(len(exported), 600)
        self.assertEqual({symbol for symbol in exported if functions[symbol].argtypes is None},
                         BY_VALUE & exported)
        self.assertEqual(functions['cuMemsetD8_v2'].argtypes,
                         [ctypes.c_ulonglong, ctypes.c_ubyte, ctypes.c_size_t])
        self.assertEqual(functions['cuStreamWaitEvent'].argtypes,
                         [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint])

    def test_program_is_as_short_as_is_said(self):
        with open(EXAMPLE, encoding='ascii') as file:
            self.assertLessEqual(len(file.readlines()), 30)


if __name__ == '__main__':
    EXAMPLE, DATA, LIBRARY = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
