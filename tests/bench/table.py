# SPDX-License-Identifier: Apache-2.0
"""The table as text, JSON and Markdown, and its places in RESULTS.md."""

import json
import re
import sys

sys.dont_write_bytecode = True
from rows import REASONS, SECTIONS  # noqa: E402

HEADINGS = ('row', 'what', 'figure', 'unit', 'spread', 'goal', 'met')


def number(value):
    """Return a figure with enough digits to distinguish it from others."""
    if float(value).is_integer() and abs(value) >= 100:
        return '%d' % value
    return '%.2f' % value


def result_of(row, figure, bench):
    """Return a measured row as a dictionary for JSON."""
    met = row.goal.met(bench, figure) if row.goal else None
    return {
        'section': row.section,
        'row': row.name,
        'what': row.what,
        'figure': round(figure.value, 4),
        'low': figure.low and round(figure.low, 4),
        'high': figure.high and round(figure.high, 4),
        'unit': row.unit,
        'note': figure.note,
        'goal': row.goal.text if row.goal else '',
        'met': met,
    }


def cells(result, reasons=None):
    """Return the cells of a row. `reasons` are those of these results, if there are any."""
    spread = 'exact'
    if result['low'] is not None:
        spread = '%s to %s' % (number(result['low']), number(result['high']))
    met = {None: '', True: 'yes', False: 'no'}[result['met']]
    if reasons is not None and result['met'] is False:
        met = 'no: ' + reasons.get(result['row'], 'not known yet')
    unit = ', '.join(word for word in (result['unit'], result['note']) if word)
    return [result['row'], result['what'], number(result['figure']), unit, spread, result['goal'],
            met]


def text(results):
    lines, section = [], None
    lines_of = [cells(result) for result in results]
    widths = [max([len(line[i]) for line in lines_of] + [len(HEADINGS[i])]) for i in range(6)]
    for result, line in zip(results, lines_of):
        if result['section'] != section:
            section = result['section']
            lines.append('%s%d. %s' % ('\n' if lines else '', section, SECTIONS[section]))
        lines.append('  '.join(
            [cell.rjust(width) if i == 2 else cell.ljust(width)
             for i, (cell, width) in enumerate(zip(line, widths))] + [line[6]]).rstrip())
    if any(line[6] == 'no' for line in lines_of):
        lines += ['', 'no: RESULTS.md has the reasons that were measured on two machines']
    return '\n'.join(lines) + '\n'


def as_json(about, results):
    return json.dumps({'about': about, 'results': results}, indent=1) + '\n'


def markdown(about, results, part):
    """Return a part of RESULTS.md, without its heading, with the reasons found there."""
    lines = ['| | |', '|---|---|']
    lines += ['| %s | %s |' % (key, value) for key, value in about.items()]
    section = None
    for result in results:
        if result['section'] != section:
            section = result['section']
            lines += ['', '### %d. %s' % (section, SECTIONS[section]), '',
                      '| what | figure | spread | goal | met | row |', '|---|---|---|---|---|---|']
        name, what, figure, unit, spread, goal, met = cells(result, REASONS.get(part, {}))
        lines.append('| %s | %s %s | %s | %s | %s | `%s` |'
                     % (what, figure, unit, spread, goal, met, name))
    return '\n'.join(lines) + '\n'


def has_part(path, part):
    with open(path, encoding='utf-8') as file:
        return '<!-- begin %s -->' % part in file.read()


def put_into(path, part, body):
    """Replace the text between the markers of a part in a Markdown file."""
    with open(path, encoding='utf-8') as file:
        whole = file.read()
    marks = r'(<!-- begin %s -->\n).*?(<!-- end %s -->)' % (part, part)
    if not re.search(marks, whole, re.DOTALL):
        sys.exit('%s has no part <!-- begin %s -->' % (path, part))
    with open(path, 'w', encoding='utf-8') as file:
        file.write(re.sub(marks, lambda match: match.group(1) + body + match.group(2), whole,
                          flags=re.DOTALL))
