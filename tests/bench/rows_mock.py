# SPDX-License-Identifier: Apache-2.0
"""Rows on the mock (section 9)."""

import sys

sys.dont_write_bytecode = True
from measure import Skip, figure_of  # noqa: E402
from row import Row, exact, most  # noqa: E402

MOCK_CALLS = {
    'event-query': 'cuEventQuery',
    'event-record': 'cuEventRecord',
    'event-synchronize': 'cuEventSynchronize, done',
    'event-elapsed': 'cuEventElapsedTime',
    'stream-wait': 'cuStreamWaitEvent',
    'stream-query': 'cuStreamQuery',
    'event-pair': 'cuEventCreate and cuEventDestroy',
}
# Work of mock_load: its name, and what a test allows a thousand streams to cost, in times of one.
STREAM_WORK = {
    'pairs': ('a record and a query', 1.5),
    'pending': ('a record behind a kernel, waited for', 2),
    'legacy': ('the same, each 16th on the legacy default stream', 3),
    'kernels': ('a kernel, 16 at once', 2),
    'thread': ('a record on the per-thread default stream beside', 1.5),
    'values': ('a record and a query, all other streams wait for a value', 4),
}
STREAM_TURNS = (4000, 12000)
# A record and a query: a million pairs per second at one instruction per cycle of a slow core.
MOST_PER_PAIR = 2500
MOST_BYTES = 256


def mock_count(bench, work, streams, mode='auto', turns=STREAM_TURNS):
    return bench.per_turn('mock-load', work, mode, str(streams), turns=turns)


def mock_growth(bench, work, streams):
    return exact(mock_count(bench, work, streams) / mock_count(bench, work, 1))


def pending_growth(bench, pending):
    """What an operation costs when so many are pending more, against the first thousand."""
    def cost(number):
        return mock_count(bench, 'pending', 1, turns=(number // 10, number))
    return exact(cost(pending) / cost(1000))


def mock_times(bench, works):
    program = bench.path('mock-load')
    return bench.rounds_by_turns({
        '%s %s %d %d' % words: (program, *(str(word) for word in words)) for words in works})


def pending_time(bench, pending, base):
    times = mock_times(bench, [('pending', 'auto', 1, pending), ('pending', 'auto', 1, base)])
    first, second = times.values()
    return figure_of([one / other for one, other in zip(first, second)])


def mode_time(bench, mode, base):
    words = [('pairs', mode, 1, 20000) for mode in ('auto', 'manual', 'threaded')]
    times = mock_times(bench, words)
    names = ['pairs %s 1 20000' % name for name in (base, mode)]
    return figure_of([one / other for one, other in zip(times[names[0]], times[names[1]])])


def pending_bytes(bench):
    told = bench.run(bench.path('mock-load'), 'pending', 'auto', '1', '100000').split()[1]
    if told == '-':
        raise Skip('this C library does not tell how much memory is in use')
    return exact(float(told))


def mock_rows():
    yield Row(9, 'mock.pair', 'a record and a query, mode auto', 'instructions', 'counted',
              most(MOST_PER_PAIR), None,
              lambda bench: exact(mock_count(bench, 'pairs', 1)))
    yield Row(9, 'mock.pair.manual', 'a record and a query, mode manual', 'instructions', 'counted',
              most(MOST_PER_PAIR), None,
              lambda bench: exact(mock_count(bench, 'pairs', 1, 'manual')))
    yield Row(9, 'mock.bytes', 'memory of a pending operation', 'bytes', 'counted',
              most(MOST_BYTES), None, pending_bytes)
    for pending in (10000, 100000):
        yield Row(9, 'mock.pending.%d' % pending, 'an operation when %d are pending: 1000 = 1'
                  % pending, 'times', 'counted', most(1.05), None,
                  lambda bench, pending=pending: pending_growth(bench, pending))
    for work, (text, limit) in STREAM_WORK.items():
        for streams in (100, 1000):
            yield Row(9, 'mock.streams.%s.%d' % (work, streams), '%s, %d streams: 1 stream = 1'
                      % (text, streams), 'times', 'counted', most(limit), None,
                      lambda bench, work=work, streams=streams: mock_growth(bench, work, streams))
    for mode in ('manual', 'threaded'):
        yield Row(9, 'mock.mode.' + mode, 'pairs per second in mode %s: auto = 1' % mode, 'times',
                  'here', None, None,
                  lambda bench, mode=mode: mode_time(bench, mode, 'auto'))
    yield Row(9, 'mock.pending-time.1000000', 'time of an operation when 1000000 are pending: '
              '100000 = 1', 'times', 'here', None, None,
              lambda bench: pending_time(bench, 1000000, 100000))
    for row, text in MOCK_CALLS.items():
        yield Row(9, 'mock-call.' + row, '%s of the mock: time, the driver\'s = 1' % text, 'times',
                  'gpu', None, None,
                  lambda bench, row=row: bench.ratio(bench.rounds_of('mock-' + row), 'mock', 'raw'))
