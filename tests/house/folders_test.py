# SPDX-License-Identifier: Apache-2.0
"""The source folders: which folder includes headers of which other folder.

    folders_test.py SOURCE_ROOT

A reader of a folder needs to know only the folders that it includes. So there is no cycle, and
folders.txt declares every edge. A generated file belongs to the folder of its meson.build.
symbols_test.py reads the edges that includes do not show from the objects of the build.
"""

import os
import re
import sys
import unittest

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
ROOTS = ('include', 'loader', 'src')
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'folders.txt')
source_root = None


def read_table(path):
    """The edges that are declared, and those of them that no include makes: (folder, used folder)."""
    edges, by_symbol = set(), set()
    with open(path, encoding='utf-8') as file:
        for line in file:
            line = line.split('#')[0].strip()
            if line:
                folder, used = line.split(':')
                for one in used.split():
                    edge = (folder.strip(), one.rstrip('*'))
                    edges.add(edge)
                    if one.endswith('*'):
                        by_symbol.add(edge)
    return edges, by_symbol


def read_sources(root):
    """Map each edge between two folders to a line that causes it."""
    edges = {}
    for top in ROOTS:
        for folder, _, files in os.walk(os.path.join(root, top)):
            for name in files:
                if name.endswith(('.c', '.h', '.h.in')):
                    add_edges(edges, root, os.path.join(folder, name))
    return edges


def add_edges(edges, root, path):
    own = os.path.relpath(os.path.dirname(path), root)
    with open(path, encoding='utf-8') as file:
        text = file.read()
    for included in INCLUDE.findall(text):
        other = os.path.dirname(included) or own
        if other != own:
            edges.setdefault((own, other),
                             '%s includes %s' % (os.path.relpath(path, root), included))


def find_cycle(edges):
    """Return a cycle as a list of folders, or None."""
    graph = {}
    for folder, other in sorted(edges):
        graph.setdefault(folder, []).append(other)
    done = set()

    def walk(folder, path):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in done:
            return None
        for other in graph.get(folder, ()):
            cycle = walk(other, path + [folder])
            if cycle:
                return cycle
        done.add(folder)
        return None

    for folder in sorted(graph):
        cycle = walk(folder, [])
        if cycle:
            return cycle
    return None


class Folders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.declared, cls.by_symbol = read_table(TABLE)
        cls.edges = read_sources(source_root)

    def test_sources_are_read(self):
        self.assertGreater(len(self.edges), 10)

    def test_every_edge_is_declared(self):
        undeclared = [line for edge, line in sorted(self.edges.items())
                      if edge not in self.declared]
        self.assertEqual(undeclared, [])

    def test_every_declared_edge_is_there(self):
        self.assertEqual(sorted(self.declared - self.by_symbol - set(self.edges)), [])

    def test_edge_of_an_include_has_no_mark(self):
        marked = [line for edge, line in sorted(self.edges.items()) if edge in self.by_symbol]
        self.assertEqual(marked, [])

    def test_there_is_no_cycle(self):
        self.assertIsNone(find_cycle(set(self.edges)))
        self.assertIsNone(find_cycle(self.declared))

    def test_a_cycle_is_found(self):
        self.assertEqual(find_cycle({('a', 'b'), ('b', 'c'), ('c', 'b')}), ['b', 'c', 'b'])
        self.assertIsNone(find_cycle({('a', 'b'), ('b', 'c'), ('a', 'c')}))


if __name__ == '__main__':
    source_root = sys.argv.pop(1)
    unittest.main()
