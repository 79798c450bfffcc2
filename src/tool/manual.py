#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `cushim help` prints, made of the man page: an overview, the whole, each command.

    manual.py docs/cushim.1 manual.c
"""

import re
import sys
import textwrap

MARGIN, COLUMN, WIDTH = 4, 20, 79


def words_of(line):
    """The text of a line, without fonts."""
    macro, _, rest = line.partition(' ')
    if macro == '.B':
        line = rest
    elif macro in ('.BI', '.BR'):
        line = ''.join(quoted or word for quoted, word in re.findall(r'"([^"]*)"|(\S+)', rest))
    line = re.sub(r'\\f[BIRP]', '', line).replace('\\-', '-').replace('\\(ha', '^')
    if line.startswith('.') or '\\' in line:
        raise ValueError('not understood in the man page: ' + line)
    return line


def read(lines):
    """Heading -> entries, each a term (None: a paragraph) and the lines of its text."""
    sections, entries, is_term = {}, [], False
    for line in lines:
        if line.startswith('.SH '):
            entries = sections[line[4:].strip('"')] = []
        elif line == '.TP':
            is_term = True
        elif line.startswith(('.TH ', '.\\"', '.nf', '.fi')):
            continue
        elif line == '.PP':
            entries.append((None, []))
        elif is_term:
            entries.append((words_of(line), []))
            is_term = False
        else:
            if not entries:
                entries.append((None, []))
            entries[-1][1].append(words_of(line))
    return sections


def wrap(text, indent):
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent,
                         break_long_words=False, break_on_hyphens=False)


def section(heading, entries):
    """The lines of a section."""
    lines = [heading]
    for term, text in entries:
        if term is None:
            lines += wrap(' '.join(text), ' ' * MARGIN)
            continue
        lines.append(' ' * MARGIN + term)
        body = wrap(' '.join(text), ' ' * COLUMN)
        if len(lines[-1]) <= COLUMN - 2:
            lines[-1] = lines[-1].ljust(COLUMN) + body.pop(0)[COLUMN:]
        lines += body
    return lines


def synopsis(entries, command=None):
    """Each line of the page is one here; those that begin with blanks belong to the one before."""
    lines, is_chosen = ['SYNOPSIS'], True
    for line in entries[0][1]:
        if not line.startswith(' '):
            is_chosen = command is None or line.split()[1] == command
        if is_chosen:
            lines.append(' ' * MARGIN + line)
    return lines


def statuses(entries, command):
    """Those of one command: each line of the page begins with the commands that it is for."""
    chosen = []
    for term, text in entries:
        for line in text:
            names, _, rest = re.match(r'(?:([a-z, ]+)(: ))?(.*)', line).groups()
            if names is None or command in names.split(', '):
                chosen.append((term, [rest]))
    return chosen


def overview(sections):
    """What fits on a screen: which commands there are, and where more is said."""
    [(_, [name])] = sections['NAME']
    return [[name],
            ['usage: cushim COMMAND [OPTION]... [ARGUMENT]...'],
            section('COMMANDS', sections['COMMANDS']),
            section('OPTIONS', sections['OPTIONS']),
            ['`cushim help COMMAND` explains a command, `cushim help all` everything.']]


def manuals(sections):
    """Command -> sections, each of lines; that of no command is the overview."""
    whole = [synopsis(entries) if heading == 'SYNOPSIS' else section(heading, entries)
             for heading, entries in sections.items()]
    yield '', overview(sections)
    yield 'all', whole
    for heading, entries in sections.items():
        if heading.startswith('COMMAND '):
            name = heading[8:].lower()
            parts = [synopsis(sections['SYNOPSIS'], name), section('DESCRIPTION', entries),
                     section('OPTIONS', sections['OPTIONS OF ' + heading[8:]])]
            if name == 'info':
                parts.append(section('DIAGNOSTICS', sections['DIAGNOSTICS']))
            parts.append(section('EXIT STATUS', statuses(sections['EXIT STATUS'], name)))
            yield name, parts


def main(page, output):
    with open(page, encoding='ascii') as file:
        sections = read(file.read().splitlines())
    with open(output, 'w', encoding='ascii') as file:
        file.write('/* Generated from docs/cushim.1. */\n#include "src/tool/commands.h"\n')
        rows = ''
        for name, parts in manuals(sections):
            file.write('\nstatic const char *const of_%s[] = {\n' % name)
            for line in '\n\n'.join('\n'.join(part) for part in parts).splitlines():
                file.write('    "%s",\n' % line.replace('\\', '\\\\').replace('"', '\\"'))
            file.write('    NULL,\n};\n')
            rows += '    {"%s", of_%s},\n' % (name, name)
        file.write('\nconst struct manual manuals[] = {\n%s    {NULL, NULL},\n};\n' % rows)


if __name__ == '__main__':
    main(*sys.argv[1:])
