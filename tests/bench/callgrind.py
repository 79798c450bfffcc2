# SPDX-License-Identifier: Apache-2.0
"""Instructions of a whole run, counted by callgrind: exact, so a test may judge them."""

import os
import re
import shutil
import subprocess
import sys
import tempfile


def require():
    """Skip the test where nothing can be counted."""
    if not shutil.which('valgrind'):
        print('skipped: valgrind is not installed')
        sys.exit(77)


def count(command, environment=None):
    """Instructions of a command, which must succeed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'callgrind.out')
        result = subprocess.run(
            ['valgrind', '--tool=callgrind', '--callgrind-out-file=' + path, *command],
            env=dict(os.environ, **environment or {}), stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False)
        if result.returncode != 0:
            sys.exit('%s exits with %d:\n%s'
                     % (' '.join(command), result.returncode, result.stdout))
        with open(path, encoding='utf-8') as file:
            return int(re.search(r'^(?:summary|totals): (\d+)', file.read(), re.MULTILINE).group(1))
