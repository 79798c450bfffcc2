#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that contain cushim: their note for packagers, and their size.

    file_test.py note FILE...
    file_test.py size OPTIMIZATION SANITIZER COVERAGE PLUGIN

note: each file declares that it opens libcuda.so.1 and works without it, with the note of the UAPI
      group's ELF dlopen metadata. The note must be there after strip, in the section and in the
      segment of notes, which is the one that a running process has.
size: all bytes of the segments that are mapped read-only: code, constants, unwind tables, symbols,
      and the relocations, which the dynamic linker reads once.
"""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'binary'))
from built_file import CODE_OR_DATA, NOTE_SECTION, NOTE_SEGMENT, File, base  # noqa: E402

OWNER, TYPE = b'FDO\0', 0x407c0c0a
EXPECTED = [{'feature': 'cuda', 'description': 'Use NVIDIA GPUs through the CUDA driver',
             'priority': 'suggested', 'soname': ['libcuda.so.1']}]

# 12 KiB of it are hardening (markers and checks), which a build may leave out
# (docs/integration.md).
GOAL = 176 * 1024


def notes(blob):
    """Yield (owner, type, content) of each note; owner and content are padded to four bytes."""
    at = 0
    while at < len(blob):
        owner_size, content_size, kind = struct.unpack_from('<III', blob, at)
        owner = at + 12
        content = owner + (owner_size + 3) // 4 * 4
        yield blob[owner:owner + owner_size], kind, blob[content:content + content_size]
        at = content + (content_size + 3) // 4 * 4


class Note(unittest.TestCase):
    def each(self, judge):
        self.assertTrue(WORDS)
        with tempfile.TemporaryDirectory() as folder:
            for path in WORDS:
                stripped = os.path.join(folder, 'stripped')
                subprocess.run(['strip', '-o', stripped, path], check=True)
                for file in path, stripped:
                    with self.subTest('%s, %s' % (base(path), base(file))):
                        judge(File(file))

    def assert_one(self, found):
        self.assertEqual([owner for owner, _, _ in found], [OWNER])
        content = found[0][2]
        self.assertEqual(content[-1:], b'\0')
        self.assertEqual(json.loads(content[:-1].decode('utf-8')), EXPECTED)

    def test_section_holds_it(self):
        def judge(file):
            section, = (section for section in file.sections if section.name == '.note.dlopen')
            self.assertEqual(section.kind, NOTE_SECTION)
            self.assert_one(list(notes(file.bytes_of(section))))
        self.each(judge)

    def test_segment_holds_it_once(self):
        def judge(file):
            self.assert_one([note for segment in file.segments if segment.kind == NOTE_SEGMENT
                             for note in notes(file.bytes_of(segment)) if note[1] == TYPE])
        self.each(judge)


class Size(unittest.TestCase):
    def test_text_and_constants_are_below_the_goal(self):
        file = File(WORDS[-1])
        whole, relocations = file.mapped_bytes(writable=False), file.relocation_bytes()
        loaded = [section for section in file.sections if section.flags & CODE_OR_DATA]
        for section in sorted(loaded, key=lambda section: -section.size)[:8]:
            print('%8d  %s' % (section.size, section.name))
        print('%8d  read-only segments without relocations; the goal is %d'
              % (whole - relocations, GOAL))
        print('%8d  relocations' % relocations)
        self.assertGreater(whole - relocations, 64 * 1024, 'this is not the whole of cushim')
        self.assertLess(whole - relocations, GOAL)


def hindrance():
    if WHAT == 'note':
        return '' if shutil.which('strip') else 'strip (binutils) is not installed'
    optimization, sanitizer, coverage = WORDS[:3]
    if sanitizer != 'none' or coverage == 'true' or optimization not in ('2', '3', 's'):
        return 'judged is what a release is like (optimization 2, 3 or s)'
    return ''


if __name__ == '__main__':
    WHAT, *WORDS = sys.argv[1:]
    if hindrance():
        print('skipped: ' + hindrance())
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], WHAT.capitalize()], verbosity=2)
