#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run an example without a driver and on the mock.

usage: run_example.py PROGRAM DRIVER

On the mock, a program must destroy all that it has created. Times are virtual, so those between
events are the same in every run.
"""
import json
import os
import re
import subprocess
import sys

# The command that starts a program of the tested platform, and the prefix of its paths: Wine calls
# the root folder Z:.
RUNNER = json.loads(os.environ.get('CUSHIM_RUNNER', '[]'))
ROOT = 'Z:' if RUNNER else ''

# Each call of the loader before the first record adds a step of 32 ns. On Windows it makes other
# calls.
LAST_DIGIT = '[468]' if RUNNER or os.name == 'nt' else '6'

# The expected standard output with a driver, as a pattern; and the exit status and standard error
# without one.
NO_DRIVER = r'driver: .+\.\n.+\.\n'
EXAMPLES = {
    'event_timing': (r'256 MiB filled in 0\.064 ms: 422%s GB/s\n' % LAST_DIGIT, 1, NO_DRIVER),
    'deadline': (r'16 MiB filled in 0\.00\d ms\n', 1, NO_DRIVER),
    'driver_calls': (r'stack of a thread: \d+ bytes\npriority of the stream: 0\n'
                     r'the value has come\n', 1, NO_DRIVER),
    'gpu_optional': (r'drawn by the GPU: NVIDIA H200\nchecksum 62fa24b5\n', 0, ''),
    'shared_event': (r'parent: work queued, event exported\nchild: the parent\'s work is done\n',
                     1, 'parent: ' + NO_DRIVER),
    'two_streams': (r'copies +[\d.]+ ms\nfills +[\d.]+ ms\n'
                    r'both +[\d.]+ ms, [\d.]+ ms one after the other\n', 1, NO_DRIVER),
}
# The expected standard output without a driver, if there is any.
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
    """Two streams together take less time than one after the other, and no less than the longer
    one.
    """
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
