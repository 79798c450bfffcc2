#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Execute the files of examples/ci for continuous integration: each step in its order, on a copy of
the small project next to them, in an environment without the caller's variables.

    ci_test.py SOURCE CUDA_INCLUDE [--root FOLDER] [--only CLASS]

cushim and the CUDA headers come from a repository and an archive that are made from SOURCE and
CUDA_INCLUDE (a folder named include); variables of the files name them. With --root, the steps run
in that root folder, made by debootstrap, and install their packages there. Without it, the packages
must be installed on this machine (77: they are not).

The services' own parts are imitated: the checkout, and the cache, by a second run that finds what
the first run would have kept. Their machines are not imitated.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

try:
    import yaml
except ImportError:
    print('skipped: python3-yaml is not installed')
    sys.exit(77)

# Replaces apt-get if nothing is to be installed.
APT_GET = '''#!/bin/sh
[ "$1" = install ] || exit 0
shift
for name; do
    case $name in -*) continue ;; esac
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || {
        echo "$name" >>"$HOME/not-installed"
        exit 77
    }
done
'''

KNOWN_ACTIONS = 'actions/checkout@v4', 'actions/cache@v4', 'actions/upload-artifact@v4'


class Machine:
    """Where steps run: a root folder with a home folder, the project and cushim's repository."""

    def __init__(self, root):
        self.root = root or ''
        base = tempfile.mkdtemp(prefix='cushim-ci-', dir=self.root + '/tmp')
        self.base = base[len(self.root):]
        self.home, self.project = self.base + '/home', self.base + '/project'
        os.mkdir(self.outside(self.home))
        self.environment = {
            'HOME': self.home,
            'PATH': '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
            'DEBIAN_FRONTEND': 'noninteractive',
            'CUSHIM_SOURCE': 'file://' + self.make_repository(),
            'CUDA_ARCHIVE': 'file://' + self.make_archive()}
        self.add_commands()

    def outside(self, path):
        return self.root + path

    def add_commands(self):
        """Imitate what a hosted machine has, and a container lacks or must not do here."""
        folder = self.base + '/bin'
        os.mkdir(self.outside(folder))
        scripts = {'sudo': '#!/bin/sh\nexec "$@"\n'}
        if not self.root:
            scripts['apt-get'] = APT_GET
        for name, text in scripts.items():
            with open(self.outside(folder + '/' + name), 'w', encoding='ascii') as file:
                file.write(text)
            os.chmod(self.outside(folder + '/' + name), 0o755)
        self.environment['PATH'] = folder + ':' + self.environment['PATH']
        if not self.root and os.path.isdir('/usr/lib/ccache'):
            self.environment['PATH'] = '/usr/lib/ccache:' + self.environment['PATH']
            self.environment['CCACHE_DIR'] = os.environ.get('CCACHE_DIR') or subprocess.run(
                ['ccache', '-k', 'cache_dir'], stdout=subprocess.PIPE, text=True,
                check=True).stdout.strip()

    def make_archive(self):
        """Make the archive of CUDA headers that a hosted machine downloads."""
        path = self.base + '/headers.tar.xz'
        subprocess.run(['tar', '-C', os.path.dirname(CUDA_INCLUDE), '-cf', self.outside(path), '-I',
                        'xz -1', '--transform', 's,^,archive/,', os.path.basename(CUDA_INCLUDE)],
                       check=True)
        return path

    def make_repository(self):
        folder = self.base + '/cushim.git'
        listed = subprocess.run(['git', '-C', SOURCE, 'ls-files', '-co', '--exclude-standard'],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                check=False)
        if listed.returncode != 0:
            print('skipped: %s is no repository' % SOURCE)
            sys.exit(77)
        for name in listed.stdout.splitlines():
            target = os.path.join(self.outside(folder), name)
            if os.path.isfile(os.path.join(SOURCE, name)):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy(os.path.join(SOURCE, name), target)
        git = ['git', '-C', self.outside(folder), '-c', 'user.name=test', '-c', 'user.email=test',
               '-c', 'safe.directory=*']
        for words in ['init', '-q', '-b', 'main'], ['add', '-A'], ['commit', '-q', '-m', 'test']:
            subprocess.run(git + words, check=True, stdout=subprocess.DEVNULL)
        return folder

    def begin(self):
        """Check out the project, without files of an earlier run."""
        shutil.rmtree(self.outside(self.project), ignore_errors=True)
        shutil.copytree(os.path.join(SOURCE, 'examples', 'ci'), self.outside(self.project))

    def run(self, script, variables):
        """Run one step with bash, as both services do; return its exit status and its output."""
        environment = {**variables, **self.environment}
        words = ['bash', '-e', '-o', 'pipefail', '-c', 'cd "$0" && eval "$1"', self.project, script]
        if self.root:
            words = ['chroot', self.root, *words]
        run = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        missing = self.outside(self.home + '/not-installed')
        if os.path.exists(missing):
            with open(missing, encoding='ascii') as file:
                print('skipped: %s is not installed' % file.read().strip())
            sys.exit(77)
        return run.returncode, run.stdout


