#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""attributes.tsv names every device attribute and limit of the header, by a name that it has."""

import os
import unittest

import toolkit
from header import read_header
import registry

ENUMS = (('device', 'CUdevice_attribute', 80), ('limit', 'CUlimit', 6))


class Attributes(unittest.TestCase):
    def test_rows_are_the_enumerators_of_the_header(self):
        header = read_header(os.path.join(toolkit.include(), 'cuda.h'))
        rows = registry.read_attributes(toolkit.table('attributes'))
        newest = header.version >= max(row.since for row in toolkit.functions())
        for kind, enum, least in ENUMS:
            prefix = registry.ATTRIBUTE_PREFIXES[kind]
            names = {}
            for number, name in header.enums[enum]:
                if name != prefix + 'MAX':
                    names.setdefault(number, []).append(name)
            self.assertGreater(len(names), least)
            known = {row.number: prefix + row.name for row in rows if row.kind == kind}
            self.assertEqual(sorted(set(names) - set(known)), [], '%s: run update.py' % enum)
            # Enumerators are renamed and added: an older header may know neither name nor number.
            if newest:
                self.assertEqual(sorted(known), sorted(names))
                for number, name in known.items():
                    self.assertIn(name, names[number])


if __name__ == '__main__':
    toolkit.main()
