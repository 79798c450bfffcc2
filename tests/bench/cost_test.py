#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of a start, of loading a driver, and of a missing driver; exact counts are compared with
limits.

    cost_test.py startup LIBRARY KIND=PROGRAM...
    cost_test.py load PROGRAM DRIVER
    cost_test.py absent DRIVER KIND=PROGRAM...
    cost_test.py syscalls LOAD DRIVER KIND=PROGRAM...

startup:  a program that starts and ends without a call. The KIND `nothing` is without cushim, and
          `an empty library` has a library without contents instead. The instructions of a
          relocation depend on the dynamic linker, so these counts are only printed.
load:     all of cushim_driver_load() except a bare dlopen(), relative to a loop of dlsym() over
          the same names; by a path and by a search.
absent:   each call after the first costs the same as a call through the table of a DRIVER. Only
          the KIND `static` is judged, because the build's options apply to the shared library.
syscalls: the number of system calls depends on the C library, so the test judges how many more
          cushim makes than a program that calls dlopen() for the same name, in the same run.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from measure import by_turns, instructions, system_calls, why_not  # noqa: E402

# Relative relocations: one for each slot of the lazy-load table, and a hundred for texts in tables.
# Symbols: functions of the C library.
MOST_RELATIVE, MOST_SYMBOLS = 900, 90
SHARE_OF_A_START = 0.01

# A load relative to a loop of dlsym(), and the additional memory that it writes to.
MOST_OF_A_LOAD, MOST_KIB = 1.1, 100
WAYS = 'linker', 'names', 'cushim'

ABSENT_TURNS = (100000, 200000)
TOLERANCE = 0.01
HAS_DRIVER = 77

# Reading the file, memory for the attempt, and making pages read-only.
MOST_CALLS_OF_A_LOAD = 12
# The well-known folders, memory for the attempt, and making pages read-only.
MOST_CALLS_WITHOUT_A_DRIVER = 8


