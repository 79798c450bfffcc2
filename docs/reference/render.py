#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run Doxygen into a folder of which nothing is left from before, and print where the result begins.

usage: render.py DOXYGEN DOXYFILE FOLDER     without a DOXYGEN: say how to get it, and fail
"""
import os
import shutil
import subprocess
import sys


def main(doxygen, doxyfile, folder):
    if not doxygen:
        sys.exit('The reference needs Doxygen: install the package doxygen, then run\n'
                 '    meson setup --reconfigure ' + os.environ.get('MESON_BUILD_ROOT', 'build'))
    shutil.rmtree(folder, ignore_errors=True)
    status = subprocess.run([doxygen, doxyfile], check=False).returncode
    if status == 0:
        print(os.path.join(folder, 'index.html'))
    return status


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
