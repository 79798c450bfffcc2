#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The generator for the table of the mock's functions: the tables that it refuses, and the files
that it writes. Every test of the mock runs the code that it generates.

    generator_test.py GENERATE_PY
"""

import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(HERE, '../../loader', name) for name in ('registry', 'generator')]

import mock_functions  # noqa: E402
import registry  # noqa: E402

ROWS = registry.read_functions(os.path.join(HERE, '../../loader/registry/functions.tsv'))
# Rows of src/mock/driver_functions.tsv. Their symbols must be in the registry's order: PRIORITY,
# QUERY, SYNCHRONIZE, DESTROY, RECORD.
PRIORITY = ('cuStreamGetPriority', '-', 'current, hStream as const stream, priority',
            'find hStream, priority != NULL, current', 'exact')
QUERY = ('cuEventQuery', '-', 'hEvent', 'itself uncaptured', 'exact')
SYNCHRONIZE = ('cuEventSynchronize', '-', 'hEvent', 'itself uncaptured', 'exact')
DESTROY = ('cuEventDestroy', '-', 'hEvent', '-', 'exact')
RECORD = ('cuEventRecord', '-', 'hEvent, hStream', '-', 'time stands still')

COLUMNS = ('symbol', 'also', 'parameters', 'checks', 'answer')


def changed(row, **columns):
    return tuple(columns.get(column, field) for column, field in zip(COLUMNS, row))


# A part of the message, and a table whose last row is refused with it.
REFUSED = (
    *(('there is no symbol ' + symbol, row) for symbol in ('cuEventQuerry', 'EventQuery')
      for row in (changed(QUERY, symbol=symbol), changed(QUERY, also=symbol))),
    ('cuEventQuery is there twice', QUERY, QUERY),
    ('cuEventQuery is there twice', changed(QUERY, also='cuEventQuery')),
    ('cuEventQuery is there twice', QUERY, changed(SYNCHRONIZE, also='cuEventQuery')),
    ('cuEventSynchronize is there twice', changed(QUERY, also='cuEventSynchronize'), SYNCHRONIZE),
    ('rows are in the order of the registry', SYNCHRONIZE, QUERY),
    *(('cuEventQuery has no parameter', changed(QUERY, parameters=text))
      for text in ('event', 'hEvent, Flags', 'hStream as stream')),
    *(('cuEventQuery has no parameter', changed(QUERY, checks=text))
      for text in ('event != NULL', 'find hStream')),
    ('cuStreamGetPriority has no parameter flags as cuStreamGetFlags has it',
     changed(PRIORITY, also='cuStreamGetFlags')),
    ('cuStreamGetPriority has no parameter flags as cuStreamGetFlags has it',
     changed(PRIORITY, also='cuStreamGetFlags', parameters='-', checks='priority != NULL')),
    *(('is no parameter', changed(QUERY, parameters=text))
      for text in ('', 'hEvent as', 'CUevent hEvent', 'hEvent,', 'const hEvent')),
    *(('is no check', changed(QUERY, checks=text))
      for text in ('', 'hEvent', 'find', 'hEvent == NULL', 'captured', 'hEvent != NULL,', 'needs',
                   'needs pools', 'itself uncaptured, find hEvent')),
    *(('parameters are in the order of the symbol',
       changed(RECORD, parameters=text, checks='current'))
      for text in ('hStream, hEvent', 'hEvent, hEvent', 'hEvent, current', 'slot, hEvent',
                   'slot, asynchronous')),
    ('nothing finds stream', changed(PRIORITY, checks='current')),
    ('nothing finds current', changed(PRIORITY, checks='find hStream')),
    ('priority has the type int *', changed(PRIORITY, parameters='priority as it')),
    ('priority has the type int *', changed(PRIORITY, checks='find priority')),
    ('hStream has the type CUstream', changed(PRIORITY, checks='find hStream or current')),
    ('phEvent may be NULL', ('cuEventCreate', '-', 'phEvent as event', 'current', 'exact')),
    ('a check is there twice', changed(PRIORITY, checks='find hStream, find hStream, current')),
    ('found twice', changed(PRIORITY, checks='find hStream, current, wide current')),
    *(('what differs is to be said', changed(RECORD, answer=text))
      for text in ('', '-', 'a | b', 'a `<b>`', 'ends.', 'back\\slash', 'caf\u00e9')),
    ('columns between tabs', QUERY + ('more',)),
    ('columns between tabs', QUERY[:-1]),
)

# The same, where the registry says whether a capture can forbid the call.
CAPTURES = (
    ('cuEventQuery: the registry says', changed(QUERY, checks='-')),
    ('cuEventQuery: the registry says', changed(QUERY, checks='find hEvent')),
    ('cuEventDestroy: the registry does not say', changed(DESTROY, checks='uncaptured')),
    ('cuEventDestroy: the registry does not say', changed(DESTROY, checks='itself uncaptured')),
    ('cuEventDestroy: the registry does not say', changed(QUERY, also='cuEventDestroy')),
)


class Generator(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.output = os.path.join(self.folder.name, 'output')
        self.path = os.path.join(self.folder.name, 'functions.tsv')

    def write(self, *rows):
        with open(self.path, 'w', encoding='utf-8') as file:
            file.writelines('\t'.join(row) + '\n' for row in rows)

    def generate(self, what, *arguments):
        return subprocess.run([sys.executable, GENERATE, what, self.output, *arguments],
                              stderr=subprocess.PIPE, text=True)

    def test_wrong_row_is_refused_with_its_line(self):
        for words, *rows in REFUSED:
            with self.subTest(words, row=rows[-1]):
                self.write(*rows)
                with self.assertRaises(registry.RegistryError) as raised:
                    mock_functions.read_mock_functions(self.path, ROWS)
                self.assertIn('%s:%d: ' % (self.path, len(rows)), str(raised.exception))
                self.assertIn(words, str(raised.exception))

    def test_capture_check_that_the_registry_does_not_ask_for_is_refused(self):
        for words, row in CAPTURES:
            with self.subTest(words, row=row):
                self.write(row)
                done = self.generate('mock_table', self.path)
                self.assertEqual(done.returncode, 1)
                self.assertIn('%s:1: %s' % (self.path, words), done.stderr)

    def test_nothing_is_written_for_a_table_that_is_refused(self):
        self.write(QUERY, QUERY)
        self.assertEqual(self.generate('mock_calls', self.path).returncode, 1)
        self.assertFalse(os.path.exists(self.output))

    def test_table_where_none_is_read_and_none_where_one_is(self):
        self.write(QUERY)
        for what, arguments in (('slots', [self.path]), ('mock_table', [])):
            with self.subTest(what):
                done = self.generate(what, *arguments)
                self.assertEqual(done.returncode, 2)
                self.assertIn('%s is made of the registry' % what, done.stderr)

    def test_file_that_is_as_it_should_be_is_left_alone(self):
        for row, is_changed in ((QUERY, True), (changed(QUERY, answer='time stands still'), False),
                                (RECORD, True)):
            with self.subTest(row=row):
                self.write(row)
                self.assertEqual(self.generate('mock_calls', self.path).returncode, 0)
                self.assertEqual(os.stat(self.output).st_mtime != 1, is_changed)
                os.utime(self.output, (1, 1))


if __name__ == '__main__':
    GENERATE = sys.argv[1]
    unittest.main(argv=sys.argv[:1], verbosity=2)
