# SPDX-License-Identifier: Apache-2.0
"""What the tests of consumers share: running a program as its user does, and judging its words. As
a script it installs cushim for them, in one prefix.

    consumer.py SOURCE FOLDER CUDA_INCLUDE STAMP COMPILER...

FOLDER/build is kept, so that the next time only what has changed is built. The installation is anew
each time: FOLDER/prefix.
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
    """The caller's, but without what steers cushim and the tests of the build around."""
    kept = {name: value for name, value in os.environ.items()
            if name not in ('CUSHIM_LIBRARY', 'LD_LIBRARY_PATH', 'MALLOC_PERTURB_', 'DESTDIR')}
    return dict(kept, **changes)


def on_mock(library, **changes):
    """The environment of a program whose driver is the mock."""
    return environment(CUSHIM_LIBRARY=library, CUSHIM_MOCK_SETTINGS='devices = 3\nquiet = yes',
                       **changes)


class Consumer(unittest.TestCase):
    def assert_runs(self, program, mock=None, **changes):
        """It starts without a driver and says what is the case, whatever the machine has."""
        self.assertEqual(run(program, env=environment(CUSHIM_LIBRARY='none', **changes)),
                         'The driver is disabled by CUSHIM_LIBRARY=none.\n')
        self.assertRegex(run(program, env=environment(**changes)),
                         r'^[A-Z][^\n]+\.\n(\d+ devices\n)?$')
        if mock:
            self.assertRegex(run(program, env=on_mock(mock, **changes)),
                             r'^[A-Z][^\n]+ is loaded[^\n]*\.\n3 devices\n$')

    def assert_answers(self, program, mock=None, **changes):
        """It was made for -lcuda, and starts where there is no driver."""
        self.assertEqual(run(program, env=environment(CUSHIM_LIBRARY='none', **changes)),
                         'cuInit answers 303\n')
        self.assertRegex(run(program, env=environment(**changes)), r'^cuInit answers \d+\n$')
        if mock:
            self.assertEqual(run(program, env=on_mock(mock, **changes)), 'cuInit answers 0\n')

    def assert_mocks(self, program, **changes):
        """It sees the devices of its mock, and what the mock saw of it."""
        self.assertRegex(run(program, env=environment(**changes)),
                         r'^3 devices; cuEventQuery: 0x1234 never was a handle '
                         r'\(call \d+ of thread 1, at [^\n]+\)\n$')

    def assert_needs(self, program, cushim):
        """The program needs libcushim as said, and never a library of CUDA."""
        needed = re.findall(r'\(NEEDED\).*\[(.*)\]', run('readelf', '-dW', program))
        self.assertEqual([name for name in needed if 'cuda' in name], [])
        self.assertEqual([name for name in needed if 'cushim' in name], cushim)


def main(*tools, only=None):
    """Run the test cases of the script, or of one class; exit as Meson expects it."""
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
