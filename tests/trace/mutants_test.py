# SPDX-License-Identifier: Apache-2.0
"""Two thousand trace files with random changes: see mutants.c."""

import os
import subprocess
import unittest

from convert_test import scenario
from harness import TraceTest


class Mutants(TraceTest):

    def test_mutants(self):
        path = self.write(scenario())
        run = subprocess.run([os.environ['CUSHIM_MUTANTS'], path, '2000'], check=False,
                             capture_output=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertRegex(run.stdout, rb'\A2000 mutants, of which 1\d\d\d could be read\n\Z')


if __name__ == '__main__':
    unittest.main()
