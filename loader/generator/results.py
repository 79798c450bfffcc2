# SPDX-License-Identifier: Apache-2.0
"""What every result code is called, what it means and what to do about it.

The texts stand inside the rows, in arrays as wide as the longest of them: pointers would cost a
plugin three relocations per code, and one string for all is longer than ISO C lets a literal be.
"""

import textwrap

from prototypes import HEAD

STICKY = {
    '-': 'CUSHIM_STICKY_NO',
    'context': 'CUSHIM_STICKY_CONTEXT',
    'process': 'CUSHIM_STICKY_PROCESS',
}

SHAPE = '''
#ifndef CUSHIM_LOADER_RESULTS_H
#define CUSHIM_LOADER_RESULTS_H

#include <cushim/error.h>

#define CUSHIM__RESULT_COUNT %(count)d

struct cushim__result {
    unsigned short number, since; /* the version of CUDA that introduced it; 0: not recorded */
    enum cushim_sticky sticky;
    char name[%(name)d];
    char meaning[%(meaning)d];
    char advice[%(advice)d];
};

/* Ascending by number. */
static const struct cushim__result cushim__results[CUSHIM__RESULT_COUNT] = {
'''


def emit_results(results):
    previous = -1
    for row in results:
        check(row, previous)
        previous = row.number
    widths = {field: max(len(getattr(row, field)) for row in results) + 1
              for field in ('name', 'meaning', 'advice')}
    return (HEAD + SHAPE % dict(widths, count=len(results))
            + ''.join(entry(row) for row in results) + '};\n\n#endif\n')


def check(row, previous):
    """Refuse what would break the binary search or a C string literal."""
    where = 'results.tsv: %s (%d): ' % (row.name, row.number)
    if row.number <= previous:
        raise ValueError(where + 'the numbers must ascend')
    if row.sticky not in STICKY:
        raise ValueError(where + 'sticky is %r, not one of %s' % (row.sticky, ', '.join(STICKY)))
    for text in (row.name, row.meaning, row.advice):
        if not text or not text.isascii() or not text.isprintable() or set(text) & set('"\'\\?'):
            raise ValueError(where + '%r is empty or needs escaping in C' % text)


def entry(row):
    lines = ['    {%d, %d, %s, "%s",' % (row.number, row.since, STICKY[row.sticky], row.name),
             literal(row.meaning) + ',', literal(row.advice) + '},']
    return '\n'.join(lines) + '\n'


def literal(text):
    """A string literal, broken at spaces into pieces that fit the line."""
    pieces = textwrap.wrap(text, 90, break_long_words=False, break_on_hyphens=False)
    return ' "\n'.join('     "' + piece for piece in pieces) + '"'
