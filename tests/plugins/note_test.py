#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each file with cushim inside tells packagers that it opens libcuda.so.1 and lives without it.

    note_test.py FILE...

The note is that of the UAPI group's ELF dlopen metadata. It must be there after strip, in the
section and in the segment of notes, which is what a running process has.
"""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

PT_NOTE, SHT_NOTE = 4, 7
OWNER, TYPE = b'FDO\0', 0x407c0c0a
EXPECTED = [{'feature': 'cuda', 'description': 'Use NVIDIA GPUs through the CUDA driver',
             'priority': 'suggested', 'soname': ['libcuda.so.1']}]


def notes(blob):
    """(owner, type, content) of each note; both parts are padded to four bytes."""
    at = 0
    while at < len(blob):
        owner_size, content_size, kind = struct.unpack_from('<III', blob, at)
        owner = at + 12
        content = owner + (owner_size + 3) // 4 * 4
        yield blob[owner:owner + owner_size], kind, blob[content:content + content_size]
        at = content + (content_size + 3) // 4 * 4


def of_segments(data):
    start, = struct.unpack_from('<Q', data, 32)
    size, count = struct.unpack_from('<HH', data, 54)
    for i in range(count):
        kind, _, offset, _, _, length = struct.unpack_from('<IIQQQQ', data, start + i * size)
        if kind == PT_NOTE:
            yield data[offset:offset + length]


def of_section(data, wanted):
    start, = struct.unpack_from('<Q', data, 40)
    size, count, names = struct.unpack_from('<HHH', data, 58)
    rows = [struct.unpack_from('<IIQQQQ', data, start + i * size) for i in range(count)]
    base = rows[names][4]
    for name, kind, _, _, offset, length in rows:
        if data[base + name:data.index(b'\0', base + name)].decode() == wanted:
            yield kind, data[offset:offset + length]


class Note(unittest.TestCase):
    def each(self, judge):
        self.assertTrue(FILES)
        with tempfile.TemporaryDirectory() as folder:
            for path in FILES:
                stripped = os.path.join(folder, 'stripped')
                subprocess.run(['strip', '-o', stripped, path], check=True)
                for file in path, stripped:
                    with self.subTest('%s, %s' % (os.path.basename(path), os.path.basename(file))):
                        with open(file, 'rb') as opened:
                            data = opened.read()
                        self.assertEqual(data[:6], b'\x7fELF\2\1', 'not for this kind of file')
                        judge(data)

    def assert_one(self, found):
        self.assertEqual([owner for owner, _, _ in found], [OWNER])
        content = found[0][2]
        self.assertEqual(content[-1:], b'\0')
        self.assertEqual(json.loads(content[:-1].decode('utf-8')), EXPECTED)

    def test_section_holds_it(self):
        def judge(data):
            (kind, blob), = of_section(data, '.note.dlopen')
            self.assertEqual(kind, SHT_NOTE)
            self.assert_one(list(notes(blob)))
        self.each(judge)

    def test_segment_holds_it_once(self):
        def judge(data):
            self.assert_one([note for blob in of_segments(data) for note in notes(blob)
                             if note[1] == TYPE])
        self.each(judge)


if __name__ == '__main__':
    FILES = sys.argv[1:]
    if not shutil.which('strip'):
        print('skipped: strip (binutils) is not installed')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
