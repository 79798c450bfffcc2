#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs with more privileges than the user who starts them: no environment variable influences
them.

    rights_test.py SANITIZER LIBRARY STUBS MOCK CLIENT DROPIN COMMAND DRIVER

Each program is installed as set-user-ID root, as set-user-ID of another user, as set-group-ID, and
with file capabilities. An ordinary user starts it with an untrusted environment. Without these
privileges, the same environment has its effect, which shows that the test can see it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

NOBODY, OTHER = 65534, 2
SKIPPED = 77


def skip(reason):
    print('skipped: ' + reason)
    sys.exit(SKIPPED)


def set_bits(mode, user, group):
    def install(path):
        os.chown(path, user, group)
        os.chmod(path, mode)
    return install


def set_capability(path):
    subprocess.run(['setcap', 'cap_net_raw+ep', path], check=True)


# How a program gets its privileges.
KINDS = {
    'set-user-ID root': set_bits(0o4755, 0, 0),
    'set-user-ID of another user': set_bits(0o4755, OTHER, OTHER),
    'set-group-ID': set_bits(0o2755, 0, OTHER),
    'set-user-ID and set-group-ID': set_bits(0o6755, OTHER, OTHER),
    'capabilities': set_capability,
}


class Rights(unittest.TestCase):
    maxDiff = None
    runs = 0

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix='cushim-rights-')
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        os.chmod(cls.folder, 0o755)
        cls.driver = cls.install(DRIVER, 'driver/libcuda.so.1')
        cls.dropin = cls.install(DROPIN, 'dropin/libcuda.so.1')
        cls.config = cls.write('mock.conf', 'schema = 1\nquiet = yes\ndriver_version = 11.2\n')

    @classmethod
    def tearDownClass(cls):
        print('programs with more rights: %d runs, 0 steered by a variable' % cls.runs)

    @classmethod
    def write(cls, name, text):
        path = os.path.join(cls.folder, name)
        with open(path, 'w', encoding='ascii') as file:
            file.write(text)
        os.chmod(path, 0o644)
        return path

    @classmethod
    def install(cls, path, name):
        copy = os.path.join(cls.folder, name)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        os.chmod(os.path.dirname(copy), 0o755)
        shutil.copy(path, copy)
        os.chmod(copy, 0o755)
        return copy

    def start(self, program, words=(), **variables):
        return subprocess.run([program, *words], env={'PATH': os.environ['PATH'], **variables},
                              user=NOBODY, group=NOBODY, extra_groups=[], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=300, check=False)

    def with_rights(self, path):
        """Yield the program with each kind of privileges that this machine supports."""
        for kind, give in KINDS.items():
            copy = self.install(path, 'programs/%s-%s' % (os.path.basename(path),
                                                          kind.replace(' ', '-')))
            give(copy)
            with self.subTest(kind):
                yield copy
                type(self).runs += 1

    def printed_by(self, *what, **how):
        result = self.start(*what, **how)
        self.assertEqual([result.returncode, result.stderr], [0, ''], str(what))
        return result.stdout.split()

    def untrusted(self):
        """Return untrusted environments, and what the library reports where it follows them."""
        near = {'LD_HWCAP_MASK': '0xff', 'GLIBC_TUNABLES': 'glibc.rtld.nns=3'}
        there = ['loaded', self.driver]
        return [
            ({'CUSHIM_LIBRARY': self.driver}, there),
            ({'CUSHIM_LIBRARY': self.driver, **near}, there),
            ({'CUSHIM_LIBRARY': 'none'}, ['disabled', 'environment']),
            ({'CUSHIM_LIBRARY': ''}, ['not-loadable', 'environment']),
            ({'CUSHIM_LIBRARY': 'libcuda.so.1'}, ['not-loadable', 'environment']),
            ({'LD_LIBRARY_PATH': os.path.dirname(self.driver)}, there),
            ({'LD_LIBRARY_PATH': os.path.dirname(self.driver), **near}, there),
            # A relative name of a folder.
            ({'LD_LIBRARY_PATH': 'driver'}, None),
        ]

    def check_library(self, path):
        plain = self.install(path, 'programs/' + os.path.basename(path))
        without = self.printed_by(plain)[1:]
        for variables, expected in self.untrusted():
            with self.subTest(str(variables)):
                printed = self.printed_by(plain, **variables)
                self.assertEqual(printed[0], 'plain')
                if expected:
                    self.assertEqual(printed[1:], expected)
                else:
                    self.assertEqual(printed[1], 'loaded')
                for program in self.with_rights(path):
                    self.assertEqual(self.printed_by(program, **variables), ['secure', *without])

    def test_library(self):
        self.check_library(LIBRARY)

    def test_report_does_not_advise_to_set_what_is_ignored(self):
        plain = self.install(LIBRARY, 'programs/' + os.path.basename(LIBRARY))
        self.assertNotIn('ignored', self.start(plain, ['report']).stdout)
        if 'not-found' not in self.start(plain, ['report']).stdout:
            self.skipTest('this machine has a driver')
        for program in self.with_rights(LIBRARY):
            report = self.start(program, ['report'], CUSHIM_LIBRARY=self.driver).stdout
            self.assertIn('\nignored     CUSHIM_LIBRARY', report)
            self.assertIn('ignores CUSHIM_LIBRARY and LD_LIBRARY_PATH', report)
            self.assertIn('ld.so.conf.d', report)
            self.assertNotIn('set CUSHIM_LIBRARY to', report)
            self.assertNotIn('\nignored ', self.start(program, ['report']).stdout)

    def test_stubs(self):
        self.check_library(STUBS)

    def test_mock_in_the_process(self):
        plain = self.install(MOCK, 'programs/mock')
        self.assertEqual(self.printed_by(plain), ['plain', 'mock', '1'])
        untrusted = {'CUDA_VISIBLE_DEVICES': '', 'CUSHIM_MOCK_CONFIG': self.config,
                   'CUSHIM_MOCK_SETTINGS': 'devices = 4'}
        self.assertEqual(self.printed_by(plain, **untrusted), ['plain', 'mock', '-1'])
        for program in self.with_rights(MOCK):
            self.assertEqual(self.printed_by(program, **untrusted), ['secure', 'mock', '1'])

    def test_drop_in_library_of_the_mock(self):
        words = [self.dropin, 'has:cuStreamGetId', 'cuInit']
        untrusted = [
            ({'CUSHIM_MOCK_CONFIG': self.config}, ['0', '0'], False),
            ({'CUSHIM_MOCK_SETTINGS': 'quiet = yes\ndriver_version = 11.2'}, ['0', '0'], False),
            ({'CUSHIM_MOCK_SETTINGS': 'no settings'}, ['1', '802'], True),
            ({'CUSHIM_MOCK_KERNELS': '/no/such/file'}, ['1', '802'], True),
            ({'CUDA_VISIBLE_DEVICES': ''}, ['1', '100'], True),
        ]
        plain = self.install(CLIENT, 'programs/client')
        for variables, expected, speaks in untrusted:
            with self.subTest(str(variables)):
                result = self.start(plain, words, **variables)
                self.assertEqual(result.stdout.split()[1::2], expected)
                self.assertEqual(bool(result.stderr), speaks)
                for program in self.with_rights(CLIENT):
                    result = self.start(program, words, **variables)
                    self.assertEqual(result.stdout.split()[1::2], ['1', '0'])
                    self.assertIn('CUDA 13.0', result.stderr)

    def test_command(self):
        """The command loads, starts and writes what its options name, so with privileges it refuses
        to do anything.
        """
        output = os.path.join(self.folder, 'written')
        plain = self.install(COMMAND, 'programs/cushim')
        self.assertEqual(self.start(plain, ['--version']).returncode, 0)
        for words in (['--version'], ['info', '--library', self.driver], ['info', '--json'],
                      ['run', '--library', os.path.dirname(self.dropin), '--', 'id'],
                      ['symbols'],
                      ['profile', '--mock', '--output', output]):
            for program in self.with_rights(COMMAND):
                result = self.start(program, words, CUSHIM_LIBRARY=self.driver)
                self.assertEqual([result.returncode, result.stdout],
                                 [125 if words[0] == 'run' else 1, ''])
                self.assertIn('more rights than its user', result.stderr)
        self.assertFalse(os.path.exists(output))


