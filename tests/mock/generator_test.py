#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The output of the generator for the table of the mock's functions, and the tables that it
refuses.

    generator_test.py GENERATE_PY
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, '../../loader/registry'))

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
# The code of a wrapper after a failed check.
FAILS = ('if (code != CUDA_SUCCESS)', 'return code;')

COLUMNS = ('symbol', 'also', 'parameters', 'checks', 'answer')


def changed(row, **columns):
    return tuple(columns.get(column, field) for column, field in zip(COLUMNS, row))


class Generator(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.output = os.path.join(self.folder.name, 'output')
        self.path = os.path.join(self.folder.name, 'functions.tsv')

    def write(self, *rows):
        with open(self.path, 'w', encoding='utf-8') as file:
            file.writelines('\t'.join(row) + '\n' for row in rows)

    def run_generator(self, what, *arguments):
        return subprocess.run([sys.executable, GENERATE, what, self.output, *arguments],
                              stderr=subprocess.PIPE, text=True)

    def generate(self, what, *rows):
        self.write(*rows)
        done = self.run_generator(what, self.path)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        with open(self.output, encoding='ascii') as file:
            return file.read()

    def refuses(self, words, *rows):
        """Assert that the generator refuses the last row."""
        self.write(*rows)
        with self.assertRaises(registry.RegistryError) as raised:
            mock_functions.read_mock_functions(self.path, FUNCTIONS)
        self.assertIn('%s:%d: ' % (self.path, len(rows)), str(raised.exception))
        self.assertIn(words, str(raised.exception))

    def body(self, table, slot):
        return re.search(r'call_%s\([^{]*\{\n(.*?)^\}' % slot, table,
                         re.DOTALL | re.MULTILINE).group(1)

    def has_steps(self, table, slot, *steps):
        """Assert that the checking function does exactly this, in this order."""
        answer = re.search(r'answer_%s\([^{]*\{\n(.*?)^\}' % slot, table,
                           re.DOTALL | re.MULTILINE).group(1)
        self.assertEqual([line.strip() for line in answer.splitlines() if line], list(steps))

    # --- the output ---

    def test_prototypes_are_those_of_the_registry_and_of_no_other_slot(self):
        text = self.generate('mock_calls', QUERY, RECORD)
        self.assertEqual(re.findall(r'^CUresult.*', text, re.MULTILINE),
                         ['CUresult cushim__mock_EventQuery(CUevent hEvent);',
                          'CUresult cushim__mock_EventRecord(CUevent hEvent, '
                          'CUstream hStream);'])

    def test_prototype_has_objects_for_handles_and_the_current_context_first(self):
        text = self.generate('mock_calls', PRIORITY)
        self.assertIn('struct mock_context;\nstruct mock_stream;\n', text)
        self.assertIn('cushim__mock_StreamGetPriority(struct mock_context *current,\n'
                      '    const struct mock_stream *stream, int *priority);', text)

    def test_wrapper_checks_in_the_order_of_the_row(self):
        table = self.generate('mock_table', PRIORITY)
        self.has_steps(table, 'StreamGetPriority',
                       'struct mock_stream *found_stream;', 'struct mock_context *found_current;',
                       'CUresult code;',
                       'code = cushim__mock_stream_find(hStream, &found_stream);',
                       *FAILS, 'if (!priority)', 'return CUDA_ERROR_INVALID_VALUE;',
                       'code = cushim__mock_context_current(&found_current);', *FAILS,
                       'return cushim__mock_StreamGetPriority(found_current, found_stream, '
                       'priority);')
        self.assertIn('answer = answer_StreamGetPriority(hStream, priority);',
                      self.body(table, 'StreamGetPriority'))

    def test_what_is_checked_need_not_be_a_parameter_of_the_function(self):
        row = changed(PRIORITY, parameters='-')
        self.assertIn('cushim__mock_StreamGetPriority(void);', self.generate('mock_calls', row))
        table = self.generate('mock_table', row)
        self.has_steps(table, 'StreamGetPriority',
                       'struct mock_stream *found_hStream;', 'struct mock_context *found_current;',
                       'CUresult code;',
                       'code = cushim__mock_stream_find(hStream, &found_hStream);',
                       *FAILS, 'if (!priority)', 'return CUDA_ERROR_INVALID_VALUE;',
                       'code = cushim__mock_context_current(&found_current);', *FAILS,
                       'return cushim__mock_StreamGetPriority();')

    def test_wrapper_finds_each_kind_of_object_by_its_own_function(self):
        for symbol, parameter, unsafe, call in (
                ('cuEventQuery', 'hEvent as it', ', uncaptured',
                 'object_find(hEvent, MOCK_EVENT, &found_it)'),
                ('cuCtxDetach', 'ctx as it', '', 'context_find(ctx, &found_it)'),
                ('cuMemPoolDestroy', 'pool as it', ', uncaptured', 'pool_find(pool, &found_it)'),
                ('cuFuncLoad', 'function as it', '', 'function_in(function, NULL, &found_it)'),
                ('cuGraphExecDestroy', 'hGraphExec as it', ', uncaptured',
                 'object_find(hGraphExec, MOCK_EXEC, &found_it)')):
            with self.subTest(symbol):
                row = (symbol, '-', parameter, 'find ' + parameter.split()[0] + unsafe, 'exact')
                self.assertIn('code = cushim__mock_%s;' % call, self.generate('mock_table', row))

    def test_null_is_the_current_context_where_the_row_says_so(self):
        table = self.generate('mock_table', ('cuCtxSynchronize_v2', '-', 'ctx as context',
                                             'find ctx or current, itself uncaptured', 'exact'))
        self.assertIn('cushim__mock_context_find_or_current(ctx, &found_context);', table)

    def test_wrapper_writes_the_handle_of_what_the_function_has_made(self):
        row = ('cuEventCreate', '-', 'phEvent as made, Flags', 'phEvent != NULL', 'exact')
        self.assertIn('cushim__mock_EventCreate(struct mock_event **made, unsigned int Flags);',
                      self.generate('mock_calls', row))
        self.has_steps(self.generate('mock_table', row), 'EventCreate',
                       'struct mock_event *made_made = NULL;', 'CUresult code;',
                       'if (!phEvent)', 'return CUDA_ERROR_INVALID_VALUE;',
                       'code = cushim__mock_EventCreate(&made_made, Flags);',
                       'if (code == CUDA_SUCCESS)',
                       '*phEvent = ((struct mock_object *)made_made)->handle;', 'return code;')

    def test_wrapper_refuses_an_unsafe_call_where_the_row_says_so(self):
        table = self.generate('mock_table', ('cuMemFree_v2', '-', 'current, dptr',
                                             'wide current, uncaptured', 'exact'))
        self.has_steps(table, 'MemFree_v2', 'struct mock_context *found_current;', 'CUresult code;',
                       'code = cushim__mock_memory_context(&found_current);', *FAILS,
                       'code = cushim__mock_capture_unsafe();', *FAILS,
                       'return cushim__mock_MemFree_v2(found_current, dptr);')

    def test_wrapper_refuses_a_call_that_the_device_is_not_able_to_do(self):
        table = self.generate('mock_table', changed(PRIORITY, parameters='hStream as stream',
                                                    checks='find hStream, needs MANAGED_MEMORY'))
        self.has_steps(table, 'StreamGetPriority', 'struct mock_stream *found_stream;',
                       'CUresult code;',
                       'code = cushim__mock_stream_find(hStream, &found_stream);', *FAILS,
                       'code = cushim__mock_needs(MOCK_NEEDS_MANAGED_MEMORY);', *FAILS,
                       'return cushim__mock_StreamGetPriority(found_stream);')

    def test_function_that_refuses_unsafe_calls_itself_has_no_such_check(self):
        table = self.generate('mock_table', changed(PRIORITY, symbol='cuStreamQuery',
                                                    parameters='hStream as stream',
                                                    checks='find hStream, itself uncaptured'))
        self.has_steps(table, 'StreamQuery', 'struct mock_stream *found_stream;', 'CUresult code;',
                       'code = cushim__mock_stream_find(hStream, &found_stream);', *FAILS,
                       'return cushim__mock_StreamQuery(found_stream);')

    def test_function_serves_the_other_symbols_of_its_row(self):
        row = changed(DESTROY, also='cuEventDestroy_v2')
        table = self.generate('mock_table', row)
        for slot in ('EventDestroy', 'EventDestroy_v2'):
            self.assertIn('answer = cushim__mock_EventDestroy(hEvent);', self.body(table, slot))
        self.assertIn('| `cuEventDestroy_v2` | exact |  |', self.generate('mock_page', row))

    def test_parameter_that_another_symbol_lacks_is_zero_for_it(self):
        table = self.generate('mock_table', (
            'cuMemcpyDtoHAsync_v2', 'cuMemcpyDtoH_v2', 'ByteCount, hStream, asynchronous', '-',
            'exact'))
        self.assertIn('answer = cushim__mock_MemcpyDtoHAsync_v2(ByteCount, 0, false);',
                      self.body(table, 'MemcpyDtoH_v2'))
        for slot in ('MemcpyDtoHAsync_v2', 'MemcpyDtoHAsync_v2_ptsz'):
            self.assertIn('answer = cushim__mock_MemcpyDtoHAsync_v2(ByteCount, hStream, true);',
                          self.body(table, slot))

    def test_function_of_several_symbols_learns_which_one_is_called(self):
        row = changed(SYNCHRONIZE, also='cuEventQuery', parameters='hEvent, slot')
        self.assertIn('cushim__mock_EventSynchronize(CUevent hEvent, unsigned slot);',
                      self.generate('mock_calls', row))
        table = self.generate('mock_table', row)
        for slot in ('EventQuery', 'EventSynchronize'):
            self.assertIn('cushim__mock_EventSynchronize(hEvent, CUSHIM__SLOT(%s));' % slot,
                          self.body(table, slot))
        twin = self.generate('mock_table', changed(RECORD, parameters='hStream, slot'))
        self.assertIn('CUSHIM__SLOT(EventRecord));', self.body(twin, 'EventRecord_ptsz'))

    def test_parameters_that_are_left_out_are_not_handed_on(self):
        table = self.generate('mock_table', changed(QUERY, parameters='-'))
        self.assertIn('(void)hEvent;', self.body(table, 'EventQuery'))
        self.assertIn('answer = cushim__mock_EventQuery();', self.body(table, 'EventQuery'))

    def test_table_calls_what_is_implemented_and_refuses_the_rest(self):
        table = self.generate('mock_table', QUERY)
        self.assertIn('answer = cushim__mock_EventQuery(hEvent);', self.body(table, 'EventQuery'))
        self.assertIn('cushim__mock_call_enter(', self.body(table, 'EventQuery'))
        self.assertIn('cushim__mock_call_leave(', self.body(table, 'EventQuery'))
        self.assertIn('return cushim__mock_call_refuse(', self.body(table, 'EventSynchronize'))
        self.assertEqual(table.count('cushim__mock_Event'), 1)

    def test_per_thread_twin_shares_the_function_unless_it_has_its_own(self):
        shared = self.body(self.generate('mock_table', RECORD), 'EventRecord_ptsz')
        self.assertIn('answer = cushim__mock_EventRecord(hEvent, hStream);', shared)
        self.assertEqual(re.findall(r'per_thread = (\w+);', shared), ['true', 'false'])
        own = self.body(self.generate('mock_table', RECORD,
                                      changed(DESTROY, symbol='cuEventRecord_ptsz')),
                        'EventRecord_ptsz')
        self.assertIn('answer = cushim__mock_EventRecord_ptsz(hEvent);', own)
        self.assertNotIn('per_thread', own)

    def test_function_of_a_superseded_abi_says_so_and_no_other_does(self):
        table = self.generate('mock_table', DESTROY, changed(DESTROY, symbol='cuEventDestroy_v2'))
        self.assertIn('cushim__mock_call_superseded(371u, 374u);', self.body(table, 'EventDestroy'))
        self.assertEqual(table.count('cushim__mock_call_superseded'), 1)

    def test_page_has_every_function_once_and_counts_them(self):
        page = self.generate('mock_page', QUERY, RECORD)
        rows = re.findall(r'^\| `(cu\w+)` \| (\w+) \| (.*) \|$', page, re.MULTILINE)
        self.assertEqual(sorted(symbol for symbol, _, _ in rows),
                         sorted(row.symbol for row in ROWS))
        reported = {symbol: (kind, difference) for symbol, kind, difference in rows}
        self.assertEqual(reported['cuEventQuery'], ('exact', ''))
        self.assertEqual(reported['cuEventRecord'], ('approximate', 'time stands still'))
        self.assertEqual(reported['cuEventRecord_ptsz'], ('approximate', 'time stands still'))
        self.assertEqual(reported['cuEventSynchronize'], ('refused', ''))
        self.assertEqual(reported['cuWGLGetDevice'], ('absent', ''))
        interop = sum(row.interop for row in ROWS)
        core = len(ROWS) - interop
        self.assertIn('| The driver API | 1 | 2 | %d | 0 | %d |' % (core - 3, core), page)
        self.assertIn('| Graphics interop | 0 | 0 | %d | 1 | %d |' % (interop - 1, interop), page)

    def test_exports_are_all_symbols_but_those_of_another_system(self):
        self.assertEqual(self.run_generator('mock_exports').returncode, 0)
        with open(self.output, encoding='ascii') as file:
            text = file.read()
        exports = re.findall(r'__asm__\("(cu\w+)"\)', text)
        self.assertEqual(sorted(exports), sorted(row.symbol for row in ROWS
                                                 if row.symbol != 'cuWGLGetDevice'))
        self.assertIn('return cushim__exports->EventQuery(hEvent);', text)

    def test_file_that_is_as_it_should_be_is_left_alone(self):
        self.generate('mock_calls', QUERY)
        os.utime(self.output, (1, 1))
        self.generate('mock_calls', changed(QUERY, answer='time stands still'))
        self.assertEqual(os.stat(self.output).st_mtime, 1)
        self.generate('mock_calls', RECORD)
        self.assertNotEqual(os.stat(self.output).st_mtime, 1)

    # --- refused tables ---

    def test_generator_names_the_line_and_writes_nothing(self):
        self.write(QUERY, QUERY)
        done = self.run_generator('mock_calls', self.path)
        self.assertEqual(done.returncode, 1)
        self.assertIn('%s:2: cuEventQuery is there twice' % self.path, done.stderr)
        self.assertFalse(os.path.exists(self.output))

    def test_table_where_none_is_read_and_none_where_one_is(self):
        self.write(QUERY)
        for what, arguments in (('slots', [self.path]), ('mock_table', [])):
            with self.subTest(what):
                done = self.run_generator(what, *arguments)
                self.assertEqual(done.returncode, 2)
                self.assertIn('%s is made of the registry' % what, done.stderr)

    def test_symbol_that_is_none(self):
        for symbol in ('cuEventQuerry', 'EventQuery'):
            with self.subTest(symbol):
                self.refuses('there is no symbol ' + symbol, changed(QUERY, symbol=symbol))
                self.refuses('there is no symbol ' + symbol, changed(QUERY, also=symbol))

    def test_symbol_that_is_there_twice(self):
        self.refuses('cuEventQuery is there twice', QUERY, QUERY)
        self.refuses('cuEventQuery is there twice', changed(QUERY, also='cuEventQuery'))
        self.refuses('cuEventQuery is there twice', QUERY,
                     changed(SYNCHRONIZE, also='cuEventQuery'))
        self.refuses('cuEventSynchronize is there twice',
                     changed(QUERY, also='cuEventSynchronize'), SYNCHRONIZE)

    def test_rows_in_another_order_than_the_registry(self):
        self.refuses('rows are in the order of the registry', SYNCHRONIZE, QUERY)

    def test_parameter_that_the_symbol_does_not_have(self):
        for parameters in ('event', 'hEvent, Flags', 'hStream as stream'):
            with self.subTest(parameters):
                self.refuses('cuEventQuery has no parameter', changed(QUERY, parameters=parameters))
        for checks in ('event != NULL', 'find hStream'):
            with self.subTest(checks):
                self.refuses('cuEventQuery has no parameter', changed(QUERY, checks=checks))

    def test_other_symbol_with_other_parameters(self):
        self.refuses('cuStreamGetPriority has no parameter flags as cuStreamGetFlags has it',
                     changed(PRIORITY, also='cuStreamGetFlags'))
        self.refuses('cuStreamGetPriority has no parameter flags as cuStreamGetFlags has it',
                     changed(PRIORITY, also='cuStreamGetFlags', parameters='-',
                             checks='priority != NULL'))

    def test_what_is_no_parameter_or_check(self):
        for parameters in ('', 'hEvent as', 'CUevent hEvent', 'hEvent,', 'const hEvent'):
            with self.subTest(parameters):
                self.refuses('is no parameter', changed(QUERY, parameters=parameters))
        for checks in ('', 'hEvent', 'find', 'hEvent == NULL', 'captured', 'hEvent != NULL,',
                       'needs', 'needs pools',
                       'itself uncaptured, find hEvent'):
            with self.subTest(checks):
                self.refuses('is no check', changed(QUERY, checks=checks))

    def test_parameters_in_another_order_than_the_symbol(self):
        for parameters in ('hStream, hEvent', 'hEvent, hEvent', 'hEvent, current', 'slot, hEvent',
                           'slot, asynchronous'):
            with self.subTest(parameters):
                self.refuses('parameters are in the order of the symbol',
                             changed(RECORD, parameters=parameters, checks='current'))

    def test_object_that_nothing_finds(self):
        self.refuses('nothing finds stream', changed(PRIORITY, checks='current'))
        self.refuses('nothing finds current', changed(PRIORITY, checks='find hStream'))

    def test_object_of_what_is_no_handle_of_one(self):
        self.refuses('priority has the type int *', changed(PRIORITY, parameters='priority as it'))
        self.refuses('priority has the type int *', changed(PRIORITY, checks='find priority'))
        self.refuses('hStream has the type CUstream',
                     changed(PRIORITY, checks='find hStream or current'))

    def test_output_through_a_pointer_that_may_be_null(self):
        self.refuses('phEvent may be NULL',
                     ('cuEventCreate', '-', 'phEvent as event', 'current', 'exact'))

    def test_check_that_is_there_twice(self):
        self.refuses('a check is there twice',
                     changed(PRIORITY, checks='find hStream, find hStream, current'))
        self.refuses('found twice', changed(PRIORITY, checks='find hStream, current, wide current'))

    def test_capture_check_that_the_registry_does_not_ask_for(self):
        for words, row in (
                ('cuEventQuery: the registry says', changed(QUERY, checks='-')),
                ('cuEventQuery: the registry says', changed(QUERY, checks='find hEvent')),
                ('cuEventDestroy: the registry does not say',
                 changed(DESTROY, checks='uncaptured')),
                ('cuEventDestroy: the registry does not say',
                 changed(DESTROY, checks='itself uncaptured')),
                ('cuEventDestroy: the registry does not say',
                 changed(QUERY, also='cuEventDestroy'))):
            with self.subTest(row):
                self.write(row)
                done = self.run_generator('mock_table', self.path)
                self.assertEqual(done.returncode, 1)
                self.assertIn('%s:1: %s' % (self.path, words), done.stderr)

    def test_difference_that_says_nothing_or_breaks_the_page(self):
        for words in ('', '-', 'a | b', 'a `<b>`', 'ends.', 'back\\slash', 'caf\u00e9'):
            with self.subTest(words):
                self.refuses('what differs is to be said', changed(RECORD, answer=words))

    def test_row_with_another_number_of_columns(self):
        self.refuses('columns between tabs', QUERY + ('more',))
        self.refuses('columns between tabs', QUERY[:-1])


if __name__ == '__main__':
    GENERATE = sys.argv[1]
    LOADER = os.path.dirname(GENERATE)
    sys.path[:0] = [os.path.join(LOADER, 'registry'), os.path.join(LOADER, 'generator')]
    sys.dont_write_bytecode = True
    import mock_functions
    import registry
    FUNCTIONS = registry.read_functions(os.path.join(LOADER, 'registry', 'functions.tsv'))
    unittest.main(argv=sys.argv[:1], verbosity=2)
