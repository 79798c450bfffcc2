#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the mock driver costs: instructions per call, and that many pending operations stay cheap.

    mock_bench.py MOCK_LOAD [--full]

Under callgrind, so the numbers are exact and may be judged. With --full the program also runs as it
is with a million of each, and its rates are printed; they depend on the machine and judge nothing.
Without MOCK_LOAD, in the build of a sanitizer, it skips.
"""

import re
import subprocess
import sys

sys.dont_write_bytecode = True
import callgrind  # noqa: E402

# A record and a query: a million pairs per second at one instruction per cycle of a slow core.
MOST_PER_PAIR = 2500
# Four times as many pending operations cost four times as much, and a little for the heap's growth.
MOST_GROWTH = 4.2
MOST_BYTES = 256


def run(program, *arguments):
    return subprocess.run([program, *arguments], stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def main():
    if len(sys.argv) < 2:
        print('skipped: valgrind cannot run what a sanitizer makes')
        sys.exit(77)
    callgrind.require()
    program = sys.argv[1]
    bad = []

    few, many = (callgrind.count([program, 'pairs', str(n)]) for n in (1000, 11000))
    per_pair = (many - few) / 10000
    print('%.0f instructions per cuEventRecord and cuEventQuery' % per_pair)
    if per_pair > MOST_PER_PAIR:
        bad.append('more than %d instructions per pair' % MOST_PER_PAIR)

    none, few, many = (callgrind.count([program, 'pending', str(n)]) for n in (1, 10000, 40000))
    growth = (many - none) / (few - none)
    print('%.0f instructions per pending operation, 40000 cost %.2f times as much as 10000'
          % ((few - none) / 10000, growth))
    if growth > MOST_GROWTH:
        bad.append('pending operations cost more the more there are')

    output = run(program, 'pending', '1000000' if '--full' in sys.argv else '100000')
    memory = float(re.search(r'([\d.]+) bytes', output).group(1))
    print(output, end='')
    if not 0 < memory < MOST_BYTES:
        bad.append('a pending operation takes %.1f bytes, not less than %d' % (memory, MOST_BYTES))
    if '--full' in sys.argv:
        print(run(program, 'pairs', '1000000'), end='')

    for text in bad:
        print('FAILED: ' + text)
    sys.exit(1 if bad else 0)


if __name__ == '__main__':
    main()
