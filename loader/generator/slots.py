# SPDX-License-Identifier: Apache-2.0
"""The public header with the table struct, and which of its slots are of superseded ABIs."""

from prototypes import HEAD, Spelling, grouped, wrap
from rows import OLDEST_HEADER, version_text

INTRODUCTION = '''/**
 * @file
 * The table struct: one slot per symbol that libcuda exports, in the order of the registry.
 *
 * Include <cushim/table.h> or <cushim/driver.h>. Slots are only ever appended, and the layout does
 * not depend on the toolkit header: parameters are spelled with the plain C types of the same ABI
 * where a type is newer than the header that this is compiled with.
 */
#ifndef CUSHIM_SLOTS_H
#define CUSHIM_SLOTS_H

#include <stddef.h>

#include <cuda.h>

#include <cushim/api.h>

#ifdef __cplusplus
extern "C" {
#endif
'''

EGL_FRAME = '''/**
 * CUeglFrame of cudaEGL.h with the same layout and plain types, for
 * EGLStreamProducerPresentFrame, which takes it by value. Copy one over the other with memcpy(). It
 * never grows.
 */
struct cushim_egl_frame {
    void *plane[3];             /**< Pointers or CUarray handles. */
    unsigned int width;         /**< As in CUeglFrame. */
    unsigned int height;        /**< As in CUeglFrame. */
    unsigned int depth;         /**< As in CUeglFrame. */
    unsigned int pitch;         /**< As in CUeglFrame. */
    unsigned int plane_count;   /**< planeCount. */
    unsigned int channel_count; /**< numChannels. */
    int frame_type;             /**< frameType, a CUeglFrameType. */
    int color_format;           /**< eglColorFormat, a CUeglColorFormat. */
    int array_format;           /**< cuFormat, a CUarray_format. */
};
'''

ATTRIBUTE = '''/*
 * A slot of an ABI that the headers of CUDA 11.2 had replaced already: who uses it is warned, as it
 * is hardly what was meant. See table.h.
 */
#if defined(__GNUC__) && !defined(CUSHIM_DISABLE_DEPRECATION_WARNINGS)
#define CUSHIM__SUPERSEDED(abi, slot, version) \\
    __attribute__((deprecated("the ABI of CUDA " abi ", replaced by " slot " in CUDA " version)))
#else
#define CUSHIM__SUPERSEDED(abi, slot, version)
#endif

/* clang warns at the struct too where C++ copies a table, which is no use of a slot. */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#endif
'''

END = '''#if defined(__clang__)
#pragma clang diagnostic pop
#endif
#undef CUSHIM__SUPERSEDED

#ifdef __cplusplus
}
#endif

#endif
'''


def superseded(rows):
    """Map each symbol of an ABI that the oldest headers had replaced already to the row that did.

    A newer ABI of the same name and stream replaces it. What only newer headers replaced stays out:
    a program for older drivers needs it.
    """
    old = [row for row in rows if row.since <= OLDEST_HEADER]
    newest = {(row.base, row.per_thread): row for row in sorted(old, key=lambda row: row.abi)}
    return {row.symbol: newest[row.base, row.per_thread] for row in old
            if newest[row.base, row.per_thread] is not row}


ANCHORS = '''/*
 * Functions that do nothing. A program refers to the one of this header's number of slots by using
 * cushim_driver(), so that with a library of fewer slots it is not linked or started.
 */
'''


def emit_slots(rows, types, counts):
    spelling = Spelling(types)
    return '\n'.join([HEAD + INTRODUCTION, incomplete(rows), EGL_FRAME, aliases(spelling),
                      ATTRIBUTE, struct(rows, spelling), anchors(counts), END])


def anchors(counts):
    return ANCHORS + '\n'.join(
        ['CUSHIM_API void cushim_slots_%d(void);' % count for count in counts]
        + ['#define CUSHIM__SLOTS_ANCHOR cushim_slots_%d' % counts[-1],
           '#define CUSHIM__SLOTS_ANCHOR_NAME "cushim_slots_%d"' % counts[-1], ''])


def incomplete(rows):
    """Forward declarations of the structs that rows name by tag, at file scope."""
    tags = sorted({word for row in rows for p in row.parameters
                   for word in [p.type.replace('const ', '').rstrip(' *')]
                   if word.startswith('struct ')})
    return '\n'.join(
        ['/* Structs of the first ABIs and of graphics interop, which <cuda.h> does not show. */']
        + ['%s;' % tag for tag in tags] + [''])


def aliases(spelling):
    """Types newer than the oldest header: the real one where known, else its plain ABI."""
    lines = ['/*',
             ' * Types that a toolkit header older than these versions does not know. (The tests of '
             'cushim',
             ' * bring them along, and say so.)',
             ' */',
             '#ifndef CUSHIM__TYPES_VERSION',
             '#define CUSHIM__TYPES_VERSION CUDA_VERSION',
             '#endif']
    versions = {}
    for entry in spelling.newer.values():
        versions.setdefault(entry.since, []).append(entry)
    for since, entries in sorted(versions.items()):
        lines.append('#if CUSHIM__TYPES_VERSION >= %d' % since)
        lines += ['typedef %s cushim_%s;' % (e.type, e.type) for e in entries]
        lines.append('#else')
        lines += ['typedef %scushim_%s;' % (e.plain if e.plain.endswith('*') else e.plain + ' ',
                                            e.type) for e in entries]
        lines.append('#endif')
    return '\n'.join(lines) + '\n'


def struct(rows, spelling):
    newer = superseded(rows)
    lines = ['/** The driver API. See table.h for what a slot means. */',
             'struct cushim_table {',
             '    size_t size; /**< sizeof(struct cushim_table) of whoever filled it. */']
    for title, run in grouped(rows):
        lines.append('\n    /* %s */' % title)
        for row in run:
            if row.symbol in newer:
                lines.append('    CUSHIM__SUPERSEDED("%s", "%s", "%s")' % (
                    version_text(row.since), newer[row.symbol].slot,
                    version_text(newer[row.symbol].since)))
            lines.append(wrap('CUresult(CUDAAPI *%s)(%s);' % (row.slot, spelling.parameters(row)),
                              8, '    '))
    return '\n'.join(lines + ['};', ''])
