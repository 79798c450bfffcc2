#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of cushim, as one table. Every figure is a ratio of two alternating measurements in the
same run, or an instruction count (callgrind).

examples:
  meson compile -C build bench && tests/bench/bench.py          measure everything
  tests/bench/bench.py --list                                   all rows
  tests/bench/bench.py --only module --only route.plugin        rows by the beginnings of names
  tests/bench/bench.py --results development                    write RESULTS.md again
  tests/bench/bench.py --gpu --json gpu.json                    on a machine with a GPU
  tests/bench/bench.py --read gpu.json --results h200           write its results to RESULTS.md

exit status: 0 measured, 1 a count is more than a test allows (--judge), 2 wrong usage,
77 nothing could be measured (the reason is printed)
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import rows  # noqa: E402
import table  # noqa: E402
from measure import LEAST_ROUNDS_WITHIN, Bench, Skip  # noqa: E402
from rows import TOLERANCE  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
RESULTS = os.path.join(HERE, 'RESULTS.md')
LEAST_ROUNDS, ROUNDS, GPU_ROUNDS = 9, 15, 9


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default=os.path.join(ROOT, 'build'), metavar='FOLDER',
                        help='build folder of Meson (default: build, next to tests)')
    parser.add_argument('--only', action='append', default=[], metavar='ROW',
                        help='rows whose names begin with ROW, or a section by its number; may be '
                             'repeated')
    parser.add_argument('--list', action='store_true', help='list the rows and measure nothing')
    parser.add_argument('--rounds', type=int, metavar='N',
                        help='rounds of timed rows, at least %d (default: %d; with --gpu, where '
                             'each process initialises the driver, %d)'
                             % (LEAST_ROUNDS, ROUNDS, GPU_ROUNDS))
    parser.add_argument('--gpu', action='store_true',
                        help='only times, with the driver of a machine with a GPU')
    parser.add_argument('--driver', metavar='LIBRARY',
                        help='the driver library (default: the bench\'s own; with --gpu a search)')
    parser.add_argument('--judge', action='store_true',
                        help='only counted rows; fail if a count exceeds its limit')
    parser.add_argument('--skip', metavar='REASON', help='skip with this reason, for a '
                        'build that is not like a release')
    parser.add_argument('--json', metavar='FILE', help='also write the results as JSON; -: '
                        'print them instead of the table')
    parser.add_argument('--read', metavar='FILE', help='read results from such a file instead '
                        'of measuring')
    parser.add_argument('--results', metavar='PART',
                        help='write Markdown to this part of RESULTS.md: development, h200')
    found = parser.parse_args()
    if found.rounds is None:
        found.rounds = GPU_ROUNDS if found.gpu else ROUNDS
    if found.rounds < LEAST_ROUNDS:
        parser.error('--rounds: %d are too few, at least %d' % (found.rounds, LEAST_ROUNDS))
    if found.only and (found.results or found.read):
        parser.error('--only goes with neither --results nor --read: they take all rows')
    if found.read and found.judge:
        parser.error('--judge needs what is measured now, not --read')
    if found.gpu and found.results == 'development':
        parser.error('--gpu has no counts for --results development')
    if found.results and not table.has_part(RESULTS, found.results):
        parser.error('--results: %s has no part %s' % (RESULTS, found.results))
    return found


def output_of(*words):
    try:
        return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              cwd=ROOT, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ''


def processor():
    with open('/proc/cpuinfo', encoding='utf-8') as file:
        match = re.search(r'^model name\s*: (.*)$', file.read(), re.MULTILINE)
    return match.group(1) if match else platform.machine()


def settings_of(build):
    """Return how cushim was compiled; the programs around it are the same in every build."""
    try:
        with open(os.path.join(build, 'meson-info', 'intro-buildoptions.json'),
                  encoding='utf-8') as file:
            value = {option['name']: option['value'] for option in json.load(file)}
        found = '-O%s' % value['optimization'], 'hardening %s' % value['hardening']
    except (OSError, ValueError, KeyError, TypeError):
        return ''
    return ', '.join(found + (('c_args ' + ' '.join(value['c_args']),) if value['c_args'] else ()))


def about(bench, build):
    """Return what the figures were measured on, without anything that identifies the machine."""
    found = {
        'commit': output_of('git', 'rev-parse', '--short', 'HEAD'),
        'command': 'tests/bench/bench.py' + (' --gpu' if bench.gpu else ''),
        'machine': '%s, %d processors' % (processor(), os.cpu_count() or 1),
        'rounds': '%d, and %d within a process' % (bench.rounds, max(bench.rounds,
                                                                     LEAST_ROUNDS_WITHIN)),
        'C library': ' '.join(platform.libc_ver()),
        'cushim compiled with': settings_of(build),
    }
    if bench.gpu:
        found['device'] = bench.about.get('device', '')
        found['driver'] = bench.about.get('driver', '')
    else:
        found['compiler'] = output_of('cc', '--version').split('\n')[0]
        found['valgrind'] = output_of('valgrind', '--version')
    return {key: value for key, value in found.items() if value}


