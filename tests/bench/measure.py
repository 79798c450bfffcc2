# SPDX-License-Identifier: Apache-2.0
"""How figures are measured: instructions and system calls are counted exactly, so that tests can
judge them; times are measured alternately.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'binary'))
import built_file  # noqa: E402

# `low` and `high` are the quartiles of the rounds; None: the figure is exact. `note` is the
# absolute value as text, for a GPU; `absolute` is the number that a goal compares.
Figure = namedtuple('Figure', 'value low high note absolute', defaults=(None, None, '', None))

# Numbers of turns; the difference of their counts gives the cost of one turn.
TURNS = (1000, 101000)
# Rounds within a process are short.
LEAST_ROUNDS_WITHIN = 31
# How many calls of a program are timed.
TIMED_TURNS = 2000000


class Skip(Exception):
    """Raised for what cannot be measured here, with the reason."""


def quantile(values, share):
    """Return a quantile of a list: 0.5 is the median."""
    values = sorted(values)
    place = share * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (values[above] - values[below]) * (place - below)


def figure_of(values, note=''):
    return Figure(quantile(values, 0.5), quantile(values, 0.25), quantile(values, 0.75), note)


def by_turns(number, order):
    """Yield the names of a list this many times, each time beginning with another one."""
    for start in range(number):
        for place in range(len(order)):
            yield start, order[(start + place) % len(order)]


def why_not(tool):
    """Return why a tool cannot count anything; empty: it can."""
    if not shutil.which(tool):
        return tool + ' is not installed'
    if tool != 'strace':
        return ''
    result = subprocess.run(['strace', '-o', os.devnull, 'true'], stderr=subprocess.PIPE, text=True,
                            check=False)
    return result.stderr.strip() if result.returncode != 0 else ''


def traced(tool, command, environment):
    """Return the file that a tool writes about a run of a command, which must succeed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'traced')
        tools = {'valgrind': ['valgrind', '--tool=callgrind', '--callgrind-out-file=' + path],
                 'strace': ['strace', '-f', '-qq', '-o', path]}
        result = subprocess.run([*tools[tool], *command], env=dict(os.environ, **environment or {}),
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                check=False)
        if result.returncode != 0:
            sys.exit('%s exits with %d:\n%s'
                     % (' '.join(command), result.returncode, result.stdout))
        with open(path, encoding='utf-8', errors='replace') as file:
            return file.read()


def instructions(command, environment=None):
    """Return the instructions of a whole run."""
    return int(re.search(r'^(?:summary|totals): (\d+)', traced('valgrind', command, environment),
                         re.MULTILINE).group(1))


def system_calls(command):
    """Return the number of system calls of a whole run."""
    return len(re.findall(r'^\d+ +\w+\(', traced('strace', command, None), re.MULTILINE))


class Bench:
    """The paths of the programs, and the measurements so far: nothing is measured twice."""

    def __init__(self, folder, driver, rounds, gpu, show_progress):
        self.folder, self.driver, self.rounds, self.gpu = folder, driver, rounds, gpu
        self.show_progress = show_progress
        self.about = {}
        self.known = {}

    def path(self, name):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            raise Skip('%s is not built' % name)
        return path

    def mark(self):
        """Return how many instructions functions begin with that mark targets of indirect branches.
        """
        library = built_file.File(self.path('libcushim.so.0'))
        function, = [symbol for symbol in library.symbols(built_file.DYNAMIC_SYMBOLS)
                     if symbol.name == 'cushim_event_query']
        return int(library.code_of(function)[:4] == built_file.MARK[library.machine])

    def environment(self):
        """Set the driver for programs that load it and for programs that are linked to it."""
        if not self.driver:
            return dict(os.environ)
        return dict(os.environ, CUSHIM_LIBRARY=self.driver,
                    LD_LIBRARY_PATH=os.path.dirname(self.driver))

    def run(self, *words):
        """Return the output of a program; exit status 77 means that it can measure nothing."""
        result = subprocess.run(words, env=self.environment(), stdout=subprocess.PIPE, text=True,
                                check=False)
        if result.returncode == 77:
            raise Skip(result.stdout.strip())
        if result.returncode != 0:
            sys.exit('%s exits with %d\n%s' % (' '.join(words), result.returncode, result.stdout))
        return result.stdout

    def once(self, key, measure):
        if key not in self.known:
            self.show_progress(key)
            self.known[key] = measure()
        return self.known[key]

    def count(self, *words):
        """Return the instructions of a whole run."""
        if why_not('valgrind'):
            raise Skip(why_not('valgrind'))
        return self.once(words, lambda: instructions([self.path(words[0]), *words[1:]],
                                                     self.environment()))

    def per_turn(self, *words, turns=TURNS):
        """Return the instructions of one turn of a program whose last argument is the number of
        turns.
        """
        few, many = (self.count(*words, str(number)) for number in turns)
        return (many - few) / (turns[1] - turns[0])

    def rounds_of(self, row):
        """Map each way of a row of the program `cost` to its times by round."""
        def measure():
            times = {}
            output = self.run(self.path('cost'), 'time' if self.gpu else 'processor',
                              str(max(self.rounds, LEAST_ROUNDS_WITHIN)), row)
            for line in output.splitlines():
                words = line.split()
                if words[0] == 'about':
                    self.about[words[1]] = ' '.join(words[2:])
                elif words[0] == 'time':
                    times.setdefault(words[2], []).append(float(words[3]))
            return times
        return self.once(('cost', row), measure)

    def rounds_by_turns(self, commands, factor=1):
        """Map each name to its times by round, from commands that print a time and alternate."""
        def measure():
            times = {name: [] for name in commands}
            for number, name in by_turns(factor * self.rounds + 1, list(commands)):
                time = float(self.run(*commands[name]).split()[0])
                if number > 0:  # the first round is a warm-up
                    times[name].append(time)
            return times
        return self.once(tuple((name, *words) for name, words in commands.items()), measure)

    def note(self, times, way, base):
        if not self.gpu:
            return ''
        return '%.1f ns to %.1f ns' % tuple(quantile(times[name], 0.5) for name in (way, base))

    def ratio(self, times, way, base):
        """Return the time of one way relative to another's, by round."""
        return figure_of([one / other for one, other in zip(times[way], times[base])],
                         self.note(times, way, base))

    def rate(self, times, way, base):
        """Return how often one way can be done in the time of the other, by round."""
        return figure_of([other / one for one, other in zip(times[way], times[base])],
                         self.note(times, way, base))
