# SPDX-License-Identifier: Apache-2.0
"""The compatibility with source for <cuda.h>: its names, defined over the table.

One emitter makes the public header that <cushim/cuda.h> includes, the other the functions that are
linked instead of the driver's.
"""

from prototypes import EVERY_SLOT, HEAD, Spelling, arguments, grouped, wrap

HEADER = '''/**
 * @file
 * One function per symbol of the driver, and its name as a macro for it. Include <cushim/cuda.h>.
 */
#ifndef CUSHIM_CUDA_NAMES_H
#define CUSHIM_CUDA_NAMES_H

#ifndef CUSHIM_CUDA_H
#error "include <cushim/cuda.h>"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A name means the ABI that the caller's <cuda.h> says: nothing to warn of. */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
'''

END = '''#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
}
#endif

#endif
'''

STUBS = '''/*
 * What is linked instead of the driver: every symbol of the registry, seen by nobody outside the
 * file that is linked. The functions have names of their own in C, since <cuda.h> renames and
 * declares those of the driver.
 */
#include "src/stubs/stubs.h"

''' + EVERY_SLOT

NAMES = '''/*
 * The names. <cuda.h> makes macros of many: for another version, for the twin that uses the
 * per-thread stream, or for themselves. Numbers say which it is.
 */
#define CUSHIM_SYMBOL_(name) cushim_symbol_##name
#define CUSHIM_SYMBOL(name) CUSHIM_SYMBOL_(name)
'''

# Inline functions of <cuda.h> that a name may mean; <cushim/cuda.h> has them.
INLINE = ('cuGetProcAddress_ptsz', 'cuGetProcAddress_v2_ptsz')

# <cudaProfiler.h> declares these with a type that the registry, which does not include it, spells
# as what it is.
PROFILER_TYPES = {('cuProfilerInitialize', 'outputMode'): 'cushim_output_mode'}


def head(row, name, spelling):
    parameters = ', '.join(
        '%s %s' % (PROFILER_TYPES[row.symbol, p.name], p.name)
        if (row.symbol, p.name) in PROFILER_TYPES else spelling.declare(p)
        for p in row.parameters)
    return 'CUresult CUDAAPI %s(%s)' % (name, parameters or 'void')


def body(row):
    return ['{', wrap('return cushim_driver()->%s(%s);' % (row.slot, arguments(row)), 8, '    '),
            '}']


def emit_cuda_names(rows, types):
    """Interop is left out: headers declare it that <cuda.h> does not include."""
    rows = [row for row in rows if not row.interop]
    spelling = Spelling(types)
    lines = [HEAD + HEADER]
    for title, run in grouped(rows):
        lines.append('/* %s */\n' % title)
        for row in run:
            lines.append('#if CUDA_VERSION >= %d' % row.since)
            prototype = head(row, 'cushim_cuda_' + row.symbol, spelling)
            lines.append(wrap('CUSHIM__CUDA_INLINE ' + prototype, 4))
            lines += body(row) + ['#endif\n']
    return '\n'.join(lines) + names(rows) + END


def names(rows):
    """The macros. What <cuda.h> makes another symbol stays so: a name is looked at first."""
    numbers = {row.symbol: number for number, row in enumerate(rows, 1)}
    lines = [NAMES]
    lines += ['#define cushim_symbol_%s %d' % pair for pair in numbers.items()]
    lines += ['#define cushim_symbol_%s 0' % name for name in INLINE]
    lines.append('')
    # A name comes before those that it may be renamed to: their macros would hide what it means.
    for row in sorted(rows, key=lambda row: (row.per_thread, row.abi)):
        lines.append('#if CUDA_VERSION >= %d && CUSHIM_SYMBOL(%s) == %d'
                     % (row.since, row.symbol, numbers[row.symbol]))
        lines.append('#undef %s' % row.symbol)
        lines.append('#define %s cushim_cuda_%s\n#endif' % (row.symbol, row.symbol))
    lines += ['', '#undef CUSHIM_SYMBOL', '#undef CUSHIM_SYMBOL_']
    lines += ['#undef cushim_symbol_' + symbol for symbol in [*numbers, *INLINE]]
    return '\n'.join(lines + ['', ''])


def emit_stubs(rows, types):
    spelling = Spelling(types)
    lines = [HEAD + STUBS]
    for row in rows:
        prototype = wrap('CUresult CUDAAPI stub_%s(%s)' % (row.slot, spelling.parameters(row)), 4)
        lines += ['CUSHIM__STUB', prototype, '    __asm__("%s");' % row.symbol, prototype]
        lines += body(row) + ['']
    return '\n'.join(lines)
