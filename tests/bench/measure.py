# SPDX-License-Identifier: Apache-2.0
"""How figures come about: instructions and system calls that are counted, exactly, so that a test
may judge them, and times of things that take turns."""

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

# `low` and `high` are the quartiles of the rounds; None: the figure is exact. `note`: what it is
# in absolute terms, for a GPU, as a person reads it; `absolute`: the number that a goal asks for.
Figure = namedtuple('Figure', 'value low high note absolute', defaults=(None, None, '', None))

# Turns of a loop: the difference of two numbers of them is what a turn costs.
TURNS = (1000, 101000)
# Rounds within a process are short.
LEAST_ROUNDS_WITHIN = 31
# Calls that a program is timed for.
TIMED_TURNS = 2000000


class Skip(Exception):
    """What cannot be measured here, and why."""


def quantile(values, share):
    """Of a list: 0.5 is the median."""
    values = sorted(values)
    place = share * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (values[above] - values[below]) * (place - below)


def figure_of(values, note=''):
    return Figure(quantile(values, 0.5), quantile(values, 0.25), quantile(values, 0.75), note)


def by_turns(number, order):
    """The names of a list, so many times over: each time another one begins."""
    for start in range(number):
        for place in range(len(order)):
            yield start, order[(start + place) % len(order)]


def why_not(tool):
    """Why nothing can be counted by valgrind or strace; empty: it can."""
    if not shutil.which(tool):
        return tool + ' is not installed'
    if tool == 'valgrind':
        return ''
    result = subprocess.run(['strace', '-o', os.devnull, 'true'], stderr=subprocess.PIPE, text=True,
                            check=False)
    return result.stderr.strip() if result.returncode != 0 else ''


def traced(tool, command, environment):
    """What a tool writes of a run of a command, which must succeed."""
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
    """Instructions of a whole run."""
    return int(re.search(r'^(?:summary|totals): (\d+)', traced('valgrind', command, environment),
                         re.MULTILINE).group(1))


def system_calls(command):
    """How many system calls a whole run makes."""
    return len(re.findall(r'^\d+ +\w+\(', traced('strace', command, None), re.MULTILINE))


class Bench:
    """Where the programs are, and what was measured so far: nothing is measured twice."""

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
        """Instructions that functions begin with as the build marks where branches may land."""
        library = built_file.File(self.path('libcushim.so.0'))
        function, = [symbol for symbol in library.symbols(built_file.DYNAMIC_SYMBOLS)
                     if symbol.name == 'cushim_event_query']
        return int(library.code_of(function)[:4] == built_file.MARK[library.machine])

    def environment(self):
        """The driver for those that load it and for those that are linked to it."""
        if not self.driver:
            return dict(os.environ)
        return dict(os.environ, CUSHIM_LIBRARY=self.driver,
                    LD_LIBRARY_PATH=os.path.dirname(self.driver))

    def run(self, *words):
        """What a program prints. 77: it has nothing to measure."""
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
        """Instructions of a whole run."""
        if why_not('valgrind'):
            raise Skip(why_not('valgrind'))
        return self.once(words, lambda: instructions([self.path(words[0]), *words[1:]],
                                                     self.environment()))

    def per_turn(self, *words, turns=TURNS):
        """Instructions of a turn of a program whose last argument is how many it makes."""
        few, many = (self.count(*words, str(number)) for number in turns)
        return (many - few) / (turns[1] - turns[0])

    def rounds_of(self, row):
        """Way -> times by round, of a row of the program `cost`."""
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
        """Name -> times by round, of commands that print a time and take turns."""
        def measure():
            times = {name: [] for name in commands}
            for number, name in by_turns(factor * self.rounds + 1, list(commands)):
                time = float(self.run(*commands[name]).split()[0])
                if number > 0:  # the first round warms
                    times[name].append(time)
            return times
        return self.once(tuple((name, *words) for name, words in commands.items()), measure)

    def note(self, times, way, base):
        if not self.gpu:
            return ''
        return '%.1f ns to %.1f ns' % tuple(quantile(times[name], 0.5) for name in (way, base))

    def ratio(self, times, way, base):
        """The time of one way against another's, by round."""
        return figure_of([one / other for one, other in zip(times[way], times[base])],
                         self.note(times, way, base))

    def rate(self, times, way, base):
        """How often one way goes in the time of the other, by round."""
        return figure_of([other / one for one, other in zip(times[way], times[base])],
                         self.note(times, way, base))
