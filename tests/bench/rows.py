# SPDX-License-Identifier: Apache-2.0
"""The rows of the table: what each measures, why it may miss its goal, and a generator for each
section.
"""

import os
import sys
import tempfile
from collections import namedtuple

sys.dont_write_bytecode = True
for FOLDER in 'binary', 'plugins':
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', FOLDER))
import file_test  # noqa: E402
import loading  # noqa: E402
from built_file import File  # noqa: E402
from measure import (  # noqa: E402
    TIMED_TURNS, Figure, Skip, figure_of, instructions, quantile, system_calls,
    why_not)

# `where`: 'counted' rows are counted by callgrind and judged by tests; 'here' and 'gpu' rows are
# timed on a machine without or with a GPU, 'both' on either. `goal`: a Goal or None. `most`: the
# limit of a test; None: the goal. `marks`: how many of cushim's functions a call passes through.
# Each may begin with a marker for indirect branches, an instruction without effect, which is added
# to the limit. `measure`: a function of a Bench that returns a Figure.
Row = namedtuple('Row', 'section name what unit where goal most measure marks',
                 defaults=(None, None, None, 0))
# `text` is shown in the table; `met` is a function of the Bench and the figure.
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
    11: 'Kernels',
}

# Variations of the C library between runs are not a cost of a turn.
TOLERANCE = 0.01

# The instructions of a module function, counted in its machine code.
PARTS = '2 to load the table and jump; 3 for each object: whether it is NULL, and its handle'
PLAIN = '3 whether the stream is closed or a default one'

