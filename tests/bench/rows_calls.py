# SPDX-License-Identifier: Apache-2.0
"""Rows on calls: routes, modules, threads and layers (sections 1 to 4, 8 and 10)."""

import os
import sys

sys.dont_write_bytecode = True
from measure import TIMED_TURNS, quantile  # noqa: E402
from row import TOLERANCE, Goal, Row, exact, least, most  # noqa: E402

# 1. Routes: how a program reaches the driver, and what it may cost more than the PLT. A route
# through a function of ours has its mark for indirect branches besides, if the build has such.
ROUTES = {
    'linked': ('linked, by the PLT', None),
    'no-plt': ('linked with -fno-plt', None),
    'cushim-shared': ('the table, libcushim.so', 0),
    'cushim-static': ('the table, static', 0),
    'header': ('cushim/cuda.h', 0),
    'stubs': ('link-time stubs', 2),
}
HOMES = {'executable': 'executable', 'plugin': 'plugin'}


def route_words(bench, kind, home):
    if home == 'executable':
        return (bench.path('program-' + kind),)
    return (bench.path('host'), bench.path('libplugin-%s.so' % kind))


def route_count(bench, kind, home):
    return bench.per_turn(*route_words(bench, kind, home))


def route_goal(home, more):
    if more is None:
        return None
    return Goal('PLT' + (' + %d' % more if more else ''), lambda bench, figure: figure.value <=
                route_count(bench, 'linked', home) + more + (bench.mark() if more else 0) +
                TOLERANCE)


def route_times(bench, home):
    return bench.rounds_by_turns({
        kind: (*route_words(bench, kind, home), str(TIMED_TURNS // (20 if bench.gpu else 1)))
        for kind in ROUTES})


def route_rows():
    for home in HOMES:
        for kind, (text, more) in ROUTES.items():
            yield Row(1, 'route.%s.%s' % (home, kind), '%s, %s' % (text, home), 'instructions',
                      'counted', route_goal(home, more), None,
                      lambda bench, kind=kind, home=home: exact(route_count(bench, kind, home)))
    for home in HOMES:
        for kind, (text, _) in ROUTES.items():
            if kind != 'linked':
                yield Row(1, 'route-time.%s.%s' % (home, kind),
                          '%s, %s: time, PLT = 1' % (text, home), 'times', 'both', None, None,
                          lambda bench, kind=kind, home=home: bench.ratio(
                              route_times(bench, home), kind, 'linked'))


# 2. Module functions, and what a test allows each to cost more.
MODULES = {
    'event-query': ('cushim_event_query', 5),
    'event-record': ('cushim_event_record', 14),
    'event-synchronize': ('cushim_event_synchronize', 5),
    'event-elapsed': ('cushim_event_elapsed', 12),
    'stream-wait': ('cushim_stream_wait_event', 11),
    'stream-query': ('cushim_stream_query', 8),
}
MODULE_GOAL = most(6, slack=TOLERANCE)


def module_count(bench, program, row):
    return exact(bench.per_turn(program, 'count', row, 'module') -
                 bench.per_turn(program, 'count', row, 'raw'))


def module_time(bench, row):
    times = bench.rounds_of(row)
    more = quantile([module - raw for module, raw in zip(times['module'], times['raw'])], 0.5)
    figure = bench.ratio(times, 'module', 'raw')
    return figure._replace(note='%s, %+.2f ns' % (figure.note, more) if bench.gpu else '',
                           absolute=more)


def within(bench, figure):
    return figure.value <= 1.03 or figure.absolute <= 2


def module_rows():
    for row, (text, allowed) in MODULES.items():
        yield Row(2, 'module.' + row, text + ': more than the raw call', 'instructions', 'counted',
                  MODULE_GOAL, max(allowed, 6),
                  lambda bench, row=row: module_count(bench, 'cost', row), 1)
    for row, (text, allowed) in MODULES.items():
        yield Row(2, 'module-shared.' + row, text + ', libcushim.so: more than the raw call',
                  'instructions', 'counted', None, allowed + 3,
                  lambda bench, row=row: module_count(bench, 'cost-shared', row), 1)
    for row, (text, _) in MODULES.items():
        yield Row(2, 'module-time.' + row, text + ': time, raw call = 1', 'times', 'gpu',
                  Goal('1.03, or 2 ns more', within), None,
                  lambda bench, row=row: module_time(bench, row))
    yield Row(2, 'module-time.event-pair', 'cushim_event_create and cushim_event_release: time, '
              'cuEventCreate and cuEventDestroy = 1', 'times', 'gpu', None, None,
              lambda bench: module_time(bench, 'event-pair'))


# 3 and 4: only a real driver has these costs.
def gpu_rows():
    yield Row(3, 'elapsed.old', 'cuEventElapsedTime, version 1: time, cushim_event_elapsed = 1',
              'times', 'gpu', least(4), None,
              lambda bench: bench.ratio(bench.rounds_of('event-elapsed'), 'old', 'module'))
    yield Row(4, 'pool.raw', 'create and destroy: time, acquire and release of a pool = 1', 'times',
              'gpu', least(10), None,
              lambda bench: bench.ratio(bench.rounds_of('event-pair'), 'raw', 'pool'))


# 8. Threads: the table is to keep what it is to one.
def thread_ratio(bench, number):
    return bench.rate(bench.rounds_of('threads-%d' % number), 'table', 'raw')


SCALES = Goal('that of 1 - 5 %', lambda bench, figure: figure.value >=
              0.95 * thread_ratio(bench, 1).value)


def thread_rows():
    for number in (1, 2, 4, 8, 16, 32, 64):
        if number <= (os.cpu_count() or 1):
            yield Row(8, 'threads.%d' % number,
                      '%d at once, the table: calls per second, a raw pointer = 1' % number,
                      'times', 'both', SCALES if number > 1 else None, None,
                      lambda bench, number=number: thread_ratio(bench, number))


# 10. Layers.
LAYERS = {
    'idle': ('nothing watched', 7),
    'recording': ('watched by a recording', None),
    'fault': ('a fault rule that does not match', None),
}


def layer_rows():
    for way, (text, allowed) in LAYERS.items():
        yield Row(10, 'layer.' + way, 'cuEventQuery, %s: more than without a layer' % text,
                  'instructions', 'counted', None, allowed,
                  lambda bench, way=way: exact(bench.per_turn('cost', 'count', 'layer', way) -
                                               bench.per_turn('cost', 'count', 'layer', 'none')))
    for way, (text, _) in LAYERS.items():
        yield Row(10, 'layer-time.' + way, 'cuEventQuery, %s: time, without a layer = 1' % text,
                  'times', 'both', None, None,
                  lambda bench, way=way: bench.ratio(bench.rounds_of('layer'), way, 'none'))
