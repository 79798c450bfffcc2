#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a load of a driver costs, against a loop of dlsym() over the same names.

    load_bench.py PROGRAM DRIVER [ROUNDS]

The whole of cushim_load() without a bare dlopen(), in parts of such a loop: instructions are exact
and judged, by a path and by search. Time and memory depend on the machine and are printed.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import callgrind  # noqa: E402
from measure import by_turns  # noqa: E402

MOST = 1.1
WAYS = 'linker', 'names', 'cushim'


def commands(program, driver):
    return {way: [program, way, driver] for way in WAYS}


def ratio(cost):
    return (cost['cushim'] - cost['linker']) / (cost['names'] - cost['linker'])


def run(command):
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                            check=True).stdout
    return [float(word) for word in output.split()]


def rounds(program, driver, number):
    """Way -> what it prints, by round; they take turns."""
    answers = {way: [] for way in WAYS}
    for _, way in by_turns(number, WAYS):
        answers[way].append(run(commands(program, driver)[way]))
    return answers


class Load(unittest.TestCase):
    def judge(self, route, driver):
        cost = {way: callgrind.count(command)
                for way, command in commands(PROGRAM, driver).items()}
        symbols = run([PROGRAM, 'cushim', driver])[2]
        print('\n%s: per symbol %.0f instructions, a loop of dlsym() %.0f: %.3f'
              % (route, (cost['cushim'] - cost['linker']) / symbols,
                 (cost['names'] - cost['linker']) / symbols, ratio(cost)))
        self.assertLess(cost['linker'], cost['names'])
        self.assertLessEqual(ratio(cost), MOST)

    def test_load_by_path_costs_little_more_than_a_loop(self):
        self.judge('by path', DRIVER)

    def test_load_by_search_costs_little_more_than_a_loop(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(DRIVER, os.path.join(folder, 'libcuda.so.1'))
            os.environ['LD_LIBRARY_PATH'] = folder
            self.judge('by search', 'libcuda.so.1')
        del os.environ['LD_LIBRARY_PATH']

    def test_time_and_memory(self):
        answers = rounds(PROGRAM, DRIVER, ROUNDS)
        times = [ratio({way: answers[way][i][0] for way in WAYS}) for i in range(ROUNDS)]
        kib = {way: statistics.median(answer[1] for answer in answers[way]) for way in WAYS}
        print('\ntime in times of a loop of dlsym(): %.2f (quartiles %.2f, %.2f)'
              % (statistics.median(times), *statistics.quantiles(times, n=4)[::2]))
        print('memory written: %d KiB, a loop of dlsym() %d KiB' % (kib['cushim'], kib['names']))
        self.assertLess(kib['cushim'] - kib['names'], 100)


if __name__ == '__main__':
    callgrind.require()
    if len(sys.argv) < 3:
        print('skipped: valgrind cannot run what a sanitizer makes')
        sys.exit(77)
    PROGRAM, DRIVER = sys.argv[1:3]
    for name in 'CUSHIM_LIBRARY', 'LD_LIBRARY_PATH':
        os.environ.pop(name, None)
    ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 9
    unittest.main(argv=sys.argv[:1], verbosity=2)
