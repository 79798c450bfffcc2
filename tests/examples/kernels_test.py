#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cushim run --kernels`: a library of kernels for an unmodified program, and the errors of such
libraries.

    kernels_test.py COMMAND PROGRAM KERNELS REFUSING OTHER executes|refuses

PROGRAM and KERNELS are built from examples/testing. REFUSING registers nothing and reports that.
OTHER is a library without the function. The last argument says whether the mock executes kernels.
"""
import os
import subprocess
import sys
import tempfile
import unittest

COMMAND = PROGRAM = KERNELS = REFUSING = OTHER = MOCK = ''
WHY = {'executes': r'cannot be executed: line 7 of its PTX: wgmma\.fence\.sync\.aligned: ',
       'refuses': 'is not registered, and this mock was built without the execution of kernels: '}
NO_DRIVER_CODE = 'cuInit answered 802\n'  # CUDA_ERROR_SYSTEM_NOT_READY


def run(*options, program=None, **variables):
    environment = {**os.environ, **variables}
    return subprocess.run([COMMAND, 'run', '--quiet', *options, '--', *(program or [PROGRAM])],
                          env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False)


class Kernels(unittest.TestCase):

    def check_result(self, result, status, out, err):
        self.assertEqual((result.returncode, result.stdout, result.stderr), (status, out, err))

    def test_stand_for_those_of_the_program(self):
        self.check_result(run('--kernels', KERNELS), 0, 'sum 999000\n', '')
        self.check_result(run(CUSHIM_MOCK_KERNELS=KERNELS), 0, 'sum 999000\n', '')

    def test_are_named_in_full(self):
        folder, name = os.path.split(KERNELS)
        here = os.getcwd()
        os.chdir(folder)
        try:
            self.check_result(run('--kernels', name), 0, 'sum 999000\n', '')
        finally:
            os.chdir(here)

    def test_are_proposed_where_a_kernel_cannot_be_executed(self):
        result = run()
        self.assertEqual((result.returncode, result.stdout), (1, ''))
        self.assertRegex(result.stderr, r"^cushim mock: the kernel 'scale' " + WHY[MOCK] +
                         r'CUDA_ERROR_NOT_SUPPORTED \(register .* by --kernels; ')
        self.assertTrue(result.stderr.endswith('\ncuLaunchKernel answered 801\n'), result.stderr)

    def test_that_were_never_launched_are_reported(self):
        result = run('--kernels', KERNELS, program=[COMMAND, 'time'])
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr, "cushim mock: kernel 'scale' of %s was never launched\n"
                         % os.path.realpath(KERNELS))

    def test_that_do_not_exist_are_refused_before_the_program_starts(self):
        result = run('--kernels', '/nowhere/k.so')
        self.check_result(result, 64, '', 'cushim: The library of kernels /nowhere/k.so is not '
                          'there.\nadvice: Build one with `cc -shared -fPIC`: cushim help run says '
                          'what it exports.\n')

    def check_refused(self, file, why):
        result = run(CUSHIM_MOCK_KERNELS=file)
        self.assertEqual((result.returncode, result.stdout), (1, ''))
        self.assertRegex(result.stderr, r'\Acushim mock: ' + why +
                         '; every call returns CUDA_ERROR_SYSTEM_NOT_READY\n' + NO_DRIVER_CODE)

    def test_that_cannot_be_loaded_make_no_driver(self):
        with tempfile.NamedTemporaryFile('w', suffix='.so') as file:
            file.write('no library\n')
            file.flush()
            self.check_refused(file.name, r'the kernels cannot be loaded: .*%s.*; build them with '
                               '`cc -shared -fPIC`' % file.name)
        self.check_refused('/nowhere/k.so', r'the kernels cannot be loaded: .*/nowhere/k\.so.*')

    def test_that_export_no_function_make_no_driver(self):
        self.check_refused(OTHER, r'.*/\S+ exports no cushim_mock_kernels_register\(\), which '
                           r'registers kernels: define it as cushim/testing/mock\.h says, .*')

    def test_that_refuse_make_no_driver(self):
        self.check_refused(REFUSING, r'cushim_mock_kernels_register\(\) of .* returned '
                           'CUDA_ERROR_INVALID_VALUE')


if __name__ == '__main__':
    COMMAND, PROGRAM, KERNELS, REFUSING, OTHER = map(os.path.abspath, sys.argv[1:6])
    MOCK = sys.argv[6]
    unittest.main(argv=sys.argv[:1])