def relocations(path):
    text = subprocess.run(['readelf', '-rW', path], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    return re.findall(r'^[0-9a-f]{8,} +[0-9a-f]+ (R_\w+) +(.*)$', text, re.MULTILINE)


def load_commands(program, driver):
    return {way: [program, way, driver] for way in WAYS}


def load_ratio(cost):
    return (cost['cushim'] - cost['linker']) / (cost['names'] - cost['linker'])


def run(command):
    """Return the numbers that a command prints."""
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [float(word) for word in output.split()]


def rounds(commands, number):
    """Return, for each way, what its command prints in each round; the ways alternate."""
    answers = {way: [] for way in commands}
    for _, way in by_turns(number, list(commands)):
        answers[way].append(run(commands[way]))
    return answers


def has_driver(program):
    return subprocess.run([program, 'linker', '0'], stdout=subprocess.DEVNULL,
                          check=False).returncode == HAS_DRIVER


def per_absent_call(program, **setting):
    few, many = (instructions([program, 'cushim', str(turns)], setting) for turns in ABSENT_TURNS)
    return (many - few) / (ABSENT_TURNS[1] - ABSENT_TURNS[0])


def absent_system_calls(program):
    """Return the system calls until a program knows that there is no driver: dlopen()'s, and
    cushim's additional ones.
    """
    number = {way: system_calls([program, way, '0']) for way in ('nothing', 'linker', 'cushim')}
    return number['linker'] - number['nothing'], number['cushim'] - number['linker']


class Startup(unittest.TestCase):
    def setUp(self):
        self.library, self.programs = ARGUMENTS[0], kinds(ARGUMENTS[1:])

    def test_static_library_that_is_not_called_costs_nothing(self):
        cost = {kind: instructions([path]) for kind, path in self.programs.items()}
        print('\ninstructions of a program that does nothing:')
        for kind, count in cost.items():
            more = count - cost['nothing']
            print('  %-38s %8d  %+7d  %+6.1f %%'
                  % (kind, count, more, 100 * more / cost['nothing']))
        self.assertLess(abs(cost['static'] - cost['nothing']), SHARE_OF_A_START * cost['nothing'])
        self.assertLess(cost['nothing'], cost['an empty library'])
        self.assertLess(cost['an empty library'], cost['shared'])

    def test_library_leaves_little_to_the_dynamic_linker(self):
        found = relocations(self.library)
        relative = [kind for kind, _ in found if kind.endswith('_RELATIVE')]
        print('\n%d relative relocations, %d of symbols' % (len(relative),
                                                            len(found) - len(relative)))
        self.assertGreater(len(relative), 0)
        self.assertLess(len(relative), MOST_RELATIVE)
        self.assertLess(len(found) - len(relative), MOST_SYMBOLS)

    def test_nothing_of_cuda_is_looked_for(self):
        for path in [self.library, *self.programs.values()]:
            dynamic = subprocess.run(['readelf', '-dW', path], check=True, stdout=subprocess.PIPE,
                                     text=True).stdout
            self.assertEqual([line for line in dynamic.splitlines() if 'libcuda' in line], [])
            self.assertEqual([symbol for _, symbol in relocations(path)
                              if re.search(r'\bcu[A-Z]', symbol)], [])


class Load(unittest.TestCase):
    def judge(self, route, driver):
        program = ARGUMENTS[0]
        cost = {way: instructions(command)
                for way, command in load_commands(program, driver).items()}
        symbols = run([program, 'cushim', driver])[2]
        print('\n%s: per symbol %.0f instructions, a loop of dlsym() %.0f: %.3f'
              % (route, (cost['cushim'] - cost['linker']) / symbols,
                 (cost['names'] - cost['linker']) / symbols, load_ratio(cost)))
        self.assertLess(cost['linker'], cost['names'])
        self.assertLessEqual(load_ratio(cost), MOST_OF_A_LOAD)

    def test_load_by_path_costs_little_more_than_a_loop(self):
        self.judge('by path', ARGUMENTS[1])

    def test_load_by_search_costs_little_more_than_a_loop(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ARGUMENTS[1], os.path.join(folder, 'libcuda.so.1'))
            os.environ['LD_LIBRARY_PATH'] = folder
            self.judge('by search', 'libcuda.so.1')
        del os.environ['LD_LIBRARY_PATH']

    def test_load_writes_to_little_more_memory_than_a_loop(self):
        kib = {way: statistics.median(answer[1] for answer in answers)
               for way, answers in rounds(load_commands(*ARGUMENTS), 3).items()}
        print('\nmemory written: %d KiB, a loop of dlsym() %d KiB' % (kib['cushim'], kib['names']))
        self.assertLess(kib['cushim'] - kib['names'], MOST_KIB)


class Absent(unittest.TestCase):
    def test_calls_after_a_failed_load_cost_what_a_call_costs(self):
        print('\ninstructions of a call, without a driver and with one:')
        for kind, program in kinds(ARGUMENTS[1:]).items():
            without = per_absent_call(program)
            through = per_absent_call(program, CUSHIM_LIBRARY=ARGUMENTS[0])
            print('  %-8s %.2f, %.2f' % (kind, without, through))
            self.assertGreater(without, 1)
            if kind == 'static':
                self.assertLess(without - through, TOLERANCE)


class SystemCalls(unittest.TestCase):
    def test_load_makes_few_more_than_a_loop_of_dlsym(self):
        load, driver = ARGUMENTS[:2]
        names, ours = (system_calls([load, way, driver]) for way in ('names', 'cushim'))
        print('\na load makes %d system calls more than dlopen() and dlsym()' % (ours - names))
        self.assertGreater(ours, names)
        self.assertLessEqual(ours - names, MOST_CALLS_OF_A_LOAD)

    def test_without_a_driver_few_more_than_a_plain_dlopen(self):
        programs = kinds(ARGUMENTS[2:])
        if any(has_driver(program) for program in programs.values()):
            self.skipTest('this machine has a driver')
        print('\nsystem calls until it is known that there is no driver:')
        for kind, program in programs.items():
            linkers, more = absent_system_calls(program)
            print('  %-8s %3d, dlopen() alone %d: %d more' % (kind, linkers + more, linkers, more))
            self.assertGreater(linkers, 0)
            self.assertGreater(more, 0)
            self.assertLessEqual(more, MOST_CALLS_WITHOUT_A_DRIVER)


# The requested test, and the tools that it needs.
TESTS = {
    'startup': (Startup, ('valgrind', 'readelf')),
    'load': (Load, ('valgrind',)),
    'absent': (Absent, ('valgrind',)),
    'syscalls': (SystemCalls, ('strace',)),
}


def kinds(words):
    return dict(word.rsplit('=', 1) for word in words)


def hindrance(what):
    """Return why nothing can be counted here; empty: it can."""
    for tool in TESTS[what][1]:
        why = why_not(tool) if tool != 'readelf' else '' if shutil.which(tool) else \
            'readelf (binutils) is not installed'
        if why:
            return why
    if what == 'absent' and any(has_driver(program) for program in kinds(ARGUMENTS[1:]).values()):
        return 'this machine has a driver'
    return ''


if __name__ == '__main__':
    WHAT, *ARGUMENTS = sys.argv[1:]
    # Only the system's folders may be searched.
    for name in list(os.environ):
        if name == 'CUSHIM_LIBRARY' or name.startswith('LD_'):
            del os.environ[name]
    if hindrance(WHAT):
        print('skipped: ' + hindrance(WHAT))
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], TESTS[WHAT][0].__name__], verbosity=2)
