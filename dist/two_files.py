#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Join the library into two files, cushim.h and cushim.c, for copying into another tree.

    two_files.py --version VERSION --folder FOLDER... --output FOLDER --depfile FILE
                 --source FILE... [--when CONDITION FILE...]...

Knows no file of the library by its name but the two that a user includes: the build says which
sources there are, and their includes say which headers. What depends on the operating system comes
with the condition under which it is compiled. No line is rewritten; lines go that have no meaning
in one file, and files that cannot be joined unchanged end it with a reason.
"""

import argparse
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import names  # noqa: E402
from source import SPDX, Library, SourceError  # noqa: E402

# What a user includes, and what adds the names of <cuda.h>.
PUBLIC, NAMES = 'cushim/cushim.h', 'cushim/cuda.h'

HEADER = '''/*
 * cushim %(version)s in two files, cushim.h and cushim.c, to copy into a tree:
 *
 *     cc -c cushim.c -I/usr/local/cuda/include
 *
 * Include "cushim.h" where the documentation of cushim says <cushim/cushim.h>, and with
 * CUSHIM_CUDA_NAMES defined where it says <cushim/cuda.h>: the names of <cuda.h> then mean cushim's
 * functions. Nothing of a copy is seen outside of the program or plugin that it is linked into.
 *
 * Made by `meson compile -C build dist-single` from the sources of cushim: change those, not these.
 * The licence is Apache-2.0; a copy of the file LICENSE has to go along.
 */
'''

API = '''/* Whoever has a copy has it for itself: two plugins of one program do not meet. */
#ifndef CUSHIM_STATIC
#define CUSHIM_STATIC
#endif
'''

ASKED = '''/* The names of <cuda.h>, also for who asks after cushim.h was included without them. */
#ifdef CUSHIM_CUDA_NAMES
'''

SOURCE = '''/*
 * cushim %(version)s in two files: see cushim.h.
 *
 * Made by `meson compile -C build dist-single` from the sources of cushim: change those, not this.
 */
'''

INCLUDE = '''
/* This is written for the table, whatever a whole program is compiled with. */
#undef CUSHIM_CUDA_NAMES
#include "cushim.h"

#if CUSHIM_VERSION != %(number)d
#error "cushim.c and cushim.h are of different versions: copy both"
#endif
'''

# An option -include comes before the first line, and so before what that line would change.
SETTING = '''#ifndef %(name)s
#ifdef CUSHIM_VERSION
#error "compile cushim.c without -include cushim.h, or with -D%(name)s"
#endif
#define %(name)s%(value)s
#endif
'''

PUSH = '''#if defined(__GNUC__) && !defined(_WIN32)
#pragma GCC visibility push(hidden)
#endif
'''
POP = PUSH.replace('push(hidden)', 'pop')


class Joined:
    """Text that grows by files, each once."""

    def __init__(self, library, before=None):
        self.library = library
        self.done = set(before.done) if before else set()
        self.included = list(before.included) if before else []
        self.system, self.settings, self.files = [], [], []
        self.parts = []

    def add_header(self, name):
        if name not in self.done:
            self.add(self.library.header(name))

    def add(self, source):
        """The headers that it needs, then itself."""
        self.done.add(source.name)
        for name in source.own:
            self.add_header(name)
        self.take_outside(source)
        if not source.holds_anything():
            return
        self.files.append(source)
        self.parts.append('/* ---- %s ---- */' % source.name)
        self.add_lines(source)
        if source.name.endswith('.c') and source.macros:
            self.parts.append('\n' + '\n'.join('#undef ' + macro for macro in source.macros))
        self.parts.append('')

    def take_outside(self, source):
        for name in source.system:
            if name not in self.included:
                self.included.append(name)
                self.system.append(name)
        self.settings += [setting for setting in source.settings if setting not in self.settings]

    def add_lines(self, source):
        for line, inner in zip(source.lines, source.inner):
            if inner is None:
                self.parts.append(line)
            elif inner not in self.done:
                self.add_header(inner)

    def include_lines(self):
        # Those of one operating system may depend on their order.
        return ''.join('#include <%s>\n' % name for name in self.system)

    def setting_lines(self):
        return ''.join(SETTING % {'name': name, 'value': value} for name, value in self.settings)

    def text(self):
        return '\n'.join(self.parts) + '\n'


def write_header(library, version):
    joined = Joined(library)
    joined.add_header(PUBLIC)
    names = Joined(library, joined)
    names.add_header(NAMES)
    text = SPDX + HEADER % {'version': version} + '\n'
    text += joined.include_lines() + '\n' + API + '\n' + joined.text() + '\n'
    text += ASKED + names.include_lines() + '\n' + names.text() + '#endif\n'
    joined.files += names.files
    return text, joined


def conditional(groups, body, otherwise):
    """One of several texts, as the conditions say."""
    lines = []
    for number, (condition, _) in enumerate(groups):
        lines.append('#%s %s\n%s' % ('elif' if number else 'if', condition, body[number]))
    return ''.join(lines) + ('#else\n' + otherwise if otherwise else '') + '#endif\n'


def write_source(library, version, public, sources, groups):
    portable = Joined(library, public)
    for source in sources:
        portable.add(source)
    systems = []
    for _, members in groups:
        systems.append(Joined(library, portable))
        for source in members:
            systems[-1].add(source)
    fail_at_clashes(public.files + portable.files, [system.files for system in systems])

    major, minor, patch = (int(part) for part in version.split('.'))
    text = SPDX + SOURCE % {'version': version} + '\n' + portable.setting_lines()
    if any(system.settings for system in systems):
        text += '/* What the headers of the system are to show. */\n'
        text += conditional(groups, [system.setting_lines() for system in systems], '')
    text += INCLUDE % {'number': major * 10000 + minor * 100 + patch} + '\n'
    text += portable.include_lines() + '\n' + PUSH + '\n' + portable.text() + '\n' + POP
    if groups:
        text += '\n' + conditional(
            groups, [system.include_lines() + '\n' + PUSH + '\n' + system.text() + '\n' + POP
                     for system in systems],
            '#error "cushim does not know this operating system"\n')
    return text


def fail_at_clashes(files, systems):
    """What one group has may be in another as well: only one of them is compiled."""
    found = []
    for members in systems or [[]]:
        found += names.clashes([(source.name, source.text) for source in files + members])
    if found:
        raise SourceError('\n'.join(sorted({
            '%s and %s both have a `%s`: rename one' % (one, other, name)
            for name, one, other in found})))


def write(path, text):
    with open(path, 'w', encoding='ascii', newline='\n') as file:
        file.write(text)


def write_dependencies(path, outputs, inputs):
    """As `make` and ninja read them: folders may be called anything."""
    def names(paths):
        return ' '.join(re.sub(r'([ #])', r'\\\1', name).replace('$', '$$') for name in paths)

    with open(path, 'wb') as file:
        file.write(os.fsencode('%s: %s\n' % (names(outputs), names(inputs))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--version', required=True)
    parser.add_argument('--folder', action='append', required=True, help='where includes are found')
    parser.add_argument('--output', required=True, help='folder of the two files')
    parser.add_argument('--depfile', help='what the two files depend on, for the build')
    parser.add_argument('--source', nargs='+', required=True, metavar='FILE')
    parser.add_argument('--when', nargs='+', action='append', default=[],
                        metavar=('CONDITION', 'FILE'))
    arguments = parser.parse_args()

    library = Library(arguments.folder)

    def open_all(paths):
        # Where the build has a generated header among its sources, whoever needs it includes it.
        return [library.source(library.name_of(path), path) for path in paths
                if not path.endswith('.h')]

    try:
        header, public = write_header(library, arguments.version)
        groups = [(condition, open_all(paths)) for condition, *paths in arguments.when]
        source = write_source(library, arguments.version, public, open_all(arguments.source),
                              groups)
    except SourceError as error:
        sys.exit('two_files.py: %s' % error)
    outputs = [os.path.join(arguments.output, name) for name in ('cushim.h', 'cushim.c')]
    for path, text in zip(outputs, (header, source)):
        write(path, text)
    if arguments.depfile:
        write_dependencies(arguments.depfile, outputs, library.read_paths)


if __name__ == '__main__':
    main()
