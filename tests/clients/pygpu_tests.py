# SPDX-License-Identifier: Apache-2.0
"""pygpu's own tests, given their folder. Without NVIDIA's compiler and libraries those that use one
cannot pass, and say so."""
import os
import sys

import pytest

LACKING = ('nvrtc', 'kernel compile failure')
# What a toolkit that is installed would add; nothing here needs it.
LEFT_OUT = ('test_blas.py', 'test_collectives.py')


class Outcome:
    """Sorts the tests by what became of them."""

    def __init__(self):
        self.passed, self.unable, self.wrong = 0, 0, 0

    def pytest_runtest_logreport(self, report):
        if report.passed:
            self.passed += report.when == 'call'
        elif report.failed and any(word in report.longreprtext for word in LACKING):
            self.unable += 1
        elif report.failed:
            self.wrong += 1
            sys.stderr.write(f'{report.nodeid}\n{report.longreprtext}\n')

    def pytest_collectreport(self, report):
        if report.failed:
            self.wrong += 1
            sys.stderr.write(f'{report.nodeid}\n{report.longreprtext}\n')


def main():
    folder = sys.argv[1]
    outcome = Outcome()
    stdout = os.dup(1)
    os.dup2(2, 1)
    pytest.main(['-p', 'no:cacheprovider', '-q', '--tb=long', folder]
                + [f'--ignore={os.path.join(folder, name)}' for name in LEFT_OUT],
                plugins=[outcome])
    sys.stdout.flush()
    os.dup2(stdout, 1)
    print('passed', outcome.passed)
    print('without a compiler', outcome.unable)
    print('wrong', outcome.wrong)


if __name__ == '__main__':
    main()
