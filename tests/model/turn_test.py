#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The model of a load, searched in full by Spin, and with one fault each, which must be found.

    turn_test.py [--all] CC

--all searches the larger worlds too: minutes, and some gigabytes.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'turn.pml')
DEPTH = '1000000'

# What is searched in full.
WORLDS = {
    'two loads of two sources': ['SOURCES'],
    'a load and who installs': ['LOADERS=1', 'INSTALL'],
    'a load, a fork at any instant of it, and cuInit': ['LOADERS=1', 'FORK', 'INIT'],
    'a load that forks, and another fork': ['LOADERS=1', 'FORK', 'FORK_IN_LOAD'],
}
LARGER_WORLDS = {
    'three loads': ['LOADERS=3'],
    'two loads and who installs': ['INSTALL', 'SOURCES'],
    'two loads and a fork': ['FORK'],
    'two loads that fork': ['FORK_IN_LOAD'],
    'a load that forks, another fork, and cuInit': ['LOADERS=1', 'FORK', 'FORK_IN_LOAD', 'INIT'],
}

# Each fault, a world that is large enough for it, and how it shows.
ASSERTION, DEADLOCK, CYCLE = 'assertion violated', 'invalid end state', 'non-progress cycle'
FAULTS = {
    # A commit that does not ask who has the turn.
    'COMMIT': (['SOURCES'], ASSERTION),
    # One that only the holder may make: slow loads take the turn from one another for ever.
    'HOLDER': (['SOURCES'], CYCLE),
    # Nobody takes over from a thread that has ended.
    'TAKEOVER': (['SOURCES'], DEADLOCK),
    # Somebody takes over from one that commits.
    'PATIENCE': (['SOURCES'], ASSERTION),
    # A thread that is cancelled in its commit.
    'CANCEL': (['SOURCES'], DEADLOCK),
    # The table is published before it is copied.
    'COPY': (['SOURCES'], ASSERTION),
    # The end is told before the table is published.
    'LOADED': (['SOURCES'], ASSERTION),
    # What is current is replaced whatever it is.
    'STORE': (['LOADERS=1', 'INSTALL'], ASSERTION),
    # It is looked at before the own table is there.
    'ORDER': (['LOADERS=1', 'INSTALL'], ASSERTION),
    # Whoever puts the own table back does not look again.
    'INSTALL': (['LOADERS=1', 'INSTALL'], ASSERTION),
    # A commit ends without looking whether it is in a child that must not use the driver.
    'END': (['LOADERS=1', 'FORK', 'FORK_IN_LOAD', 'INIT'], ASSERTION),
    # The child does not look whether somebody was inside cuInit.
    'INITIALISING': (['LOADERS=1', 'FORK', 'INIT'], ASSERTION),
    # cuInit is over before it is noted.
    'NOTE': (['LOADERS=1', 'FORK', 'INIT'], ASSERTION),
    # A forbidden child keeps the current table.
    'WITHDRAW': (['LOADERS=1', 'FORK', 'INIT'], ASSERTION),
    # The child does not finish what was being published.
    'FINISH': (['LOADERS=1', 'FORK'], ASSERTION),
    # Of two forks at once one takes the other's answer.
    'LOADER': (['LOADERS=1', 'FORK', 'FORK_IN_LOAD'], ASSERTION),
    # A child takes a load of its parent for one of its own.
    'ORPHANED': (['LOADERS=1', 'FORK'], ASSERTION),
}


def run(folder, *command):
    result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, check=False)
    return result.returncode, result.stdout


def search(defines, cycles):
    """What Spin's verifier says: the text, the number of errors, and of states."""
    with tempfile.TemporaryDirectory(prefix='cushim-model-') as folder:
        code, text = run(folder, 'spin', '-a', *['-D' + name for name in defines], MODEL)
        if code == 0:
            code, text = run(folder, *CC, '-w', '-O2' if ALL else '-O0', '-DCOLLAPSE', '-DVECTORSZ=2048',
                             '-DNP' if cycles else '-DSAFETY', '-o', 'pan', 'pan.c')
        if code != 0:
            raise RuntimeError(text)
        _, text = run(folder, './pan', '-m' + DEPTH, *(['-l'] if cycles else []))
    errors = re.search(r'errors: (\d+)', text)
    states = re.search(r'(\d+) states, stored', text)
    if not errors or not states or 'max search depth too small' in text:
        raise RuntimeError(text)
    return text, int(errors.group(1)), int(states.group(1))


class Model(unittest.TestCase):
    def test_no_fault_is_in_any_world(self):
        for name, defines in {**WORLDS, **(LARGER_WORLDS if ALL else {})}.items():
            with self.subTest(name):
                text, errors, states = search(defines, False)
                self.assertEqual(errors, 0, text)
                print('%8d states, 0 faults: %s' % (states, name))

    def test_every_run_ends(self):
        """There is no cycle at all, so that nobody waits or tries for ever."""
        for name, defines in (WORLDS if ALL else {'two loads': []}).items():
            with self.subTest(name):
                text, errors, states = search(defines, True)
                self.assertEqual(errors, 0, text)
                print('%8d states, 0 cycles: %s' % (states, name))

    def test_each_fault_is_found(self):
        found = 0
        for name, (defines, sign) in FAULTS.items():
            with self.subTest(name):
                text, errors, _ = search(defines + ['BREAK_' + name], sign == CYCLE)
                self.assertNotEqual(errors, 0)
                self.assertIn(sign, text)
                found += 1
        print('%d faults planted, %d found' % (len(FAULTS), found))

    def test_each_fault_of_the_model_is_planted(self):
        with open(MODEL, encoding='ascii') as file:
            self.assertEqual(set(re.findall(r'def BREAK_(\w+)', file.read())), set(FAULTS))


if __name__ == '__main__':
    ALL = '--all' in sys.argv
    CC = [word for word in sys.argv[1:] if word != '--all'] or ['cc']
    if not shutil.which('spin'):
        print('skipped: spin is not installed')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
