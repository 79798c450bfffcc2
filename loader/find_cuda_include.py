#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print the folder of the installed CUDA toolkit's cuda.h, or nothing.

Looks where the environment points (CUDA_HOME, CUDA_PATH), in /usr/local/cuda, and where pkg-config
knows a `cuda` or `cudart`, the newest first.
"""

import os
import re
import subprocess


def pkg_config(*arguments):
    try:
        return subprocess.run(['pkg-config', *arguments], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ''


def pkg_config_folders():
    """Include folders of packages such as `cuda-13.0`."""
    found = []
    for line in pkg_config('--list-all').splitlines():
        match = re.match(r'(cuda|cudart)(?:-([\d.]+))?\s', line)
        if match:
            version = [int(part) for part in (match.group(2) or '0').split('.') if part]
            found.append((version, match.group(0).strip()))
    for _, name in sorted(found, reverse=True):
        yield pkg_config('--variable=includedir', name).strip()


def candidates():
    for home in (os.environ.get('CUDA_HOME'), os.environ.get('CUDA_PATH'), '/usr/local/cuda'):
        if home:
            yield os.path.join(home, 'include')
    yield from pkg_config_folders()


for folder in candidates():
    if os.path.isfile(os.path.join(folder, 'cuda.h')):
        # The compiler finds what is in its own folder, and would be confused if it were given that.
        if os.path.realpath(folder) != '/usr/include':
            print(os.path.realpath(folder))
        break
