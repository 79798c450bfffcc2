#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""System calls of a load, and of a program that finds out that there is no driver.

    syscalls_bench.py LOAD DRIVER KIND=ABSENT...

How many the C library makes is its affair, so what is judged is how many more cushim makes than a
program that asks dlopen() for the same name, counted in the same run.
"""

import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import strace  # noqa: E402

# The look at the file, memory for the attempt, and pages that are made read-only.
MOST_OF_A_LOAD = 12
# The well-known places, memory for the attempt, and pages that are made read-only.
MOST_WITHOUT_A_DRIVER = 8
HAS_DRIVER = 77


def more_than_dlopen(program):
    """System calls until a program knows that there is no driver: dlopen()'s, and cushim's more."""
    number = {way: len(strace.calls([program, way, '0'])) for way in ('nothing', 'linker', 'cushim')}
    return number['linker'] - number['nothing'], number['cushim'] - number['linker']


class Calls(unittest.TestCase):
    def test_load_makes_few_more_than_a_loop_of_dlsym(self):
        names, ours = (len(strace.calls([LOAD, way, DRIVER])) for way in ('names', 'cushim'))
        print('\na load makes %d system calls more than dlopen() and dlsym()' % (ours - names))
        self.assertGreater(ours, names)
        self.assertLessEqual(ours - names, MOST_OF_A_LOAD)

    def test_without_a_driver_few_more_than_a_plain_dlopen(self):
        for program in PROGRAMS.values():
            if subprocess.run([program, 'linker', '0'], stdout=subprocess.DEVNULL,
                              check=False).returncode == HAS_DRIVER:
                self.skipTest('this machine has a driver')
        print('\nsystem calls until it is known that there is no driver:')
        for kind, program in PROGRAMS.items():
            linkers, more = more_than_dlopen(program)
            print('  %-8s %3d, dlopen() alone %d: %d more' % (kind, linkers + more, linkers, more))
            self.assertGreater(linkers, 0)
            self.assertGreater(more, 0)
            self.assertLessEqual(more, MOST_WITHOUT_A_DRIVER)


if __name__ == '__main__':
    if len(sys.argv) < 4:
        print('skipped: a sanitizer makes system calls of its own')
        sys.exit(77)
    strace.require()
    LOAD, DRIVER = sys.argv[1:3]
    PROGRAMS = dict(row.split('=', 1) for row in sys.argv[3:])
    # The system's folders are to be searched, and no others.
    for name in list(os.environ):
        if name == 'CUSHIM_LIBRARY' or name.startswith('LD_'):
            del os.environ[name]
    unittest.main(argv=sys.argv[:1], verbosity=2)
