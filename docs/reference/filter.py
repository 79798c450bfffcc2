#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Doxygen's commands for the plain words of the headers, which are written for readers.

usage: filter.py FILE        the file as Doxygen is to read it, on standard output

Each header is a group of the reference with the header's name; groups.dox has the titles. No line
is added or taken away before the last, so that Doxygen's warnings name the header's own lines.
"""
import os
import re
import sys

RESULT = re.compile(r'@return (any other code|CU(?:DA|SHIM)_\w+) +(?=\S)')
LABEL = re.compile(r'(?m)(^ \* |(?<=\. ))(Thread safety|Context|Driver calls|Since): (\w+)')
# A reference to statements about the driver, and the statements themselves.
REFERENCE = re.compile(r'driver-semantics\.md((?:,?(?:\n \*)?\s+#\d+)+)')
STATEMENT = re.compile(r'(?m)^(\d+)\. ')
LINK = re.compile(r'\[([^]]*)\]\((?!https:)[^)]*\)')
# Doxygen passes over a struct that is declared and not defined.
OPAQUE = re.compile(r'(?m)(?<=\*/\n)^(struct cushim_\w+);$')
# A comment that begins a part of a header: "--- the clock ---".
PART = re.compile(r'(?m)^/\*(?:\n \*)? --- (.+) ---((?:\n \*(?!/).*)*\n? )\*/$')

# In slots.h.
NEWER_TYPE = re.compile(r'(?m)^typedef .*\bcushim_(\w+);$')
SLOT_GROUP = re.compile(r'(?m)^    /\* (.+)() \*/$')
SLOT = re.compile(r'(?m)(?:(?<=")(\S+)", "(\S+)", "(\S+)"\)\n)?'
                  r'^    CUresult\(CUDAAPI \*(\w+)\)\([^;]*\);$')


def comments(text):
    text = RESULT.sub(lambda match: '@retval %s ' % match[1].replace(' ', '\u00a0'), text)
    text = LABEL.sub(lambda match: '%s@%s %s' % (
        match[1], match[2].lower().replace(' ', '_'),
        match[3] if match[3].startswith('cu') else match[3].capitalize()), text)
    text = REFERENCE.sub(lambda match: 'driver-semantics.md' + re.sub(
        r'#(\d+)', r'@ref statement_\1 "#\1"', match[1]), text)
    return OPAQUE.sub(r'\1 {};', text)


def member_groups(text, pattern, end=''):
    """Parts of a header or struct as member groups, each of which ends where the next begins."""
    count = 0

    def begin(match):
        nonlocal count
        count += 1
        title, words = match.groups()
        return '%s/** @name %s%s%s@{ */' % (
            '/** @} */ ' if count > 1 else '', title[0].upper(), title[1:],
            words if words.strip() else '\\ilinebr ')
    text = pattern.sub(begin, text)
    if not count:
        return text
    head, end, tail = text.rpartition(end) if end else (text, '', '')
    return head + '/** @} */\n' + end + tail


def header(text, path):
    """A header as a group; what its first comment says is the group's description."""
    folder, name = os.path.split(path)
    name = 'testing/' * folder.endswith('testing') + name
    group = 'table' if name == 'slots.h' else os.path.basename(name).split('.')[0]
    before, file, after = text.partition('\n * @file\n')
    if not file:
        sys.exit(path + ': the first comment is to say @file')
    after = after.replace('\n */\n', ' @header{%s} @{\n */\n' % name, 1)
    after = member_groups(comments(after), PART)
    return before + '\n * @addtogroup %s\n' % group + after + '/** @} */\n'


def slots(text):
    """The slots by the driver's names for them, and types by CUDA's."""
    text = NEWER_TYPE.sub(r'\g<0> /**< `\1`, or a plain type of its ABI if `<cuda.h>` is older. */',
                          text)

    def slot(match):
        old, newer, since, name = match.groups()
        words = ': the ABI of CUDA %s, replaced by %s in CUDA %s.' % (old, newer, since)
        return '%s /**< `cu%s`%s */' % (match[0], name, words if old else '.')
    before, struct, after = text.partition('\nstruct cushim_table {')
    return before + struct + member_groups(SLOT.sub(slot, after), SLOT_GROUP, '};\n')


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    path, = arguments
    with open(path, encoding='utf-8') as file:
        text = file.read()
    if os.path.basename(path) == 'api.md':
        text = re.sub('<!--.*-->', '', text)
        text = text.replace('# The public API\n', '# Functions {#functions}\n', 1)
        text = re.sub(r'(?m)`[^`\n]*?(cushim_\w+\()[^`\n]*\)`|(?<=^## )`<(.*)>`',
                      lambda match: match[1] + ')' if match[1] else match[2], text)
    if os.path.basename(path) == 'driver-semantics.md':
        text = re.sub('<!--.*-->', '', text)
        text = re.sub('(?m)^# (.*)$', r'# \1 {#semantics}', LINK.sub(r'\1', text), count=1)
        text = STATEMENT.sub(r'\1. @anchor statement_\1 ', text)
    if path.endswith('.h'):
        text = header(slots(text) if os.path.basename(path) == 'slots.h' else text, path)
    sys.stdout.reconfigure(encoding='utf-8')
    sys.stdout.write(text)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
