#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write docs/ptx.md from what the interpreter itself executes and refuses.

usage: ptx.py OPCODES [--check]     OPCODES: the program build/tests/kernel/opcodes
                                    --check: say whether the page is up to date, and write nothing
"""
import os
import subprocess
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STATEMENTS = os.path.join(ROOT, 'tests', 'kernel', 'opcodes', 'statements.txt')
PAGE = os.path.join(ROOT, 'docs', 'ptx.md')
WRAPPER = os.environ.get('EXE_WRAPPER', '').split()

HEAD = '''<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by docs/ptx.py: do not edit. -->
# Which PTX the mock executes

This page is for everybody whose kernels run on the mock driver, which [executes kernels](mock.md#kernels) from their
PTX. It lists the instructions that the mock executes and those that it refuses; the mock also refuses a form that is on
neither list. A module with a refused instruction still loads: only launches of the kernels that contain the instruction
fail, and the log names it and its line. A name that no instruction has is an error of the text, as it is for a driver,
unless the text is of a version of PTX after 9.0. The mock ignores modifiers that have no meaning where everything
happens in one order, such as `.relaxed`, `.gpu` and `.L2::128B`. It also refuses forms that no compiler writes: calls
whose arguments are no `.param` variables, operands that are expressions of constants (`(1 << 4)`), and the video
instructions that clang's headers do not use. A text is an error if an initial value has operators or a brace within a
brace.

## Arithmetic

Each type accepts the modifiers that the PTX reference gives it, such as `.rz`, `.ftz` and `.sat`.

| instruction | forms |
|---|---|
'''

OTHERS = '''
## Other instructions

The table has one example of each form, without its operands.

| | executed | refused |
|---|---|---|
'''


def run(*arguments):
    return subprocess.run([*WRAPPER, *arguments], check=True, stdout=subprocess.PIPE,
                          text=True).stdout.splitlines()


def arithmetic(names):
    forms = {}
    for name in names:
        base, dot, form = name.partition('.')
        forms.setdefault(base, []).append(form)
    return forms


def opcode(statement):
    return statement.rstrip(';').split(';')[-1].split()[0]


def sections():
    """The titles of the list, each with its statements."""
    found = []
    with open(STATEMENTS, encoding='utf-8') as file:
        for line in file.read().splitlines():
            if line.startswith('# --- '):
                found.append((line[6:], []))
            elif line and not line.startswith('#'):
                found[-1][1].append(line)
    return found


def page(program):
    rows = run(program)
    with_forms = [name for name in rows if '.' in name]
    states = dict(reversed(line.split(' ', 1)) for line in run(program, STATEMENTS))
    listed = {opcode(statement).split('.')[0] for statement in states}
    missing = [name for name in rows if '.' not in name and name not in listed
               and name not in arithmetic(with_forms)]
    if missing:
        sys.exit('%s lacks a statement of %s' % (STATEMENTS, ', '.join(missing)))
    text = HEAD
    for base, forms in sorted(arithmetic(with_forms).items()):
        text += '| `%s` | %s |\n' % (base, ' '.join('`%s`' % form for form in forms))
    text += OTHERS
    for title, statements in sections():
        cells = []
        for state in ('executed', 'refused'):
            names = dict.fromkeys(opcode(one) for one in statements if states[one] == state)
            cells.append(' '.join('`%s`' % name for name in names))
        text += '| %s | %s |\n' % (title, ' | '.join(cells))
    return text


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[1:] not in ([], ['--check']):
        sys.exit(textwrap.dedent(__doc__))
    text = page(arguments[0])
    if len(arguments) == 2:
        with open(PAGE, encoding='utf-8') as file:
            sys.exit(None if text == file.read()
                     else 'docs/ptx.md is not up to date: run docs/ptx.py %s' % arguments[0])
    with open(PAGE, 'w', encoding='utf-8') as file:
        file.write(text)


if __name__ == '__main__':
    main(sys.argv[1:])
