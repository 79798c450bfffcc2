#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A toolkit that is newer than the registry: the changes by update.py, and the results of the
tests.

The toolkit has everything in the registry, and also an unknown function, result code and
attributes.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import newer_toolkit
import toolkit
import registry
from rows import NEWEST_UNDATED, Attribute, Function, Parameter, Result

TABLES = ('functions', 'types', 'results', 'attributes', 'enumerators')
# The other tests of the registry, and their arguments after the include folder.
DECLARATIONS = ('declarations', *sys.argv[2:])
ATTRIBUTES = ('toolkit', 'Attributes')
RESULTS = ('toolkit', 'Results')
VERSION = toolkit.following(toolkit.newest())
FUNCTION = Function('cuEventNovelty', VERSION, 'event', (Parameter('CUevent', 'hEvent'),), None,
                    None, None)
RESULT = Result(998, 'CUDA_ERROR_NOVELTY', VERSION, '?', '', '')
NOVELTIES = [Attribute(kind, 900, 'NOVELTY', VERSION) for kind in ('device', 'limit')]


class Newer(unittest.TestCase):
    def setUp(self):
        if newer_toolkit.obstacle():
            self.skipTest(newer_toolkit.obstacle())
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        newer_toolkit.make(self.folder, VERSION, [FUNCTION], [RESULT], NOVELTIES)

    def doctor(self, header, old, new):
        newer_toolkit.replace(os.path.join(self.folder, header), old, new)

    def run_update(self, tables, *arguments):
        run = subprocess.run([sys.executable, '-B', os.path.join(toolkit.REGISTRY, 'update.py'),
                              '--registry', tables, *arguments],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return run.returncode, run.stdout

    def judge(self, test, *arguments):
        """Run another test of the registry with this toolkit."""
        run = subprocess.run([sys.executable, '-B', os.path.join(os.path.dirname(__file__),
                              test + '_test.py'), self.folder, *arguments],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return run.returncode, run.stdout

    def test_what_the_registry_lacks_is_no_error_of_the_tests(self):
        for test, novelty in ((DECLARATIONS, FUNCTION.symbol), (ATTRIBUTES, '900'),
                              (RESULTS, RESULT.name)):
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
        old = [row for row in rows if row.since <= NEWEST_UNDATED]
        types = registry.read_types(toolkit.table('types'))
        results = registry.read_results(toolkit.table('results'))
        attributes = registry.read_attributes(toolkit.table('attributes'))
        registry.write_functions(path['functions'], old)
        registry.write_types(path['types'], [row for row in types if row.since <= NEWEST_UNDATED])
        registry.write_results(path['results'], [row for row in results if not row.since])
        registry.write_attributes(path['attributes'], [row for row in attributes if not row.since])
        status, said = self.run_update(tables, self.folder)
        self.assertEqual(status, 0, said)
        notes = [line for line in said.splitlines() if 'fall back' in line]
        for pair in (('cuGraphAddNode_v3', 'cuGraphAddNode_v2'),
                     ('cuGraphNodeSetParams_v2', 'cuGraphNodeSetParams')):
            self.assertIn('note: %s has the signature of %s; decide whether it may fall back to it'
                          % pair, notes)
        updated = registry.read_functions(path['functions'])
        self.assertEqual(updated[:len(old)], old)
        self.assertEqual(sorted(updated), sorted(rows + [FUNCTION]))
        self.assertEqual(registry.read_types(path['types']), types)
        # Headers do not say which version introduced a code or an attribute, so it is the toolkit's
        # version.
        self.assertEqual(registry.read_attributes(path['attributes']), sorted(
            row._replace(since=row.since and VERSION) for row in attributes + NOVELTIES))
        self.assertEqual(registry.read_results(path['results'], complete=False), sorted(
            row._replace(since=VERSION, sticky='?', meaning='', advice='') if row.since else row
            for row in results + [RESULT]))


if __name__ == '__main__':
    toolkit.main()
