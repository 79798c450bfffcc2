# SPDX-License-Identifier: Apache-2.0
"""The driver functions of the mock are where an editor, ctags or grep finds them.

    mock_functions_test.py SOURCE_ROOT

Each row of src/mock/driver_functions.tsv has one ordinary definition, so that tools for C find its
name. If the function serves other symbols, too, the comment before it names them. The compiler
compares the types of the parameters with the row. This test compares their names, so that two
parameters of one type cannot be exchanged.

The definitions are in src/mock/functions, and no other folder of the mock names them: what they
use knows nothing of them.
"""

import glob
import os
import re
import sys
import unittest

DEFINITION = re.compile(r'^CUresult\scushim__mock_([A-Z]\w*)\(([^(){};]*)\)\n\{', re.MULTILINE)
NAME = re.compile(r'\bcushim__mock_[A-Z]\w*')
COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)
FUNCTIONS = os.path.join('src', 'mock', 'functions')
ALSO = re.compile(r'\bAlso (cu[A-Z]\w*(?:, cu[A-Z]\w*)*)\.')
source_root = None


class Definition:
    def __init__(self, path, text, match):
        before = text[:match.start()]
        self.slot = match.group(1)
        self.where = '%s:%d: %s' % (path, before.count('\n') + 1, self.slot)
        self.parameters = [re.search(r'\w+$', one).group() for one in match.group(2).split(',')
                           if one != 'void']
        self.stands_alone = before.endswith(('\n\n', '*/\n'))
        comment = before[before.rindex('/*'):] if before.endswith('*/\n') else ''
        also = ALSO.search(' '.join(re.sub(r'^ \*', '', comment, flags=re.MULTILINE).split()))
        self.also = also.group(1).split(', ') if also else []


def read_sources():
    """The text of each source of the mock, by its path."""
    sources = {}
    for path in sorted(glob.glob(os.path.join(source_root, 'src', 'mock', '**', '*.[ch]'),
                                 recursive=True)):
        with open(path, encoding='utf-8') as file:
            sources[os.path.relpath(path, source_root)] = file.read()
    return sources


def read_definitions(sources):
    return [Definition(path, text, match) for path, text in sources.items()
            for match in DEFINITION.finditer(text)]


def read_rows():
    """Map the slot that names a function to its row."""
    loader = os.path.join(source_root, 'loader')
    sys.path[:0] = [os.path.join(loader, 'registry'), os.path.join(loader, 'generator')]
    sys.dont_write_bytecode = True
    import mock_functions
    import registry
    functions = registry.read_functions(os.path.join(loader, 'registry', 'functions.tsv'))
    rows = mock_functions.read_mock_functions(
        os.path.join(source_root, 'src', 'mock', 'driver_functions.tsv'), functions)
    return {row.slot: row for row in rows.values()}


class MockFunctions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sources = read_sources()
        cls.definitions = read_definitions(cls.sources)
        cls.rows = read_rows()

    def of_rows(self):
        return [(one, self.rows[one.slot]) for one in self.definitions if one.slot in self.rows]

    def test_each_row_has_one_definition(self):
        found = [one.slot for one in self.definitions]
        self.assertGreater(len(self.rows), 0)
        self.assertEqual([slot for slot in self.rows if slot not in found], [])
        self.assertEqual([one.where for one in self.definitions if found.count(one.slot) > 1], [])

    def test_each_definition_has_a_row(self):
        self.assertEqual([one.where for one in self.definitions if one.slot not in self.rows], [])

    def test_other_folders_name_none(self):
        self.assertEqual([(path, NAME.findall(COMMENT.sub('', text)))
                          for path, text in self.sources.items()
                          if os.path.dirname(path) != FUNCTIONS
                          and NAME.search(COMMENT.sub('', text))], [])

    def test_only_a_comment_stands_before_a_definition(self):
        self.assertEqual([one.where for one in self.definitions if not one.stands_alone], [])

    def test_parameters_have_the_names_of_the_row(self):
        self.assertEqual([one.where for one, row in self.of_rows()
                          if one.parameters != [p.name for p in row.parameters]], [])

    def test_comment_names_the_other_symbols(self):
        self.assertEqual([one.where for one, row in self.of_rows()
                          if one.also != ['cu' + slot for slot in row.also]], [])


if __name__ == '__main__':
    source_root = sys.argv.pop(1)
    unittest.main()
