# SPDX-License-Identifier: Apache-2.0
"""Run the command as a user does, and examine its output and its exit status."""

import json
import os
import signal
import subprocess
import tempfile
import unittest

# The command that starts a program of the tested platform, such as Wine with its arguments.
RUNNER = json.loads(os.environ.get('CUSHIM_RUNNER', '[]'))
WINDOWS = os.environ.get('CUSHIM_WINDOWS') == 'yes'
COMMAND = [*RUNNER, os.environ['CUSHIM_COMMAND']]

DONE, FAILED, NO_DRIVER, NO_DEVICE, HUNG, CRASHED, SIMULATED = 0, 1, 2, 3, 4, 5, 6
USAGE, INTERRUPTED = 64, 130


def host_path(path):
    """Return an absolute path as the command prints it: Wine calls the root folder Z:."""
    if WINDOWS and path.startswith('/'):
        path = 'Z:' + path
    return path.replace('/', '\\') if WINDOWS else path


def built_driver(name):
    """Return the path of a driver that tests/drivers builds."""
    name += '.dll' if WINDOWS else '.so'
    return host_path(os.path.join(os.environ['CUSHIM_FAKE_DRIVERS'], name))


# The path of a driver that does not exist.
NOWHERE = host_path('/nowhere/libcuda.so.1')


def fake(version):
    """Return the path of the fake driver of a CUDA version, numbered as in cuDriverGetVersion."""
    return host_path(os.environ['CUSHIM_FAKE_%d' % version])


def environment(settings):
    """Return this environment with `settings`, without variables that would change the result."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(('CUSHIM_LIBRARY', 'CUSHIM_MOCK_', 'CUDA_', 'FAKE_'))}
    if RUNNER:
        kept.setdefault('WINEDEBUG', '-all')
    kept.update({name: str(value) for name, value in settings.items()})
    return kept


class Result:
    """The result of a run."""

    def __init__(self, status, out, err, log):
        self.status = status
        self.out = out.decode('utf-8', 'replace')
        self.err = err.decode('utf-8', 'replace')
        # The calls of the command's own process, not of the process that tries the driver first.
        processes = [number for number, line in enumerate(log) if line == 'process']
        self.log = log[processes[-1] + 1:] if processes else []
        self.calls = [line.split()[0] for line in self.log]

    def __str__(self):
        return 'status %d\n--- out\n%s--- err\n%s' % (self.status, self.out, self.err)

    def json(self):
        return json.loads(self.out)

    def lines(self):
        """The text after each label; for repeated labels, the last one."""
        return {line[:11].rstrip(): line[12:].strip()
                for line in self.out.splitlines() if line[11:12] == ' '}


class ToolTest(unittest.TestCase):
    maxDiff = None

    def run_command(self, *arguments, command=None, folder=None, status=None, **settings):
        """Run the command, or `command`, in a folder; other keyword arguments are environment
        variables. Asserts the exit status, if it is given, and what must hold for every run.
        """
        # Files instead of pipes, because other processes that Wine starts would keep pipes open.
        with tempfile.NamedTemporaryFile('r') as log, tempfile.TemporaryFile() as out, \
                tempfile.TemporaryFile() as err:
            settings.setdefault('FAKE_LOG', log.name)
            run = subprocess.run([*(command or COMMAND), *arguments], env=environment(settings),
                                 cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                 timeout=300, check=False)
            out.seek(0)
            err.seek(0)
            result = Result(run.returncode, out.read(), err.read(), log.read().splitlines())
        self.assertNotEqual(result.status, -signal.SIGABRT, 'misuse of the driver: %s' % result)
        self.assertNotEqual(result.status, 99, 'a leak: %s' % result)
        self.assertGreaterEqual(result.status, 0, 'killed: %s' % result)
        return result if status is None else self.assert_status(result, status)

    def run_with(self, version, *arguments, **settings):
        """Run the command with the fake driver of a version."""
        return self.run_command(*arguments, '--library', fake(version), **settings)

    def assert_status(self, result, status):
        self.assertEqual(result.status, status, str(result))
        return result
