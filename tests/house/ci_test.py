# SPDX-License-Identifier: Apache-2.0
"""The jobs of continuous integration: those that the workflows name exist.

    ci_test.py SOURCE_ROOT
"""

import os
import re
import subprocess
import sys
import unittest

source_root = None


def read(*path):
    with open(os.path.join(source_root, *path), encoding='utf-8') as file:
        return file.read()


def names_of(script):
    """Return the first words of the lines that a script of .ci lists."""
    out = subprocess.run([os.path.join(source_root, '.ci', script), '--list'], check=True,
                         stdout=subprocess.PIPE, universal_newlines=True).stdout
    return [line.split()[0] for line in out.splitlines()]


class Jobs(unittest.TestCase):
    def test_each_job_and_step_is_a_function(self):
        for script, prefix in (('run', 'job_'), ('thorough', 'step_')):
            functions = re.findall(r'^%s([\w.-]+)\(\)' % prefix, read('.ci', script), re.MULTILINE)
            self.assertGreater(len(functions), 5)
            self.assertEqual(sorted(functions), sorted(names_of(script)), script)

    def test_contributors_read_the_list_of_jobs(self):
        listed = subprocess.run([os.path.join(source_root, '.ci', 'run'), '--list'], check=True,
                                stdout=subprocess.PIPE, universal_newlines=True).stdout
        rows = ['| `%s` | %s | %s |' % (name, 'yes' if jobs == 'change' else '', what)
                for name, jobs, what in (line.split(None, 2) for line in listed.splitlines())]
        self.assertIn('\n'.join(rows), read('CONTRIBUTING.md'))

    def test_an_unknown_job_is_refused(self):
        done = subprocess.run([os.path.join(source_root, '.ci', 'run'), 'no-job'],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 2)

    def test_workflows_name_jobs_and_steps_that_exist(self):
        jobs, steps = names_of('run') + ['all'], names_of('thorough')
        change, nightly = (read('.github', 'workflows', name + '.yml')
                           for name in ('change', 'nightly'))
        excluded = re.findall(r'^ +job: (\S+)$', change, re.MULTILINE)
        self.assertGreater(len(excluded), 0)
        started = re.findall(r'\.ci/run ([\w.-]+)$', change + nightly, re.MULTILINE)
        self.assertEqual([name for name in excluded + started if name not in jobs], [])
        named = re.search(r'step: \[(.*)\]', nightly).group(1).split(', ')
        self.assertEqual([name for name in named if name not in steps], [])


if __name__ == '__main__':
    source_root = sys.argv.pop(1)
    unittest.main()
