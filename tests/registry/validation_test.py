#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables are valid, and a violated rule is reported with the file and line."""

import hashlib
import os
import re
import tempfile
import unittest

import toolkit
import exports
import registry

GOOD = [
    'cuEventQuery\t2000\tevent\tCUevent hEvent\t-\t-\t-',
    'cuEventRecord\t2000\tevent\tCUevent hEvent, CUstream hStream\tcuEventRecord_ptsz\t-\t-',
    'cuEventRecord_ptsz\t7000\tevent\tCUevent hEvent, CUstream hStream\t-\t-\t-',
    'cuEventElapsedTime\t2000\tevent\tfloat *pMilliseconds\t-\t-\t-',
    'cuEventElapsedTime_v2\t12080\tevent\tfloat *pMilliseconds\t-\tcuEventElapsedTime\t-',
    'cuWGLGetDevice\t2020\tgl\tCUdevice *pDevice, void *hGpu\t-\t-\twindows',
]

# Map the number of slots of a release to the digest of its symbols in order. The order of the first
# 673 is older than the first release.
ORDERS = {
    673: '04e48d2fc4d8c83ca784631311a19ef7799eb406d8a33eb5f26d3820d4c3e73e',
    722: 'e4e02990be5608196e809b84657189b4a4d95532c0751467842a145bb9e17d4f',
}

# A line of GOOD, the old text, the new text, and the line and message that must be reported.
BROKEN_FUNCTIONS = (
    (1, '\tevent', '\tevents', 2, "cuEventQuery: unknown group 'events'"),
    (1, '2000', '2005', 2, "'2005' is no CUDA version like 12080"),
    (1, '2000', 'soon', 2, "'soon' is no CUDA version like 12080"),
    (1, 'cuEventQuery', 'cudaEventQuery', 2, "'cudaEventQuery' is no driver symbol"),
    (1, 'cuEventQuery', 'cuEventRecord', 3, 'cuEventRecord is already in line 2'),
    (1, '\t-\t-\t-', '\t-\t-', 2, '6 columns between tabs instead of 7'),
    (1, '\tevent', '    event', 2, '6 columns between tabs instead of 7'),
    (1, 'CUevent hEvent', ' CUevent hEvent', 2, 'a field begins or ends with blanks'),
    (1, '\t-\t-\t-', '\t-\t-\t-\r', 2, 'a line ends with one newline character'),
    (1, 'CUevent hEvent', 'CUevent', 2, "'CUevent' is no parameter like 'type name'"),
    (1, 'CUevent hEvent', 'CUevent a,CUevent b', 2,
     "'CUevent a,CUevent b' is no parameter like 'type name'"),
    (1, 'CUevent hEvent', 'CUevent a, CUevent a', 2, 'two parameters have the same name'),
    (1, '\t-\t-\t-', '\t-\t-\tamiga', 2, "cuEventQuery: unknown platform 'amiga'"),
    (1, '\t-\t-\t-', '\tcuEventQuery_ptsz\t-\t-', 2,
     'cuEventQuery: its twin cuEventQuery_ptsz is not in the registry'),
    (1, '\t-\t-\t-', '\tcuEventRecord_ptsz\t-\t-', 2,
     'cuEventQuery: cuEventRecord_ptsz is not its per-thread name'),
    (2, 'CUstream hStream', 'int hStream', 3, 'cuEventRecord: its twin has another signature'),
    (2, 'cuEventRecord_ptsz', '-', 4, 'cuEventRecord_ptsz: it is the twin of no row'),
    (3, '7000', '6050', 4, 'cuEventRecord_ptsz: per-thread default streams date from 7000'),
    (3, '\t-\t-\t-', '\t-\tcuEventRecord\t-', 4,
     'cuEventRecord_ptsz: its fallback is not an older ABI of the same function'),
    (5, '\tcuEventElapsedTime\t', '\tcuEventElapsed\t', 6,
     'cuEventElapsedTime_v2: its fallback cuEventElapsed is not in the registry'),
    (5, 'float *pM', 'double *pM', 6, 'cuEventElapsedTime_v2: its fallback has another signature'),
    (1, '\t-\t-\t-', '\t-\tcuEventQuery\t-', 2,
     'cuEventQuery: its fallback is not an older ABI of the same function'),
    (5, '12080', '2000', 6, 'cuEventElapsedTime_v2: it is not younger than cuEventElapsedTime'),
    (1, 'CUevent', 'CUwonder', 2, 'cuEventQuery: types.tsv does not know CUwonder'),
    (5, 'float *pMilliseconds', 'CUuuid uuid', 6, 'cuEventElapsedTime_v2: its fallback has'),
    (1, '2000\tevent\tCUevent hEvent', '12000\tevent\tCUtensorMap map', 2,
     'cuEventQuery: CUtensorMap passes by value, but headers of 11020 lack it'),
    (1, 'CUevent hEvent', 'CUgreenCtx hCtx', 2,
     'cuEventQuery: types.tsv says that CUgreenCtx dates from 12040'),
)
BROKEN_TYPES = (
    ('CUevent\thandle\tvoid *\t11020\n' * 2, 3, 'CUevent is there twice'),
    ('CUevent\thandles\tvoid *\t11020\n', 2, "CUevent: unknown kind 'handles'"),
    ('CUevent\thandle\tCUother\t11020\n', 2, "CUevent: 'CUother' is no plain C type"),
    ('CUevent\thandle\tvoid *\tearly\n', 2, "'early' is no CUDA version like 12080"),
    ('CUevent\thandle\tvoid *\t2000\n', 2, 'CUevent: 11020 stands for what is older'),
    ('CUevent\thandle\tvoid *\n', 2, '3 columns between tabs instead of 4'),
)
BROKEN_RESULTS = (
    ('x\tCUDA_SUCCESS\t-\t-\tdone\tNothing.\n', 2, "'x' is no number"),
    ('0\tSUCCESS\t-\t-\tdone\tNothing.\n', 2, "'SUCCESS' is no result"),
    ('0\tCUDA_SUCCESS\t-\t-\tdone\tNothing.\n' * 2, 3, 'CUDA_SUCCESS .0. is there twice'),
    ('0\tCUDA_SUCCESS\t-\t-\t\tNothing.\n', 2, 'CUDA_SUCCESS: not explained yet'),
    ('0\tCUDA_SUCCESS\t-\t?\tdone\tNothing.\n', 2, 'CUDA_SUCCESS: not explained yet'),
)
BROKEN_ATTRIBUTES = (
    ('devices\t1\tWARP_SIZE\t-\n', 2, "'devices' is neither of device and limit"),
    ('device\tx\tWARP_SIZE\t-\n', 2, "'x' is no number"),
    ('device\t1\tCU_DEVICE_ATTRIBUTE_WARP_SIZE\t-\n', 2, 'is no name without its prefix'),
    ('device\t1\twarp size\t-\n', 2, "'warp size' is no name without its prefix"),
    ('device\t2\tA\t-\ndevice\t1\tB\t-\n', 3, 'B: the rows ascend by kind and number'),
    ('device\t1\tA\t-\ndevice\t1\tB\t-\n', 3, 'B: the rows ascend by kind and number'),
    ('limit\t1\tA\t-\ndevice\t2\tB\t-\n', 3, 'B: the rows ascend by kind and number'),
    ('device\t1\tA\t-\ndevice\t2\tA\t-\n', 3, 'A is there twice'),
    ('device\t1\tA\t13000\n', 2, '- stands for 13000 and what is older'),
    ('device\t1\tA\tnew\n', 2, "'new' is no CUDA version like 12080"),
)
BROKEN_EXCEPTIONS = (
    ('555.58\t12050\tcuNothing\tmissing\n', 2, 'cuNothing is not in the registry'),
    ('555.58\t12050\tcuEventElapsedTime_v2\tmissing\n', 2, "cannot be 'missing' in 12050"),
    ('555.58\t12050\tcuEventQuery\tearly\n', 2, "cannot be 'early' in 12050"),
    ('555.58\t12.5\tcuEventQuery\tmissing\n', 2, "'12.5' is no CUDA version like 12080"),
)

