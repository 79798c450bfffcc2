# SPDX-License-Identifier: Apache-2.0
"""One file of the library, taken apart: what it includes, and what is left of it."""

import os
import re

SPDX = '/* SPDX-License-Identifier: Apache-2.0 */\n'

# Comments, then what may hold their signs.
LEXEME = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
DEFINE = re.compile(r'\s*#\s*define\s+(\w+)(.*)')
UNDEF = re.compile(r'\s*#\s*undef\s+(\w+)')


class SourceError(Exception):
    """A file that cannot be put beside the others."""


def without_comments(text):
    """The same lines, with nothing in the place of a comment."""
    def blank(match):
        found = match.group(0)
        return re.sub(r'[^\n]', ' ', found) if found.startswith('/') else found
    return LEXEME.sub(blank, text)


class Source:
    """
    name      as others include it: loader/loader.h
    lines     what is left: without the licence line, and without what is hoisted
    own       headers of the library that it includes before anything else, in order
    inner     line by line, the header of the library that is included there; else None
    system    headers of the system, without a condition around
    settings  (name, value) of the macros before a source's first include, for the system's headers
    macros    names of the macros that it leaves defined
    """

    def __init__(self, name, text, find):
        """`find(name)` says whether the library has a header of that name."""
        self.name = name
        if not text.startswith(SPDX):
            raise SourceError('%s does not begin with the licence line' % name)
        self.text = text
        self.own, self.system, self.settings = [], [], []
        self.lines, self.inner = [], []
        self.macros = []
        self.find = find
        self.read(text[len(SPDX):].splitlines(), without_comments(text[len(SPDX):]).splitlines())
        self.drop_doubled_blanks()

    def read(self, lines, bare):
        guard = self.guard(bare)
        first = next((n for n, code in enumerate(bare) if INCLUDE.match(code)), 0)
        depth, opening = 0, True
        for number, (line, code) in enumerate(zip(lines, bare)):
            word = re.match(r'\s*#\s*(\w+)', code)
            word = word.group(1) if word else ''
            if word in ('if', 'ifdef', 'ifndef'):
                depth += number != guard
                opening = opening and number == guard
            elif word == 'endif':
                depth -= 1
            elif word == 'include':
                if self.include(line, code, depth, opening):
                    continue
            elif word == 'define' and opening and guard < 0 and number < first:
                self.settings.append(DEFINE.match(code).group(1, 2))
                continue
            elif code.strip() and not (word == 'define' and number == guard + 1):
                opening = False
            self.note_macro(code, word)
            self.keep(line, None)

    def guard(self, bare):
        """Number of the line that begins the include guard; -2 if there is none."""
        first = next((n for n, code in enumerate(bare) if code.strip()), None)
        if first is None or not re.match(r'#ifndef CUSHIM_\w+_H$', bare[first].strip()):
            return -2
        return first

    def include(self, line, code, depth, opening):
        """Note one include. True if its line is to go."""
        match = INCLUDE.match(code)
        if not match:
            raise SourceError('%s: an include by macro: %s' % (self.name, line.strip()))
        quote, header = match.groups()
        if not self.find(header):
            if quote == '"' or header.startswith('cushim/'):
                raise SourceError('%s includes %s, which is not there' % (self.name, header))
            if depth == 0:
                self.system.append(header)
            return depth == 0
        if depth:
            raise SourceError('%s includes %s under a condition' % (self.name, header))
        if opening:
            self.own.append(header)
        else:
            self.keep('', header)
        return True

    def note_macro(self, code, word):
        if word == 'define':
            name = DEFINE.match(code).group(1)
            if name not in self.macros:
                self.macros.append(name)
        elif word == 'undef' and UNDEF.match(code).group(1) in self.macros:
            self.macros.remove(UNDEF.match(code).group(1))

    def keep(self, line, inner):
        self.lines.append(line)
        self.inner.append(inner)

    def drop_doubled_blanks(self):
        """What was hoisted leaves blank lines, of which one is enough."""
        kept = [(line, inner) for number, (line, inner) in enumerate(zip(self.lines, self.inner))
                if line.strip() or inner or (number and (self.lines[number - 1].strip() or
                                                         self.inner[number - 1]))]
        while kept and not kept[-1][0].strip() and not kept[-1][1]:
            kept.pop()
        self.lines = [line for line, _ in kept]
        self.inner = [inner for _, inner in kept]

    def holds_anything(self):
        """Whether there is more than a guard and comments."""
        code = without_comments('\n'.join(self.lines))
        rest = [line for line in code.splitlines() if line.strip()]
        return any(self.inner) or len(rest) > (3 if self.guard(code.splitlines()) >= 0 else 0)


class Library:
    """The files, found in the folders that the compiler would search."""

    def __init__(self, folders):
        self.folders = folders
        self.read_paths = []
        self.sources = {}

    def path_of(self, name):
        for folder in self.folders:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                return path
        return None

    def header(self, name):
        return self.source(name, self.path_of(name))

    def source(self, name, path):
        if name not in self.sources:
            with open(path, encoding='ascii', newline='\n') as file:
                self.sources[name] = Source(name, file.read(), self.path_of)
            self.read_paths.append(path)
        return self.sources[name]

    def name_of(self, path):
        """The name of a file as seen from the nearest folder of the search."""
        names = [os.path.relpath(path, folder) for folder in self.folders]
        names = [name for name in names if not name.startswith(os.pardir)]
        if not names:
            raise SourceError('%s is in none of the folders' % path)
        return min(names, key=len).replace(os.sep, '/')
