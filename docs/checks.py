#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the table of docs/checks.md, a row for each id, from src/check/rules/rules.tsv.

usage: checks.py [--check]     --check: say whether the page is up to date, and write nothing
"""
import os
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RULES = os.path.join(ROOT, 'src', 'check', 'rules', 'rules.tsv')
PAGE = os.path.join(ROOT, 'docs', 'checks.md')
BEGIN = '<!-- The rest is written by docs/checks.py. -->\n'

COLUMNS = 'id', 'level', 'types', 'statements', 'wrong', 'why', 'cure', 'example'


def rows():
    """Sections as (title, rows), each row a dict of the columns."""
    sections = []
    with open(RULES, encoding='ascii') as file:
        for line in file.read().splitlines():
            if line.startswith('#'):
                sections.append((line[2:], []))
            else:
                sections[-1][1].append(dict(zip(COLUMNS, line.split('\t'))))
    return [(title, entries) for title, entries in sections if entries]


def rule(statements):
    if statements[0].isdigit():
        return 'statement%s %s' % ('s' if ',' in statements else '', statements)
    return '`%s`' % statements


def table():
    lines = []
    for title, entries in rows():
        lines += ['', '### %s' % title, '',
                  '| id | wrong code | why | cure |', '|---|---|---|---|']
        for row in entries:
            code = '<br>'.join('`%s`' % line.strip() for line in row['example'].split('\\n'))
            lines.append('| %s<br>%s | %s | %s %s (%s) | %s |'
                         % (row['id'], row['level'], code, row['wrong'], row['why'],
                            rule(row['statements']), row['cure']))
    return '\n'.join(lines) + '\n'


def main(arguments):
    with open(PAGE, encoding='utf-8') as file:
        before = file.read()
    text = before[:before.index(BEGIN)] + BEGIN + table()
    if arguments == ['--check']:
        sys.exit(None if text == before
                 else 'docs/checks.md is not up to date: run docs/checks.py')
    if arguments:
        sys.exit(textwrap.dedent(__doc__))
    with open(PAGE, 'w', encoding='utf-8') as file:
        file.write(text)


if __name__ == '__main__':
    main(sys.argv[1:])
