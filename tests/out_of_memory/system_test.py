#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs on a system that denies one thing: a system call, descriptors, address space.

    system_test.py DENY.so VICTIM COMMAND FAKE_DRIVER.so MOCK.so [--all]

Whatever is denied, a program ends by itself and in time, and what it prints is true. With --all,
each system call fails with each error, which takes minutes.
"""

import collections
import concurrent.futures
import errno
import json
import os
import signal
import subprocess
import sys
import unittest

DENY, VICTIM, COMMAND, FAKE_DRIVER, MOCK = map(os.path.abspath, sys.argv[1:6])
SECONDS = 120

PROGRAMS = {
    'load': ([VICTIM, 'load'], {'CUSHIM_LIBRARY': FAKE_DRIVER}),
    'search': ([VICTIM, 'load'], {'LD_LIBRARY_PATH': os.path.dirname(MOCK),
                                  'CUSHIM_MOCK_SETTINGS': 'quiet = yes'}),
    'mock': ([VICTIM, 'work'], {'CUSHIM_LIBRARY': MOCK, 'CUSHIM_MOCK_SETTINGS': 'quiet = yes'}),
    'info': ([COMMAND, 'info', '--json'],
             {'CUSHIM_LIBRARY': MOCK, 'CUSHIM_MOCK_SETTINGS': 'quiet = yes'}),
    'info --mock': ([COMMAND, 'info', '--mock', '--json'], {}),
    'profile': ([COMMAND, 'profile', '--mock'], {}),
    'symbols': ([COMMAND, 'symbols', '--json'], {}),
    'time': ([COMMAND, 'time', '--mock', '--json'], {}),
    # The denial applies to the command, and then to the program that it executes.
    'run': ([COMMAND, 'run', '--quiet', '--', VICTIM, 'work'], {}),
}
LOADS = 'load', 'search'
# A part of the output of a complete run.
WHOLE = {'load': b'done', 'search': b'done', 'mock': b'done', 'info': b'"loaded"', 'info --mock': b'"loaded"',
         'profile': b'limit.CIG_ENABLED', 'symbols': b'"cuFabricCpyBatchAsync"',
         'time': b'"median_ms"', 'run': b'done'}
SIGNALS = (-signal.SIGSEGV, -signal.SIGABRT)
ERRORS = (errno.EPERM, errno.ENOSYS, errno.EAGAIN, errno.ENOMEM, errno.EINTR)

# A comparison for `run`: another program that executes a second one. If a signal ends both in the
# same way, the second one ends before its main(), in the dynamic linker; this is counted and
# reported.
ANOTHER = ['/usr/bin/env', '/bin/true']

# glibc ends a program whose thread cannot use this system call.
NEEDED = ('rseq',)


def environment(settings, deny):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(('CUSHIM_', 'CUDA_'))}
    kept.update(settings, LD_PRELOAD=DENY, DENY=deny)
    return kept


def run(command, settings, deny):
    """Run a program; return its exit status, or 'HANGS', and its output."""
    try:
        done = subprocess.run(command, env=environment(settings, deny), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS,
                              check=False)
    except subprocess.TimeoutExpired:
        return 'HANGS', b''
    return done.returncode, done.stdout + done.stderr


def is_the_linkers(name, deny, status):
    """Return whether any program that `run` executes would end in this way."""
    return name == 'run' and status in SIGNALS and run(ANOTHER, {}, deny)[0] == status


def judge(name, status, output):
    """Return what is wrong, or None."""
    if status == 'HANGS' or status < 0 or status == 99 or 128 < status < 160:
        return 'ends with %s' % status
    if b'WRONG' in output:
        return 'prints something false'
    if status == 0 and not WHOLE[name] in output:
        return 'succeeds without a complete result'
    if '--json' in PROGRAMS[name][0] and status == 0:
        try:
            # Standard error follows the document.
            json.JSONDecoder().raw_decode(output.decode())
        except ValueError:
            return 'prints invalid JSON'
    return None


class Test(unittest.TestCase):
    """One thing is denied."""

    def sweep(self, denials, programs=tuple(PROGRAMS)):
        """Run each program with each denial, and print a table."""
        jobs = [(name, deny) for name in programs for deny in denials]
        table = {name: collections.Counter() for name in programs}
        wrong = []
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            ends = pool.map(lambda job: run(*PROGRAMS[job[0]], job[1]), jobs)
            for (name, deny), (status, output) in zip(jobs, ends):
                problem = judge(name, status, output)
                table[name][status] += 1
                if problem and is_the_linkers(name, deny, status):
                    print('  %s without %s: %s, like any program that `run` starts' % (
                        name, deny, problem))
                elif problem:
                    wrong.append('%s without %s: %s\n%s' % (
                        name, deny, problem, output.decode(errors='replace')[-600:]))
        for name, counts in table.items():
            print('  %-12s %4d runs: %s' % (name, sum(counts.values()), ', '.join(
                '%d x %s' % (count, 'did it' if status == 0 else 'status %s' % status)
                for status, count in sorted(counts.items(), key=str))))
        self.assertEqual([], wrong, '\n'.join(wrong))

    def sweep_load(self, denials, outcomes, advice):
        """A failed load reports what was denied and what to do. Some loads must fail and the last
        one must succeed.
        """
        ends = [run(*PROGRAMS['load'], deny) for deny in denials]
        reported = [any(b': %s: ' % outcome in output for outcome in outcomes) and advice in output
                    for _, output in ends]
        for (status, output), is_reported in zip(ends, reported):
            # Without memory for the attempt itself, there is no report of it.
            self.assertTrue(status == 0 or is_reported or b'ERROR_OUT_OF_MEMORY' in output,
                            output.decode(errors='replace'))
        print('  loads: %d, %d of them reported %s' % (len(ends), sum(reported),
                                                       b' or '.join(outcomes).decode()))
        self.assertGreater(sum(reported), 0)
        self.assertEqual(0, ends[-1][0])

    def test_nothing_is_lacking(self):
        for name, (command, settings) in PROGRAMS.items():
            status, output = run(command, settings, '')
            self.assertEqual((0, None), (status, judge(name, status, output)),
                             name + output.decode(errors='replace'))

    def test_system_calls(self):
        names = [name for name in run([VICTIM], {}, 'list')[1].decode().split()
                 if name not in NEEDED]
        self.assertGreater(len(names), 40)
        if run(*PROGRAMS['load'], 'getcwd:1')[0] == 99:
            print('skipped: this process cannot have a seccomp filter')
            sys.exit(77)
        every = ['%s:%d' % (name, number) for name in names for number in ERRORS]
        # One error for each system call, unless --all is given or the program only loads.
        some = every if ALL else ['%s:%d' % (name, ERRORS[i % len(ERRORS)])
                                  for i, name in enumerate(names)]
        print('system calls: %d, %d denials' % (len(names), len(some)))
        self.sweep(some, [name for name in PROGRAMS if name not in LOADS])
        self.sweep(every, LOADS)

    def test_descriptors(self):
        limits = range(13) if ALL else range(0, 10)
        print('descriptors: %d limits' % len(limits))
        self.sweep(['files:%d' % count for count in limits])
        self.sweep_load(['files:%d' % count for count in limits], [b'no-descriptor'],
                        b'ulimit -n')

    def test_address_space(self):
        steps = [0, 1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024,
                 2048, 4096, 8192, 16384, 65536][::1 if ALL else 3]
        print('address space: %d limits' % len(steps))
        self.sweep(['memory:%d' % (step << 20) for step in steps])
        # The library is small, so the steps up to its size are small. For a segment that cannot be
        # mapped, glibc does not report the reason.
        self.sweep_load(['memory:%d' % (step << 14) for step in range(64)],
                        [b'no-memory', b'not-loadable'], b'ulimit -v')


if __name__ == '__main__':
    ALL = '--all' in sys.argv
    del sys.argv[1:]
    unittest.main()
