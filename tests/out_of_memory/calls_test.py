#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every call of the mock without memory, mappings, threads and files, for each of its requests.

    calls_test.py COVERAGE.md CONFORMANCE DRIVER.so PROGRAM...

The programs test the mock with a table that repeats each call until nothing is denied (retry.h).
They must pass, the table's own checks must not fail, and every function that the mock implements
must have been called.
"""

import os
import re
import struct
import subprocess
import sys
import tempfile

FUNCTIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                         '../../loader/registry/functions.tsv')
SLOTS, ROW = 1024, struct.Struct('5I')

SUCCEEDING_LEAST = 300


def implemented(page):
    """Map each function of the mock from its slot to its name."""
    with open(page, encoding='ascii') as file:
        kinds = dict(re.findall(r'^\| `(\w+)` \| (\w+)', file.read(), re.MULTILINE))
    with open(FUNCTIONS, encoding='ascii') as file:
        names = [line.split('\t')[0] for line in file if not line.startswith('#')]
    return [(slot, name) for slot, name in enumerate(names)
            if kinds[name] in ('exact', 'approximate')]


def run(command, environment):
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=900, check=False)
    if done.returncode != 0:
        print(done.stdout.decode(errors='replace')[-4000:])
        print('%s: exit status %d' % (' '.join(command), done.returncode))
    return done.returncode == 0


def main():
    page, conformance, driver, *programs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        counts, wrong = os.path.join(folder, 'counts'), os.path.join(folder, 'wrong')
        with open(counts, 'wb') as file:
            file.write(bytes(SLOTS * ROW.size))
        open(wrong, 'wb').close()
        environment = dict(os.environ, OOM_COUNTS=counts, OOM_WRONG=wrong)
        # First every slot without arguments, in each state; then the tests of the mock.
        commands = [[programs[0], state] for state in ('none', 'init', 'context')]
        commands += [[program] for program in programs[1:]]
        passed = [run(command, environment) for command in commands]
        environment['CUSHIM_MOCK_SETTINGS'] = 'mode = auto'
        # Only the cases of statements: one of cushim's own cases creates events on several threads
        # at once, and retry.h counts resources around each call.
        passed += [run([conformance, '--driver=' + driver, '--only=' + digit], environment)
                   for digit in '012']
        with open(wrong, encoding='utf-8') as file:
            broken = sorted(set(file))
        with open(counts, 'rb') as file:
            rows = list(ROW.iter_unpack(file.read()))

    functions = implemented(page)
    silent = [name for slot, name in functions if rows[slot][0] == 0]
    succeeded = sum(rows[slot][1] > 0 for slot, _ in functions)
    print('functions of the mock: %d, called with success: %d' % (len(functions), succeeded))
    print('places that ask the system for something: %d'
          % sum(rows[slot][3] for slot, _ in functions))
    print('calls that lacked something: %d' % sum(rows[slot][2] for slot, _ in functions))
    print('of these, calls that did without it: %d' % sum(rows[slot][4] for slot, _ in functions))
    print('programs: %d, failed: %d' % (len(passed), passed.count(False)))
    print('claims that a call has broken: %d' % len(broken))
    print(''.join(broken), end='')
    for name in silent:
        print('%s is never called' % name)
    if silent or broken or not all(passed) or succeeded < SUCCEEDING_LEAST:
        sys.exit(1)


if __name__ == '__main__':
    main()
