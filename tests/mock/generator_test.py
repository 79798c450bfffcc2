#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the generator makes of the sources of the mock, and which of them it refuses.

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
EXACT = '''MOCK_EXACT(EventQuery)(CUevent hEvent)
{
    return CUDA_SUCCESS;
}
'''
APPROXIMATE = '''MOCK_APPROXIMATE(EventRecord,
                    "time stands " "still")
(CUevent hEvent, CUstream hStream)
{
    return CUDA_SUCCESS;
}
'''
FOUND = '''MOCK_ALSO(StreamGetFlags)
MOCK_EXACT(StreamGetPriority)
(const struct mock_stream *stream, int *NOT_NULL priority, struct mock_context *current)
{
    return CUDA_SUCCESS;
}
'''


class Generator(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.output = os.path.join(self.folder.name, 'output')

    def source(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    def run_generator(self, what, *sources):
        return subprocess.run([sys.executable, GENERATE, what, self.output, *sources],
                              stderr=subprocess.PIPE, text=True)

    def generate(self, what, *texts):
        sources = [self.source('%d.c' % i, text) for i, text in enumerate(texts)]
        done = self.run_generator(what, *sources)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        with open(self.output, encoding='ascii') as file:
            return file.read()

    def refuses(self, text, line, words):
        path = self.source('bad.c', text)
        done = self.run_generator('mock_calls', path)
        self.assertEqual(done.returncode, 1)
        self.assertIn('%s:%d: ' % (path, line), done.stderr)
        self.assertIn(words, done.stderr)
        self.assertFalse(os.path.exists(self.output))

    # --- what it makes ---

    def test_prototypes_are_those_of_the_registry_and_of_no_other_slot(self):
        text = self.generate('mock_calls', EXACT, APPROXIMATE)
        self.assertEqual(re.findall(r'^CUresult.*', text, re.MULTILINE),
                         ['CUresult cushim__mock_EventQuery(CUevent hEvent);',
                          'CUresult cushim__mock_EventRecord(CUevent hEvent, '
                          'CUstream hStream);'])

    def test_prototype_has_objects_in_the_order_of_the_definition(self):
        text = self.generate('mock_calls', FOUND.replace('MOCK_ALSO(StreamGetFlags)\n', ''))
        self.assertIn('struct mock_context;\nstruct mock_stream;\n', text)
        self.assertIn('cushim__mock_StreamGetPriority(const struct mock_stream *stream, '
                      'int *priority,\n    struct mock_context *current);', text)

    def test_wrapper_looks_at_arguments_in_the_order_of_the_definition(self):
        table = self.generate('mock_table', FOUND.replace('MOCK_ALSO(StreamGetFlags)\n', ''))
        answer = re.search(r'answer_StreamGetPriority\([^{]*\{\n(.*?)^\}', table,
                           re.DOTALL | re.MULTILINE).group(1)
        steps = ['cushim__mock_stream_find(hStream, &found_stream);', 'if (!priority)',
                 'cushim__mock_context_current(&found_current);',
                 'return cushim__mock_StreamGetPriority(found_stream, priority, found_current);']
        self.assertEqual(sorted(steps, key=answer.index), steps)
        self.assertIn('answer = answer_StreamGetPriority(hStream, priority);',
                      self.body(table, 'StreamGetPriority'))

    def test_wrapper_writes_the_handle_of_what_the_function_has_made(self):
        table = self.generate('mock_table', EXACT.replace('EventQuery', 'EventCreate').replace(
            'CUevent hEvent', 'struct mock_event **NOT_NULL made, unsigned int Flags'))
        answer = re.search(r'answer_EventCreate\([^{]*\{\n(.*?)^\}', table,
                           re.DOTALL | re.MULTILINE).group(1)
        steps = ['if (!phEvent)', 'code = cushim__mock_EventCreate(&made_made, Flags);',
                 'if (code == CUDA_SUCCESS)',
                 '*phEvent = ((struct mock_object *)made_made)->handle;', 'return code;']
        self.assertEqual(sorted(steps, key=answer.rindex), steps)

    def test_wrapper_refuses_an_unsafe_call_where_the_definition_says_so(self):
        table = self.generate('mock_table', EXACT.replace('EventQuery', 'MemFree_v2').replace(
            'CUevent hEvent', 'struct mock_context *current, bool uncaptured, CUdeviceptr dptr'))
        answer = re.search(r'answer_MemFree_v2\([^{]*\{\n(.*?)^\}', table,
                           re.DOTALL | re.MULTILINE).group(1)
        steps = ['cushim__mock_context_current(&found_current);', 'cushim__mock_capture_unsafe();',
                 'return cushim__mock_MemFree_v2(found_current, true, dptr);']
        self.assertEqual(sorted(steps, key=answer.index), steps)

    def test_objects_stand_for_the_handles_of_their_type_in_order(self):
        table = self.generate('mock_table', EXACT.replace('EventQuery', 'StreamCopyAttributes')
                              .replace('CUevent hEvent',
                                       'struct mock_stream *to, const struct mock_stream *from'))
        for name, found in (('dstStream', 'to'), ('srcStream', 'from')):
            self.assertIn('cushim__mock_stream_find(%s, &found_%s);' % (name, found), table)

    def test_function_answers_the_other_slots_that_it_names(self):
        also = 'MOCK_ALSO(EventSynchronize, EventDestroy)\n' + EXACT
        table = self.generate('mock_table', also)
        for slot in ('EventQuery', 'EventSynchronize', 'EventDestroy'):
            self.assertIn('answer = cushim__mock_EventQuery(hEvent);', self.body(table, slot))
        self.assertIn('| `cuEventDestroy` | exact |  |', self.generate('mock_page', also))

    def test_parameter_that_another_slot_lacks_is_zero_for_it(self):
        table = self.generate('mock_table', 'MOCK_ALSO(MemcpyDtoH_v2)\n' + EXACT.replace(
            'EventQuery', 'MemcpyDtoHAsync_v2').replace(
            'CUevent hEvent', 'CUstream hStream, size_t ByteCount, bool asynchronous'))
        self.assertIn('answer = cushim__mock_MemcpyDtoHAsync_v2(0, ByteCount, false);',
                      self.body(table, 'MemcpyDtoH_v2'))
        for slot in ('MemcpyDtoHAsync_v2', 'MemcpyDtoHAsync_v2_ptsz'):
            self.assertIn('answer = cushim__mock_MemcpyDtoHAsync_v2(hStream, ByteCount, true);',
                          self.body(table, slot))

    def test_function_of_several_slots_learns_which_one_is_called(self):
        table = self.generate('mock_table', 'MOCK_ALSO(EventQuery)\n' + EXACT.replace(
            'EventQuery', 'EventSynchronize').replace('hEvent', 'hEvent, unsigned slot'))
        for slot in ('EventQuery', 'EventSynchronize'):
            self.assertIn('cushim__mock_EventSynchronize(hEvent, CUSHIM__SLOT(%s));' % slot,
                          self.body(table, slot))
        twin = self.generate('mock_table', APPROXIMATE.replace('hStream', 'hStream, unsigned slot'))
        self.assertIn('CUSHIM__SLOT(EventRecord));', self.body(twin, 'EventRecord_ptsz'))

    def test_parameters_that_are_left_out_are_not_handed_on(self):
        table = self.generate('mock_table', EXACT.replace('CUevent hEvent', 'void'))
        self.assertIn('(void)hEvent;', self.body(table, 'EventQuery'))
        self.assertIn('answer = cushim__mock_EventQuery();', self.body(table, 'EventQuery'))

    def body(self, table, slot):
        return re.search(r'call_%s\([^{]*\{\n(.*?)^\}' % slot, table,
                         re.DOTALL | re.MULTILINE).group(1)

    def test_table_calls_what_is_defined_and_refuses_the_rest(self):
        table = self.generate('mock_table', EXACT)
        self.assertIn('answer = cushim__mock_EventQuery(hEvent);', self.body(table, 'EventQuery'))
        self.assertIn('cushim__mock_call_enter(', self.body(table, 'EventQuery'))
        self.assertIn('cushim__mock_call_leave(', self.body(table, 'EventQuery'))
        self.assertIn('return cushim__mock_call_refuse(', self.body(table, 'EventSynchronize'))
        self.assertEqual(table.count('cushim__mock_Event'), 1)

    def test_per_thread_twin_shares_the_function_unless_it_has_its_own(self):
        shared = self.body(self.generate('mock_table', APPROXIMATE), 'EventRecord_ptsz')
        self.assertIn('answer = cushim__mock_EventRecord(hEvent, hStream);', shared)
        self.assertEqual(re.findall(r'per_thread = (\w+);', shared), ['true', 'false'])
        own = self.body(self.generate('mock_table', APPROXIMATE,
                                      EXACT.replace('EventQuery', 'EventRecord_ptsz')),
                        'EventRecord_ptsz')
        self.assertIn('answer = cushim__mock_EventRecord_ptsz(hEvent);', own)
        self.assertNotIn('per_thread', own)

    def test_function_of_a_superseded_abi_says_so_and_no_other_does(self):
        newer = EXACT.replace('EventQuery', 'EventDestroy_v2')
        table = self.generate('mock_table', newer, newer.replace('_v2', ''))
        self.assertIn('cushim__mock_call_superseded(371u, 374u);', self.body(table, 'EventDestroy'))
        self.assertEqual(table.count('cushim__mock_call_superseded'), 1)

    def test_page_has_every_function_once_and_counts_them(self):
        page = self.generate('mock_page', EXACT, APPROXIMATE)
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
        text = self.generate('mock_exports')
        exports = re.findall(r'__asm__\("(cu\w+)"\)', text)
        self.assertEqual(sorted(exports), sorted(row.symbol for row in ROWS
                                                 if row.symbol != 'cuWGLGetDevice'))
        self.assertIn('return cushim__exports->EventQuery(hEvent);', text)

    def test_file_that_is_as_it_should_be_is_left_alone(self):
        self.generate('mock_calls', EXACT)
        os.utime(self.output, (1, 1))
        self.generate('mock_calls', EXACT + '/* other */\n')
        self.assertEqual(os.stat(self.output).st_mtime, 1)
        self.generate('mock_calls', APPROXIMATE)
        self.assertNotEqual(os.stat(self.output).st_mtime, 1)

    # --- what it refuses ---

    def test_slot_that_is_none(self):
        self.refuses('\n' + EXACT.replace('EventQuery', 'EventQuerry'), 2,
                     'there is no slot EventQuerry')

    def test_slot_by_the_name_that_a_header_macro_hides(self):
        self.refuses(EXACT.replace('EventQuery', 'cuEventQuery'), 1, 'there is no slot')

    def test_parameter_that_the_slot_does_not_have(self):
        for text in ['CUevent event', 'CUevent hEvent, int more', 'struct mock_stream *stream']:
            with self.subTest(text):
                self.refuses(EXACT.replace('CUevent hEvent', text), 1,
                             'EventQuery has no parameter')

    def test_other_slot_with_other_parameters(self):
        self.refuses(FOUND, 1, 'StreamGetPriority has no parameter flags as StreamGetFlags has it')

    def test_other_slot_that_is_none_or_has_its_own_function(self):
        self.refuses('MOCK_ALSO(EventQuerry)\n' + EXACT, 1, 'there is no slot EventQuerry')
        other = EXACT.replace('EventQuery', 'EventSynchronize')
        self.refuses('MOCK_ALSO(EventSynchronize)\n' + EXACT + other, 6,
                     'EventSynchronize is already defined at')

    def test_two_definitions_of_a_slot(self):
        self.refuses(EXACT + EXACT, 5, 'EventQuery is already defined at')

    def test_two_definitions_in_two_files(self):
        paths = [self.source('one.c', EXACT), self.source('two.c', EXACT)]
        done = self.run_generator('mock_table', *paths)
        self.assertEqual(done.returncode, 1)
        self.assertIn('%s:1: EventQuery is already defined at %s:1' % (paths[1], paths[0]),
                      done.stderr)

    def test_what_only_looks_like_a_definition(self):
        for text in [' ' + EXACT, 'static ' + EXACT, EXACT.replace('\n{', ';\n{'),
                     EXACT.replace('EventQuery', 'EventQuery, "nothing"'),
                     EXACT.replace('(EventQuery)', '()'), '/* MOCK_EXACT(EventQuery) */\n',
                     'MOCK_ALSO(EventSynchronize)\n',
                     APPROXIMATE.replace('"time stands " "still"', 'TIME')]:
            with self.subTest(text.splitlines()[0]):
                self.refuses(text, 1, 'this is no definition')

    def test_difference_that_says_nothing_or_breaks_the_page(self):
        for words in ['', ' ', 'a | b', 'a `<b>`', 'ends.', ' blank', 'back\\\\slash', 'caf\u00e9']:
            with self.subTest(words):
                self.refuses(APPROXIMATE.replace('"time stands " "still"', '"%s"' % words), 1,
                             'what differs is to be said')

    def test_sources_where_none_are_read(self):
        done = self.run_generator('slots', self.source('one.c', EXACT))
        self.assertEqual(done.returncode, 2)
        self.assertIn('slots is made of the registry alone', done.stderr)


if __name__ == '__main__':
    GENERATE = sys.argv[1]
    unittest.main(argv=sys.argv[:1], verbosity=2)
