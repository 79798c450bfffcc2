#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generate one file as an older version of cushim would: from a registry with fewer rows.

    older.py WHAT OUTPUT GENERATE_PY SLOTS

Slots are only ever appended, so an older registry is the beginning of this one.
"""

import os
import shutil
import subprocess
import sys
import tempfile


def truncate(path, count):
    """Keep the comments, and the first so many rows."""
    with open(path, encoding='ascii') as file:
        lines = file.readlines()
    rows = [line for line in lines if not line.startswith('#')]
    if len(rows) <= count:
        sys.exit('older.py: the registry has only %d rows' % len(rows))
    with open(path, 'w', encoding='ascii') as file:
        file.writelines(line for line in lines if line.startswith('#'))
        file.writelines(rows[:count])


def main():
    what, output, generate, count = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        older = os.path.join(folder, 'loader')
        shutil.copytree(os.path.dirname(os.path.abspath(generate)), older)
        truncate(os.path.join(older, 'registry', 'functions.tsv'), int(count))
        subprocess.run([sys.executable, os.path.join(older, 'generate.py'), what,
                        os.path.abspath(output)], check=True)


if __name__ == '__main__':
    main()
