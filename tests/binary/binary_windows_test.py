#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The exports and dependencies of the DLL, and that the libraries contain no other directives for a
linker.

    binary_windows_test.py COMPILER DLL LIBRARY COMMAND STUBS HEADER...

DLL is the library, LIBRARY the one for static linking; the import library is next to the DLL.
"""

import os
import re
import subprocess
import sys
import unittest

# DLLs that every Windows has; the compiler selects msvcrt.dll or the newer ucrt.
SYSTEM = re.compile(r'(kernel32|advapi32|shell32|user32|msvcrt|ucrtbase|api-ms-win-crt-.*)\.dll')


def output(tool, *arguments):
    prefix = COMPILER.rpartition('-gcc')[0]
    return subprocess.run([prefix + '-' + tool, *arguments], check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def exported(path):
    """Return the names in the export table."""
    table = output('objdump', '-p', path).partition('[Ordinal/Name Pointer] Table')[2]
    return re.findall(r'^\t\[ *\d+\] (?:\+base\[ *\d+\] +[0-9a-f]+ )?(\w+)$',
                      table.partition('\n\n')[0], re.MULTILINE)


def needed(path):
    return re.findall(r'DLL Name: (\S+)', output('objdump', '-p', path))


def declared():
    text = ''
    for path in HEADERS:
        with open(path, encoding='utf-8') as header:
            text += header.read()
    return set(re.findall(r'\b(cushim_[a-z]\w*)\(', re.sub(r'(?s)/\*.*?\*/', '', text)))


class Binary(unittest.TestCase):

    def test_dll_exports_the_public_functions_and_the_current_table(self):
        names = exported(DLL)
        self.assertEqual([name for name in names if not name.startswith('cushim_')], [])
        self.assertEqual([name for name in names if name.startswith('cushim__')], [])
        for name in ['cushim_driver_load', 'cushim_report_write_json', 'cushim_event_create',
                     'cushim_log_set']:
            self.assertIn(name, names)
        self.assertEqual(sorted(set(names) - {'cushim_current_table'} - declared()), [])

    def test_files_are_mapped_anywhere_and_data_is_not_executed(self):
        for path in DLL, COMMAND:
            kinds = output('objdump', '-p', path).partition('DllCharacteristics')[2]
            kinds = kinds.partition('\n\n')[0]
            for kind in ['HIGH_ENTROPY_VA', 'DYNAMIC_BASE', 'NX_COMPAT']:
                self.assertIn(kind, kinds, path)
            # Without relocations the file could not be moved, whatever its flags say.
            self.assertIn('.reloc', output('objdump', '-h', path), path)

    def test_command_exports_nothing(self):
        self.assertEqual(exported(COMMAND), [])

    def test_nothing_but_windows_is_needed(self):
        for path in DLL, COMMAND:
            self.assertTrue(needed(path))
            self.assertEqual([name for name in needed(path)
                              if not SYSTEM.fullmatch(name.lower())], [])

    def test_import_library_leads_to_the_dll(self):
        stem = re.sub(r'-\d+\.dll$', '', DLL)
        symbols = output('nm', stem + '.dll.a')
        for name in ['__imp_cushim_current_table', '__imp_cushim_driver_load', 'cushim_driver_load']:
            self.assertRegex(symbols, r'(?m) [IT] %s$' % name)
        self.assertIn(os.path.basename(DLL).replace('-', '_').replace('.', '_'),
                      symbols.replace('-', '_').replace('.', '_'))

    def test_static_libraries_export_nothing_from_what_they_are_linked_into(self):
        for path in LIBRARY, STUBS:
            self.assertNotIn('.drectve', output('objdump', '-h', path))

    def test_static_library_has_the_pointer_to_its_variable(self):
        self.assertRegex(output('nm', LIBRARY), r'(?m) [RD] __imp_cushim_current_table$')

    def test_no_thread_local_storage(self):
        symbols = output('nm', LIBRARY)
        self.assertNotIn('emutls', symbols)
        self.assertNotIn('_tls_', symbols)


if __name__ == '__main__':
    COMPILER, DLL, LIBRARY, COMMAND, STUBS = sys.argv[1:6]
    HEADERS = sys.argv[6:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
