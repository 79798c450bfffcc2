# SPDX-License-Identifier: Apache-2.0
"""Many threads make calls without a pause, and the process is killed: every file can be converted,
and every call is recorded or counted as lost.

    stress_test.py [THREADS CALLS KILLS]

The process is killed after a number of calls, not after a time: the threads count their calls in
memory that outlives the process.
"""

import array
import glob
import mmap
import os
import random
import re
import subprocess
import sys
import unittest

from harness import TraceTest

PROGRAM = os.environ['CUSHIM_TRACED_PROGRAM']
MOCK = os.environ['CUSHIM_MOCK_LIBRARY']
THREADS, CALLS, KILLS = 16, 2000, 6
BEGIN_CALLS = 4  # cuDriverGetVersion, cuInit, cuDevicePrimaryCtxRetain, cuCtxSetCurrent


class Stress(TraceTest):
    def start(self, buffer):
        for old in glob.glob(self.path('run.*')):
            os.remove(old)
        with open(self.path('counts'), 'wb') as file:
            file.write(bytes(8 * THREADS))
        variables = {**os.environ, 'CUSHIM_LIBRARY': MOCK, 'CUSHIM_TRACE': self.path('run'),
                     'LD_LIBRARY_PATH': os.path.dirname(MOCK),
                     'CUSHIM_MOCK_SETTINGS': 'quiet = yes\nmode = auto',
                     'CUSHIM_TRACE_OPTIONS': 'buffer = ' + buffer}
        return subprocess.Popen([PROGRAM, 'threads', str(THREADS), str(CALLS),
                                 self.path('counts')], env=variables, stderr=subprocess.DEVNULL)

    def made(self, memory):
        return sum(array.array('Q', memory[:]))

    def figures(self, path):
        """Return how many calls are recorded, have not returned, and are lost."""
        output = self.path('run.html')
        run = self.run_convert(path, output)
        self.assertEqual(run.returncode, 0, run.stderr)
        summary = run.stderr.decode()
        self.assertNotIn('Damaged', summary)
        found = [re.search(pattern, summary, re.MULTILINE) for pattern in
                 (r'^(\d+) calls?, blocked', r'^Missing: (\d+) calls? did not return',
                  r'^Missing: (\d+) calls? did not fit')]
        return [int(match[1]) if match else 0 for match in found]

    def kill_once(self, buffer, at):
        with self.start(buffer) as process, \
                open(self.path('counts'), 'r+b') as file, mmap.mmap(file.fileno(), 0) as memory:
            while self.made(memory) < at and process.poll() is None:
                pass
            process.kill()
            process.wait(300)
            made = self.made(memory)
        [path] = glob.glob(self.path('run.*.trace'))
        calls, unfinished, lost = self.figures(path)
        # A call is recorded when it begins, and counted when it has returned.
        self.assertGreaterEqual(calls + lost, made)
        self.assertLessEqual(calls + lost, made + THREADS + BEGIN_CALLS)
        self.assertLessEqual(unfinished, THREADS)
        return lost

    def test_what_a_killed_process_recorded_and_lost_is_what_it_made(self):
        chance = random.Random(1)
        total = THREADS * CALLS
        for _ in range(KILLS):
            at = chance.randrange(1, total)
            with self.subTest(at=at):
                self.assertEqual(self.kill_once('1 GiB', at), 0)

    def test_what_a_full_file_has_lost_is_counted(self):
        lost = 0
        for i in range(KILLS):
            with self.subTest(kill=i):
                at = (i + 1) * THREADS * CALLS // KILLS
                lost += self.kill_once('%d KiB' % (64 * THREADS // 2), at)
        self.assertGreater(lost, 0)


if __name__ == '__main__':
    if len(sys.argv) > 1:
        THREADS, CALLS, KILLS = map(int, sys.argv[1:4])
        del sys.argv[1:4]
    unittest.main()
