#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The layout of the types in the public headers is the one in layout.tsv.

    layout_test.py LIST "COMPILER..." "INCLUDE..." HEADER...
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

STRUCT = re.compile(r'^struct (\w+) \{\n(.*?)^\};', re.MULTILINE | re.DOTALL)
ENUM = re.compile(r'^enum (?:\w+ )?\{\n(.*?)^\};', re.MULTILINE | re.DOTALL)
# These structs never grow, as the headers say.
FIXED = {'cushim_context_scope', 'cushim_egl_frame', 'cushim_match', 'cushim_recorded_argument',
         'cushim_symbol_counts', 'cushim_symbol_tally'}


def members(body):
    """Return the names of the members that a struct's body declares."""
    found = []
    for declaration in body.split(';')[:-1]:
        pointer = re.search(r'\(\s*(?:CUDAAPI\s*)?\*\s*(\w+)\)\(', declaration)
        if pointer:
            found.append(pointer.group(1))
        else:
            found += [re.search(r'(\w+)\s*(?:\[[^]]*\])*\s*$', part).group(1)
                      for part in declaration.split(',')]
    return found


def declarations():
    """Return (struct, members) of all headers without the table's slots, and all enumerators."""
    structs, enumerators = {}, []
    for path in HEADERS:
        with open(path, encoding='utf-8') as file:
            text = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.DOTALL)
        structs.update({name: members(body) for name, body in STRUCT.findall(text)
                        if name != 'cushim_table'})
        for body in ENUM.findall(text):
            enumerators += re.findall(r'^\s*(CUSHIM_\w+)', body, re.MULTILINE)
    return structs, enumerators


def measured():
    """Return each row according to the compiler: kind, name, member, number."""
    structs, enumerators = declarations()
    source = '#include <stddef.h>\n#include <stdio.h>\n'
    source += ''.join('#include <cushim/%s>\n' % path.rpartition('/cushim/')[2] for path in HEADERS)
    source += 'int main(void)\n{\n'
    for name, names in structs.items():
        source += '    printf("struct\\t%s\\t-\\t%%zu\\n", sizeof(struct %s));\n' % (name, name)
        for member in names:
            source += '    printf("member\\t%s\\t%s\\t%%zu\\n", offsetof(struct %s, %s));\n' % (
                name, member, name, member)
    for name in enumerators:
        source += '    printf("value\\t%s\\t-\\t%%d\\n", (int)%s);\n' % (name, name)
    with tempfile.TemporaryDirectory(prefix='cushim-layout-') as folder:
        path = os.path.join(folder, 'layout')
        with open(path + '.c', 'w', encoding='ascii') as file:
            file.write(source + '    return 0;\n}\n')
        subprocess.run([*COMPILER, *INCLUDE, path + '.c', '-o', path], check=True)
        text = subprocess.run([path], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [tuple(line.split('\t')) for line in text.splitlines()]


def lines_of(path):
    with open(path, encoding='ascii') as file:
        return [line.rstrip('\n') for line in file if not line.startswith('#')]


def older(version, other):
    return [int(part) for part in version.split('.')] < [int(part) for part in other.split('.')]


class Layout(unittest.TestCase):
    def test_layout_is_what_is_listed(self):
        listed = [tuple(line.split('\t')[:4]) for line in lines_of(LIST)
                  if not line.startswith('former\t')]
        found = measured()
        self.assertEqual(len(listed), len(set(listed)))
        print('%d rows' % len(found))
        self.assertEqual(sorted(set(listed) - set(found)), [], 'listed, and no longer so')
        self.assertEqual(sorted(set(found) - set(listed)), [],
                         'not listed; if it is new, add the row and its version')

    def test_struct_that_may_grow_begins_with_its_size(self):
        structs, _ = declarations()
        self.assertLessEqual(FIXED, set(structs))
        self.assertEqual(sorted(name for name, names in structs.items()
                                if names[0] != 'size' and name not in FIXED), [])
        self.assertEqual([name for name in FIXED if structs[name][0] == 'size'], [])

    def test_member_that_was_added_lies_beyond_the_former_size(self):
        """An older caller would have left arbitrary bytes in the padding."""
        rows = [line.split('\t') for line in lines_of(LIST)]
        first = {name: since for kind, name, _, _, since in rows if kind == 'struct'}
        for kind, name, member, number, since in rows:
            if kind != 'member' or since == first[name]:
                continue
            former = [int(size) for other, owner, _, size, version in rows
                      if (other, owner) == ('former', name) and older(version, since)]
            self.assertTrue(former, '%s.%s is newer than the struct, of whose former size there '
                            'is no row' % (name, member))
            self.assertGreaterEqual(int(number), max(former), '%s.%s' % (name, member))


if __name__ == '__main__':
    LIST = sys.argv[1]
    COMPILER, INCLUDE, HEADERS = sys.argv[2].split(), sys.argv[3].split(), sys.argv[4:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