def read(name):
    with open(os.path.join(SOURCE, 'examples', 'ci', name), encoding='ascii') as file:
        return yaml.safe_load(file)


def github():
    """Return the variables, the steps as (name, script, whether the cache makes it unnecessary),
    the cached paths, and the report.
    """
    job, = read('github.yml')['jobs'].values()
    steps, cached, report = [], None, None
    for step in job['steps']:
        if 'run' in step:
            is_saved = step.get('if') == "steps.cushim.outputs.cache-hit != 'true'"
            assert is_saved or 'if' not in step, step
            assert '${{' not in step['run'], step
            steps.append((step['name'], step['run'], is_saved))
            continue
        assert step['uses'] in KNOWN_ACTIONS, step
        if 'cache' in step['uses']:
            assert step['id'] == 'cushim'
            cached = step['with']['path'].replace('~', '%(home)s')
        if 'upload' in step['uses']:
            report = step['with']['path']
    return read('github.yml')['env'], steps, cached, report


def gitlab():
    whole = read('gitlab-ci.yml')
    job = whole['test']
    kept, = job['cache']['paths']
    # The script itself decides which lines the cache makes unnecessary.
    steps = [(line.split('\n')[0], line, False) for line in job['before_script'] + job['script']]
    return whole['variables'], steps, '%(project)s/' + kept, job['artifacts']['reports']['junit']


class Service(unittest.TestCase):
    def run_steps(self, machine, variables, steps, is_cached):
        for name, script, is_saved in steps:
            if is_cached and is_saved:
                continue
            status, printed = machine.run(script, variables)
            self.assertEqual(status, 0, '%s:\n%s' % (name, printed[-6000:]))

    def read_report(self, machine, report):
        path = os.path.join(machine.outside(machine.project), report)
        suite = xml.etree.ElementTree.parse(path).getroot()
        self.assertEqual(suite.tag, 'testsuite')
        return int(suite.get('tests')), int(suite.get('failures')), suite

    def check(self, variables, steps, kept, report):
        self.assertEqual(set(variables), {'CUSHIM_SOURCE', 'CUSHIM_REVISION', 'CUDA_ARCHIVE'})
        machine = Machine(ROOT)
        self.addCleanup(shutil.rmtree, machine.outside(machine.base))
        machine.begin()
        self.run_steps(machine, variables, steps, False)
        self.assertEqual(self.read_report(machine, report)[:2], (1, 0))

        # The next run finds the cache, but not the sources from which cushim was built.
        path = machine.outside(kept % {'home': machine.home, 'project': machine.project})
        self.assertTrue(os.path.exists(path + '/bin/cushim'))
        shutil.move(path, machine.outside(machine.base + '/cache'))
        machine.begin()
        shutil.move(machine.outside(machine.base + '/cache'), path)
        machine.environment.update(CUSHIM_SOURCE='file:///nowhere',
                                   CUDA_ARCHIVE='file:///nowhere')
        self.run_steps(machine, variables, steps, True)
        self.assertEqual(self.read_report(machine, report)[:2], (1, 0))

        # A bug in the project makes the last step fail, and the report names it.
        source = os.path.join(machine.outside(machine.project), 'blend.c')
        with open(source, encoding='ascii') as file:
            text = file.read()
        with open(source, 'w', encoding='ascii') as file:
            file.write('#define WITH_BUG\n' + text)
        *before, (_, script, _) = steps
        self.run_steps(machine, variables, before, True)
        self.assertNotEqual(machine.run(script, variables)[0], 0)
        tests, failures, suite = self.read_report(machine, report)
        self.assertEqual((tests, failures), (1, 1))
        self.assertIn('CUSHIM-leak-memory: memory#', ''.join(suite.itertext()))

    def test_github(self):
        self.check(*github())

    def test_gitlab(self):
        self.check(*gitlab())


class Page(unittest.TestCase):
    def test_shows_the_files_as_they_are(self):
        files = {}
        for path in glob.glob(os.path.join(SOURCE, 'examples', 'ci', '*')):
            with open(path, encoding='ascii') as file:
                files[os.path.basename(path)] = file.read()
        with open(os.path.join(SOURCE, 'docs', 'ci.md'), encoding='utf-8') as file:
            blocks = re.findall(r'^```(yaml|cmake|c)\n(.*?)^```$', file.read(), re.M | re.S)
        self.assertGreater(len(blocks), 3)
        for _, block in blocks:
            self.assertTrue(any(block in text for text in files.values()), block)
        for name in 'github.yml', 'gitlab-ci.yml':
            self.assertIn(files[name], [block for _, block in blocks])


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('source')
    parser.add_argument('cuda_include')
    parser.add_argument('--root')
    parser.add_argument('--only')
    known = parser.parse_args()
    SOURCE, CUDA_INCLUDE = os.path.abspath(known.source), known.cuda_include
    ROOT = known.root and os.path.abspath(known.root)
    unittest.main(argv=[sys.argv[0], *([known.only] if known.only else [])], verbosity=2)
