#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""System calls of a load, and of a program that learns that there is no driver.

    syscalls_bench.py LOAD DRIVER KIND=ABSENT...

How many the C library makes is its affair: a program that asks it by dlopen() is counted beside.
Where a look can be certain that there is no driver, the linker is not asked, and all calls together
are fewer than MOST_TO_KNOW; elsewhere they are few more than the linker's.
"""

import glob
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import strace  # noqa: E402

# A look at the file before the linker's, memory for an attempt, pages that are made read-only; and
# at each step which process and thread this is, since a signal handler may have forked in between.
MOST_OF_A_LOAD = 22
MOST_TO_KNOW = 60
MOST_MORE_THAN_LINKER = 45
HAS_DRIVER = 77


def is_certain(program):
    """Whether the program's linker has nothing that a look at its folders cannot see."""
    folders = '/lib*/glibc-hwcaps', '/lib/*/glibc-hwcaps', '/lib/tls', '/lib/*/tls'
    with open(program, 'rb') as file:
        is_musl = b'/ld-musl-' in file.read()
    return (not is_musl and os.path.exists('/etc/ld.so.cache')
            and not any(glob.glob(folder) for folder in folders))


class Calls(unittest.TestCase):
    def test_load_makes_few_more_than_a_loop_of_dlsym(self):
        names, ours = (len(strace.calls([LOAD, way, DRIVER])) for way in ('names', 'cushim'))
        print('\na load makes %d system calls more than dlopen() and dlsym()' % (ours - names))
        self.assertGreater(ours, names)
        self.assertLessEqual(ours - names, MOST_OF_A_LOAD)

    def test_few_tell_that_there_is_no_driver(self):
        for program in PROGRAMS.values():
            if subprocess.run([program, 'linker', '0'], stdout=subprocess.DEVNULL,
                              check=False).returncode == HAS_DRIVER:
                self.skipTest('this machine has a driver')
        print('\nsystem calls until it is known, those of a program that does not ask taken off:')
        for kind, program in PROGRAMS.items():
            number = {way: len(strace.calls([program, way, '0']))
                      for way in ('nothing', 'linker', 'cushim')}
            ours, linkers = (number[way] - number['nothing'] for way in ('cushim', 'linker'))
            print('  %-8s %3d (%d in all); dlopen() alone %d'
                  % (kind, ours, number['cushim'], linkers))
            self.assertGreater(ours, 0)
            self.assertLessEqual(ours, MOST_MORE_THAN_LINKER + linkers)
            if is_certain(program):
                self.assertLess(ours, MOST_TO_KNOW)


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