def check_machine():
    """Check what this test needs: root, a program that sets capabilities, a file system that allows
    such programs.
    """
    if os.geteuid() != 0:
        skip('only root can install programs of another user')
    if not shutil.which('setcap'):
        del KINDS['capabilities']
        print('without capabilities: there is no setcap')
    with tempfile.TemporaryDirectory(prefix='cushim-rights-') as folder:
        if os.statvfs(folder).f_flag & os.ST_NOSUID:
            skip('the file system of %s ignores set-user-ID' % folder)
        probe = os.path.join(folder, 'probe')
        shutil.copy(LIBRARY, probe)
        os.chmod(folder, 0o755)
        if 'capabilities' in KINDS and subprocess.run(
                ['setcap', 'cap_net_raw+ep', probe], check=False,
                stderr=subprocess.DEVNULL).returncode != 0:
            del KINDS['capabilities']
            print('without capabilities: this file system keeps none')
        set_bits(0o4755, OTHER, OTHER)(probe)
        out = subprocess.run([probe], user=NOBODY, group=NOBODY, extra_groups=[], text=True,
                             stdout=subprocess.PIPE, check=False).stdout
        if not out.startswith('secure'):
            skip('set-user-ID has no effect here (no_new_privs, or a container that forbids it)')


if __name__ == '__main__':
    SANITIZER, LIBRARY, STUBS, MOCK, CLIENT, DROPIN, COMMAND, DRIVER = sys.argv[1:]
    if SANITIZER != 'none':
        skip("a sanitizer's runtime reads the environment as well")
    check_machine()
    unittest.main(argv=sys.argv[:1], verbosity=2)
