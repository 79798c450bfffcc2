# SPDX-License-Identifier: Apache-2.0
"""Shared code for tests of consumers: run a program as a user does, and check its output. As a
script, it installs cushim for these tests to one prefix.

    consumer.py SOURCE FOLDER CUDA_INCLUDE STAMP COMPILER...

FOLDER/build is kept, so that the next run builds only what has changed. The installation in
FOLDER/prefix is made anew each time.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest


def run(*command, **options):
    """Run a command that must succeed, and return what it printed."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            check=False, **options)
    if result.returncode != 0:
        raise AssertionError('%s exits with %d:\n%s'
                             % (' '.join(command), result.returncode, result.stdout))
    return result.stdout


def environment(**changes):
    """Return the caller's environment without variables that affect cushim or the tests of the
    build.
    """
    kept = {name: value for name, value in os.environ.items()
            if name not in ('CUSHIM_LIBRARY', 'LD_LIBRARY_PATH', 'MALLOC_PERTURB_', 'DESTDIR')}
    return dict(kept, **changes)


def on_mock(library, **changes):
    """Return the environment of a program whose driver is the mock."""
    return environment(CUSHIM_LIBRARY=library, CUSHIM_MOCK_SETTINGS='devices = 3\nquiet = yes',
                       **changes)


def tracked_files(source):
    """Return the files of a source tree, without build outputs."""
    if os.path.exists(os.path.join(source, '.git')):
        listed = run('git', '-C', source, 'ls-files', '-z', '-co', '--exclude-standard')
        return [name for name in listed.split('\0') if os.path.isfile(os.path.join(source, name))]
    names = []
    for folder, folders, files in os.walk(source):
        folders[:] = [name for name in folders
                      if not os.path.exists(os.path.join(folder, name, 'build.ninja'))]
        names += [os.path.relpath(os.path.join(folder, name), source) for name in files]
    return names


def repository(source, folder):
    """Make a repository that contains a source tree in its present state; return its folder."""
    for name in tracked_files(source):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy2(os.path.join(source, name), path)
    git = ['git', '-C', folder, '-c', 'user.name=test', '-c', 'user.email=test@example.org']
    run(*git, 'init', '--quiet', '--initial-branch=main')
    run(*git, 'add', '--all', '--force')
    run(*git, 'commit', '--quiet', '--message=tree')
    return folder


class Consumer(unittest.TestCase):
    def assert_runs(self, program, mock=None, **changes):
        """Assert that the program starts without a driver and prints the state, whatever this
        machine has.
        """
        self.assertEqual(run(program, env=environment(CUSHIM_LIBRARY='none', **changes)),
                         'The driver is disabled by CUSHIM_LIBRARY=none.\n')
        self.assertRegex(run(program, env=environment(**changes)),
                         r'^[A-Z][^\n]+\.\n(\d+ devices\n)?$')
        if mock:
            self.assertRegex(run(program, env=on_mock(mock, **changes)),
                             r'^[A-Z][^\n]+ is loaded[^\n]*\.\n3 devices\n$')

    def assert_answers(self, program, mock=None, **changes):
        """Assert that a program for -lcuda starts without a driver."""
        self.assertEqual(run(program, env=environment(CUSHIM_LIBRARY='none', **changes)),
                         'cuInit answers 303\n')
        self.assertRegex(run(program, env=environment(**changes)), r'^cuInit answers \d+\n$')
        if mock:
            self.assertEqual(run(program, env=on_mock(mock, **changes)), 'cuInit answers 0\n')

    def assert_mocks(self, program, **changes):
        """Assert that the program finds its mock's devices, and that the mock reports the misuse.
        """
        self.assertRegex(run(program, env=environment(**changes)),
                         r'^3 devices; CUSHIM-handle-unknown: error: cuEventQuery: 0x1234 is not '
                         r'the handle of an event; in cuEventQuery, call \d+ of thread 1, at '
                         r'[^\n]+\n$')

    def assert_needs(self, program, cushim):
        """Assert that the program needs libcushim as stated, and no library of CUDA."""
        needed = re.findall(r'\(NEEDED\).*\[(.*)\]', run('readelf', '-dW', program))
        self.assertEqual([name for name in needed if 'cuda' in name], [])
        self.assertEqual([name for name in needed if 'cushim' in name], cushim)


def main(*tools, only=None):
    """Run the test cases of the script, or of one class, and exit with the code that Meson expects.
    """
    for tool in ('readelf', *tools):
        if not shutil.which(tool):
            print('skipped: %s is not installed' % tool)
            sys.exit(77)
    unittest.main(argv=[sys.argv[0], *([only] if only else [])], verbosity=2)


def install(source, folder, cuda_include, stamp, *compiler):
    build, prefix = os.path.join(folder, 'build'), os.path.join(folder, 'prefix')
    options = ['--prefix=' + prefix, '--libdir=lib', '-Dcuda-include=' + cuda_include,
               '-Dtests=disabled', '-Ddefault_library=both', '--wrap-mode=nodownload']
    if os.path.exists(os.path.join(build, 'build.ninja')):
        options.append('--reconfigure')
    else:
        shutil.rmtree(build, ignore_errors=True)
    run('meson', 'setup', build, source, *options,
        env=environment(CC=' '.join(compiler)))
    shutil.rmtree(prefix, ignore_errors=True)
    run('meson', 'install', '-C', build, env=environment())
    with open(stamp, 'w', encoding='ascii'):
        pass


if __name__ == '__main__':
    install(*sys.argv[1:])
