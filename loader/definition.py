#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the module definition of a DLL: it exports what public headers declare, and nothing else.

    definition.py OUTPUT HEADER...

A declaration is marked by CUSHIM_API (a function) or CUSHIM_VARIABLE. So the object files say
nothing of exports, and whoever links the static library into a DLL of theirs exports none of them.
"""

import re
import sys

COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)
DIRECTIVE = re.compile(r'^#(.*\\\n)*.*$', re.MULTILINE)
FUNCTION = re.compile(r'\bCUSHIM_API\b[^;(]*?\b(\w+)\s*\(')
VARIABLE = re.compile(r'\bCUSHIM_VARIABLE\b[^;]*?\b(\w+)\s*;')


def read(path):
    with open(path, encoding='utf-8') as file:
        return DIRECTIVE.sub('', COMMENT.sub(' ', file.read()))


def main():
    if len(sys.argv) < 3:
        sys.exit('usage: definition.py OUTPUT HEADER...')
    texts = [read(path) for path in sys.argv[2:]]
    functions = sorted({name for text in texts for name in FUNCTION.findall(text)})
    variables = sorted({name for text in texts for name in VARIABLE.findall(text)})
    if not functions:
        sys.exit('definition.py: no header declares a function with CUSHIM_API')
    lines = ['EXPORTS'] + functions + ['%s DATA' % name for name in variables]
    with open(sys.argv[1], 'w', encoding='ascii', newline='\n') as output:
        output.write('\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
