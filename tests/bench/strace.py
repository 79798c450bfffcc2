# SPDX-License-Identifier: Apache-2.0
"""System calls of a whole run, counted by strace."""

import os
import re
import shutil
import subprocess
import sys
import tempfile


def require():
    """Skip the test where nothing can be counted."""
    if not shutil.which('strace'):
        print('skipped: strace is not installed')
        sys.exit(77)
    result = subprocess.run(['strace', '-o', os.devnull, 'true'], stderr=subprocess.PIPE, text=True,
                            check=False)
    if result.returncode != 0:
        print('skipped: ' + result.stderr.strip())
        sys.exit(77)


def calls(command):
    """The calls of a command, which must succeed, as strace writes them."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'calls')
        result = subprocess.run(['strace', '-f', '-qq', '-o', path, *command],
                                stdout=subprocess.DEVNULL, check=False)
        if result.returncode != 0:
            sys.exit('%s exits with %d' % (' '.join(command), result.returncode))
        with open(path, encoding='utf-8', errors='replace') as file:
            return re.findall(r'^\d+ +(\w+\(.*)$', file.read(), re.MULTILINE)
