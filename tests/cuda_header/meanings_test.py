#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cushim symbols --cuda`: each name means the slot that the headers of that version map it to.

    meanings_test.py COMMAND "CC..." TOOLKIT

TOOLKIT is a folder with a cuda.h, or --fetched: all headers that headers/fetch.sh has downloaded.
"""

import glob
import json
import os
import re
import subprocess
import sys
import unittest

MODES = {'slot': [], 'per_thread_slot': ['-DCUDA_API_PER_THREAD_DEFAULT_STREAM']}
INCLUDES = '#include <cuda.h>\n#include <cudaProfiler.h>\n'


def toolkits(option):
    if option != '--fetched':
        return [option]
    cache = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    return sorted(glob.glob(os.path.join(cache, 'cushim', 'headers', '[0-9]*', 'include')))


def preprocess(folder, flags, text, *options):
    return subprocess.run([*COMPILER, '-isystem' + folder, *flags, '-E', '-P', *options, '-'],
                          input=INCLUDES + text, stdout=subprocess.PIPE, text=True,
                          check=True).stdout


class Header:
    """The names that a program may call, and the symbol of each in a mode."""

    def __init__(self, folder, flags):
        text = preprocess(folder, flags, '@ CUDA_VERSION\n')
        self.version = int(re.findall(r'@ (\d+)', text)[0])
        declared = set(re.findall(r'\bCUresult\s+(cu[A-Z]\w*)\s*\(', text))
        macros = re.findall(r'^#define (cu[A-Z]\w*) ', preprocess(folder, flags, '', '-dM'), re.M)
        names = sorted(declared | set(macros))
        text = preprocess(folder, flags, ''.join('@ "%s" %s\n' % (n, n) for n in names))
        self.meaning = {name: symbol for name, symbol in re.findall(r'@ "(\w+)" (\w+)', text)
                        if symbol in declared}


def plain(names):
    """Names without those that say which ABI they mean."""
    return {name for name in names if not re.search(r'_(v\d+|pt[ds][sz])$', name)}


class Meanings(unittest.TestCase):

    def test_each_name_means_what_the_header_says(self):
        for folder in FOLDERS:
            legacy = Header(folder, [])
            run = subprocess.run([COMMAND, 'symbols', '--json', '--cuda',
                                  '%d.%d' % (legacy.version // 1000, legacy.version % 1000 // 10)],
                                 stdout=subprocess.PIPE, check=True)
            rows = {row['name']: row for row in json.loads(run.stdout)['names']}
            with self.subTest(folder):
                self.assertEqual(set(rows), plain(legacy.meaning))
            for member, flags in MODES.items():
                meaning = Header(folder, flags).meaning
                for name, row in rows.items():
                    slot = row[member] or row['slot']
                    # This one is an inline function, of no other symbol.
                    expected = re.sub(r'^(cuGetProcAddress(_v2)?)_ptsz$', r'\1', meaning[name])
                    with self.subTest(folder, name=name, member=member):
                        self.assertEqual('cu' + slot, expected)


if __name__ == '__main__':
    COMMAND, COMPILER, FOLDERS = sys.argv[1], sys.argv[2].split(), toolkits(sys.argv[3])
    if not FOLDERS:
        print('no headers were fetched')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
