#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions that a layer adds to a call: to one that nobody watches, and to one of a rule.

    layer_bench.py LAYER_LOAD

Under callgrind, so the numbers are exact and may be judged. A turn of the loop is two calls.
Without LAYER_LOAD, in the build of a sanitizer, it skips.
"""

import sys

sys.dont_write_bytecode = True
import callgrind  # noqa: E402

TURNS = (10000, 20000)
CALLS = 2
# Whatever the C library does once more or less in a run of so many turns is no cost of a call.
TOLERANCE = 0.01

# A load, a branch and a jump through the next table. A call that a rule meets takes locks, and
# passes what else watches calls.
MOST_UNWATCHED = 7
MOST_WATCHED = 1200


def per_call(program, way):
    few, many = (callgrind.count([program, way, str(turns)]) for turns in TURNS)
    return (many - few) / (TURNS[1] - TURNS[0]) / CALLS


def main():
    if len(sys.argv) < 2:
        print('skipped: valgrind cannot run what a sanitizer makes')
        sys.exit(77)
    callgrind.require()
    bare = per_call(sys.argv[1], 'raw')
    too_many = 0
    print('instructions that a layer adds to a call:')
    for way, most in ('layer', MOST_UNWATCHED), ('rules', MOST_UNWATCHED), ('watched', MOST_WATCHED):
        more = per_call(sys.argv[1], way) - bare
        costs_more = more > most + TOLERANCE
        too_many += costs_more
        print('  %-8s %7.2f%s' % (way, more, '  TOO MANY' if costs_more else ''))
    sys.exit(1 if too_many else 0)


if __name__ == '__main__':
    main()
