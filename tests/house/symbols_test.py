# SPDX-License-Identifier: Apache-2.0
"""The folders of the sources: which use functions and variables of which.

    symbols_test.py SOURCE_ROOT BUILD_ROOT NM

A local declaration, or a header that lies in a third folder, makes an edge that no include shows.
So the object files of the build are read: an edge leads from the folder of an object with an
undefined symbol to the folder of the object that defines it. folders.txt declares these edges like
those of folders_test.py. What is generated counts as lying beside its meson.build.

What a public header declares makes no edge, since everybody may include <cushim/...>. Nor does what
only tests define. A symbol that several folders define belongs to the target that uses it; if that
does not have it either, it counts for each of them.

NM is empty if there is none. Then, and where it cannot read the objects, the test is skipped.
"""

import collections
import json
import os
import re
import subprocess
import sys
import unittest

from folders_test import ROOTS, TABLE, find_cycle, read_table

COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)
WORD = re.compile(r'\w+')
UNITY = re.compile(r'-unity\d+\.\w+$')
AT_ONCE = 200  # as many objects fit into a command line
LTO = {'__gnu_lto_slim', '__gnu_lto_v1'}  # the symbols of an object that nm needs a plugin for

Object = collections.namedtuple('Object', 'folder target source defined used')
arguments = objects = None


class CannotRead(Exception):
    pass


def folder_of(path, source_root, build_root):
    """The folder of a source, with respect to the tree; of a generated one, to the build folder."""
    for root in (build_root, source_root):
        folder = os.path.relpath(os.path.dirname(path), root)
        if not folder.startswith(os.pardir):
            parts = [part for part in folder.split(os.sep) if not part.endswith('.p')]
            return '/'.join(parts) or '.'
    return None


def list_objects(source_root, build_root):
    """Map the path of each object of the project's folders to (folder, target, source)."""
    objects = {}
    with open(os.path.join(build_root, 'compile_commands.json'), encoding='utf-8') as file:
        commands = json.load(file)
    for command in commands:
        source = os.path.normpath(os.path.join(command['directory'], command['file']))
        path = os.path.normpath(os.path.join(command['directory'], command['output']))
        folder = folder_of(source, source_root, build_root)
        if UNITY.search(source):
            raise CannotRead('%s is of several sources' % command['output'])
        if folder and folder.split('/')[0] in ROOTS:
            objects[path] = (folder, os.path.dirname(path), os.path.relpath(source, source_root))
    return objects


def parse_symbols(text):
    """Map each object in the output of nm to what it (defines, uses)."""
    found = {}
    for line in text.splitlines():
        fields = line.split()
        if len(fields) == 1 and line.endswith(':'):
            defined, used = found.setdefault(line[:-1], (set(), set()))
        elif len(fields) >= 2:
            name = fields[0].split('@')[0]
            if name.startswith('__imp_'):  # of a DLL
                name = name[len('__imp_'):]
            (used if fields[1] in 'Uwv' else defined).add(name)
    return found


def read_symbols(nm, paths):
    found = {}
    for i in range(0, len(paths), AT_ONCE):
        # A single file would have no line with its name.
        ran = subprocess.run([nm, '-g', '-P'] + paths[i:i + AT_ONCE] + paths[i:i + 1],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             universal_newlines=True, check=False)
        if ran.returncode != 0:
            raise CannotRead('%s says %d: %s' % (nm, ran.returncode,
                                                 ran.stderr.strip().split('\n')[0]))
        found.update(parse_symbols(ran.stdout))
    for path, (defined, used) in found.items():
        if LTO & (defined | used):
            raise CannotRead('%s is for optimisation at link time' % path)
    return found


def read_objects(source_root, build_root, nm):
    """The objects that have been built."""
    listed = list_objects(source_root, build_root)
    symbols = read_symbols(nm, [path for path in sorted(listed) if os.path.exists(path)])
    return [Object(*listed[path], *found) for path, found in sorted(symbols.items())]


def read_public(*roots):
    """The words of the public headers."""
    words = set()
    for root in roots:
        for folder, _, files in os.walk(os.path.join(root, 'include')):
            for name in files:
                if name.endswith(('.h', '.hpp')):
                    with open(os.path.join(folder, name), encoding='utf-8') as file:
                        words.update(WORD.findall(COMMENT.sub('', file.read())))
    return words


def find_edges(objects, public):
    """Map each edge between two folders to one of the uses that make it."""
    definers = collections.defaultdict(set)
    for one in objects:
        for symbol in one.defined:
            definers[symbol].add((one.target, one.folder))
    edges = {}
    for one in objects:
        for symbol in sorted(one.used - public):
            everywhere = definers.get(symbol, set())
            own = {entry for entry in everywhere if entry[0] == one.target}
            for _, folder in sorted(own or everywhere):
                if folder != one.folder:
                    edges.setdefault((one.folder, folder), '%s uses %s, which is of %s' % (
                        one.source, symbol, folder))
    return edges


class Symbols(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.declared, cls.by_symbol = read_table(TABLE)
        cls.listed = {folder for folder, _, _ in list_objects(*arguments[:2]).values()}
        cls.edges = find_edges(objects, read_public(*arguments[:2]))

    def test_objects_of_every_folder_are_read(self):
        read = {one.folder for one in objects if one.defined}
        self.assertGreater(len(read), 3)
        self.assertEqual(sorted(self.listed - read), [], 'their objects have not been built')

    def test_every_edge_is_declared(self):
        undeclared = [line for edge, line in sorted(self.edges.items())
                      if edge not in self.declared]
        self.assertEqual(undeclared, [], 'folders.txt does not declare it')

    def test_every_edge_with_a_mark_is_there(self):
        marked = {edge for edge in self.by_symbol if self.listed.issuperset(edge)}
        self.assertEqual(sorted(marked - set(self.edges)), [])

    def test_there_is_no_cycle(self):
        self.assertIsNone(find_cycle(set(self.edges) | self.declared))

    def test_symbols_are_parsed(self):
        text = 'a.o:\nf T 0 10\ng U\n__imp_h U\nb.o:\nf@@V1 U\nv D 0 4\n'
        self.assertEqual(parse_symbols(text), {'a.o': ({'f'}, {'g', 'h'}), 'b.o': ({'v'}, {'f'})})

    def test_edge_is_found(self):
        mine = Object('a', 'one', 'a/a.c', {'f'}, {'cushim_g', 'g', 'printf'})
        other = Object('b', 'two', 'b/b.c', {'g', 'cushim_g'}, {'f'})
        own = Object('c', 'two', 'c/c.c', {'f'}, set())
        self.assertEqual(find_edges([mine, other, own], {'cushim_g'}), {
            ('a', 'b'): 'a/a.c uses g, which is of b',
            ('b', 'c'): 'b/b.c uses f, which is of c'})


def main():
    global arguments, objects
    arguments = sys.argv[1:4]
    del sys.argv[1:4]
    if not arguments[2]:
        print('there is no nm to read the objects with')
        return 77
    try:
        objects = read_objects(*arguments)
    except CannotRead as error:
        print('the objects cannot be read: %s' % error)
        return 77
    return unittest.main(exit=False).result.wasSuccessful() is False


if __name__ == '__main__':
    sys.exit(main())
