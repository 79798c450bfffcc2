# SPDX-License-Identifier: Apache-2.0
"""Run the command as a user does, and look at what it says and how it exits."""

import json
import os
import signal
import subprocess
import tempfile
import unittest

# How a program of the host is started: under Wine, with what stands before its path.
RUNNER = json.loads(os.environ.get('CUSHIM_RUNNER', '[]'))
WINDOWS = os.environ.get('CUSHIM_WINDOWS') == 'yes'
COMMAND = [*RUNNER, os.environ['CUSHIM_COMMAND']]

DONE, FAILED, NO_DRIVER, NO_DEVICE, HUNG, CRASHED, SIMULATED = 0, 1, 2, 3, 4, 5, 6
USAGE, INTERRUPTED = 64, 130


def host_path(path):
    """An absolute path as the command prints it: Wine calls our root Z:."""
    if WINDOWS and path.startswith('/'):
        path = 'Z:' + path
    return path.replace('/', '\\') if WINDOWS else path


def built_driver(name):
    """Path of a driver that tests/drivers builds."""
    name += '.dll' if WINDOWS else '.so'
    return host_path(os.path.join(os.environ['CUSHIM_FAKE_DRIVERS'], name))


# A driver that is not there.
NOWHERE = host_path('/nowhere/libcuda.so.1')


def fake(version):
    """Path of the fake driver of a CUDA version, as cuDriverGetVersion counts."""
    return host_path(os.environ['CUSHIM_FAKE_%d' % version])


def environment(settings):
    """Ours without what would change the outcome, and with `settings`."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(('CUSHIM_LIBRARY', 'CUSHIM_MOCK_', 'CUDA_', 'FAKE_'))}
    if RUNNER:
        kept.setdefault('WINEDEBUG', '-all')
    kept.update({name: str(value) for name, value in settings.items()})
    return kept


class Result:
    """What a run has left behind."""

    def __init__(self, status, out, err, log):
        self.status = status
        self.out = out.decode('utf-8', 'replace')
        self.err = err.decode('utf-8', 'replace')
        # Of the command's own process, not of the one that tries the driver first.
        processes = [number for number, line in enumerate(log) if line == 'process']
        self.log = log[processes[-1] + 1:] if processes else []
        self.calls = [line.split()[0] for line in self.log]

    def __str__(self):
        return 'status %d\n--- out\n%s--- err\n%s' % (self.status, self.out, self.err)

    def json(self):
        return json.loads(self.out)

    def lines(self):
        """The text by label; of labels that come again, the last."""
        return {line[:11].rstrip(): line[12:].strip()
                for line in self.out.splitlines() if line[11:12] == ' '}


class ToolTest(unittest.TestCase):
    maxDiff = None

    def run_command(self, *arguments, command=None, folder=None, **settings):
        """Run it, or `command`, in a folder; other keywords are environment variables.

        Judges what no run may ever do.
        """
        # Files, no pipes: what Wine starts besides would hold these open.
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
        return result

    def run_with(self, version, *arguments, **settings):
        """Run it with the fake driver of a version."""
        return self.run_command(*arguments, '--library', fake(version), **settings)

    def assert_status(self, result, status):
        self.assertEqual(result.status, status, str(result))
