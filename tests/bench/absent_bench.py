#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs a program to learn that there is no driver, and its calls after that.

    absent_bench.py DRIVER KIND=PROGRAM...

A call after the first costs what one through the table of a DRIVER costs, in instructions; judged is
the KIND `static`, since the shared library is compiled as the build says. Time depends on the
machine and is printed.
"""

import os
import statistics
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import callgrind  # noqa: E402
from measure import by_turns  # noqa: E402

TURNS = (100000, 200000)
TOLERANCE = 0.01
ROUNDS = 21


def run(command):
    return float(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def times(program, ways, number):
    """Way -> nanoseconds by round; they take turns."""
    answers = {way: [] for way in ways}
    for _, way in by_turns(number, ways):
        answers[way].append(run([program, way, '0']))
    return answers


def per_call(program, **setting):
    few, many = (callgrind.count([program, 'cushim', str(turns)], setting) for turns in TURNS)
    return (many - few) / (TURNS[1] - TURNS[0])


class Absent(unittest.TestCase):
    def test_calls_after_a_failed_load_cost_what_a_call_costs(self):
        print('\ninstructions of a call, without a driver and with one:')
        for kind, program in PROGRAMS.items():
            without = per_call(program)
            through = per_call(program, CUSHIM_LIBRARY=DRIVER)
            print('  %-8s %.2f, %.2f' % (kind, without, through))
            self.assertGreater(without, 1)
            if kind == 'static':
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
