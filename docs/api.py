#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write docs/api.md: every public function as it is declared, with the first sentence of its
documentation, by header.

usage: api.py [--check]        --check: say whether the page is up to date, and write nothing
"""
import os
import re
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADERS = os.path.join(ROOT, 'include', 'cushim')
PAGE = os.path.join(ROOT, 'docs', 'api.md')

FUNCTION = re.compile(r'(?:/\*\*\s(?P<text>(?:(?!\*/).)*?) ?\*/\n)?^(?:CUSHIM_API|static inline) '
                      r'(?P<declared>[^;{}]*?\bcushim_[a-z0-9]\w*\([^;{}]*\))',
                      re.DOTALL | re.MULTILINE)
# Attributes and their macros, which are no part of what a caller writes.
ATTRIBUTE = re.compile(r'\b(?:CUSHIM__?[A-Z_]+|__attribute__)(?:\(\(.*?\)\)|\([^()]*\))? ?')

INTRODUCTION = '''<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by docs/api.py. -->
# The public API

This page is for everybody who looks for a function: it lists the declarations of all public functions, by header. The
headers document parameters, results and thread safety.
`<cushim/cushim.h>` includes the headers of the library; those under `testing/` come with `libcushim-mock`.
`struct cushim_table` in `<cushim/slots.h>` has the driver's own functions; it is generated from the registry.
'''


def first_sentence(text):
    words = ' '.join(line.strip().lstrip('*/').strip() for line in text.splitlines())
    words = re.split(r' @|(?<=[.!?:;])\s', words.strip(), maxsplit=1)[0]
    return words.rstrip(':;.') + '.'


def functions(path):
    """Lists of declarations with a first sentence: one text may stand before several functions."""
    found = []
    with open(path, encoding='utf-8') as file:
        text = file.read()
    for match in FUNCTION.finditer(text):
        declared = ATTRIBUTE.sub('', ' '.join(match['declared'].split()))
        if match['text'] is None and found:
            found[-1][0].append(declared)
        else:
            found.append(([declared], first_sentence(match['text'] or '')))
    return found


def page():
    lines = [INTRODUCTION]
    for folder in ('', 'testing'):
        for name in sorted(os.listdir(os.path.join(HEADERS, folder))):
            found = functions(os.path.join(HEADERS, folder, name)) if name.endswith('.h') else []
            if found:
                lines.append('## `<cushim/%s>`\n' % os.path.join(folder, name))
                lines += ['- %s: %s' % (', '.join('`%s`' % one for one in declared), text)
                          for declared, text in found]
                lines.append('')
    return '\n'.join(lines)


def main(arguments):
    text = page()
    if arguments == ['--check']:
        with open(PAGE, encoding='utf-8') as file:
            if file.read() == text:
                return 0
        sys.exit('docs/api.md is not up to date: run docs/api.py')
    if arguments:
        sys.exit(textwrap.dedent(__doc__))
    with open(PAGE, 'w', encoding='utf-8') as file:
        file.write(text)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
