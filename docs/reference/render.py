#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run Doxygen into a folder of which nothing is left from before.

usage: render.py DOXYGEN DOXYFILE FOLDER
"""
import shutil
import subprocess
import sys


def main(doxygen, doxyfile, folder):
    shutil.rmtree(folder, ignore_errors=True)
    return subprocess.run([doxygen, doxyfile], check=False).returncode


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
