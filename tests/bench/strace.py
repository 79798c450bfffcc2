# SPDX-License-Identifier: Apache-2.0
"""System calls of a whole run, counted by strace."""

import os
import re
import shutil
import subprocess
import sys
import tempfile


def why_not():
    """Why nothing can be counted; empty: it can."""
    if not shutil.which('strace'):
        return 'strace is not installed'
    result = subprocess.run(['strace', '-o', os.devnull, 'true'], stderr=subprocess.PIPE, text=True,
                            check=False)
    return result.stderr.strip() if result.returncode != 0 else ''


def require():
    """Skip the test where nothing can be counted."""
    if why_not():
        print('skipped: ' + why_not())
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
