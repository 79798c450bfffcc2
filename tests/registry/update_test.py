#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""update.py adds what a toolkit has and the registry lacks, and changes nothing else."""

import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import toolkit
import registry
from rows import NEWEST_UNDATED

TABLES = ('functions', 'types', 'results', 'attributes', 'enumerators')
QUERY = 'CUresult CUDAAPI cuEventQuery(CUevent hEvent);'
# This edit gives one type its present name, and another name to a different older struct. It also
# makes a code and an attribute older than they are.
OLDER = '''
#define CUDA_VERSION 11020
typedef enum cudaError_enum { CUDA_SUCCESS = 0, CUDA_ERROR_STREAM_DETACHED = 917 } CUresult;
typedef enum CUdevice_attribute_enum {
    CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
    CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED = 148,
    CU_DEVICE_ATTRIBUTE_MAX = 149
} CUdevice_attribute;
typedef enum CUlimit_enum { CU_LIMIT_STACK_SIZE = 0 } CUlimit;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUDA_KERNEL_NODE_PARAMS_st { int member; } CUDA_KERNEL_NODE_PARAMS;
'''
QUERY_TYPE = 'typedef CUresult (CUDAAPI *PFN_cuEventQuery_v2000)(CUevent hEvent);'


class Update(unittest.TestCase):
    def setUp(self):
        include = toolkit.include()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.include = os.path.join(self.folder.name, 'include')
        os.mkdir(self.include)
        for path in glob.glob(os.path.join(include, 'cuda*.h')):
            shutil.copy(path, self.include)
        for name in TABLES:
            shutil.copy(toolkit.table(name), self.folder.name)

    def table(self, name):
        return os.path.join(self.folder.name, name + '.tsv')

    def bytes(self):
        texts = []
        for name in TABLES:
            with open(self.table(name), 'rb') as file:
                texts.append(file.read())
        return texts

    def doctor(self, header, old, new):
        """Replace a text in the copy of a header; the text must exist."""
        path = os.path.join(self.include, header)
        with open(path, encoding='utf-8', errors='surrogateescape') as file:
            text = file.read()
        self.assertIn(old, text)
        with open(path, 'w', encoding='utf-8', errors='surrogateescape') as file:
            file.write(text.replace(old, new))

    def dated(self):
        """Return what the tables say about the version of a new code or attribute of the installed
        toolkit.
        """
        return b'%d' % toolkit.version() if toolkit.version() > NEWEST_UNDATED else b'-'

    def update(self, *options):
        """Run the script; return its exit status and its output."""
        run = subprocess.run(
            [sys.executable, '-B', os.path.join(toolkit.REGISTRY, 'update.py'), '--registry',
             self.folder.name] + list(options) + [self.include],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return run.returncode, run.stdout

    def test_same_toolkit_changes_no_byte(self):
        before = self.bytes()
        self.assertEqual(self.update('--check'), (0, ''))
        self.assertEqual(self.update(), (0, ''))
        self.assertEqual(self.bytes(), before)

    def test_rewriting_the_tables_changes_no_byte(self):
        before = self.bytes()
        registry.write_functions(self.table('functions'), toolkit.functions())
        registry.write_types(self.table('types'), registry.read_types(self.table('types')))
        registry.write_results(self.table('results'), registry.read_results(self.table('results')))
        registry.write_attributes(self.table('attributes'),
                                  registry.read_attributes(self.table('attributes')))
        registry.write_enumerations(self.table('enumerators'),
                                    registry.read_enumerations(self.table('enumerators')))
        self.assertEqual(self.bytes(), before)

    def test_new_function_is_appended_with_version_group_and_types(self):
        dated = toolkit.following(toolkit.version())
        since = toolkit.following(dated)
        self.doctor('cuda.h', '#define CUDA_VERSION %d' % toolkit.version(),
                    '#define CUDA_VERSION %d' % since)
        self.doctor('cuda.h', QUERY, QUERY + """
            typedef struct CUnovelty_st *CUnovelty; typedef enum { CU_NEW } CUnewness;
            CUresult CUDAAPI cuEventNovelty(CUnovelty *novelty, unsigned flags,
                                            const CUnewness kinds[]);""")
        if os.path.exists(os.path.join(self.include, 'cudaTypedefs.h')):
            self.doctor('cudaTypedefs.h', QUERY_TYPE, QUERY_TYPE + """
                typedef CUresult (CUDAAPI *PFN_cuEventNovelty_v%d)(CUnovelty *novelty,
                    unsigned int flags, const CUnewness *kinds);""" % dated)
            since = dated
        before = self.bytes()
        status, said = self.update('--check')
        self.assertEqual((status, self.bytes()), (1, before))
        self.assertIn('add cuEventNovelty (%d)' % since, said)
        self.assertEqual(self.update(), (0, said))
        functions, types, results, attributes, enumerators = self.bytes()
        self.assertEqual(functions, before[0] + b'cuEventNovelty\t%d\tevent\tCUnovelty *novelty, '
                         b'unsigned int flags, const CUnewness *kinds\t-\t-\t-\n' % since)
        self.assertEqual(set(types.splitlines()) - set(before[1].splitlines()),
                         {b'CUnovelty\thandle\tvoid *\t%d' % since,
                          b'CUnewness\tenum\tint\t%d' % since})
        self.assertEqual((results, attributes), (before[2], before[3]))
        self.assertEqual(set(enumerators.splitlines()) - set(before[4].splitlines()),
                         {b'CUnewness\tCU_NEW=0'} if since >= NEWEST_UNDATED else set())
        self.assertEqual(self.update(), (0, ''))

    def test_new_per_thread_name_becomes_the_twin_of_its_row(self):
        self.doctor('cuda.h', QUERY, '#define cuEventQuery __CUDA_API_PTSZ(cuEventQuery)\n'
                    + QUERY + '\n#undef cuEventQuery\n' + QUERY)
        status, said = self.update()
        self.assertEqual(status, 0)
        self.assertIn('cuEventQuery gets the twin cuEventQuery_ptsz', said)
        rows = {row.symbol: row for row in registry.read_functions(self.table('functions'))}
        self.assertEqual(rows['cuEventQuery'].twin, 'cuEventQuery_ptsz')

    def test_changed_prototype_is_an_error_and_changes_nothing(self):
        self.doctor('cuda.h', QUERY, QUERY.replace('hEvent', 'hEvent, int patience'))
        before = self.bytes()
        status, said = self.update()
        self.assertEqual((status, self.bytes()), (2, before))
        self.assertIn('cuEventQuery is (CUevent hEvent) in the registry, but '
                      '(CUevent hEvent, int patience) in the header', said)

    def test_renamed_parameter_is_no_change(self):
        self.doctor('cuda.h', QUERY, QUERY.replace('hEvent', 'theEvent'))
        self.assertEqual(self.update('--check'), (0, ''))

    def test_new_section_asks_for_a_group(self):
        self.doctor('cuda.h', QUERY, QUERY + '\n/** \\defgroup CUDA_ODD Odd */\n'
                    'CUresult CUDAAPI cuOdd(void);')
        status, said = self.update()
        self.assertEqual(status, 2)
        self.assertIn("cuOdd is in the section 'CUDA_ODD', which has no group yet: add it to rows.py",
                      said)

    def test_new_result_code_fails_validation_until_it_is_explained(self):
        self.doctor('cuda.h', 'CUDA_ERROR_UNKNOWN ', 'CUDA_ERROR_ODD = 998, CUDA_ERROR_UNKNOWN ')
        before = self.bytes()
        self.assertEqual(self.update(), (0, 'results.tsv: add 998 CUDA_ERROR_ODD; write its '
                                            'meaning\n'))
        lines = self.bytes()[2].splitlines()
        self.assertEqual(set(lines) - set(before[2].splitlines()),
                         {b'998\tCUDA_ERROR_ODD\t%s\t?\t\t' % self.dated()})
        with self.assertRaisesRegex(registry.RegistryError, r'results\.tsv:%d: CUDA_ERROR_ODD: '
                                    'not explained yet' % (len(lines) - 1)):
            registry.read_results(self.table('results'))

    def test_result_code_that_moved_is_an_error_and_changes_nothing(self):
        self.doctor('cuda.h', 'CUDA_ERROR_UNKNOWN                        = 999',
                    'CUDA_ERROR_UNKNOWN = 998')
        before = self.bytes()
        status, said = self.update()
        self.assertEqual((status, self.bytes()), (2, before))
        self.assertIn('CUDA_ERROR_UNKNOWN is 999 in the registry, but 998 in the header', said)

    def test_new_attribute_is_sorted_in_under_its_first_name(self):
        last = '    CU_DEVICE_ATTRIBUTE_MAX\n'
        self.doctor('cuda.h', last, '    CU_DEVICE_ATTRIBUTE_ODD = 998,\n'
                    '    CU_DEVICE_ATTRIBUTE_OLD = 998,\n' + last)
        before = self.bytes()
        self.assertEqual(self.update(), (0, 'attributes.tsv: add CU_DEVICE_ATTRIBUTE_ODD\n'))
        self.assertEqual(set(self.bytes()[3].splitlines()) - set(before[3].splitlines()),
                         {b'device\t998\tODD\t%s' % self.dated()})
        registry.read_attributes(self.table('attributes'))

    def test_attribute_that_moved_is_an_error_and_changes_nothing(self):
        self.doctor('cuda.h', 'CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,',
                    'CU_DEVICE_ATTRIBUTE_WARP_SIZE = 998,')
        before = self.bytes()
        status, said = self.update()
        self.assertEqual((status, self.bytes()), (2, before))
        self.assertIn('CU_DEVICE_ATTRIBUTE_WARP_SIZE is 10 in the registry, but 998 in the header',
                      said)

    def test_older_toolkit_dates_what_it_declares_unless_the_name_meant_another(self):
        for path in glob.glob(os.path.join(self.include, 'cuda*.h')):
            os.remove(path)
        with open(os.path.join(self.include, 'cuda.h'), 'w', encoding='ascii') as file:
            file.write(OLDER)
        before = self.bytes()
        self.assertEqual(self.update(), (
            0, 'types.tsv: CUgreenCtx dates from 11020\n'
               'results.tsv: CUDA_ERROR_STREAM_DETACHED dates from 11020\n'
               'attributes.tsv: CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED dates from 11020\n'))
        functions, types, results, attributes, _ = self.bytes()
        self.assertEqual(functions, before[0])
        self.assertEqual(set(types.splitlines()) - set(before[1].splitlines()),
                         {b'CUgreenCtx\thandle\tvoid *\t11020'})
        self.assertEqual(results, before[2].replace(b'_DETACHED\t13010\t', b'_DETACHED\t-\t'))
        self.assertEqual(attributes, before[3].replace(b'REDUCTION_SUPPORTED\t13010\n',
                                                       b'REDUCTION_SUPPORTED\t-\n'))
        self.assertEqual(self.update(), (0, ''))

    def test_toolkit_that_lacks_something_changes_no_byte(self):
        self.doctor('cuda.h', QUERY, '')
        self.doctor('cuda.h', 'CUDA_ERROR_TIMEOUT ', '// ')
        self.doctor('cuda.h', 'CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,', '')
        os.remove(os.path.join(self.include, 'cudaEGL.h'))
        before = self.bytes()
        self.assertEqual(self.update(), (0, ''))
        self.assertEqual(self.bytes(), before)

    def test_folder_without_cuda_h_is_an_error(self):
        os.remove(os.path.join(self.include, 'cuda.h'))
        self.assertEqual(self.update(), (2, 'error: %s: there is no cuda.h\n' % self.include))


if __name__ == '__main__':
    toolkit.main()
