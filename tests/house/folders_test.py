# SPDX-License-Identifier: Apache-2.0
"""The source folders: which folder includes headers of which other folder.

    folders_test.py SOURCE_ROOT

Whoever reads a folder needs to know those that it includes and no other, so there is no cycle, and
every edge is declared in folders.txt. What is generated counts as lying beside its meson.build.
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
    """The edges that are declared: each (folder, included folder)."""
    edges = set()
    with open(path, encoding='utf-8') as file:
        for line in file:
            line = line.split('#')[0].strip()
            if line:
                folder, included = line.split(':')
                edges.update((folder.strip(), one) for one in included.split())
    return edges


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
        cls.declared = read_table(TABLE)
        cls.edges = read_sources(source_root)

    def test_sources_are_read(self):
        self.assertGreater(len(self.edges), 10)

    def test_every_edge_is_declared(self):
        undeclared = [line for edge, line in sorted(self.edges.items())
                      if edge not in self.declared]
        self.assertEqual(undeclared, [])

    def test_every_declared_edge_is_there(self):
        self.assertEqual(sorted(self.declared - set(self.edges)), [])

    def test_there_is_no_cycle(self):
        self.assertIsNone(find_cycle(set(self.edges)))

    def test_a_cycle_is_found(self):
        self.assertEqual(find_cycle({('a', 'b'), ('b', 'c'), ('c', 'b')}), ['b', 'c', 'b'])
        self.assertIsNone(find_cycle({('a', 'b'), ('b', 'c'), ('a', 'c')}))


if __name__ == '__main__':
    source_root = sys.argv.pop(1)
    unittest.main()
