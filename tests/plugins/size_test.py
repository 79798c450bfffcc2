#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The size of a plugin with the whole of cushim inside.

    size_test.py OPTIMIZATION SANITIZER COVERAGE PLUGIN

Counted are all bytes of the segments that are mapped read-only: code, constants, tables for
unwinding, symbols, and beside them the relocations, which the linker reads once.
"""

import struct
import sys
import unittest

# 12 KiB of it are marks and guards against misuse (docs/packaging.md), which a build may leave out.
GOAL = 176 * 1024
PT_LOAD, PF_W = 1, 2
SHT_RELA, SHT_RELR, SHF_ALLOC = 4, 19, 2


def segments(data):
    """(flags, bytes in the file) of each segment that is loaded."""
    start, = struct.unpack_from('<Q', data, 32)
    size, count = struct.unpack_from('<HH', data, 54)
    headers = [struct.unpack_from('<IIQQQQ', data, start + i * size) for i in range(count)]
    return [(flags, filesz) for kind, flags, _, _, _, filesz in headers if kind == PT_LOAD]


def sections(data):
    """Name -> (type, bytes) of each section that is loaded."""
    start, = struct.unpack_from('<Q', data, 40)
    size, count, names = struct.unpack_from('<HHH', data, 58)
    rows = [struct.unpack_from('<IIQQQQ', data, start + i * size) for i in range(count)]
    base = rows[names][4]
    return {data[base + row[0]:data.index(b'\0', base + row[0])].decode(): (row[1], row[5])
            for row in rows if row[2] & SHF_ALLOC}


class Size(unittest.TestCase):
    def test_text_and_constants_are_below_the_goal(self):
        with open(PLUGIN, 'rb') as file:
            data = file.read()
        self.assertEqual(data[:6], b'\x7fELF\2\1', 'not for this kind of file')
        found = sections(data)
        whole = sum(size for flags, size in segments(data) if not flags & PF_W)
        relocations = sum(size for kind, size in found.values() if kind in (SHT_RELA, SHT_RELR))
        for name, (_, size) in sorted(found.items(), key=lambda item: -item[1][1])[:8]:
            print('%8d  %s' % (size, name))
        print('%8d  read-only segments without relocations; the goal is %d'
              % (whole - relocations, GOAL))
        print('%8d  relocations' % relocations)
        self.assertGreater(whole - relocations, 64 * 1024, 'this is not the whole of cushim')
        self.assertLess(whole - relocations, GOAL)


if __name__ == '__main__':
    OPTIMIZATION, SANITIZER, COVERAGE, PLUGIN = sys.argv[1:]
    if SANITIZER != 'none' or COVERAGE == 'true' or OPTIMIZATION not in ('2', '3', 's'):
        print('skipped: judged is what a release is like (optimization 2, 3 or s)')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
