# SPDX-License-Identifier: Apache-2.0
"""The cost of a start, of loading a driver, and of a missing driver: how it is counted, and how much
a test allows.

A load is all of cushim_driver_load() except a bare dlopen(), relative to a loop of dlsym() over the
same names. The number of system calls depends on the C library, so what is judged is how many more
cushim makes than a program that calls dlopen() for the same name, in the same run.
"""

import re
import subprocess
import sys

sys.dont_write_bytecode = True
from measure import by_turns, instructions, system_calls  # noqa: E402

# Relative relocations: one for each slot of the lazy-load table, and a hundred for texts in tables.
# Symbols: functions of the C library.
MOST_RELATIVE, MOST_SYMBOLS = 900, 90

# A load relative to a loop of dlsym(), and the additional memory that it writes to.
MOST_OF_A_LOAD, MOST_KIB = 1.1, 100
WAYS = 'linker', 'names', 'cushim'

ABSENT_TURNS = (100000, 200000)
HAS_DRIVER = 77

# Reading the file, memory for the attempt, and making pages read-only.
MOST_CALLS_OF_A_LOAD = 12
# The well-known folders, memory for the attempt, and making pages read-only.
MOST_CALLS_WITHOUT_A_DRIVER = 8


def relocations(path):
    text = subprocess.run(['readelf', '-rW', path], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    return re.findall(r'^[0-9a-f]{8,} +[0-9a-f]+ (R_\w+) +(.*)$', text, re.MULTILINE)


def load_commands(program, driver):
    return {way: [program, way, driver] for way in WAYS}


def load_ratio(cost):
    return (cost['cushim'] - cost['linker']) / (cost['names'] - cost['linker'])


def run(command):
    """Return the numbers that a command prints."""
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [float(word) for word in output.split()]


def rounds(commands, number):
    """Return, for each way, what its command prints in each round; the ways alternate."""
    answers = {way: [] for way in commands}
    for _, way in by_turns(number, list(commands)):
        answers[way].append(run(commands[way]))
    return answers


def has_driver(program):
    return subprocess.run([program, 'linker', '0'], stdout=subprocess.DEVNULL,
                          check=False).returncode == HAS_DRIVER


def per_absent_call(program, **setting):
    few, many = (instructions([program, 'cushim', str(turns)], setting) for turns in ABSENT_TURNS)
    return (many - few) / (ABSENT_TURNS[1] - ABSENT_TURNS[0])


def absent_system_calls(program):
    """Return the system calls until a program knows that there is no driver: dlopen()'s, and
    cushim's additional ones.
    """
    number = {way: system_calls([program, way, '0']) for way in ('nothing', 'linker', 'cushim')}
    return number['linker'] - number['nothing'], number['cushim'] - number['linker']
