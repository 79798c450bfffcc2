# SPDX-License-Identifier: Apache-2.0
"""The built files: assertions for each of them, and a reader for those parts of 64-bit ELF files
that the tests need.
"""

import os
import shutil
import struct
import unittest
from collections import namedtuple

READELF = shutil.which(os.environ.get('READELF', 'readelf'))

Section = namedtuple('Section', 'name kind flags address offset size link')
Segment = namedtuple('Segment', 'kind flags offset address size')
Symbol = namedtuple('Symbol', 'name kind section value size')

SYMBOLS, DYNAMIC_SYMBOLS, RELA, NOTE_SECTION, RELR = 2, 11, 4, 7, 19
LOAD, NOTE_SEGMENT = 1, 4
EXECUTABLE, WRITABLE = 1, 2
CODE_OR_DATA, CODE, THREAD_LOCAL = 2, 4, 0x400
FUNCTION = 2

# For each machine: the type of relative relocations, and the instruction that marks a target of
# indirect branches.
X86_64, AARCH64 = 62, 183
RELATIVE = {X86_64: 8, AARCH64: 1027}
MARK = {X86_64: b'\xf3\x0f\x1e\xfa', AARCH64: b'\x5f\x24\x03\xd5'} # endbr64, bti c


def base(path):
    return os.path.basename(path)


def is_library(path):
    """Return whether a file is the library itself, and not the mock."""
    return base(path).startswith('libcushim.so')


def is_mock(path):
    return base(path).startswith('libcushim-mock.so')


def is_command(path):
    return base(path) == 'cushim'


class Claims(unittest.TestCase):
    """Assertions about `paths`, which include the library unless only a static one was built."""

    paths = []

    def each(self, judge, of=lambda path: True):
        paths = [path for path in self.paths if of(path)]
        if not paths:
            self.skipTest('no such file was built')
        for path in paths:
            with self.subTest(base(path)):
                judge(path)


class File:
    def __init__(self, path):
        with open(path, 'rb') as file:
            self.data = file.read()
        if self.data[:6] != b'\x7fELF\2\1':
            raise ValueError('%s: this is no ELF file of 64 bits' % path)
        self.kind, self.machine = struct.unpack_from('<HH', self.data, 16)
        start, = struct.unpack_from('<Q', self.data, 40)
        size, count, names = struct.unpack_from('<HHH', self.data, 58)
        rows = [struct.unpack_from('<IIQQQQI', self.data, start + i * size) for i in range(count)]
        self.sections = [Section(self._text(rows[names][4] + row[0]), *row[1:]) for row in rows]
        start, = struct.unpack_from('<Q', self.data, 32)
        size, count = struct.unpack_from('<HH', self.data, 54)
        rows = [struct.unpack_from('<IIQQQQ', self.data, start + i * size) for i in range(count)]
        self.segments = [Segment(*row[:4], row[5]) for row in rows]

    def _text(self, offset):
        return self.data[offset:self.data.index(b'\0', offset)].decode()

    def bytes_of(self, part):
        """The contents of a section or segment."""
        return self.data[part.offset:part.offset + part.size]

    def mapped_bytes(self, writable):
        """How many bytes of the file are mapped like this."""
        return sum(segment.size for segment in self.segments
                   if segment.kind == LOAD and bool(segment.flags & WRITABLE) == writable)

    def relocation_bytes(self):
        return sum(section.size for section in self.sections
                   if section.flags & CODE_OR_DATA and section.kind in (RELA, RELR))

    def symbols(self, kind):
        """The symbols that the file defines."""
        for section in self.sections:
            if section.kind != kind:
                continue
            names = self.sections[section.link].offset
            for at in range(section.offset, section.offset + section.size, 24):
                name, info, _, index, value, size = struct.unpack_from('<IBBHQQ', self.data, at)
                if 0 < index < 0xff00:
                    yield Symbol(self._text(names + name), info & 15, self.sections[index], value,
                                 size)

    def code_of(self, symbol):
        """The bytes of a function. In an object file, its value is an offset in its section."""
        start = symbol.section.offset + symbol.value
        if self.segments:
            start -= symbol.section.address
        return self.data[start:start + symbol.size]

    def code_at(self, address, size):
        """Bytes in an executable section; None: no section contains the address."""
        for section in self.sections:
            place = address - section.address
            if section.flags & CODE and 0 <= place < section.size:
                start = section.offset + place
                return self.data[start:start + size]
        return None

    def pointers(self):
        """Yield (section of the pointer, address that it has without relocation)."""
        for section in self.sections:
            if section.kind != RELA:
                continue
            for at in range(section.offset, section.offset + section.size, 24):
                place, info, addend = struct.unpack_from('<QQq', self.data, at)
                if info & 0xffffffff == RELATIVE[self.machine]:
                    yield self._at(place), addend

    def _at(self, address):
        # A thread-local section has an address, but does not occupy it.
        for section in self.sections:
            held = section.address and not section.flags & THREAD_LOCAL
            if held and section.address <= address < section.address + section.size:
                return section.name
        return ''