def wanted(options):
    """Return the requested rows that can be measured on this machine."""
    places = ('gpu', 'both') if options.gpu else ('counted', 'here', 'both')
    places = ('counted',) if options.judge else places
    return [row for row in rows.rows()
            if row.where in places and
            (not options.only or any(row.name.startswith(name) or str(row.section) == name
                                     for name in options.only))]


class Watch:
    """Print progress on a terminal."""

    def __init__(self, total):
        self.shown, self.total, self.row, self.done = sys.stderr.isatty(), total, '', 0

    def begin(self, row):
        self.row = row.name
        self.done += 1
        self.show_progress(())

    def show_progress(self, words):
        if self.shown:
            line = '%d/%d %s  %s' % (self.done, self.total, self.row,
                                     ' '.join(str(word) for word in words if '/' not in str(word)))
            sys.stderr.write('\r\033[K' + line[:shutil.get_terminal_size().columns - 1])
            sys.stderr.flush()

    def end(self):
        if self.shown:
            sys.stderr.write('\r\033[K')


def measure(found, bench, watch):
    """Yield (row, figure) for each measured row, and (row, reason) for each row that cannot be
    measured.
    """
    measured, skipped = [], []
    for row in found:
        watch.begin(row)
        try:
            measured.append((row, row.measure(bench)))
        except Skip as why:
            skipped.append((row, str(why)))
    watch.end()
    return measured, skipped


def read_results(path):
    """Read the output of --json: what the figures were measured on, and the rows."""
    try:
        with open(path, encoding='utf-8') as file:
            read = json.load(file)
        facts, results = read['about'], read['results']
        if not facts['commit'] or not results:
            raise ValueError('there is nothing in it')
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit('bench.py: %s is not what --json writes, with its commit: %s' % (path, error))
    return facts, results


def forget_environment(gpu):
    """Remove variables of the caller that select a driver, because the bench names its drivers
    itself.
    """
    for name in list(os.environ):
        if name.startswith('CUSHIM_') or (name.startswith('LD_') and not gpu):
            del os.environ[name]


def find_driver(bench, options):
    """Make all programs use one driver: the bench's, a named one, or the one that the loader finds.
    """
    if options.driver:
        bench.driver = os.path.abspath(options.driver)
    elif not options.gpu:
        bench.driver = bench.path('libcuda.so.1')
    for line in bench.run(bench.path('cost'), 'list').splitlines():
        words = line.split()
        if words[0] == 'about':
            bench.about[words[1]] = ' '.join(words[2:])
    bench.driver = bench.about['library']


def too_many(measured, bench):
    """Print the rows that exceed their limits, and return their number."""
    count = 0
    for row, figure in measured:
        marks = row.marks and row.marks * bench.mark()
        slack = TOLERANCE if row.unit == 'instructions' else 0
        allowed = row.most is None or figure.value <= row.most + marks + slack
        if row.most is None and row.goal:
            allowed = row.goal.met(bench, figure)
        if not allowed:
            count += 1
            print('TOO MANY: %s is %s, allowed is %s%s' % (
                row.name, table.number(figure.value), row.most or row.goal.text,
                ' and %d for marks' % marks if marks else ''))
    return count


def main():
    options = arguments()
    forget_environment(options.gpu)
    if options.skip:
        print('skipped: %s' % options.skip)
        return 77
    found = wanted(options)
    if not found:
        print('bench.py: no row begins with %s; --list prints all' % ', '.join(options.only),
              file=sys.stderr)
        return 2
    if options.list:
        for row in found:
            print('%-36s %s' % (row.name, row.what))
        return 0
    if options.read:
        facts, results = read_results(options.read)
    else:
        watch = Watch(len(found))
        bench = Bench(os.path.join(options.build, 'tests', 'bench'), None, options.rounds,
                      options.gpu, watch.show_progress)
        try:
            find_driver(bench, options)
        except Skip as why:
            print('skipped: %s' % why)
            return 77
        measured, skipped = measure(found, bench, watch)
        for row, why in skipped:
            print('skipped: %s: %s' % (row.name, why), file=sys.stderr)
        if skipped and options.results:
            print('bench.py: %s keeps what it has, since rows were skipped' % RESULTS,
                  file=sys.stderr)
            options.results = None
        if not measured:
            print('skipped: nothing could be measured')
            return 77
        facts, results = about(bench, options.build), [table.result_of(row, figure, bench)
                                        for row, figure in measured]
    sys.stdout.write(table.as_json(facts, results) if options.json == '-' else table.text(results))
    if options.json not in (None, '-'):
        with open(options.json, 'w', encoding='utf-8') as file:
            file.write(table.as_json(facts, results))
    if options.results:
        table.put_into(RESULTS, options.results,
                       table.markdown(facts, results, options.results))
    return 1 if options.judge and too_many(measured, bench) else 0


if __name__ == '__main__':
    sys.exit(main())
