# SPDX-License-Identifier: Apache-2.0
"""What a row of the table is, and why one may miss its goal."""

import sys
from collections import namedtuple

sys.dont_write_bytecode = True
from measure import Figure  # noqa: E402

# `where`: 'counted' by callgrind and judged by tests, 'here' and 'gpu' by time on a machine without
# and with a GPU, 'both'. `goal`: a Goal or None. `most`: what a test allows; None: the goal.
# `marks`: how many functions of cushim a call passes, each of which may begin with a mark for
# indirect branches, an instruction that does nothing: they come on top of what is allowed.
# `measure`: a function of a Bench that answers a Figure.
Row = namedtuple('Row', 'section name what unit where goal most measure marks',
                 defaults=(None, None, None, 0))
# `text` is what the table shows, `met` a function of the Bench and the figure.
Goal = namedtuple('Goal', 'text met')

SECTIONS = {
    1: 'One call by six routes',
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

# How the instructions of a module function come about, counted in its machine code.
PARTS = '2 to load the table and jump; 3 for each object: whether it is NULL, and its handle'
PLAIN = '3 whether the stream is closed or a default one'

# Why a goal is missed, for each part of RESULTS.md, as measured on its machine: other results may
# have other reasons.
REASONS = {
    'development': {
        'module.event-record': PARTS + '; ' + PLAIN + '; 3 whether the event is closed or was never '
                               'recorded',
        'module.event-elapsed': PARTS + '; 2 whether the result is NULL; 2 as all three arguments '
                                'change registers',
        'module.stream-wait': PARTS + '; ' + PLAIN,
        'module.stream-query': PARTS + '; ' + PLAIN,
        'load.time': 'in instructions it is met; 10 system calls and 28 KiB of fresh pages are the '
                     'rest',
    },
    'h200': {
        'pool.raw': 'acquire and release are two locked instructions, and what is around them',
    },
}


def most(limit, unit='', slack=0.0):
    return Goal('at most %g%s' % (limit, unit),
                lambda bench, figure: figure.value <= limit + slack)


def least(limit, unit=''):
    return Goal('at least %g%s' % (limit, unit), lambda bench, figure: figure.value >= limit)


def exact(value):
    return Figure(value)
