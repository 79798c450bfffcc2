# SPDX-License-Identifier: Apache-2.0
"""Run the command as a user does, and look at what it says and how it exits."""

import json
import os
import signal
import subprocess
import tempfile
import unittest

COMMAND = os.environ['CUSHIM_COMMAND']

DONE, FAILED, NO_DRIVER, NO_DEVICE, USAGE, INTERRUPTED = 0, 1, 2, 3, 64, 130


def fake(version):
    """Path of the fake driver of a CUDA version, as cuDriverGetVersion counts."""
    return os.environ['CUSHIM_FAKE_%d' % version]


def environment(settings):
    """Ours without what would change the outcome, and with `settings`."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(('CUSHIM_LIBRARY', 'CUSHIM_MOCK_', 'CUDA_', 'FAKE_'))}
    kept.update({name: str(value) for name, value in settings.items()})
    return kept


class Result:
    """What a run has left behind."""

    def __init__(self, status, out, err, log):
        self.status = status
        self.out = out.decode('utf-8', 'replace')
        self.err = err.decode('utf-8', 'replace')
        self.calls = [line.split()[0] for line in log]
        self.log = log

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

    def run_command(self, *arguments, **settings):
        """Run it; keywords are environment variables. Judges what no run may ever do."""
        with tempfile.NamedTemporaryFile('r') as log:
            settings.setdefault('FAKE_LOG', log.name)
            run = subprocess.run([COMMAND, *arguments], env=environment(settings),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, timeout=60, check=False)
            result = Result(run.returncode, run.stdout, run.stderr, log.read().splitlines())
        self.assertNotEqual(result.status, -signal.SIGABRT, 'misuse of the driver: %s' % result)
        self.assertNotEqual(result.status, 99, 'a leak: %s' % result)
        self.assertGreaterEqual(result.status, 0, 'killed: %s' % result)
        return result

    def run_with(self, version, *arguments, **settings):
        """Run it with the fake driver of a version."""
        return self.run_command(*arguments, '--library', fake(version), **settings)

    def assert_status(self, result, status):
        self.assertEqual(result.status, status, str(result))
