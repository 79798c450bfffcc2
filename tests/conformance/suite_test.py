# SPDX-License-Identifier: Apache-2.0
"""The program itself: which cases it has, and what it says of wrong settings.

usage: suite_test.py CONFORMANCE driver-semantics.md
"""
import os
import re
import subprocess
import sys

# What Meson starts programs of another system with.
WRAPPER = os.environ.get('EXE_WRAPPER', '').split()

REFUSED = 'conformance: settings:%d:%d: mode is manual, auto or threaded, not "manul"\n'


def run(*arguments):
    return subprocess.run([*WRAPPER, sys.argv[1], *arguments], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False, timeout=60)


def every_statement_has_a_case():
    """And every case is about a statement of the document, or about cushim."""
    with open(sys.argv[2], encoding='utf-8') as file:
        numbers = [int(number) for number in re.findall(r'(?m)^(\d+)\. ', file.read())]
    names = run('--list').stdout.split()
    cases = {int(name[:3]) for name in names if name[:3].isdigit()}
    yield from ('statement %d is there twice' % number
                for number in sorted(set(numbers)) if numbers.count(number) > 1)
    yield from ('statement %d has no case' % number for number in sorted(set(numbers) - cases))
    yield from ('statement %d has cases and is not in the document' % number
                for number in sorted(cases - set(numbers)))
    yield from ('%s begins with neither a statement nor cushim' % name for name in names
                if not re.match(r'\d{3}_|cushim_', name))
    yield from ('%s is there twice' % name for name in set(names) if names.count(name) > 1)
    if numbers != sorted(numbers) or not numbers:
        yield 'the statements are not there or not in order'


def settings_are_refused_by_the_users_own_line():
    for settings, line, column in (('mode=manul', 1, 6), ('seed = 5\nmode = manul', 2, 8),
                                   ('mode = manul\nseed = 5\n', 1, 8)):
        result = run('--settings=' + settings)
        if (result.returncode, result.stdout, result.stderr) != (1, '', REFUSED % (line, column)):
            yield '%r: %s' % (settings, result)


def main():
    errors = [*every_statement_has_a_case(), *settings_are_refused_by_the_users_own_line()]
    for error in errors:
        print(error)
    sys.exit(1 if errors else 0)


main()
