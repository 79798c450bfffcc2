# SPDX-License-Identifier: Apache-2.0
"""The table as text, JSON and Markdown, its places in RESULTS.md, and the plot of the routes."""

import json
import re
import sys
from xml.sax.saxutils import escape

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


# The plot: the cost of a call by each route, as bars; legible in light and dark mode.
WIDTH, LEFT, RIGHT, TOP, BAR, GAP = 720, 210, 60, 64, 14, 20

STYLE = '''
.paper { fill: #ffffff; stroke: #d0d7de; }
.text { fill: #1f2328; font: 13px sans-serif; }
.title { font-weight: bold; font-size: 15px; }
.small { fill: #59636e; font-size: 12px; }
.line { stroke: #59636e; stroke-opacity: 0.35; }
.executable { fill: #0969da; }
.plugin { fill: #bf8700; }
@media (prefers-color-scheme: dark) {
  .paper { fill: #0d1117; stroke: #3d444d; }
  .text { fill: #f0f6fc; }
  .small { fill: #9198a1; }
  .line { stroke: #9198a1; }
  .executable { fill: #4493f8; }
  .plugin { fill: #d29922; }
}
'''


def element(name, inside=None, **attributes):
    words = ' '.join('%s="%s"' % (key.rstrip('_').replace('_', '-'), value)
                     for key, value in attributes.items())
    return '<%s %s/>' % (name, words) if inside is None else \
        '<%s %s>%s</%s>' % (name, words, escape(inside), name)


def bars(results):
    """Return (route, {home: instructions}) in the order of the table."""
    found = {}
    for result in results:
        kind, _, rest = result['row'].partition('.')
        home, _, _ = rest.partition('.')
        if kind == 'route':
            found.setdefault(result['what'].rsplit(', ', 1)[0], {})[home] = result['figure']
    return list(found.items())


def draw(path, results):
    """Write the plot of the rows `route` to a file."""
    found = bars(results)
    most = max([figure for _, homes in found for figure in homes.values()] + [1])
    scale = (WIDTH - LEFT - RIGHT) / most
    height = TOP + len(found) * (2 * BAR + GAP) + 44
    parts = [element('rect', x=1, y=1, width=WIDTH - 2, height=height - 2, rx=8, class_='paper'),
             element('text', 'One call of the driver, by each route', x=16, y=26,
                     class_='text title'),
             element('text', 'instructions per turn of a loop over cuEventQuery; '
                     'fewer is better', x=16, y=46, class_='text small')]
    bottom = TOP + len(found) * (2 * BAR + GAP)
    for tick in range(0, int(most) + 1, 2):
        x = LEFT + tick * scale
        parts += [element('line', x1='%.1f' % x, x2='%.1f' % x, y1=TOP - 6, y2=bottom - 6,
                          class_='line'),
                  element('text', str(tick), x='%.1f' % x, y=bottom + 10, text_anchor='middle',
                          class_='text small')]
    for place, (route, homes) in enumerate(found):
        y = TOP + place * (2 * BAR + GAP)
        parts.append(element('text', route, x=LEFT - 10, y=y + BAR + 4, text_anchor='end',
                             class_='text'))
        for line, (home, figure) in enumerate(homes.items()):
            parts += [element('rect', x=LEFT, y=y + line * BAR, width='%.1f' % (figure * scale),
                              height=BAR - 2, class_=home),
                      element('text', '%.2f' % figure, x='%.1f' % (LEFT + figure * scale + 6),
                              y=y + line * BAR + BAR - 3, class_='text small')]
    for line, home in enumerate(('executable', 'plugin')):
        x = LEFT + line * 130
        parts += [element('rect', x=x, y=bottom + 20, width=12, height=12, class_=home),
                  element('text', 'from ' + ('an executable' if line == 0 else 'a plugin'),
                          x=x + 18, y=bottom + 31, class_='text small')]
    with open(path, 'w', encoding='utf-8') as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" '
                   'aria-label="Instructions per call of the driver, by each route">\n'
                   '<style>%s</style>\n%s\n</svg>\n'
                   % (WIDTH, height, STYLE, '\n'.join(parts)))
