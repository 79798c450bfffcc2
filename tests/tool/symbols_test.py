#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cushim symbols`: the registry by version, and what of it a library exports."""

import json
import os
import shutil
import struct
import tempfile
import unittest

from harness import DONE, NO_DRIVER, WINDOWS, ToolTest, built_driver, fake, host_path

with open(os.environ['CUSHIM_DRIVER_API'], encoding='ascii') as api:
    FUNCTIONS = json.load(api)['functions']
# Those that a library of this system could export.
OWN = [row for row in FUNCTIONS if WINDOWS or not row['platform']]
SECTION_HEADER = 64  # bytes of one, in a 64-bit ELF file
DYNSYM = 11


def version(number):
    return '%d.%d' % (number // 1000, number % 1000 // 10)


def objects(rows):
    return [{name: row[name] for name in ('symbol', 'since', 'group')} for row in rows]


class Symbols(ToolTest):
    def symbols(self, *words, **settings):
        result = self.run_command('symbols', *words, **settings)
        self.assert_status(result, DONE)
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

    def test_versions_without_symbols_are_reported(self):
        """Standard output stays a list, or an object, of symbols."""
        newest = version(max(row['since'] for row in FUNCTIONS))
        for words in (('--since', '99.1'), ('--since', '12.7', '--until', '12.7')):
            with self.subTest(words=words):
                result = self.run_command('symbols', *words)
                self.assert_status(result, DONE)
                self.assertEqual(result.out, '')
                self.assertEqual(result.err,
                                 'cushim: no symbol came with these versions of CUDA; the newest '
                                 'that are known came with %s\n' % newest)
                self.assertEqual(self.symbols('--json', *words).json(), {'symbols': []})

    def test_complete_driver_has_everything(self):
        printed = self.symbols('--json', built_driver('complete')).json()
        self.assertEqual(list(printed), ['library', 'has', 'lacks', 'besides'])
        self.assertEqual(printed['library'], built_driver('complete'))
        self.assertEqual(printed['has'], objects(OWN))
        self.assertEqual(printed['lacks'], [])

    def test_driver_lacks_what_it_does_not_export(self):
        printed = self.symbols('--json', built_driver('cuda-12.2')).json()
        self.assertEqual(printed['has'], objects(row for row in OWN if row['since'] <= 12020))
        self.assertEqual(printed['lacks'], objects(row for row in OWN if row['since'] > 12020))
        printed = self.symbols('--json', built_driver('without-mem-alloc-v2'), '--until',
                            '13.0').json()
        self.assertEqual([row['symbol'] for row in printed['lacks']], ['cuMemAlloc_v2'])

    def test_versions_bound_what_is_compared(self):
        printed = self.symbols('--since', '12.2', '--json', built_driver('cuda-12.2'), '--until',
                            '12.3').json()
        self.assertEqual({row['since'] for row in printed['has']}, {12020})
        self.assertEqual({row['since'] for row in printed['lacks']}, {12030})

    @unittest.skipUnless('CUSHIM_MOCK_LIBRARY' in os.environ, 'built without the mock')
    def test_other_names_of_cu_are_listed(self):
        library = host_path(os.environ['CUSHIM_MOCK_LIBRARY'])
        printed = self.symbols('--json', library).json()
        self.assertIn('cushim_mock_identity', printed['besides'])
        self.assertEqual(printed['besides'], sorted(set(printed['besides'])))
        for name in printed['besides']:
            self.assertRegex(name, '^cushim_mock_')
        self.assertEqual(self.symbols('--json', '--since', '13.5', library).json()['besides'],
                         printed['besides'])

    def test_text_says_the_same(self):
        library = built_driver('without-elapsed-v2')
        printed = self.symbols('--json', '--since', '12.8', library).json()
        lines = self.symbols('--since', '12.8', library).out.splitlines()
        for word in 'has', 'lacks':
            self.assertEqual([line.split()[1:] for line in lines if line.split()[0] == word],
                             [[version(row['since']), row['group'], row['symbol']]
                              for row in printed[word]])
            self.assertTrue(printed[word])
        self.assertEqual([line.split()[1:] for line in lines if line.startswith('besides')],
                         [[name] for name in printed['besides']])
        has, lacks, besides = (len(printed[word]) for word in ('has', 'lacks', 'besides'))
        self.assertEqual(lines[-2:], [
            'library     ' + library,
            'symbols     It has %d of %d, lacks %d, and has %d names besides.'
            % (has, has + lacks, lacks, besides)])

    def test_library_is_not_loaded(self):
        """One that could not be: what it needs is missing, or its constructor leaves a trace."""
        name = 'needs-helper' if WINDOWS else 'unresolved'
        printed = self.symbols('--json', built_driver(name)).json()
        self.assertIn('cuInit', [row['symbol'] for row in printed['has']])
        self.assertEqual(printed['besides'], [])  # needs_what_nobody_has is exported, but not of cu
        self.assertEqual(self.symbols(fake(13000)).log, [])

    def refused(self, path, message, **settings):
        result = self.run_command('symbols', path, **settings)
        self.assert_status(result, NO_DRIVER)
        self.assertEqual(result.out, '')
        self.assertIn(message, result.err)
        self.assertIn("\nadvice: Name the file of a driver's library.\n", result.err)
        error = self.run_command('symbols', '--json', path, **settings)
        self.assert_status(error, NO_DRIVER)
        self.assertEqual(list(error.json()), ['error'])
        self.assertEqual(error.json()['error']['kind'], 'no-driver')
        self.assertIn(message, error.json()['error']['message'])

    def test_what_is_no_library_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            text = os.path.join(folder, 'text')
            with open(text, 'w', encoding='ascii') as file:
                file.write('hello')
            self.refused(host_path(text), 'it is not a PE file' if WINDOWS
                         else 'it is not an ELF file')
            self.refused(host_path(folder), 'it is a directory')
            self.refused(host_path(os.path.join(folder, 'none')), '')
            self.refused(host_path(folder + '/' + 'x' * 5000), '')

    def test_library_of_something_else_is_refused(self):
        helper = os.path.join(os.environ['CUSHIM_FAKE_DRIVERS'],
                              'libfake-helper.dll' if WINDOWS else 'libfake-helper.so')
        self.refused(host_path(helper), 'exports no symbol of the driver API')

    def elf_tables(self):
        """A driver, where the headers of its dynamic symbols and names are, how many there are."""
        with open(built_driver('complete'), 'rb') as file:
            good = file.read()
        table, = struct.unpack_from('<Q', good, 40)
        size, count = struct.unpack_from('<HH', good, 58)
        self.assertEqual(size, SECTION_HEADER)
        section, = [at for at in range(table, table + size * count, size)
                    if struct.unpack_from('<I', good, at + 4) == (DYNSYM,)]
        link, = struct.unpack_from('<I', good, section + 40)
        return good, section, table + link * size, count

    @unittest.skipIf(WINDOWS, 'of ELF files')
    def test_symbol_that_dlsym_would_not_find_is_not_exported(self):
        good, section, names, _ = self.elf_tables()
        (symbols, size), (strings, length) = (struct.unpack_from('<QQ', good, at + 24)
                                              for at in (section, names))
        name = good.index(b'\0cuInit\0', strings, strings + length) + 1 - strings
        entry, = [at for at in range(symbols, symbols + size, 24)
                  if struct.unpack_from('<I', good, at) == (name,)]
        changes = {
            'undefined': (entry + 6, '<H', 0),
            'local': (entry + 4, '<B', 2),
            'hidden': (entry + 5, '<B', 2),
            'its name lies behind the end': (entry, '<I', 2 ** 32 - 1),
        }
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'libcuda.so.1')
            for what, (at, form, value) in changes.items():
                with self.subTest(what):
                    changed = bytearray(good)
                    struct.pack_into(form, changed, at, value)
                    with open(path, 'wb') as file:
                        file.write(changed)
                    printed = self.symbols('--json', path).json()
                    self.assertEqual([row['symbol'] for row in printed['lacks']], ['cuInit'])

    @unittest.skipIf(WINDOWS, 'of ELF files')
    def test_damaged_tables_are_refused(self):
        """Whatever the section headers say of the dynamic symbols, nothing else is read."""
        good, section, names, count = self.elf_tables()
        changes = {
            'no section headers': (60, '<H', 0),
            'headers of another size': (58, '<H', 40),
            'headers behind the end': (40, '<Q', len(good) - 8),
            'headers nowhere': (40, '<Q', 2 ** 64 - 64),
            'no dynamic symbols': (section + 4, '<I', 2),
            'symbols behind the end': (section + 24, '<Q', len(good)),
            'symbols nowhere': (section + 24, '<Q', 2 ** 64 - 8),
            'too many symbols': (section + 32, '<Q', 2 ** 64 - 24),
            'names of no section': (section + 40, '<I', count),
            'names are no strings': (names + 4, '<I', 1),
            'names behind the end': (names + 24, '<Q', len(good)),
            'too many names': (names + 32, '<Q', 2 ** 63),
        }
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'libcuda.so.1')
            for what, (at, form, value) in changes.items():
                with self.subTest(what):
                    damaged = bytearray(good)
                    struct.pack_into(form, damaged, at, value)
                    with open(path, 'wb') as file:
                        file.write(damaged)
                    self.refused(path, 'the section headers do not lead to its dynamic symbols')
            damaged = bytearray(good)
            struct.pack_into('<Q', damaged, names + 32, 1)  # every name lies behind the end
            with open(path, 'wb') as file:
                file.write(damaged)
            self.refused(path, 'exports no symbol of the driver API')

    @unittest.skipIf(WINDOWS, 'nothing such in a path')
    def test_what_would_do_something_to_a_terminal_is_not_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'lib\x1b[2J.so')
            self.refused(path, 'No such file')
            shutil.copy(built_driver('few'), path)
            self.assertIn('library     %s/lib?[2J.so\n' % folder, self.symbols(path).out)


if __name__ == '__main__':
    unittest.main()
