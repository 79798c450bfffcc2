#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure what the tests cover of loader/ and src/, by lines and branches.

Builds with counters in a folder of its own, runs the suites that execute the library, the mock, the
layer and the command, and prints a table by rooms. Fails if a suite fails, if loader and src
together are below the goals, or if a function has more blocks that were never run than uncovered.tsv, which
gives reasons, says.

Needs gcc and gcov. It takes about 20 minutes on two processors, most of it the tests. What is
for Windows is not built, and so not measured.
"""
import argparse
import collections
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
REASONS = pathlib.Path(__file__).with_name('uncovered.tsv')

# Suites whose processes do not run what is measured: they build projects of their own (which do not
# link with counters), read files, or count what a call costs.
OTHER_SUITES = {'bench', 'binary', 'clients', 'consumers', 'dist', 'doors', 'headers', 'model',
                'plugins', 'registry'}
# Mocks with a fault each: what they cover is no merit. And processes to which counters do harm, or
# that do harm to counters: some cannot write files, or not all of one, and some end in a library in
# which bytes were changed.
OTHER_TESTS = {'wrong mocks', 'linker-complete', 'linker-old-hash', 'linker-packed',
               'security-rights', 'security-sealed', 'shortage-disk', 'shortage-system'}

# Where objects of the library stand in a build. Those of tests are not looked at.
OBJECTS = ['libcushim-core.a.p', 'libcushim-exporting.a.p', 'src', 'tests/unit/libplain-core.a.p']

# Rooms of the house, the first that fits: whatever a path of the sources begins with.
ROOMS = [('loader', 'loader/'), ('layer', 'src/layer/'), ('mock', 'src/mock/'),
         ('tool', 'src/tool/'), ('modules', 'src/')]
GENERATED = 'generated'

LINES_GOAL, BRANCHES_GOAL = 95.0, 85.0


class Count:
    """How many there are, and how many of them are covered."""

    def __init__(self):
        self.lines = self.lines_covered = self.branches = self.branches_covered = 0

    def add(self, line):
        """Count one line."""
        self.lines += 1
        self.lines_covered += line['count'] > 0
        self.branches += len(line['branches'])
        self.branches_covered += sum(count > 0 for count in line['branches'])

    def join(self, other):
        """Count what another has counted."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def shares(self):
        """Percent of lines and of branches."""
        return (100.0 * self.lines_covered / max(self.lines, 1),
                100.0 * self.branches_covered / max(self.branches, 1))

    def told(self):
        """For JSON."""
        lines, branches = self.shares()
        return dict(vars(self), lines_percent=round(lines, 2), branches_percent=round(branches, 2))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default=str(ROOT / 'build-coverage'), metavar='FOLDER',
                        help='where to build; build-coverage in the tree unless told')
    parser.add_argument('--collect', action='store_true',
                        help='build and run nothing: look at what an earlier run has counted')
    parser.add_argument('--processes', default='2', metavar='N', help='how many at once; 2')
    parser.add_argument('--json', action='store_true', help='print the table as one line of JSON')
    parser.add_argument('--list', action='store_true',
                        help='print every block that is not covered: file, function, first line')
    parser.add_argument('--update', action='store_true',
                        help='write uncovered.tsv anew: reasons stay, and what has none is untested')
    return parser.parse_args()


def setup(build):
    """Configure, unless that is done."""
    if (build / 'build.ninja').exists():
        return
    # Threads count at the same time; without optimization a line is a line.
    subprocess.run(['meson', 'setup', build, ROOT, '-Dbuildtype=debug', '-Db_coverage=true',
                    '-Dc_args=-fprofile-update=atomic -DCUSHIM_COVERAGE'],
                   check=True, stdout=sys.stderr)


