#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hardening of the built files.

    hardened_test.py SANITIZER MARKS "FLAG..." "COMPILER..." "INCLUDE..."
        -- FILE... -- ARCHIVE... -- SOURCE...

MARKS is the flag that marks targets of indirect branches, "" if there is none. The FLAGs are the
build's other hardening flags, and each SOURCE contains the thunks.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
REGISTRY = os.path.join(HERE, '../../loader/registry')
sys.path.insert(0, REGISTRY)
import built_file  # noqa: E402
import registry  # noqa: E402
from built_file import AARCH64, MARK, READELF, X86_64, Claims, base, is_command  # noqa: E402

# For each machine: the words of the note, other instructions that may mark the beginning of a
# function, the bytes of a thunk without one, and flags for compilations, each with the words of the
# note that remain.
NOTE = {X86_64: ['IBT', 'SHSTK'], AARCH64: ['BTI', 'PAC']}
OTHER_MARKS = {X86_64: [], AARCH64: [b'\x3f\x23\x03\xd5', b'\x7f\x23\x03\xd5']} # paciasp, pacibsp
PLAIN_THUNK = {X86_64: 10, AARCH64: 8}
WAYS = {
    X86_64: {'-fcf-protection=none': [], '-fcf-protection=full': ['IBT', 'SHSTK'],
             '-fcf-protection=branch': ['IBT'], '-fcf-protection=return': ['SHSTK']},
    AARCH64: {'-mbranch-protection=none': [], '-mbranch-protection=standard': ['BTI', 'PAC'],
              '-mbranch-protection=bti': ['BTI'], '-mbranch-protection=pac-ret': ['PAC'],
              '-mbranch-protection=pac-ret+b-key': ['PAC']},
}
SIGNS = {b'\x3f\x23\x03\xd5': b'\xbf\x23\x03\xd5', b'\x7f\x23\x03\xd5': b'\xff\x23\x03\xd5'}
# Sections that the system's start files fill.
OF_THE_START_FILES = ('.init_array', '.fini_array')
SLOTS = len(registry.read_functions(os.path.join(REGISTRY, 'functions.tsv')))


def output(*command):
    """The status is ignored, because readelf returns 1 for a note of an unknown type."""
    return subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True).stdout


def notes(path):
    """Map the name of each object to the words of its property note."""
    found = {}
    name = os.path.basename(path)
    for line in output(READELF, '-nW', path).splitlines():
        if line.startswith('File: '):
            name = line[6:]
            found[name] = []
        features = re.search(r'(?:x86|AArch64) feature: ([A-Z, ]+)', line)
        if features:
            words = features.group(1).strip(', ').split(', ')
            found[name] = found.get(name, []) + words
    return found


