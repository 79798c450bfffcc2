# SPDX-License-Identifier: Apache-2.0
"""No source file has a list of driver functions: only loader/registry says what they do.

    names_test.py SOURCE_ROOT

A source file may name at most two functions: those that it calls or is about. More names in one
file count as a list, which needs an exception with a reason below. A name is a string, a field of a
table, or a slot in CUSHIM__SLOT().
"""

import os
import re
import sys
import unittest

NAMES = 2
ENDINGS = ('.c', '.h', '.py', '.js', '.tsv', '.in')
ROOTS = ('include', 'loader', 'src')
REGISTRY = os.path.join('loader', 'registry')

# How many names a file may have, and why they are not a list of what functions do.
EXCEPTIONS = {
    'loader/fill.c': (3, 'the symbols by which the loader knows that a library is a driver'),
    'src/check/rules/rules.tsv': (13, 'a column refers to pages of the CUDA reference'),
    'src/layer/lookup.c': (3, 'the functions that return functions, and what they need for that'),
    'src/trace/write/writer.c': (3, 'the calls by which a program starts and stops its recording'),
    'src/mock/functions/context.c':
        (3, 'one function serves several ABIs, and asks which was called'),
    'src/mock/functions/graph.c': (3, 'one function serves several slots, and asks which'),
    'src/mock/functions/graph_node.c': (3, 'one function serves several slots, and asks which'),
    'src/mock/functions/stream_memory.c': (9, 'one function serves the slots of both ABIs'),
    'src/mock/driver_functions.tsv': (None, 'how the functions of the mock are called'),
    'src/testkit/test.c': (3, 'the calls that it makes itself, for its messages'),
    'src/tool/time.c': (4, 'the calls that it makes itself, for its messages'),
}

COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)
SLOT = re.compile(r'CUSHIM__SLOT\((\w+)\)')
TEXT = re.compile(r'''["'](cu[A-Z*][\w*]*)["']''')
FIELD = re.compile(r'(?:^|\t)(cu[A-Z*][\w*]*)(?=\t|$)', re.MULTILINE)
source_root = None


def read_symbols(root):
    with open(os.path.join(root, REGISTRY, 'functions.tsv'), encoding='utf-8') as file:
        return {line.split('\t')[0] for line in file if not line.startswith('#')}


def names_of(path, text, symbols):
    """Return the functions, and the patterns of functions, that a source file names."""
    if path.endswith('.tsv'):
        found = set(FIELD.findall(text))
    else:
        text = COMMENT.sub('', text)
        found = set(TEXT.findall(text)) | {'cu' + slot for slot in SLOT.findall(text)}
    return {name for name in found if name in symbols or '*' in name}


def read_sources(root):
    """Map the path of each source file to the names in it."""
    symbols = read_symbols(root)
    sources = {}
    for top in ROOTS:
        for folder, _, files in os.walk(os.path.join(root, top)):
            for name in files:
                path = os.path.relpath(os.path.join(folder, name), root)
                if name.endswith(ENDINGS) and not path.startswith(REGISTRY):
                    with open(os.path.join(root, path), encoding='utf-8') as file:
                        sources[path] = names_of(path, file.read(), symbols)
    return sources


class Names(unittest.TestCase):
    def test_list_of_functions_is_found(self):
        symbols = {'cuInit', 'cuMemAlloc_v2'}
        text = 'a[] = {CUSHIM__SLOT(Init), "cuMemAlloc_v2", "cuMem*", "cuSHIM"}; /* "cuInit" */'
        self.assertEqual(names_of('a.c', text, symbols), {'cuInit', 'cuMemAlloc_v2', 'cuMem*'})
        self.assertEqual(names_of('a.tsv', 'cuInit\tfrees\n# cuMemAlloc_v2 is not\n', symbols),
                         {'cuInit'})

    def test_no_source_lists_functions(self):
        sources = read_sources(source_root)
        self.assertGreater(len(sources), 300)
        for path, names in sorted(sources.items()):
            limit, _ = EXCEPTIONS.get(path, (NAMES, ''))
            if limit is None:
                continue
            self.assertLessEqual(len(names), limit, '%s lists functions of the driver: %s' % (
                path, ', '.join(sorted(names)[:12])))

    def test_no_exception_is_wider_than_it_must_be(self):
        sources = read_sources(source_root)
        for path, (limit, _) in EXCEPTIONS.items():
            if limit is not None:
                self.assertEqual(len(sources[path]), limit, path)


if __name__ == '__main__':
    source_root = sys.argv.pop(1)
    unittest.main()
