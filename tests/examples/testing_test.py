#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/testing.md: the correct version passes, and the bug of the other version is
found and named.

    testing_test.py NAME GOOD WITH_BUG [COMMAND]

COMMAND is `cushim`, for examples that run on the mock's library.
"""
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

RUNNER = json.loads(os.environ.get('CUSHIM_RUNNER', '[]'))

# The call site if the toolchain cannot unwind.
UNKNOWN = 'an unknown place'

# The expected output, standard output before standard error, of the version with the bug.
FOUND = {
    'cmocka_test': [
        r'CUSHIM-leak-memory: memory#1, 1048576 bytes, is never freed\n'
        r'  memory#1 was made by cuMemAlloc_v2, '
        rf'call \d+ of thread 1, at (?:cmocka_test|{UNKNOWN})',
        r'Could not run test: Test teardown failed\n',
    ],
    'device_lost': [
        r'op\.copy:nth=3 => lost\n  frame 2 is not drawn\n',
        r'there are failures\n',
    ],
    'double_buffer': [
        r'output_is_the_input_in_other_orders',
        r'error: CUSHIM-race: copy \(stream#1, cuMemcpyHtoDAsync_v2\) writes and copy '
        r'\(stream#2, cuMemcpyDtoDAsync_v2\) reads bytes 0 to 65536 of memory#\d+: '
        r'nothing orders them; record an event on stream#2 after the copy and let stream#1 '
        r'wait for it\n  in   cuMemcpyHtoDAsync_v2\([^;]*\), call \d+ of thread 1, '
        rf'at (?:double_buffer|{UNKNOWN})[^\n]*\n  the earlier call was cuMemcpyDtoDAsync_v2, '
        rf'call \d+ of thread 1, at (?:double_buffer|{UNKNOWN})',
    ],
    'first_test': [
        r'CUSHIM-leak-event: event#1 is never destroyed\n  event#1 was made by cuEventCreate, call \d+ of thread 1, '
        rf'at (?:first_test|{UNKNOWN})',
    ],
    'fuzz_upload': [
        r'CUSHIM-leak-event: event#\d+ is never destroyed\n'
        r'  event#\d+ was made by cuEventCreate, call \d+ of thread 1, '
        rf'at (?:fuzz_upload|{UNKNOWN})',
    ],
    'job_queue': [
        r'the job still runs, 100 turns after its event has answered an error\n',
    ],
    'out_of_memory': [
        r'call \d+ of thread 1 \(cuMemAlloc_v2\) answered CUDA_ERROR_OUT_OF_MEMORY, once: '
        r'CUSHIM-leak-stream: warning: stream#1 is never destroyed; made by cuStreamCreate, '
        rf'call \d+ of thread 1, at (?:out_of_memory|{UNKNOWN})[^;]*; [^\n]*'
        r'CUSHIM-leak-memory: warning: memory#1, 1048576 bytes, is never freed; made by '
        rf'cuMemAlloc_v2, call \d+ of thread 1, at (?:out_of_memory|{UNKNOWN})[^;]*; [^\n]*'
        r'this run alone: first = last = 3, kinds = CUSHIM_SWEEP_ONCE; and in 1 other run\n',
    ],
}
# The complete output of the correct version.
SAID = {
    'device_lost': r'# nothing fails\n.*\n.*\n.*\n4 tests passed\n',
    'first_test': '',
    'fuzz_upload': '',
}

FAULT = 'cuMemAlloc:nth=2 => return(OUT_OF_MEMORY)'
NEVER = 'cuMemAlloc:nth=3 => return(OUT_OF_MEMORY)'
# The runs of `sum`: options of the command, correct or with the bug, status, stdout, stderr.
RUNS = [
    ([], 0, 0, 'sum 499500\n', ''),
    ([], 1, 0, 'sum 499500\n', ''),
    (['--fault', FAULT], 0, 1, '', 'cuMemAlloc answered 2\n'),
    (['--fault', FAULT], 1, 0, 'sum 124750\n', 'cuMemAlloc answered 2\ncuMemcpyHtoD answered 1\n'
                                               'cuMemcpyDtoH answered 1\n'),
    (['--set', 'leaks=report', '--fault', NEVER], 0, 0, 'sum 499500\n',
     f'cushim mock: fault {re.escape(NEVER)}: matched 2 times, never fired\n'),
    (['--set', 'leaks=report', '--fault', FAULT], 0, 1, '',
     r'cuMemAlloc answered 2\ncushim: warning: CUSHIM-leak-context: context#1 is never released\n'
     r'  context#1 was made by cu.*\n  rule .*\n  cure .*\n'),
]


def run(command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)


def say(what, result, expected):
    print(f'{what}: status {result.returncode}, expected {expected}')
    print(result.stdout)
    print(result.stderr)
    return False


def passes(name, program):
    result = run([*RUNNER, program])
    if result.returncode == 0 and re.fullmatch(SAID.get(name, r'(?s).*'), result.stdout):
        return True
    return say('the good one', result, f'0 and {SAID.get(name)!r}')


def is_found(name, program):
    """cmocka prints errors to standard error, the other examples to standard output."""
    result = run([*RUNNER, program])
    pattern = '(?s)' + '.*'.join(FOUND[name])
    if result.returncode != 0 and any(
            re.search(pattern, text)
            for text in (result.stdout + result.stderr, result.stderr + result.stdout)):
        return True
    return say('the one with the bug', result, f'a failure and {pattern!r}')


def is_in_junit(name, program):
    """A cmocka report for CI also contains cushim's findings."""
    if name not in ('double_buffer', 'out_of_memory'):
        return True
    result = subprocess.run([*RUNNER, program], stdin=subprocess.DEVNULL, capture_output=True,
                            text=True, check=False,
                            env={**os.environ, 'CMOCKA_MESSAGE_OUTPUT': 'xml'})
    failures = [failure.text or '' for failure in ElementTree.fromstring(result.stdout)
                .iter('failure')]
    pattern = '(?s)' + FOUND[name][-1]
    if any(re.search(pattern, text) for text in failures):
        return True
    return say('the one with the bug, as XML', result, pattern)


def runs_on_the_library(programs, command):
    good = True
    for options, which, status, stdout, stderr in RUNS:
        result = run([command, 'run', '--quiet', *options, '--', programs[which]])
        if (result.returncode, result.stdout) != (status, stdout) or not re.fullmatch(
                stderr, result.stderr):
            good = say(f'{options} {programs[which]}', result, (status, stdout, stderr))
    return good


def main(name, good, with_bug, *command):
    if name == 'sum':
        is_well = runs_on_the_library([good, with_bug], *command)
    else:
        is_well = (passes(name, good) & is_found(name, with_bug)
                   & is_in_junit(name, with_bug))
    return 0 if is_well else 1


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