BROKEN_MEANINGS = (
    ('cuCtxCreate\t12\tcuNothing\n', 2, 'cuNothing is not in the registry'),
    ('cuCtxCreate\t11\tcuCtxCreate_v4\n', 2, 'cuCtxCreate_v4 is newer than CUDA 11'),
    ('cuCtxCreate\tx\tcuCtxCreate_v2\n', 2, "'x000' is no CUDA version"),
    ('cuCtxCreate\t12\tcuCtxCreate\ncuCtxCreate\t12\tcuCtxCreate_v2\n', 3, 'is there twice'),
)


class Validation(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, 'table.tsv')

    def write(self, text):
        with open(self.path, 'w', encoding='utf-8', newline='') as file:
            file.write('# head\n' + text)

    def check_broken(self, read, line, message):
        with self.assertRaisesRegex(registry.RegistryError,
                                    r'^.*table\.tsv:%d: .*%s' % (line, message)):
            read(self.path)

    def test_tables_of_the_project_are_valid(self):
        rows = toolkit.functions()
        registry.read_results(toolkit.table('results'))
        registry.read_attributes(toolkit.table('attributes'))
        registry.read_exceptions(toolkit.table('exceptions'), rows)
        registry.read_meanings(toolkit.table('meanings'), rows)
        used = set(parameter.base_type for row in rows for parameter in row.parameters)
        types = registry.read_types(toolkit.table('types'))
        self.assertEqual([row.type for row in types if row.type not in used], [])

    def test_only_the_documented_fallback_is_there(self):
        self.assertEqual([(row.symbol, row.fallback) for row in toolkit.functions()
                          if row.fallback], [('cuEventElapsedTime_v2', 'cuEventElapsedTime')])

    def test_order_of_rows_is_the_abi_of_the_table_and_never_changes(self):
        rows = toolkit.functions()
        released = [int(symbol[len(exports.ANCHOR):]) for symbol, _
                    in exports.read_exports(toolkit.table('exports'))
                    if symbol.startswith(exports.ANCHOR)]
        for count in sorted({*released, *ORDERS}):
            symbols = ''.join(row.symbol + '\n' for row in rows[:count])
            self.assertEqual(hashlib.sha256(symbols.encode()).hexdigest(), ORDERS.get(count), count)

    def test_number_of_slots_that_is_released_has_an_anchor(self):
        """NEWS.md states the date of each release."""
        with open(os.path.join(toolkit.REGISTRY, '../../NEWS.md'), encoding='utf-8') as file:
            newest = re.search(r'(?m)^## [\d.]+ \((.+)\)$', file.read())
        if newest.group(1) != 'unreleased':
            self.assertIn(exports.ANCHOR + str(len(toolkit.functions())), [
                symbol for symbol, _ in exports.read_exports(toolkit.table('exports'))])

    def test_interop_follows_the_core_of_cuda_13_0(self):
        rows = toolkit.functions()
        self.assertEqual([row.interop for row in rows[:673]], [False] * 637 + [True] * 36)
        self.assertTrue(all(row.since > 13000 for row in rows[673:]))

    def test_good_rows_are_read(self):
        self.write('\n'.join(GOOD) + '\n')
        types = registry.read_types(toolkit.table('types'))
        rows = registry.read_functions(self.path, types)
        self.assertEqual(len(rows), len(GOOD))
        self.assertEqual((rows[2].slot, rows[2].base, rows[2].abi, rows[2].per_thread),
                         ('EventRecord_ptsz', 'cuEventRecord', 1, True))
        self.assertEqual((rows[4].slot, rows[4].base, rows[4].abi, rows[4].per_thread),
                         ('EventElapsedTime_v2', 'cuEventElapsedTime', 2, False))
        self.assertEqual(rows[5].parameters[1], registry.Parameter('void *', 'hGpu'))
        self.assertEqual((rows[5].interop, rows[5].platform), (True, 'windows'))

    def test_base_names_keep_the_digits_that_are_no_version(self):
        bases = {row.symbol: row.base for row in toolkit.functions()}
        for symbol, base in (('cuMemcpy3DAsync_v2_ptsz', 'cuMemcpy3DAsync'),
                             ('cuMemsetD2D8_v2', 'cuMemsetD2D8'),
                             ('cuStreamWaitValue32', 'cuStreamWaitValue32'),
                             ('cuTexRefSetAddress2D_v3', 'cuTexRefSetAddress2D'),
                             ('cuGLMapBufferObject_v2_ptds', 'cuGLMapBufferObject')):
            self.assertEqual(bases[symbol], base)

    def test_broken_function_is_reported_with_its_line(self):
        types = registry.read_types(toolkit.table('types'))
        for number, old, new, line, message in BROKEN_FUNCTIONS:
            with self.subTest(message):
                rows = list(GOOD)
                self.assertIn(old, rows[number - 1])
                rows[number - 1] = rows[number - 1].replace(old, new, 1)
                self.write('\n'.join(rows) + '\n')
                self.check_broken(lambda path: registry.read_functions(path, types), line, message)

    def test_broken_type_is_reported_with_its_line(self):
        for text, line, message in BROKEN_TYPES:
            with self.subTest(message):
                self.write(text)
                self.check_broken(registry.read_types, line, message)

    def test_broken_result_is_reported_with_its_line(self):
        for text, line, message in BROKEN_RESULTS:
            with self.subTest(message):
                self.write(text)
                self.check_broken(registry.read_results, line, message)

    def test_broken_attribute_is_reported_with_its_line(self):
        for text, line, message in BROKEN_ATTRIBUTES:
            with self.subTest(message):
                self.write(text)
                self.check_broken(registry.read_attributes, line, message)

    def test_broken_exception_is_reported_with_its_line(self):
        rows = toolkit.functions()
        for text, line, message in BROKEN_EXCEPTIONS:
            with self.subTest(message):
                self.write(text)
                self.check_broken(lambda path: registry.read_exceptions(path, rows), line, message)

    def test_broken_meaning_is_reported_with_its_line(self):
        rows = toolkit.functions()
        for text, line, message in BROKEN_MEANINGS:
            with self.subTest(message):
                self.write(text)
                self.check_broken(lambda path: registry.read_meanings(path, rows), line, message)


if __name__ == '__main__':
    toolkit.main()
