#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs a program to learn that there is no driver, and its calls after that.

    absent_bench.py DRIVER KIND=PROGRAM...

How many system calls the C library's own search makes is its affair: a program that asks it by
dlopen() is counted beside. Where a look can be certain, the linker is not asked, and all calls
together are fewer than MOST_CALLS; elsewhere they are few more than the linker's.

A call after the first costs what one through the table of a DRIVER costs, in instructions. Time
depends on the machine and is printed.
"""

import glob
import os
import statistics
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import callgrind  # noqa: E402
import strace  # noqa: E402

MOST_CALLS = 60
MOST_CALLS_MORE = 45
TURNS = (100000, 200000)
TOLERANCE = 0.01
ROUNDS = 21


def is_certain(program):
    """Whether the program's linker has nothing that a look at its folders cannot see."""
    folders = '/lib*/glibc-hwcaps', '/lib/*/glibc-hwcaps', '/lib/tls', '/lib/*/tls'
    with open(program, 'rb') as file:
        is_musl = b'/ld-musl-' in file.read()
    return (not is_musl and os.path.exists('/etc/ld.so.cache')
            and not any(glob.glob(folder) for folder in folders))


def run(command):
    return float(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def times(program, ways, number):
    """Way -> nanoseconds by round; they take turns."""
    answers = {way: [] for way in ways}
    for _ in range(number):
        for way in ways:
            answers[way].append(run([program, way, '0']))
    return answers


def per_call(program, **setting):
    few, many = (callgrind.count([program, 'cushim', str(turns)], setting) for turns in TURNS)
    return (many - few) / (TURNS[1] - TURNS[0])


class Absent(unittest.TestCase):
    def test_few_system_calls_tell_that_there_is_no_driver(self):
        problem = strace.problem()
        if problem:
            self.skipTest(problem)
        print('\nsystem calls until it is known, an empty program\'s taken off:')
        for kind, program in PROGRAMS.items():
            number = {way: len(strace.calls([program, way, '0']))
                      for way in ('nothing', 'linker', 'cushim')}
            ours, linkers = (number[way] - number['nothing'] for way in ('cushim', 'linker'))
            print('  %-8s %3d (%d in all); dlopen() alone %d'
                  % (kind, ours, number['cushim'], linkers))
            self.assertGreater(ours, 0)
            self.assertLessEqual(ours, MOST_CALLS_MORE + linkers)
            if is_certain(program):
                self.assertLess(ours, MOST_CALLS)

    def test_calls_after_a_failed_load_cost_what_a_call_costs(self):
        print('\ninstructions of a call, without a driver and with one:')
        for kind, program in PROGRAMS.items():
            without = per_call(program)
            through = per_call(program, CUSHIM_LIBRARY=DRIVER)
            print('  %-8s %.2f, %.2f' % (kind, without, through))
            self.assertGreater(without, 1)
            self.assertLess(without - through, TOLERANCE)

    def test_time(self):
        print('\ntime until it is known, in times of dlopen() alone:')
        for kind, program in PROGRAMS.items():
            answers = times(program, ('linker', 'cushim'), ROUNDS)
            ratios = [one / other for one, other in zip(answers['cushim'], answers['linker'])]
            print('  %-8s %.2f (quartiles %.2f, %.2f); the shortest of %d rounds %.0f us'
                  % (kind, statistics.median(ratios), *statistics.quantiles(ratios, n=4)[::2],
                     ROUNDS, min(answers['cushim']) / 1000))


if __name__ == '__main__':
    callgrind.require()
    if len(sys.argv) < 3:
        print('skipped: valgrind cannot run what a sanitizer makes')
        sys.exit(77)
    DRIVER = sys.argv[1]
    PROGRAMS = dict(row.split('=', 1) for row in sys.argv[2:])
    # The system's folders are to be searched, and no others.
    for name in list(os.environ):
        if name == 'CUSHIM_LIBRARY' or name.startswith('LD_'):
            del os.environ[name]
    for program in PROGRAMS.values():
        if subprocess.run([program, 'linker', '0'], stdout=subprocess.DEVNULL,
                          check=False).returncode == 77:
            print('skipped: this machine has a driver')
            sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
