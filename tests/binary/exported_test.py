#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libcushim exports exactly what exports.tsv lists and the public headers declare.

    exported_test.py LIST VERSION SANITIZER EXPORTING_ARCHIVE HIDING_ARCHIVE LIBRARY|none HEADER...

Also exported, but in no list, is the anchor for the number of slots before the next release. The
archives contain the objects of the shared and of the static library. The version script exports
only listed symbols, so an entry that is missing in the list is found in the objects and headers.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
REGISTRY = os.path.join(HERE, '../../loader/registry')
sys.path[:0] = [REGISTRY, os.path.join(REGISTRY, '../generator')]

import exports  # noqa: E402
import registry  # noqa: E402

DECLARATION = re.compile(r'^CUSHIM_(?:API|VARIABLE)\b[^;]*?\b(cushim_\w+)(?:\(|;)',
                         re.MULTILINE)


def symbols(path, table='--syms'):
    """Return (name, visibility) of each global symbol that a file or the members of an archive
    define.
    """
    text = subprocess.run([READELF, table, '-W', path], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    fields = [line.split() for line in text.splitlines()]
    return {(f[7], f[5]) for f in fields
            if len(f) > 7 and f[4] in ('GLOBAL', 'WEAK') and f[6] not in ('UND', 'ABS')}


class Exports(unittest.TestCase):
    def assert_listed(self, found, where):
        """Report additions and removals separately: an addition needs a row, a removal a new
        soname.
        """
        listed = {name for name, _ in ROWS}
        self.assertEqual(sorted(listed - found), [],
                         'removed: listed in exports.tsv, but not %s' % where)
        self.assertEqual(sorted(found - listed), [],
                         'added: %s, but not listed; add a row with version %d.%d'
                         % (where, *VERSION))

    def test_headers_declare_what_is_listed(self):
        found = set()
        for header in HEADERS:
            with open(header, encoding='ascii') as file:
                found |= set(DECLARATION.findall(file.read()))
        self.assert_listed(found, 'declared CUSHIM_API or CUSHIM_VARIABLE in a public header')

    def test_objects_of_the_shared_library_export_what_is_listed(self):
        if SANITIZER != 'none':
            self.skipTest('a sanitizer adds symbols of its own')
        found = {name for name, visibility in symbols(EXPORTING) if visibility == 'DEFAULT'}
        self.assert_listed(found, 'exported by an object file')

    def test_shared_library_exports_what_is_listed_under_its_version(self):
        if LIBRARY == 'none':
            self.skipTest('no shared library was built')
        found = {name for name, _ in symbols(LIBRARY, '--dyn-syms')}
        self.assertEqual(found, {'%s@@%s' % (name, exports.node(since)) for name, since in ROWS})

    def test_static_library_exports_nothing(self):
        found = symbols(HIDING)
        self.assertEqual(sorted({name for name, _ in ROWS} - {name for name, _ in found}), [])
        self.assertEqual([name for name, visibility in found
                          if visibility == 'DEFAULT' and name.startswith('cushim_')], [])

    def test_no_symbol_is_newer_than_the_library(self):
        self.assertEqual([name for name, since in ROWS if since > VERSION], [])


if __name__ == '__main__':
    READELF = shutil.which(os.environ.get('READELF', 'readelf'))
    if not READELF:
        print('skipped: readelf (binutils) is not installed')
        sys.exit(77)
    SANITIZER, EXPORTING, HIDING, LIBRARY = sys.argv[3:7]
    ROWS = exports.exported(sys.argv[1], registry.read_functions(
        os.path.join(REGISTRY, 'functions.tsv')))
    VERSION = tuple(int(part) for part in sys.argv[2].split('.')[:2])
    HEADERS = sys.argv[7:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
