#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A toolkit that is newer than the registry: what update.py makes of it, and what the tests say.

It is made of the installed one, as CUDA 13.6: with all that the registry knows and that toolkit
lacks, and with a function, a result code and an attribute that nobody knows.
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import toolkit
import registry
from update import SECTIONS

TABLES = ('functions', 'types', 'results', 'attributes')
ENUMS = {'device': 'CU_DEVICE_ATTRIBUTE_MAX', 'limit': 'CU_LIMIT_MAX'}
KINDS = {'handle': 'typedef struct %s_st *%s;', 'enum': 'typedef enum %s_enum { %s_A } %s;',
         'struct': 'typedef struct %s_st { int a; } %s;', 'function': 'typedef void (*%s)(void);'}
# The other tests of the registry, and their arguments after the include directory.
DECLARATIONS = ('declarations', *sys.argv[2:])
ATTRIBUTES = ('toolkit', 'Attributes')
RESULTS = ('toolkit', 'Results')
NOVELTY = registry.Function('cuEventNovelty', 13060, 'event',
                            (registry.Parameter('CUevent', 'hEvent'),), None, None, None)


def typedef(row):
    if row.kind == 'integer':
        return 'typedef %s %s;' % (row.plain, row.type)
    text = KINDS[row.kind]
    return text % ((row.type,) * text.count('%s'))


def declaration(row):
    sections = {group: name for name, group in SECTIONS.items()}
    section = sections['library' if row.group == 'kernel' else row.group]
    return ('/** \\defgroup %s text\n * @{ */\nCUresult CUDAAPI %s(%s);\n/** @} */\n'
            % (section, row.symbol, row.prototype))


def dated(row):
    stream = row.symbol[-5:] if row.per_thread else ''
    return 'typedef CUresult (CUDAAPI *PFN_%s_v%d%s)(%s);\n' % (row.base, row.since, stream,
                                                               row.prototype)


