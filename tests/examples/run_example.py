#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run an example without a driver and on the mock.

usage: run_example.py PROGRAM DRIVER

On the mock a program has to give back all that it made, and the times are virtual: those between
events come out alike at every run.
"""
import json
import os
import re
import subprocess
import sys

# How a program of the host is started, and what its paths begin with there: Wine calls our root Z:.
RUNNER = json.loads(os.environ.get('CUSHIM_RUNNER', '[]'))
ROOT = 'Z:' if RUNNER else ''

# By how many calls the loader has made before the first event is recorded, the time is one step of
# 32 ns apart; on Windows it makes others.
LAST_DIGIT = '[468]' if RUNNER or os.name == 'nt' else '6'

# What a program says on stdout with a driver, as a pattern; its status and what it says on stderr
# without one.
NO_DRIVER = r'driver: .+\.\n.+\.\n'
EXAMPLES = {
    'event_timing': (r'256 MiB filled in 0\.064 ms: 422%s GB/s\n' % LAST_DIGIT, 1, NO_DRIVER),
    'driver_calls': (r'stack of a thread: \d+ bytes\npriority of the stream: 0\n'
                     r'the value has come\n', 1, NO_DRIVER),
    'gpu_optional': (r'drawn by the GPU: NVIDIA H200\nchecksum 62fa24b5\n', 0, ''),
    'shared_event': (r'parent: work queued, event exported\nchild: the parent\'s work is done\n',
                     1, 'parent: ' + NO_DRIVER),
    'two_streams': (r'copies +[\d.]+ ms\nfills +[\d.]+ ms\n'
                    r'both +[\d.]+ ms, [\d.]+ ms one after the other\n', 1, NO_DRIVER),
}
# What one says on stdout without a driver, if it says anything.
ON_CPU = {'gpu_optional': r'drawn by the CPU, because .+\nchecksum 62fa24b5\n'}


def run(program, library):
    environment = dict(os.environ, CUSHIM_LIBRARY=library,
                       CUSHIM_MOCK_SETTINGS='mode = auto\nquiet = yes\nleaks = report')
    return subprocess.run([*RUNNER, program], env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)


def expect(what, result, status, stdout, stderr):
    if (result.returncode == status and re.fullmatch(stdout, result.stdout)
            and re.fullmatch(stderr, result.stderr)):
        return True
    print(f'{what}: status {result.returncode}, expected {status}')
    print(f'stdout: {result.stdout!r}\n   not: {stdout!r}')
    print(f'stderr: {result.stderr!r}\n   not: {stderr!r}')
    return False


def overlaps(result):
    """Two streams together take less than one after the other, and no less than the longer one."""
    copies, fills, both, in_turn = (float(n) for n in re.findall(r'([\d.]+) ms', result.stdout))
    if max(copies, fills) <= both < in_turn:
        return True
    print(f'no overlap: {result.stdout}')
    return False


def main():
    program, driver = (os.path.abspath(path) for path in sys.argv[1:])
    name = os.path.basename(program).removesuffix('.exe')
    stdout, status, stderr = EXAMPLES[name]
    good = expect('without a driver', run(program, 'none'), status, ON_CPU.get(name, ''), stderr)
    first = run(program, ROOT + driver)
    good &= expect('with a driver', first, 0, stdout, '')
    good &= expect('once more', run(program, ROOT + driver), 0, re.escape(first.stdout), '')
    if good and name == 'two_streams':
        good = overlaps(first)
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