class Hardened(Claims):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='cushim-hardened-')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def needs_marks(self):
        if not MARKS:
            self.skipTest('the build has no markers for indirect branches')

    def link(self, *arguments):
        path = os.path.join(self.folder, 'linked.so')
        subprocess.run([*COMPILER, '-shared', '-fPIC', MARKS, '-o', path, *arguments], check=True)
        return path

    def compile(self, source, *flags):
        path = os.path.join(self.folder, 'object.o')
        subprocess.run([*COMPILER, '-c', *INCLUDE, *flags, source, '-o', path], check=True)
        return path

    def test_every_object_carries_the_note_of_marks(self):
        self.needs_marks()
        for archive in ARCHIVES:
            found = notes(archive)
            print('%d objects in %s' % (len(found), base(archive)))
            self.assertTrue(found)
            self.assertEqual([name for name, words in found.items() if words != NOTE[MACHINE]], [])

    def test_what_is_linked_of_the_objects_keeps_the_note(self):
        """Without the start files of the system, which may lack the note."""
        self.needs_marks()
        for archive in ARCHIVES:
            path = self.link('-nostdlib', '-Wl,--whole-archive', archive,
                             '-Wl,--no-whole-archive')
            self.assertEqual(notes(path).get(base(path)), NOTE[MACHINE], archive)

    def test_what_is_built_has_all_that_the_start_files_leave(self):
        self.needs_marks()
        source = os.path.join(self.folder, 'empty.c')
        with open(source, 'w', encoding='ascii') as file:
            file.write('int empty;\n')
        of_the_system = set(notes(self.link(source)).get('linked.so', []))
        if MACHINE == X86_64: # set at link time, because the start files work with a shadow stack
            of_the_system.add('SHSTK')
        print('what the start files leave: %s' % (sorted(of_the_system) or 'nothing'))

        def judge(path):
            self.assertLessEqual(of_the_system, set(notes(path).get(base(path), [])))
        self.each(judge)

    def test_every_exported_function_begins_with_a_mark(self):
        self.needs_marks()
        checked = 0
        for path in self.paths:
            file = built_file.File(path)
            marks = [MARK[MACHINE]] + OTHER_MARKS[MACHINE]
            for symbol in file.symbols(built_file.DYNAMIC_SYMBOLS):
                if symbol.kind == built_file.FUNCTION and symbol.name not in ('_init', '_fini'):
                    self.assertIn(file.code_of(symbol)[:4], marks, symbol.name)
                    checked += 1
        print('%d exported functions' % checked)
        self.assertGreater(checked, 100)

    def test_every_pointer_to_code_leads_to_a_mark(self):
        """Code in data sections: the lazy-load table, the mock's, and the layer's."""
        self.needs_marks()
        checked = 0
        for path in self.paths:
            file = built_file.File(path)
            marks = [MARK[MACHINE]] + OTHER_MARKS[MACHINE]
            for section, address in file.pointers():
                code = file.code_at(address, 4)
                if code is not None and section not in OF_THE_START_FILES:
                    self.assertIn(code, marks, '%s: %s leads to %#x' % (path, section, address))
                    checked += 1
        print('%d pointers to code' % checked)
        self.assertGreaterEqual(checked, SLOTS)

    def test_thunks_are_what_the_compiler_is_asked_for(self):
        """The same for the two files of dist/, whatever the flags of the build are."""
        for way, words in WAYS[MACHINE].items():
            for source in SOURCES:
                with self.subTest('%s %s' % (base(source), way)):
                    self.judge_thunks(source, way, words)
        print('%d ways, %d sources' % (len(WAYS[MACHINE]), len(SOURCES)))

    def judge_thunks(self, source, way, words):
        path = self.compile(source, way)
        file = built_file.File(path)
        self.assertEqual(notes(path).get(base(path), []), words)
        symbols = {symbol.name: symbol for symbol in file.symbols(built_file.SYMBOLS)}
        thunks = {name for name in symbols if re.fullmatch(r'cushim__\w+_thunks', name)}
        self.assertTrue(thunks)
        landing = words[:1] in (['IBT'], ['BTI'])
        for name in thunks:
            code = file.code_of(symbols[name])
            step = PLAIN_THUNK[MACHINE] + (4 if landing else 0)
            self.assertEqual(len(code), step * SLOTS)
            marked = [code[at:at + 4] == MARK[MACHINE] for at in range(0, len(code), step)]
            self.assertEqual(set(marked), {landing})
        if 'cushim__lazy_tail' in symbols and MACHINE == AARCH64:
            code = file.code_of(symbols['cushim__lazy_tail'])
            words_of_code = [code[at:at + 4] for at in range(0, len(code), 4)]
            signs = [word for word in words_of_code if word in SIGNS]
            checks = [word for word in words_of_code if word in SIGNS.values()]
            self.assertEqual(len(signs), 1 if 'PAC' in words else 0)
            self.assertEqual(checks, [SIGNS[word] for word in signs])

    def test_command_runs_at_any_address(self):
        def judge(path):
            self.assertRegex(output(READELF, '-dW', path), r'FLAGS_1.*\bPIE\b')
        self.each(judge, is_command)

    def test_code_shares_no_page_with_anything_else(self):
        def judge(path):
            file = built_file.File(path)
            # Pages of 4 KiB, the smallest size of the processor.
            pages = [(segment.flags, segment.address // 4096,
                      (segment.address + segment.size - 1) // 4096)
                     for segment in file.segments if segment.kind == built_file.LOAD]
            code = [row for row in pages if row[0] & built_file.EXECUTABLE]
            self.assertEqual(len(code), 1)
            for flags, first, last in pages:
                if not flags & built_file.EXECUTABLE:
                    self.assertTrue(last < code[0][1] or first > code[0][2])
            held = [section.name for section in file.sections if section.flags & 2 and
                    code[0][1] * 4096 <= section.address < (code[0][2] + 1) * 4096 and
                    not section.flags & 4]
            self.assertEqual(held, [])
        self.each(judge)

    def test_stack_is_guarded_and_calls_of_the_c_library_are_checked(self):
        def judge(path):
            symbols = output(READELF, '--dyn-syms', '-W', path)
            if '-fstack-protector-strong' in FLAGS:
                self.assertIn('__stack_chk_fail', symbols)
            if '-D_FORTIFY_SOURCE=3' in FLAGS and '[libc.so.6]' in output(READELF, '-dW', path):
                self.assertRegex(symbols, r'__v?snprintf_chk\b')
        if not FLAGS:
            self.skipTest('the build has no hardening flags')
        self.each(judge)

    def test_flags_reach_everything_that_is_compiled(self):
        flags = [flag for flag in [MARKS, *FLAGS] if flag]
        with open('compile_commands.json', encoding='utf-8') as file:
            commands = [row['command'].split() for row in json.load(file)
                        if row['file'].endswith('.c') and 'subprojects/' not in row['file']]
        print('%d compilations with %s' % (len(commands), ' '.join(flags) or 'no flag'))
        self.assertTrue(commands)
        self.assertEqual([command[-1] for command in commands if not set(flags) <= set(command)],
                         [])


def parts(words):
    """Split the arguments at the separators."""
    found = [[]]
    for word in words:
        if word == '--':
            found.append([])
        else:
            found[-1].append(word)
    return found


if __name__ == '__main__':
    (SANITIZER, MARKS, FLAGS, COMPILER, INCLUDE), Claims.paths, ARCHIVES, SOURCES = parts(sys.argv[1:])
    FLAGS, COMPILER, INCLUDE = FLAGS.split(), COMPILER.split(), INCLUDE.split()
    if not READELF:
        print('skipped: readelf (binutils) is not installed')
        sys.exit(77)
    if SANITIZER != 'none':
        print('skipped: a sanitizer adds code to every file')
        sys.exit(77)
    if not Claims.paths:
        print('skipped: neither a shared library nor the command was built')
        sys.exit(77)
    MACHINE = built_file.File(Claims.paths[0]).machine
    unittest.main(argv=sys.argv[:1], verbosity=2)