# Why goals are missed, for each part of RESULTS.md, as measured on its machine; other results may
# have other reasons.
REASONS = {
    'development': {
        'module.event-record': PARTS + '; ' + PLAIN + '; 3 whether the event is closed or was '
                               'never recorded',
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


# 1. Routes: how a program calls the driver, and how much more that may cost than the PLT. A route
# through one of cushim's functions may add its marker for indirect branches.
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


# 2. Module functions, and the additional cost that a test allows.
MODULES = {
    'event-query': ('cushim_event_query', 5),
    'event-record': ('cushim_event_record', 14),
    'event-synchronize': ('cushim_event_synchronize', 5),
    'event-elapsed': ('cushim_event_get_elapsed', 12),
    'stream-wait': ('cushim_stream_wait_event', 11),
    'stream-query': ('cushim_stream_query', 8),
}
MODULE_GOAL = most(6, slack=TOLERANCE)
# The additional cost of an object's life that a test allows; a third of it is the allocation's.
PAIRS = {'event': 380, 'stream': 350}


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
    for noun, raw in (('event', 'cuEventCreate and cuEventDestroy'),
                      ('stream', 'cuStreamCreateWithPriority and cuStreamDestroy')):
        text = 'cushim_%s_create and cushim_%s_release' % (noun, noun)
        yield Row(2, 'module-time.%s-pair' % noun, '%s: time, %s = 1' % (text, raw), 'times', 'gpu',
                  most(1.15), None, lambda bench, noun=noun: module_time(bench, noun + '-pair'))
        yield Row(2, 'module-time.%s-pair-other' % noun,
                  '%s with another context current: time, %s between a push and a pop = 1'
                  % (text, raw), 'times', 'gpu', most(1), None,
                  lambda bench, noun=noun: module_time(bench, noun + '-pair-other'))
        yield Row(2, 'module.%s-pair' % noun, text + ': more than the raw calls', 'instructions',
                  'counted', None, PAIRS[noun],
                  lambda bench, noun=noun: module_count(bench, 'cost', noun + '-pair'), 1)


# 3 and 4. Only a real driver has these costs.
def gpu_rows():
    yield Row(3, 'elapsed.old', 'cuEventElapsedTime, version 1: time, cushim_event_get_elapsed = 1',
              'times', 'gpu', least(4), None,
              lambda bench: bench.ratio(bench.rounds_of('event-elapsed'), 'old', 'module'))
    yield Row(4, 'pool.raw', 'create and destroy: time, acquire and release of a pool = 1', 'times',
              'gpu', least(10), None,
              lambda bench: bench.ratio(bench.rounds_of('event-pair'), 'raw', 'pool'))


# 5 and 6. Loading a driver with every symbol, and detecting that there is none.
DRIVER = os.path.join('..', 'drivers', 'complete.so')
KINDS = ('static', 'shared')


def by_path(bench):
    commands = loading.load_commands(bench.path('load'), bench.path(DRIVER))
    return exact(loading.load_ratio(
        {way: bench.once(('load', way), lambda command=command: instructions(command))
         for way, command in commands.items()}))


def by_search(bench):
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(bench.path(DRIVER), os.path.join(folder, 'libcuda.so.1'))
        return exact(loading.load_ratio(
            {way: instructions(command, {'LD_LIBRARY_PATH': folder}) for way, command in
             loading.load_commands(bench.path('load'), 'libcuda.so.1').items()}))


def answers(bench):
    commands = loading.load_commands(bench.path('load'), bench.path(DRIVER))
    return bench.once('load rounds', lambda: loading.rounds(commands, bench.rounds))


def load_time(bench):
    found = answers(bench)
    return figure_of([loading.load_ratio({way: found[way][i][0] for way in found})
                      for i in range(bench.rounds)])


def load_memory(bench):
    found = answers(bench)
    return figure_of([ours[1] - names[1] for ours, names in zip(found['cushim'], found['names'])])


def load_system_calls(bench):
    require('strace')
    names, ours = (system_calls([bench.path('load'), way, bench.path(DRIVER)])
                   for way in ('names', 'cushim'))
    return exact(ours - names)


def first_ratio(bench):
    """On this machine's driver. Rounds take milliseconds and vary widely, so there are many."""
    times = bench.rounds_by_turns({way: (bench.path('load'), 'opened-' + way, bench.driver)
                                   for way in ('names', 'cushim')}, 10)
    return bench.ratio(times, 'cushim', 'names')


def require(tool):
    if why_not(tool):
        raise Skip(why_not(tool))


def require_none(bench, kind):
    """Return the path of a program that detects a missing driver, in a place without a driver."""
    program = bench.path(os.path.join('absent', 'absent-' + kind))
    if loading.has_driver(program):
        raise Skip('this machine has a driver')
    return program


def absent_call(bench, kind):
    program = require_none(bench, kind)
    driver = bench.path('libcuda.so.1')
    return exact(loading.per_absent_call(program) -
                 loading.per_absent_call(program, CUSHIM_LIBRARY=driver))


def absent_time(bench, kind):
    program = require_none(bench, kind)
    times = loading.rounds({way: [program, way, '0'] for way in ('linker', 'cushim')},
                           bench.rounds)
    ours, linkers = ([time for time, in times[way]] for way in ('cushim', 'linker'))
    figure = figure_of([one / other for one, other in zip(ours, linkers)])
    return figure._replace(note='%.0f us' % (quantile(ours, 0.5) / 1e3))


def absent_system_calls(bench, kind):
    program = require_none(bench, kind)
    require('strace')
    linkers, more = loading.absent_system_calls(program)
    return Figure(more, note='dlopen() alone %d' % linkers)


def absent_rows():
    for kind in KINDS:
        yield Row(6, 'absent.system-calls.' + kind, 'until it is known that there is no driver, '
                  '%s program: more than dlopen() alone' % kind, 'system calls', 'counted',
                  most(loading.MOST_CALLS_WITHOUT_A_DRIVER), None,
                  lambda bench, kind=kind: absent_system_calls(bench, kind))
        yield Row(6, 'absent.time.' + kind, 'the same, %s program: time, dlopen() alone = 1' % kind,
                  'times', 'here', most(2), None, lambda bench, kind=kind: absent_time(bench, kind))
        yield Row(6, 'absent.call.' + kind, 'a call after that, %s program: more than with a driver'
                  % kind, 'instructions', 'counted', most(0, slack=TOLERANCE), None,
                  lambda bench, kind=kind: absent_call(bench, kind))


def load_rows():
    yield Row(5, 'load.path', 'cushim_driver_load() by a path without a bare dlopen(): instructions, a '
              'loop of dlsym() over the same names = 1', 'times', 'counted',
              most(loading.MOST_OF_A_LOAD), None, by_path)
    yield Row(5, 'load.search', 'the same by search', 'times', 'counted',
              most(loading.MOST_OF_A_LOAD), None, by_search)
    yield Row(5, 'load.time', 'the same by a path, in time', 'times', 'here',
              most(loading.MOST_OF_A_LOAD), None, load_time)
    yield Row(5, 'load.memory', 'memory written by a load, more than by a loop of dlsym()', 'KiB',
              'counted', None, loading.MOST_KIB, load_memory)
    yield Row(5, 'load.system-calls', 'system calls of a load, more than of a loop of dlsym()',
              'system calls', 'counted', None, loading.MOST_CALLS_OF_A_LOAD, load_system_calls)
    yield Row(5, 'load.driver', "cushim_driver_load() of this machine's driver, opened before: time, a "
              'loop of dlsym() over the same names = 1', 'times', 'gpu', most(1.6), None,
              first_ratio)


# 7. Files, and the cost of a start.
FILES = {
    'shared': ('the shared library', 'libcushim.so.0'),
    'four': ('a static program with four functions', 'four'),
    'plugin': ('a plugin with everything', os.path.join('..', 'plugins', 'plugin-whole.so')),
}
STARTS = {
    'shared': 'with the shared library',
    'static': 'linked statically, never called',
    'static__with_a_call_that_is_not_made': 'linked statically, a call that is not made',
    'an_empty_library': 'with a library that is empty',
}
PART_TEXT, PART_DATA, PART_RELOCATIONS = 'text', 'data', 'relocations'


def size_of(path, part):
    try:
        file = File(path)
    except ValueError as error:
        raise Skip(str(error)) from None
    if part == PART_RELOCATIONS:
        return exact(file.relocation_bytes())
    if part == PART_DATA:
        return exact(file.mapped_bytes(writable=True))
    return exact(file.mapped_bytes(writable=False) - file.relocation_bytes())


def relocations(bench, kind):
    require('readelf')
    found = [name.endswith('_RELATIVE')
             for name, _ in loading.relocations(bench.path('libcushim-startup.so'))]
    return exact(found.count(kind == 'relative'))


def size_rows():
    for name, (text, path) in FILES.items():
        for part in (PART_TEXT, PART_DATA, PART_RELOCATIONS):
            goal = most(file_test.GOAL, ' bytes') if (name, part) == ('plugin', PART_TEXT) else None
            yield Row(7, 'size.%s.%s' % (name, part), '%s: %s' % (text, part), 'bytes', 'here',
                      goal, None,
                      lambda bench, path=path, part=part: size_of(bench.path(path), part))
    for kind, text in STARTS.items():
        yield Row(7, 'start.' + kind, 'a program that does nothing, %s: more than without' % text,
                  'instructions', 'counted', most(2000) if kind == 'static' else None, None,
                  lambda bench, kind=kind: exact(bench.count('start-' + kind) -
                                                 bench.count('start-nothing')))
    for kind, text, allowed in (('relative', 'relative relocations', loading.MOST_RELATIVE),
                                ('symbols', 'relocations of symbols', loading.MOST_SYMBOLS)):
        yield Row(7, 'start.relocations.' + kind, text + ' of the shared library at a start',
                  'relocations', 'counted', most(allowed), None,
                  lambda bench, kind=kind: relocations(bench, kind))


# 9. The mock.
MOCK_CALLS = {
    'event-query': 'cuEventQuery',
    'event-record': 'cuEventRecord',
    'event-synchronize': 'cuEventSynchronize, done',
    'event-elapsed': 'cuEventElapsedTime',
    'stream-wait': 'cuStreamWaitEvent',
    'stream-query': 'cuStreamQuery',
    'event-pair': 'cuEventCreate and cuEventDestroy',
}
# Work of mock_load: its description, and the limit for a thousand streams relative to one.
STREAM_WORK = {
    'pairs': ('a record and a query', 1.5),
    'pending': ('a record behind a kernel, waited for', 2),
    'legacy': ('the same, each 16th on the legacy default stream', 3),
    'kernels': ('a kernel, 16 at once', 2),
    'thread': ('a record on the per-thread default stream beside', 1.5),
    'values': ('a record and a query, all other streams wait for a value', 4),
}
STREAM_TURNS = (4000, 12000)
# A record and a query: the limit is a million pairs per second at one instruction per cycle of a
# slow core.
MOST_PER_PAIR = 2500
MOST_BYTES = 256


def mock_count(bench, work, streams, mode='auto', turns=STREAM_TURNS):
    return bench.per_turn('mock-load', work, mode, str(streams), turns=turns)


def mock_growth(bench, work, streams):
    return exact(mock_count(bench, work, streams) / mock_count(bench, work, 1))


def pending_growth(bench, pending):
    """Return the cost of an operation with more pending ones, relative to the first thousand."""
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
    printed = bench.run(bench.path('mock-load'), 'pending', 'auto', '1', '100000').split()[1]
    if printed == '-':
        raise Skip('this C library does not report how much memory is in use')
    return exact(float(printed))


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


# 8. Threads: the cost of the table must not rise with their number.
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


# 10. Layers. Without a subscriber, a call is a load, a branch and a jump through the next table.
# With a matching rule, it takes locks and passes the other subscribers.
LAYERS = {
    'idle': ('nothing watched', 7),
    'rules': ('fault rules for other functions', 7),
    'recording': ('watched by a recording', None),
    'fault': ('a fault rule that does not match', 1200),
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


# 11. Executed kernels. A turn is a block of 256 threads. For each kernel: its description, the
# limit for one instruction of one thread, and whether its warps stay converged.
KERNELS = {
    'add': ('a sum of vectors', 24, True),
    'hash': ('logic, rotations and permutations of bytes', 16, True),
    'reduce': ('the sum of a block, in shared memory and by shuffles', 24, False),
    'product': ('a product of matrices, in tiles in shared memory', 24, True),
    'mandelbrot': ('Mandelbrot, whose lanes part', 40, False),
}
KERNEL_BLOCKS = (32, 96)


def kernel_cost(bench, kernel):
    words = (os.path.join(os.path.dirname(os.path.abspath(__file__)), 'kernels.ptx'), kernel)
    few, many = (int(bench.run(bench.path('kernel-load'), *words, str(blocks)))
                 for blocks in KERNEL_BLOCKS)
    return exact(bench.per_turn('kernel-load', *words, turns=KERNEL_BLOCKS) *
                 (KERNEL_BLOCKS[1] - KERNEL_BLOCKS[0]) / (many - few))


def kernel_rows():
    for kernel, (text, allowed, together) in KERNELS.items():
        yield Row(11, 'kernel.' + kernel, text + ': an instruction of a thread', 'instructions',
                  'counted', most(12) if together else None, allowed,
                  lambda bench, kernel=kernel: kernel_cost(bench, kernel))


def rows():
    makers = (route_rows, module_rows, gpu_rows, load_rows, absent_rows, size_rows, thread_rows,
              mock_rows, layer_rows, kernel_rows)
    return sorted((row for make in makers for row in make()), key=lambda row: row.section)
