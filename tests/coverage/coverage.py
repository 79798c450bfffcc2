#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure which lines and branches of loader/, src/ and include/ the tests cover.

Builds with counters in a separate folder, runs the suites that execute the library, the mock, the
layer and the command, and prints a table of folders. Fails if a test fails, or if less than 97 % of
the lines are covered.

Needs gcc and gcov. It takes about 20 minutes on two processors, mostly for the tests. Code for
Windows is not built, so it is not measured; generated code is not counted.
"""
import argparse
import collections
import itertools
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Suites whose processes do not run measured code: they build projects of their own (which do not
# link with counters), read files, or count the cost of calls.
OTHER_SUITES = {'bench', 'binary', 'clients', 'consumers', 'cuda-header', 'dist', 'headers',
                'plugins', 'registry'}
# Mocks with deliberate errors, whose coverage proves nothing; and processes that cannot write the
# files of their counters completely.
OTHER_TESTS = {'wrong mocks', 'security-rights', 'security-sealed', 'out-of-memory-disk',
               'out-of-memory-system'}

# The folders of the library's objects in a build. Objects of tests are ignored.
OBJECTS = ['libcushim-core.a.p', 'libcushim-exporting.a.p', 'src', 'tests/unit/libplain-core.a.p']

FOLDERS = ('loader', 'src', 'include')
LEAST_LINES = 97.0


class Count:
    """A total, and how many of it are covered."""

    def __init__(self):
        self.lines = self.lines_covered = self.branches = self.branches_covered = 0

    def add(self, line):
        """Count a line and its branches."""
        self.lines += 1
        self.lines_covered += line['count'] > 0
        self.branches += len(line['branches'])
        self.branches_covered += sum(count > 0 for count in line['branches'])

    def shares(self):
        """Return the percentages of lines and branches."""
        return (100.0 * self.lines_covered / max(self.lines, 1),
                100.0 * self.branches_covered / max(self.branches, 1))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default=str(ROOT / 'build-coverage'), metavar='FOLDER',
                        help='build folder (default: build-coverage in the tree)')
    parser.add_argument('--collect', action='store_true',
                        help='build and run nothing; evaluate the counters of an earlier run')
    parser.add_argument('--suite', action='append', default=[], metavar='NAME',
                        help='run this suite, and add to the counters of earlier runs; may be '
                        'repeated')
    parser.add_argument('--processes', default='2', metavar='N', help='tests at once (default: 2)')
    parser.add_argument('--list', action='store_true',
                        help='also print every line that is not covered')
    return parser.parse_args()


def setup(build):
    """Set up the build folder, unless it exists."""
    if (build / 'build.ninja').exists():
        return
    # Threads increment counters concurrently. Without optimisation, lines stay separate. The
    # compiler writes the counters before fork() and execv(), but only with gnu11.
    subprocess.run(['meson', 'setup', build, ROOT, '-Dbuildtype=debug', '-Dc_std=gnu11',
                    '-Db_coverage=true', '-Dc_args=-fprofile-update=atomic -DCUSHIM_COVERAGE'],
                   check=True, stdout=sys.stderr)


def run_tests(build, processes, suites):
    """Build, and run all suites with counters reset, or only some suites; return the names of
    failed tests.
    """
    subprocess.run(['ninja', '-C', build, '-j', processes], check=True, stdout=sys.stderr)
    for counted in build.rglob('*.gcda'):
        notes = counted.with_suffix('.gcno')
        # A recompiled object has different counters.
        if not suites or not notes.exists() or notes.stat().st_mtime > counted.stat().st_mtime:
            counted.unlink()
    listed = subprocess.run(['meson', 'introspect', '--tests', build], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    names = []
    for test in json.loads(listed):
        own = {suite.split(':')[-1] for suite in test['suite']}
        if test['name'] not in OTHER_TESTS and not OTHER_SUITES & own and (not suites or
                                                                           own & set(suites)):
            names.append(test['name'])
    command = ['meson', 'test', '-C', build, '--no-rebuild', '--num-processes', processes,
               '--timeout-multiplier', '4', *names]
    subprocess.run(command, check=False, stdout=sys.stderr)
    with open(build / 'meson-logs' / 'testlog.json', encoding='utf-8') as log:
        runs = [json.loads(line) for line in log]
    return [run['name'] for run in runs
            if run['result'] not in ('OK', 'SKIP', 'EXPECTEDFAIL')]


def add_line(lines, line):
    """Add a line of one object to those of its file, which other objects may contain as well."""
    branches = [branch['count'] for branch in line['branches']]
    one = lines.setdefault(line['line_number'], {'count': 0, 'branches': []})
    one['count'] += line['count']
    one['branches'] = [first + second for first, second in
                       itertools.zip_longest(one['branches'], branches, fillvalue=0)]


def collect(build):
    """Map the path of each measured source, relative to the tree, to its lines by number."""
    files = collections.defaultdict(dict)
    for place in OBJECTS:
        for notes in sorted((build / place).rglob('*.gcno')):
            output = subprocess.run(['gcov', '--json-format', '--stdout', '--branch-probabilities',
                                     notes], check=True, cwd=build, stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL).stdout
            for file in json.loads(output)['files']:
                path = os.path.relpath(build / file['file'], ROOT)
                if path.split('/')[0] in FOLDERS:
                    for line in file['lines']:
                        add_line(files[path], line)
    return files


def count_by_folder(files):
    """Return the counts of each folder, with the totals last."""
    counts = collections.defaultdict(Count)
    whole = Count()
    for path, lines in sorted(files.items()):
        for line in lines.values():
            counts[os.path.dirname(path)].add(line)
            whole.add(line)
    return [*sorted(counts.items()), ('all', whole)]


def print_table(counts):
    print(f'{"folder":<24} {"lines":>6} {"covered":>8} {"":>7} {"branches":>9} {"covered":>8}')
    for name, count in counts:
        lines, branches = count.shares()
        print(f'{name:<24} {count.lines:>6} {count.lines_covered:>8} {lines:>5.1f} % '
              f'{count.branches:>9} {count.branches_covered:>8} {branches:>5.1f} %')


def main():
    options = arguments()
    build = pathlib.Path(options.build).resolve()
    os.environ.setdefault('LC_ALL', 'C')
    failed = []
    if not options.collect:
        setup(build)
        failed = run_tests(build, options.processes, options.suite)
    files = collect(build)
    counts = count_by_folder(files)
    if options.list:
        for path, lines in sorted(files.items()):
            for number in sorted(number for number, line in lines.items() if not line['count']):
                print(f'{path}:{number}')
    print_table(counts)
    for name in failed:
        print(f'failed: {name}', file=sys.stderr)
    lines, _ = counts[-1][1].shares()
    if lines < LEAST_LINES:
        print(f'below the goal of {LEAST_LINES:.0f} % of lines', file=sys.stderr)
    return bool(failed) or lines < LEAST_LINES


if __name__ == '__main__':
    sys.exit(main())
