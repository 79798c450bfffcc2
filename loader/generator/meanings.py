# SPDX-License-Identifier: Apache-2.0
"""What names of <cuda.h> mean against the rule: for the command, the loader needs none."""

from prototypes import HEAD

SHAPE = '''
#ifndef CUSHIM_LOADER_MEANINGS_H
#define CUSHIM_LOADER_MEANINGS_H

static const struct {
    const char *name;
    int major;
    unsigned slot;
} cushim__meanings[] = {
%s};

#endif
'''


def emit_meanings(rows, meanings):
    numbers = {row.symbol: number for number, row in enumerate(rows)}
    return HEAD + SHAPE % ''.join('    {"%s", %d, %d}, /* %s */\n' % (
        meaning.name, meaning.major, numbers[meaning.symbol], meaning.symbol)
                                  for meaning in meanings)
