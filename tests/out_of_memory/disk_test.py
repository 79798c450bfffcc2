#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files and outputs that cannot be written, and missing folders of the system.

    disk_test.py DENY.so VICTIM COMMAND FAKE_DRIVER.so MOCK.so

Each failure prints a message with the file and the reason, and leaves no incomplete file that looks
complete.
"""

import os
import signal
import subprocess
import sys
import tempfile
import unittest

DENY, VICTIM, COMMAND, FAKE_DRIVER, MOCK = map(os.path.abspath, sys.argv[1:6])

PRINTING = (['info', '--mock'], ['info', '--mock', '--json'], ['time', '--mock', '--json'],
            ['profile', '--mock'], ['symbols'], ['help'], ['--version'])
WORK = {'CUSHIM_LIBRARY': MOCK, 'CUSHIM_MOCK_SETTINGS': 'quiet = yes'}


def run(command, settings=None, **options):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(('CUSHIM_', 'CUDA_'))}
    kept.update(settings or {})
    options.setdefault('stdout', subprocess.PIPE)
    return subprocess.run(command, env=kept, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          timeout=300, check=False, **options)


def run_in_namespace(script, command, settings=None):
    """Run a command in a new mount namespace, after commands of the shell."""
    return run(['unshare', '-m', 'sh', '-c', script + '\nexec "$@"', 'sh', *command], settings)


def has_namespaces():
    try:
        return run(['unshare', '-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).returncode == 0
    except OSError:
        return False


NAMESPACES = has_namespaces()
if not NAMESPACES:
    print('skipped: this process cannot have a mount namespace (unshare -m)')


class Outputs(unittest.TestCase):
    """The output of the command; tests/tool/output_test.py has full disks and closed outputs."""

    def test_pipe_that_nobody_reads(self):
        for arguments in PRINTING:
            for is_ignored in (True, False):
                reader, writer = os.pipe()
                os.close(reader)
                done = run([COMMAND, *arguments], stdout=writer, restore_signals=not is_ignored)
                os.close(writer)
                self.assertEqual(1 if is_ignored else -signal.SIGPIPE, done.returncode, arguments)
                if is_ignored:
                    self.assertIn(b'standard output could not be written: Broken pipe',
                                  done.stderr)
        print('broken pipes: %d' % (2 * len(PRINTING)))


class Files(unittest.TestCase):
    """The only file that the command writes: a profile."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.path = folder.name, os.path.join(folder.name, 'gpu.profile')
        self.whole = run([COMMAND, 'profile', '--mock']).stdout

    def write(self, deny=''):
        return run([COMMAND, 'profile', '--mock', '--output', self.path],
                   {'LD_PRELOAD': DENY, 'DENY': deny})

    def test_limits_of_file_sizes(self):
        limits = [0, 1000, len(self.whole) - 1]
        for limit in limits:
            for former in (None, b'schema = 1\n'):
                for how in ('file', 'killed'):
                    with self.subTest(limit=limit, former=former, how=how):
                        self.check_limit('%s:%d' % (how, limit), former)
        self.assertEqual(0, self.write('file:%d' % len(self.whole)).returncode)
        print('limits of a file: %d' % (4 * len(limits)))

    def check_limit(self, deny, former):
        if former is None and os.path.exists(self.path):
            os.remove(self.path)
        if former is not None:
            with open(self.path, 'wb') as file:
                file.write(former)
        done = self.write(deny)
        if deny.startswith('killed'):
            self.assertEqual(-signal.SIGXFSZ, done.returncode)
        else:
            self.assertEqual(1, done.returncode)
            self.assertIn(self.path.encode() + b': File too large', done.stderr)
            self.assertFalse(os.path.exists(self.path + '.part'))
        self.assert_former(former)

    def assert_former(self, former):
        if former is None:
            self.assertFalse(os.path.exists(self.path))
        else:
            with open(self.path, 'rb') as file:
                self.assertEqual(former, file.read())

    @unittest.skipUnless(NAMESPACES, 'no mount namespace')
    def test_full_disk(self):
        script = 'mount -t tmpfs -o size=4k none %s && echo schema = 1 >%s\n' % (self.folder,
                                                                             self.path)
        look = 'sh -c \'"$@"; echo $?; cat %s; ls -A %s\' sh' % (self.path, self.folder)
        done = run(['unshare', '-m', 'sh', '-c', script + look + ' "$@"', 'sh', COMMAND, 'profile',
                    '--mock', '--output', self.path])
        self.assertEqual(b'1\nschema = 1\ngpu.profile\n', done.stdout)
        self.assertIn(self.path.encode() + b': No space left on device', done.stderr)

    @unittest.skipUnless(NAMESPACES, 'no mount namespace')
    def test_folder_that_is_read_only(self):
        done = run_in_namespace('mount -t tmpfs -o ro none %s' % self.folder,
                                [COMMAND, 'profile', '--mock', '--output', self.path])
        self.assertEqual(1, done.returncode)
        self.assertIn(self.path.encode() + b': Read-only file system', done.stderr)


class Environments(unittest.TestCase):
    """Programs on a system where something usual is missing."""

    PROGRAMS = (([VICTIM, 'load'], {'CUSHIM_LIBRARY': FAKE_DRIVER}), ([VICTIM, 'work'], WORK),
                ([COMMAND, 'info', '--json'], WORK), ([COMMAND, 'info', '--mock'], {}),
                ([COMMAND, 'time', '--mock'], {}),
                ([COMMAND, 'run', '--quiet', '--', VICTIM, 'work'], {}))

    # How many of the programs succeed nevertheless.
    CASES = (('/proc', 5), ('/sys', 6), ('/dev/shm', 6), ('/dev', 6), ('/tmp', 6))

    def test_variables_that_lead_nowhere(self):
        for name in ('HOME', 'TMPDIR', 'XDG_CACHE_HOME', 'PATH', 'LANG'):
            for value in (None, '/nowhere'):
                for command, settings in self.PROGRAMS:
                    line = ['env', '-u', name] if value is None else ['env', name + '=' + value]
                    done = run([*line, *command], settings)
                    self.assertEqual(0, done.returncode, (name, value, command, done))
        print('variables: 10, runs: %d' % (10 * len(self.PROGRAMS)))

    @unittest.skipUnless(NAMESPACES, 'no mount namespace')
    def test_folders_that_are_not_there(self):
        for name, least in self.CASES:
            if VICTIM.startswith(name + '/'):
                print('without %s: left out, what is tested lies there' % name)
                continue
            script = 'mount -t tmpfs -o ro none %s && [ -z "$(ls -A %s)" ] || exit 98' % (name,
                                                                                        name)
            ends = [run_in_namespace(script, command, settings)
                    for command, settings in self.PROGRAMS]
            for (command, _), done in zip(self.PROGRAMS, ends):
                self.assertIn(done.returncode, (0, 1, 2, 125), (name, command, done))
                if done.returncode:
                    self.assertTrue(done.stdout + done.stderr, (name, command))
            did = sum(done.returncode == 0 for done in ends)
            print('without %-9s %d of %d programs do it' % (name + ':', did, len(ends)))
            self.assertGreaterEqual(did, least, [(done.args[-3:], done) for done in ends
                                                 if done.returncode])


if __name__ == '__main__':
    del sys.argv[1:]
    unittest.main()
