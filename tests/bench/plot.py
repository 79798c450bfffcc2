# SPDX-License-Identifier: Apache-2.0
"""The plot: what one call costs by each route, as bars; legible in light and in dark."""

from xml.sax.saxutils import escape

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
    """(route, {home: instructions}) in the order of the table."""
    found = {}
    for result in results:
        kind, _, rest = result['row'].partition('.')
        home, _, _ = rest.partition('.')
        if kind == 'route':
            found.setdefault(result['what'].rsplit(', ', 1)[0], {})[home] = result['figure']
    return list(found.items())


def draw(path, results):
    """Write the plot of the rows `route` into a file."""
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
