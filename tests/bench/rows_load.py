# SPDX-License-Identifier: Apache-2.0
"""Rows on the load of a driver, and on learning that there is none (sections 5 and 6)."""

import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import absent_bench  # noqa: E402
import callgrind  # noqa: E402
import load_bench  # noqa: E402
import strace  # noqa: E402
import syscalls_bench  # noqa: E402
from measure import Figure, Skip, figure_of, quantile  # noqa: E402
from row import TOLERANCE, Row, exact, most  # noqa: E402

# A driver with every symbol.
DRIVER = os.path.join('..', 'drivers', 'complete.so')
KINDS = ('static', 'shared')


def by_path(bench):
    cost = {way: bench.once(('load', way), lambda command=command: callgrind.count(command))
            for way, command in load_bench.commands(bench.path('load'), bench.path(DRIVER)).items()}
    return exact(load_bench.ratio(cost))


def by_search(bench):
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(bench.path(DRIVER), os.path.join(folder, 'libcuda.so.1'))
        return exact(load_bench.ratio(
            {way: callgrind.count(command, {'LD_LIBRARY_PATH': folder}) for way, command in
             load_bench.commands(bench.path('load'), 'libcuda.so.1').items()}))


def answers(bench):
    return bench.once('load rounds', lambda: load_bench.rounds(bench.path('load'),
                                                               bench.path(DRIVER), bench.rounds))


def load_time(bench):
    found = answers(bench)
    return figure_of([load_bench.ratio({way: found[way][i][0] for way in found})
                      for i in range(bench.rounds)])


def load_memory(bench):
    found = answers(bench)
    return figure_of([ours[1] - names[1] for ours, names in zip(found['cushim'], found['names'])])


def first_ratio(bench):
    """On this machine's driver. A round takes milliseconds and varies widely: there are many."""
    times = bench.rounds_by_turns({way: (bench.path('first'), way) for way in ('names', 'cushim')},
                                  10)
    return bench.ratio(times, 'cushim', 'names')


def require_none(bench, kind):
    """The path of a program that learns that there is no driver, where that is so."""
    program = bench.path(os.path.join('absent', 'absent-' + kind))
    try:
        absent_bench.run([program, 'linker', '0'])
    except subprocess.CalledProcessError:
        raise Skip('this machine has a driver') from None
    return program


def absent_call(bench, kind):
    program = require_none(bench, kind)
    driver = bench.path('libcuda.so.1')
    return exact(absent_bench.per_call(program) -
                 absent_bench.per_call(program, CUSHIM_LIBRARY=driver))


def absent_time(bench, kind):
    program = require_none(bench, kind)
    times = absent_bench.times(program, ('linker', 'cushim'), bench.rounds)
    figure = figure_of([ours / other for ours, other in zip(times['cushim'], times['linker'])])
    return figure._replace(note='%.0f us' % (quantile(times['cushim'], 0.5) / 1e3))


def absent_system_calls(bench, kind):
    program = require_none(bench, kind)
    if strace.why_not():
        raise Skip(strace.why_not())
    linkers, more = syscalls_bench.more_than_dlopen(program)
    return Figure(more, note='dlopen() alone %d' % linkers)


def absent_rows():
    for kind in KINDS:
        yield Row(6, 'absent.system-calls.' + kind, 'until it is known that there is no driver, '
                  '%s program: more than dlopen() alone' % kind, 'system calls', 'here',
                  most(syscalls_bench.MOST_WITHOUT_A_DRIVER), None,
                  lambda bench, kind=kind: absent_system_calls(bench, kind))
        yield Row(6, 'absent.time.' + kind, 'the same, %s program: time, dlopen() alone = 1' % kind,
                  'times', 'here', most(2), None, lambda bench, kind=kind: absent_time(bench, kind))
        yield Row(6, 'absent.call.' + kind, 'a call after that, %s program: more than with a driver'
                  % kind, 'instructions', 'counted', most(0, slack=TOLERANCE), None,
                  lambda bench, kind=kind: absent_call(bench, kind))


def load_rows():
    yield Row(5, 'load.path', 'cushim_load() by a path without a bare dlopen(): instructions, a '
              'loop of dlsym() over the same names = 1', 'times', 'counted', most(load_bench.MOST),
              None, by_path)
    yield Row(5, 'load.search', 'the same by search', 'times', 'counted', most(load_bench.MOST),
              None, by_search)
    yield Row(5, 'load.time', 'the same by a path, in time', 'times', 'here',
              most(load_bench.MOST), None, load_time)
    yield Row(5, 'load.memory', 'memory written by a load, more than by a loop of dlsym()', 'KiB',
              'here', None, None, load_memory)
    yield Row(5, 'load.driver', "cushim_load() of this machine's driver, opened before: time, a "
              'loop of dlsym() over the same names = 1', 'times', 'gpu', most(1.6), None,
              first_ratio)
