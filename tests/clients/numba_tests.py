# SPDX-License-Identifier: Apache-2.0
"""numba's own tests of its driver layer. Without NVIDIA's compiler those that compile cannot pass,
and say so; without a GPU those cannot that want a kernel's result."""
import os
import pkgutil
import sys
import unittest

from numba.cuda.tests import cudadrv

NO_COMPILER = ('NvvmSupportError', '/nvvm/lib64')
NO_RESULT = ('test_cuda_driver_basic', 'test_cuda_driver_stream_operations')


class Outcome(unittest.TestResult):
    """Sorts the tests by what became of them."""

    def __init__(self):
        super().__init__()
        self.passed, self.unable, self.wrong = [], [], []

    def addSuccess(self, test):
        self.passed.append(test.id())

    def addFailure(self, test, error):
        text = self._exc_info_to_string(error, test)
        if test.id().endswith(NO_RESULT) or any(word in text for word in NO_COMPILER):
            self.unable.append(test.id())
        else:
            self.wrong.append(test.id())
            sys.stderr.write(f'{test.id()}\n{text}\n')

    addError = addFailure

    def addSubTest(self, test, subtest, error):
        if error:
            self.addFailure(test, error)


def main():
    names = [module.name for module in
             pkgutil.iter_modules(cudadrv.__path__, cudadrv.__name__ + '.')]
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    outcome = Outcome()
    stdout = os.dup(1)
    os.dup2(2, 1)  # tests print
    suite.run(outcome)
    sys.stdout.flush()
    os.dup2(stdout, 1)
    print('passed', len(outcome.passed))
    print('skipped', len(outcome.skipped))
    print('without compiler or result', len(outcome.unable))
    print('wrong', len(outcome.wrong))


if __name__ == '__main__':
    main()