class Newer(unittest.TestCase):
    def setUp(self):
        version = toolkit.version()
        if not 13000 <= version <= toolkit.COMPLETE:
            self.skipTest('the installed toolkit is not of 13.0 to 13.4, but %d' % version)
        if not os.path.exists(os.path.join(toolkit.include(), 'cudaTypedefs.h')):
            self.skipTest('this toolkit comes without cudaTypedefs.h')
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for path in glob.glob(os.path.join(toolkit.include(), 'cuda*.h')):
            shutil.copy(path, self.folder)
        rows = [row for row in toolkit.functions() if row.since > version] + [NOVELTY]
        types = [row for row in registry.read_types(toolkit.table('types'))
                 if row.since > version]
        self.doctor('cuda.h', '#define CUDA_VERSION %d' % version, '#define CUDA_VERSION 13060')
        first = 'CUresult CUDAAPI cuInit('
        self.doctor('cuda.h', first, '\n'.join(map(typedef, types)) + '\n' + first)
        last = '/** @} */ /* End CUDA_CHECKPOINT */\n'
        self.doctor('cuda.h', last, last + ''.join(map(declaration, rows)))
        self.doctor('cudaTypedefs.h', 'typedef CUresult (CUDAAPI *PFN_cuInit_v2000)',
                    ''.join(map(dated, rows)) + 'typedef CUresult (CUDAAPI *PFN_cuInit_v2000)')
        known = dict(map(reversed, toolkit.header('cuda.h').enums['CUresult']))
        codes = ['%s = %d' % (row.name, row.number)
                 for row in registry.read_results(toolkit.table('results'))
                 if row.name not in known] + ['CUDA_ERROR_NOVELTY = 998']
        self.doctor('cuda.h', 'CUDA_ERROR_UNKNOWN ', ', '.join(codes) + ', CUDA_ERROR_UNKNOWN ')
        for kind, enum in (('device', 'CUdevice_attribute'), ('limit', 'CUlimit')):
            prefix = registry.ATTRIBUTE_PREFIXES[kind]
            known = [number for number, name in toolkit.header('cuda.h').enums[enum]
                     if name != prefix + 'MAX']
            names = ['%s%s = %d' % (prefix, row.name, row.number)
                     for row in registry.read_attributes(toolkit.table('attributes'))
                     if row.kind == kind and row.number not in known] + [prefix + 'NOVELTY = 900']
            self.doctor('cuda.h', '    %s\n' % ENUMS[kind], '    %s,\n' % ',\n    '.join(names)
                        + '    %s\n' % ENUMS[kind])

    def doctor(self, header, old, new):
        """Replace the first place of a text in the copy of a header; it must be there."""
        path = os.path.join(self.folder, header)
        with open(path, encoding='utf-8', errors='surrogateescape') as file:
            text = file.read()
        self.assertIn(old, text)
        with open(path, 'w', encoding='utf-8', errors='surrogateescape') as file:
            file.write(text.replace(old, new, 1))

    def judge(self, test, *arguments):
        """Run another test of the registry with this toolkit."""
        run = subprocess.run([sys.executable, '-B', os.path.join(os.path.dirname(__file__),
                              test + '_test.py'), self.folder, *arguments],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return run.returncode, run.stdout

    def test_what_the_registry_lacks_is_no_error_of_the_tests(self):
        for test, novelty in ((DECLARATIONS, 'cuEventNovelty'), (ATTRIBUTES, '900'),
                              (RESULTS, 'CUDA_ERROR_NOVELTY')):
            status, said = self.judge(*test)
            self.assertEqual(status, 0, said)
            self.assertRegex(said, r'has what the registry lacks \(run update.py\): %s\n'
                             % novelty)

    def test_what_the_toolkit_contradicts_is_an_error(self):
        self.doctor('cuda.h', 'CUresult CUDAAPI cuLogicalEndpointCreate(',
                    'CUresult CUDAAPI cuLogicalEndpointMake(')
        self.doctor('cuda.h', 'CUDA_ERROR_STREAM_DETACHED = 917', 'CUDA_ERROR_STREAM_ODD = 917')
        self.doctor('cuda.h', 'PER_BLOCK_MEMORY_SIZE = 10', 'PER_BLOCK_MEMORY_SIZE = 11')
        for test, message in ((DECLARATIONS, 'cuLogicalEndpointCreate'),
                              (ATTRIBUTES, r'first set but not the second:\n10\n'),
                              (RESULTS, 'CUDA_ERROR_STREAM_ODD')):
            status, said = self.judge(*test)
            self.assertEqual(status, 1, said)
            self.assertRegex(said, message)

    def test_other_parameters_of_a_known_function_are_an_error(self):
        self.doctor('cuda.h', 'cuLogicalEndpointDestroy(CUlogicalEndpointId leId)',
                    'cuLogicalEndpointDestroy(CUlogicalEndpointId leId, int flags)')
        status, said = self.judge(*DECLARATIONS)
        self.assertEqual(status, 1, said)
        self.assertRegex(said, 'static assertion failed.*cuLogicalEndpointDestroy')

    def test_one_command_brings_a_registry_of_13_0_up_to_date(self):
        tables = os.path.join(self.folder, 'tables')
        os.mkdir(tables)
        for name in TABLES:
            shutil.copy(toolkit.table(name), tables)
        path = {name: os.path.join(tables, name + '.tsv') for name in TABLES}
        rows = toolkit.functions()
        types = registry.read_types(toolkit.table('types'))
        registry.write_functions(path['functions'], [row for row in rows if row.since <= 13000])
        registry.write_types(path['types'], [row for row in types if row.since <= 13000])
        registry.write_attributes(path['attributes'], [
            row for row in registry.read_attributes(toolkit.table('attributes'))
            if row.number <= (147 if row.kind == 'device' else 9)])
        run = subprocess.run([sys.executable, '-B', os.path.join(toolkit.REGISTRY, 'update.py'),
                              '--registry', tables, self.folder],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertEqual([line for line in run.stdout.splitlines() if 'fall back' in line], [
            'note: %s has the signature of %s; decide whether it may fall back to it' % pair
            for pair in (('cuGraphAddNode_v3', 'cuGraphAddNode_v2'),
                         ('cuGraphNodeSetParams_v2', 'cuGraphNodeSetParams'))])
        updated = registry.read_functions(path['functions'])
        self.assertEqual(updated[:673], rows[:673])
        self.assertEqual(sorted(updated[673:]), sorted(rows[673:] + [NOVELTY]))
        self.assertEqual(registry.read_types(path['types']), types)
        added = set(registry.read_attributes(path['attributes'])) - set(
            registry.read_attributes(toolkit.table('attributes')))
        self.assertEqual(sorted(added), [('device', 900, 'NOVELTY'), ('limit', 900, 'NOVELTY')])
        results = registry.read_results(path['results'], complete=False)
        self.assertIn((998, 'CUDA_ERROR_NOVELTY', '?', '', ''), results)


if __name__ == '__main__':
    toolkit.main()