def run_tests(build, processes):
    """Build, and run the suites from zero. The names of the tests that failed."""
    subprocess.run(['ninja', '-C', build, '-j', processes], check=True, stdout=sys.stderr)
    for counted in build.rglob('*.gcda'):
        counted.unlink()
    listed = subprocess.run(['meson', 'introspect', '--tests', build], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    names = [test['name'] for test in json.loads(listed) if test['name'] not in OTHER_TESTS
             and not OTHER_SUITES & {suite.split(':')[-1] for suite in test['suite']}]
    command = ['meson', 'test', '-C', build, '--no-rebuild', '--num-processes', processes,
               '--timeout-multiplier', '4', *names]
    subprocess.run(command, check=False, stdout=sys.stderr)
    with open(build / 'meson-logs' / 'testlog.json', encoding='utf-8') as log:
        runs = [json.loads(line) for line in log]
    return [run['name'] for run in runs
            if run['result'] not in ('OK', 'SKIP', 'EXPECTEDFAIL')]


def add_line(lines, line):
    """Add a line of one object to those of its file, which other objects may have as well."""
    branches = [branch['count'] for branch in line['branches']]
    one = lines.setdefault(line['line_number'], {'count': 0, 'branches': [], 'function': None})
    one['count'] += line['count']
    one['function'] = one['function'] or line.get('function_name')
    one['branches'] = [first + second for first, second in
                       itertools.zip_longest(one['branches'], branches, fillvalue=0)]


def collect(build):
    """Lines by number, by path from the root of the tree, of all sources that are measured."""
    files = collections.defaultdict(dict)
    for place in OBJECTS:
        for notes in sorted((build / place).rglob('*.gcno')):
            output = subprocess.run(['gcov', '--json-format', '--stdout', '--branch-probabilities',
                                     notes], check=True, cwd=build, stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL).stdout
            for file in json.loads(output)['files']:
                path = os.path.relpath(build / file['file'], ROOT)
                for line in file['lines']:
                    add_line(files[path], line)
    return files


def room_of(path):
    """The room that a file stands in."""
    for room, beginning in ROOMS:
        if path.startswith(beginning):
            return room
    return GENERATED if re.match('build[^/]*/(loader|src)/', path) else None


def blocks(path, lines):
    """Where code begins that was never run: function and text of its first line, how many lines."""
    text = (ROOT / path).read_text(encoding='utf-8').splitlines()
    found = []
    before = None # the function of the line before, if that was not run
    for number, line in sorted(lines.items()):
        if line['count'] > 0:
            before = None
            continue
        if before == (line['function'],):
            found[-1][2] += 1
        else:
            found.append([line['function'] or '-', text[number - 1].strip(), 1, number])
        before = (line['function'],)
    return found


def read_reasons():
    """How many blocks of a function may be uncovered, and why: by file and function."""
    reasons = {}
    classes = set()
    for number, line in enumerate(REASONS.read_text(encoding='utf-8').splitlines(), 1):
        declared = re.match(r'# ([a-z]+): ', line)
        if declared:
            classes.add(declared[1])
        if not line or line.startswith('#'):
            continue
        fields = line.split('\t')
        if len(fields) != 4 or not fields[2].isdigit() or not set(fields[3].split()) <= classes:
            raise SystemExit(f'{REASONS}:{number}: not file, function, number of blocks and reasons')
        reasons[tuple(fields[:2])] = int(fields[2])
    return reasons


def write_reasons(missed):
    """Count anew, with the reasons that there were."""
    lines = REASONS.read_text(encoding='utf-8').splitlines()
    former = {tuple(line.split('\t')[:2]): line.split('\t')[3]
              for line in lines if line and not line.startswith('#')}
    counts = collections.Counter((path, function) for path, function, *_ in missed)
    rows = ['\t'.join([*key, str(count), former.get(key, 'untested')])
            for key, count in sorted(counts.items())]
    comments = [line for line in lines if line.startswith('#')]
    REASONS.write_text('\n'.join(comments + rows) + '\n', encoding='utf-8')


def look(files):
    """Counts by room, and the blocks of what is written by hand."""
    rooms = collections.defaultdict(Count)
    missed = []
    for path, lines in sorted(files.items()):
        room = room_of(path)
        if room is None:
            continue
        for line in lines.values():
            rooms[room].add(line)
        if room != GENERATED:
            missed += [(path, *block) for block in blocks(path, lines)]
    return rooms, missed


def unexplained(missed, reasons):
    """Blocks of functions that have more of them than are listed, and functions with fewer."""
    counts = collections.Counter((path, function) for path, function, *_ in missed)
    without = [block for block in missed if counts[block[:2]] > reasons.get(block[:2], 0)]
    return without, sorted(key for key, count in reasons.items() if counts[key] < count)


def print_table(rooms, whole):
    print(f'{"room":<10} {"lines":>7} {"covered":>8} {"":>7} {"branches":>9} {"covered":>8}')
    for name in [room for room, _ in ROOMS] + ['all of these', GENERATED]:
        count = whole if name == 'all of these' else rooms.get(name, Count())
        lines, branches = count.shares()
        print(f'{name:<13} {count.lines:>6} {count.lines_covered:>7} {lines:>6.1f} % '
              f'{count.branches:>6} {count.branches_covered:>8} {branches:>6.1f} %')


def main():
    options = arguments()
    build = pathlib.Path(options.build).resolve()
    os.environ.setdefault('LC_ALL', 'C')
    failed = []
    if not options.collect:
        setup(build)
        failed = run_tests(build, options.processes)
    rooms, missed = look(collect(build))
    if options.list:
        for path, function, text, lines, number in missed:
            print(f'{path}\t{function}\t{text}\t{lines} lines from {number}')
        return 0

    if options.update:
        write_reasons(missed)
    whole = Count()
    for room, _ in ROOMS:
        whole.join(rooms[room])
    without, stale = unexplained(missed, read_reasons())
    lines, branches = whole.shares()
    is_good = not failed and not without and lines >= LINES_GOAL and branches >= BRANCHES_GOAL
    if options.json:
        print(json.dumps({'rooms': {name: count.told() for name, count in rooms.items()},
                          'all': whole.told(), 'blocks': len(missed),
                          'unexplained': len(without), 'failed': failed, 'passed': is_good}))
    else:
        print_table(rooms, whole)
        print(f'{len(missed)} blocks are not covered, {len(without)} of them without a reason')
    for path, function, text, count, number in without:
        print(f'no reason: {path}:{number}: {function}: {text} ({count} lines)', file=sys.stderr)
    for path, function in stale:
        print(f'more is covered than uncovered.tsv says: {path}: {function}', file=sys.stderr)
    for name in failed:
        print(f'failed: {name}', file=sys.stderr)
    if lines < LINES_GOAL or branches < BRANCHES_GOAL:
        print(f'below the goals of {LINES_GOAL:.0f} % of lines and {BRANCHES_GOAL:.0f} % of '
              'branches', file=sys.stderr)
    return not is_good


if __name__ == '__main__':
    sys.exit(main())
