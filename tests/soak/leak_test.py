# SPDX-License-Identifier: Apache-2.0
"""A soak that leaks one event in a thousand fails, in the figures that count handles.

usage: leak_test.py CUSHIM SOAK_MOCK SOAK_GPU [OPTION]...
"""
import json
import subprocess
import sys

CUSHIM, SOAK_MOCK, SOAK_GPU, *OPTIONS = sys.argv[1:]

# The program, its duration, and the figures that must grow.
CASES = [
    (SOAK_MOCK, ['--operations', '200000', '--threads', '4'], {'mock_handles'}),
    (SOAK_GPU, ['--operations', '60000', '--threads', '2'], {'mock_handles', 'handles'}),
]
# How fast memory grows with leaks depends on the machine's speed.
MEMORY = {'resident_bytes', 'heap_bytes'}


def soak(program, arguments):
    """Return the exit status of a soak, and its rounds."""
    command = [CUSHIM, 'run', '--quiet', '--', program, *arguments, *OPTIONS, '--json']
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return run.returncode, json.loads(run.stdout)['rounds']


def main():
    failures = 0
    for program, arguments, expected in CASES:
        status, rounds = soak(program, [*arguments, '--leak', '1000'])
        for one in rounds:
            growing = {name for name, figure in one['figures'].items() if not figure['flat']}
            print(f'{program}: status {status}, {one["operations"]} operations, '
                  f'{one["failures"]} failed, growing: {", ".join(sorted(growing)) or "nothing"}')
            if status != 1 or one['failures'] or growing - MEMORY != expected:
                print(f'  expected: status 1, none failed, growing: {", ".join(sorted(expected))}')
                failures += 1
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
