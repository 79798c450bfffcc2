#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions per call: through cushim's table against a program linked to libcuda.so.1.

    calls_bench.py DRIVER ROW...

A row is NAME=KIND=COMMAND: the NAME of the comparison, the KIND `linked` or one that goes through
cushim, and the command that runs the loop, its words between commas; the number of turns comes
last. Each runs with two numbers of turns under callgrind, and the difference is what the turns
cost. Instruction counts are exact, so this is a test: no kind may cost more than `linked`, but for
the stubs, which are a jump more and load the table.

Without rows, in the build of a sanitizer, it skips.
"""

import sys

sys.dont_write_bytecode = True
import callgrind  # noqa: E402

TURNS = (100000, 200000)
# Whatever the C library does once more or less in a run of so many turns is no cost of a turn.
TOLERANCE = 0.01

# Instructions that a kind may cost more.
MORE = {'stubs': 2}


def per_turn(command, driver):
    few, many = (callgrind.count([*command, str(turns)], {'CUSHIM_LIBRARY': driver})
                 for turns in TURNS)
    return (many - few) / (TURNS[1] - TURNS[0])


def main():
    driver, rows = ''.join(sys.argv[1:2]), sys.argv[2:]
    callgrind.require()
    if not rows:
        print('skipped: valgrind cannot run what a sanitizer makes')
        sys.exit(77)
    cost = {}
    for row in rows:
        name, kind, command = row.split('=', 2)
        cost[name, kind] = per_turn(command.split(','), driver)

    too_many = 0
    print('instructions per turn of a loop over cuEventQuery:')
    for (name, kind), turn in cost.items():
        costs_more = turn - cost[name, 'linked'] > MORE.get(kind, 0) + TOLERANCE
        too_many += costs_more
        print('  %-12s %-16s %6.2f%s' % (name, kind, turn, '  TOO MANY' if costs_more else ''))
    sys.exit(1 if too_many else 0)


if __name__ == '__main__':
    main()
