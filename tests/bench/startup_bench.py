#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What cushim costs a program that starts and ends without a call: instructions, and relocations.

    startup_bench.py LIBRARY ROW...

A row is KIND=PROGRAM; `nothing` is the program without cushim, `an empty library` the same with a
library that has nothing in it. How many instructions a relocation takes is the dynamic linker's
affair, so the counts are printed; judged is what is the same with every linker: a static library
that is not called costs nothing, how many relocations there are, and that none of them is CUDA's.
"""

import re
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import callgrind  # noqa: E402

# One of the lazy-load table for each slot, and a hundred for texts in tables; the C library's functions.
MOST_RELATIVE, MOST_SYMBOLS = 850, 90
SHARE = 0.01


def relocations(path):
    text = subprocess.run(['readelf', '-rW', path], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    return re.findall(r'^[0-9a-f]{8,} +[0-9a-f]+ (R_\w+) +(.*)$', text, re.MULTILINE)


class Startup(unittest.TestCase):
    def test_static_library_that_is_not_called_costs_nothing(self):
        cost = {kind: callgrind.count([path]) for kind, path in PROGRAMS.items()}
        print('\ninstructions of a program that does nothing:')
        for kind, instructions in cost.items():
            more = instructions - cost['nothing']
            print('  %-38s %8d  %+7d  %+6.1f %%' % (kind, instructions, more,
                                                   100 * more / cost['nothing']))
        self.assertLess(abs(cost['static'] - cost['nothing']), SHARE * cost['nothing'])
        self.assertLess(cost['nothing'], cost['an empty library'])
        self.assertLess(cost['an empty library'], cost['shared'])

    def test_library_leaves_little_to_the_dynamic_linker(self):
        found = relocations(LIBRARY)
        relative = [kind for kind, _ in found if kind.endswith('_RELATIVE')]
        print('\n%d relative relocations, %d of symbols' % (len(relative),
                                                            len(found) - len(relative)))
        self.assertGreater(len(relative), 0)
        self.assertLess(len(relative), MOST_RELATIVE)
        self.assertLess(len(found) - len(relative), MOST_SYMBOLS)

    def test_nothing_of_cuda_is_looked_for(self):
        for path in [LIBRARY, *PROGRAMS.values()]:
            dynamic = subprocess.run(['readelf', '-dW', path], check=True, stdout=subprocess.PIPE,
                                     text=True).stdout
            self.assertEqual([line for line in dynamic.splitlines() if 'libcuda' in line], [])
            self.assertEqual([symbol for _, symbol in relocations(path)
                              if re.search(r'\bcu[A-Z]', symbol)], [])


if __name__ == '__main__':
    callgrind.require()
    if len(sys.argv) < 3:
        print('skipped: valgrind cannot run what a sanitizer makes')
        sys.exit(77)
    if not shutil.which('readelf'):
        print('skipped: readelf (binutils) is not installed')
        sys.exit(77)
    LIBRARY = sys.argv[1]
    PROGRAMS = dict(row.rsplit('=', 1) for row in sys.argv[2:])
    unittest.main(argv=sys.argv[:1], verbosity=2)
