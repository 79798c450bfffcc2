#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cushim symbols`: the registry by version."""

import json
import os
import unittest

from harness import DONE, ToolTest

with open(os.environ['CUSHIM_DRIVER_API'], encoding='ascii') as api:
    FUNCTIONS = json.load(api)['functions']


def version(number):
    return '%d.%d' % (number // 1000, number % 1000 // 10)


def objects(rows):
    return [{name: row[name] for name in ('symbol', 'since', 'group')} for row in rows]


class Symbols(ToolTest):
    def symbols(self, *words, **settings):
        result = self.run_command('symbols', *words, status=DONE, **settings)
        self.assertEqual(result.err, '')
        return result

    def test_registry_is_listed(self):
        self.assertEqual([tuple(line.split()) for line in self.symbols().out.splitlines()],
                         [(version(row['since']), row['group'], row['symbol'])
                          for row in FUNCTIONS])
        self.assertEqual(self.symbols('--json').json(), {'symbols': objects(FUNCTIONS)})

    def test_versions_bound_the_list_and_belong_to_it(self):
        bounds = (13010, None), (None, 2000), (12080, 12080), (11010, 11040)
        for since, until in bounds:
            words = ['--since', version(since)] if since else []
            words += ['--until=' + version(until)] if until else []
            rows = [row for row in FUNCTIONS
                    if (since or 0) <= row['since'] <= (until or 99090)]
            with self.subTest(words=words):
                self.assertEqual(self.symbols('--json', *words).json(),
                                 {'symbols': objects(rows)})
                self.assertEqual(len(self.symbols(*words).out.splitlines()), len(rows))
                self.assertTrue(rows)

    def test_version_without_a_minor_number_is_that_of_0(self):
        for option in '--since', '--until':
            self.assertEqual(self.symbols(option, '13').out, self.symbols(option, '13.0').out)

    def test_names_mean_the_slots_of_a_version(self):
        """tests/cuda_header/meanings_test.py compares all names with headers."""
        for words, slot, since in (('12.5 cuCtxCreate', 'CtxCreate_v2', '3.2'),
                                   ('13.0 cuCtxCreate', 'CtxCreate_v4', '12.5'),
                                   ('13 cuCtxCreate_v2', 'CtxCreate_v2', '3.2'),
                                   ('12.2 cuGraphAddNode', 'GraphAddNode', '12.2'),
                                   ('12.9 cuGraphAddNode', 'GraphAddNode', '12.2')):
            version, name = words.split()
            with self.subTest(words):
                self.assertEqual(self.symbols('--cuda', version, name).out.split(),
                                 [name, slot, 'since', since])
        self.assertIn(', per-thread MemcpyHtoD_v2_ptds\n',
                      self.symbols('--cuda', '13.0', 'cuMemcpyHtoD').out)

    def test_names_as_json(self):
        names = ['cuMemcpyHtoD', 'cuMemAlloc']
        self.assertEqual(self.symbols('--json', '--cuda', '13.0', *names).json(), {'names': [
            {'name': 'cuMemcpyHtoD', 'slot': 'MemcpyHtoD_v2',
             'per_thread_slot': 'MemcpyHtoD_v2_ptds', 'since': 3020},
            {'name': 'cuMemAlloc', 'slot': 'MemAlloc_v2', 'per_thread_slot': None, 'since': 3020}]})

    def test_versions_without_symbols_are_reported(self):
        """Standard output contains only the list, or the object, of symbols."""
        newest = version(max(row['since'] for row in FUNCTIONS))
        for words in (('--since', '99.1'), ('--since', '12.7', '--until', '12.7')):
            with self.subTest(words=words):
                result = self.run_command('symbols', *words, status=DONE)
                self.assertEqual(result.out, '')
                self.assertEqual(result.err,
                                 'cushim: no symbol came with these versions of CUDA; the newest '
                                 'that are known came with %s\n' % newest)
                self.assertEqual(self.symbols('--json', *words).json(), {'symbols': []})


if __name__ == '__main__':
    unittest.main()
