# SPDX-License-Identifier: Apache-2.0
"""Rows on files, and on what a start costs (section 7)."""

import os
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'plugins'))
import size_test  # noqa: E402
import startup_bench  # noqa: E402
from measure import Skip  # noqa: E402
from row import Row, exact, most  # noqa: E402

FILES = {
    'shared': ('the shared library', 'libcushim.so.0'),
    'four': ('a static program with four functions', 'four'),
    'plugin': ('a plugin with everything', os.path.join('..', 'plugins', 'plugin-whole.so')),
}
STARTS = {
    'shared': 'with the shared library',
    'static': 'linked statically, never called',
    'static__with_a_call_that_is_not_made': 'linked statically, a call that is not made',
    'an_empty_library': 'with a library that is empty',
}
PART_TEXT, PART_DATA, PART_RELOCATIONS = 'text', 'data', 'relocations'


def size_of(path, part):
    with open(path, 'rb') as file:
        data = file.read()
    if data[:6] != b'\x7fELF\2\1':
        raise Skip('not for this kind of file')
    relocations = sum(size for kind, size in size_test.sections(data).values()
                      if kind in (size_test.SHT_RELA, size_test.SHT_RELR))
    if part == PART_RELOCATIONS:
        return exact(relocations)
    is_data = part == PART_DATA
    whole = sum(size for flags, size in size_test.segments(data)
                if bool(flags & size_test.PF_W) == is_data)
    return exact(whole if is_data else whole - relocations)


def size_rows():
    for name, (text, path) in FILES.items():
        for part in (PART_TEXT, PART_DATA, PART_RELOCATIONS):
            goal = most(size_test.GOAL, ' bytes') if (name, part) == ('plugin', PART_TEXT) else None
            yield Row(7, 'size.%s.%s' % (name, part), '%s: %s' % (text, part), 'bytes', 'here',
                      goal, None,
                      lambda bench, path=path, part=part: size_of(bench.path(path), part))
    for kind, text in STARTS.items():
        yield Row(7, 'start.' + kind, 'a program that does nothing, %s: more than without' % text,
                  'instructions', 'here', most(2000) if kind == 'static' else None, None,
                  lambda bench, kind=kind: exact(bench.count('start-' + kind) -
                                                 bench.count('start-nothing')))
    yield Row(7, 'start.relocations', 'relocations of the shared library at a start', 'relocations',
              'here', most(startup_bench.MOST_RELATIVE + startup_bench.MOST_SYMBOLS), None,
              lambda bench: exact(len(startup_bench.relocations(
                  bench.path('libcushim-startup.so')))))
