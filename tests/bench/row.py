# SPDX-License-Identifier: Apache-2.0
"""What a row of the table is, and why one may miss its goal."""

import sys
from collections import namedtuple

sys.dont_write_bytecode = True
from measure import Figure  # noqa: E402

# `where`: 'counted' by callgrind and judged by tests, 'here' and 'gpu' by time on a machine without
# and with a GPU, 'both'. `goal`: a Goal or None. `most`: what a test allows; None: the goal.
# `measure`: a function of a Bench that answers a Figure.
Row = namedtuple('Row', 'section name what unit where goal most measure',
                 defaults=(None, None, None))
# `text` is what the table shows, `met` a function of the Bench and the figure.
Goal = namedtuple('Goal', 'text met')

SECTIONS = {
    1: 'One call by five routes',
    2: 'Modules against the raw calls that they wrap',
    3: 'Elapsed time',
    4: 'Event pool',
    5: 'Load',
    6: 'No driver',
    7: 'Size and start',
    8: 'Threads',
    9: 'Mock',
    10: 'Layers',
}

# What the C library does once more or less in a run is no cost of a turn.
TOLERANCE = 0.01

TABLE_AND_JUMP = ('the function\'s own call is 2 instructions (table, jump), each object 3 (NULL? '
                  'handle)')

# Why a goal is missed, as measured.
REASONS = {
    'module.event-record': TABLE_AND_JUMP + ', and whether the stream is plain and the event '
                           'recorded 3 each: no check can go that a test demands',
    'module.event-elapsed': TABLE_AND_JUMP + ', NULL for the result 2, and two arguments change '
                            'registers',
    'module.stream-wait': TABLE_AND_JUMP + ', and whether the stream is plain 3',
    'module.stream-query': TABLE_AND_JUMP + ', and whether the stream is closed or a default one 3',
}


def most(limit, unit=''):
    return Goal('at most %g%s' % (limit, unit), lambda bench, figure: figure.value <= limit +
                TOLERANCE)


def least(limit, unit=''):
    return Goal('at least %g%s' % (limit, unit), lambda bench, figure: figure.value >= limit)


def exact(value):
    return Figure(value)
