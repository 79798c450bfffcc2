#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rows are exactly what the toolkit's headers declare, and a compiler agrees about each
prototype and about the ABIs that the headers have replaced.

The compiler reads the headers in the way in which the driver itself is compiled, so that all ABIs
are declared. They include headers of GL, EGL and VDPAU, which this test replaces with a few lines,
because only the ABI of the types matters.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import toolkit
import registry
from slots import superseded

FOREIGN = {
    'GL/gl.h': 'typedef unsigned int GLuint;\ntypedef unsigned int GLenum;\n',
    'EGL/egl.h': 'typedef int EGLint;\n',
    'EGL/eglext.h': 'typedef void *EGLImageKHR;\ntypedef void *EGLStreamKHR;\n'
                    'typedef void *EGLSyncKHR;\n',
    'vdpau/vdpau.h': 'typedef unsigned int VdpDevice;\ntypedef unsigned int VdpVideoSurface;\n'
                     'typedef unsigned int VdpOutputSurface;\n'
                     'typedef void VdpGetProcAddress;\n',
}


def present(*headers):
    """Return the headers that this toolkit has; a package may lack the interop headers."""
    return [name for name in headers if os.path.exists(os.path.join(toolkit.include(), name))]


def rows_of(headers):
    """Return the rows that these headers declare in the toolkit's version."""
    groups = [group for group, name in toolkit.INTEROP_HEADERS.items() if name in headers]
    version = toolkit.version()
    return [row for row in toolkit.functions() if row.since <= version
            and (row.group in groups or not row.interop)]


def run_compiler(source, *flags):
    """Compile C code with the build's compiler; return the ended process."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FOREIGN.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        command = sys.argv[2:] + ['-std=gnu11', '-isystem', toolkit.include(),
                                  '-I', folder] + list(flags) + ['-x', 'c', '-']
        return subprocess.run(command, input=source, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)


def compile_source(source, *flags):
    """Check C code with the compiler; return its messages."""
    run = run_compiler(source, '-fsyntax-only', *flags)
    return run.stdout if run.returncode else ''


class Declarations(unittest.TestCase):
    def test_core_rows_are_what_cuda_h_and_cudaprofiler_h_declare(self):
        self.check_declared(['cuda.h', 'cudaProfiler.h'],
                            [row for row in rows_of([]) if not row.interop])

    def test_gl_rows_are_what_cudagl_h_declares(self):
        self.check_interop('gl')

    def test_egl_rows_are_what_cudaegl_h_declares(self):
        self.check_interop('egl')

    def test_vdpau_rows_are_what_cudavdpau_h_declares(self):
        self.check_interop('vdpau')

    def test_platforms_are_those_of_the_declarations(self):
        for name in present('cuda.h', *toolkit.INTEROP_HEADERS.values()):
            declared = toolkit.header(name).functions
            for row in toolkit.functions():
                if row.symbol in declared:
                    self.assertEqual(row.platform or '-', declared[row.symbol].platform, row)

    def test_versions_are_those_of_the_typedefs(self):
        if not present('cudaTypedefs.h'):
            self.skipTest('this toolkit comes without cudaTypedefs.h')
        installed = toolkit.installed()
        rows = {row.symbol: row for row in toolkit.functions()}
        dated = {function.symbol: installed.since(function) for function in installed.functions
                 if function.symbol in rows}
        wrong = ['%s dates from %s, not from %d' % (symbol, since, rows[symbol].since)
                 for symbol, since in dated.items() if since not in (None, rows[symbol].since)]
        self.assertEqual(wrong, [])
        self.assertEqual([symbol for symbol, since in dated.items() if since is None
                          and not rows[symbol].interop], [], 'the typedefs do not say')

    def test_types_are_those_that_cuda_h_names_from_their_version_on(self):
        installed = toolkit.installed()
        rows = {row.type: row for row in registry.read_types(toolkit.table('types'))}
        named = installed.types(rows)
        self.assertEqual([name for name, row in rows.items() if row.since <= installed.version
                          and name not in named and not name.startswith('struct ')], [],
                         'types of this age, not declared')
        self.assertEqual([name for name in named if rows[name].since > installed.version], [],
                         'declared, but dated from a newer toolkit: run update.py')
        self.assertEqual([row for name, row in rows.items() if name in named
                          and row != installed.spelling.type(name, row.since)], [])

    def test_groups_are_the_sections_of_the_documentation(self):
        installed = toolkit.installed()
        if installed.version < 13000:
            self.skipTest('the sections of older headers leave out some functions')
        groups = {row.symbol: row.group for row in toolkit.functions()}
        self.assertEqual([(function.symbol, installed.group(function))
                          for function in installed.functions if function.symbol in groups
                          and installed.group(function) != groups[function.symbol]], [])

    def check_interop(self, group):
        header = toolkit.INTEROP_HEADERS[group]
        if not present(header):
            self.skipTest('this toolkit comes without %s' % header)
        self.check_declared([header], [row for row in rows_of([header]) if row.group == group])

    def check_declared(self, headers, rows):
        declared = set()
        for name in headers:
            declared |= set(toolkit.header(name).functions)
        symbols = set(row.symbol for row in rows)
        toolkit.check_known(self, declared, symbols, ' and '.join(headers))
        self.assertEqual(sorted(symbols - declared), [], 'a row of this age, not declared')


class Compiled(unittest.TestCase):
    def setUp(self):
        if len(sys.argv) < 3:
            self.skipTest('no compiler was named after the include directory')

    def check_prototypes(self, platform, *flags):
        headers = present('cuda.h', 'cudaProfiler.h', *toolkit.INTEROP_HEADERS.values())
        rows = [row for row in rows_of(headers) if row.platform == platform]
        # cudaVDPAU.h does not include the types that it uses.
        source = ['#include <cuda.h>', '#include <vdpau/vdpau.h>']
        source += ['#include <%s>' % name for name in headers]
        source += ['_Static_assert(__builtin_types_compatible_p(__typeof__(&%s), '
                   'CUresult (CUDAAPI *)(%s)), "%s");' % (row.symbol, row.prototype, row.symbol)
                   for row in rows]
        self.assertEqual(compile_source('\n'.join(source) + '\n',
                                        '-D__CUDA_API_VERSION_INTERNAL', *flags), '')
        return rows

    def test_prototypes_are_those_of_the_headers(self):
        self.assertGreater(len(self.check_prototypes(None)), 400)

    def test_prototypes_of_windows_are_those_of_the_headers(self):
        if not present('cudaGL.h'):
            self.skipTest('this toolkit comes without cudaGL.h')
        rows = self.check_prototypes('windows', '-D_WIN32', '-D__stdcall=')
        self.assertEqual([row.symbol for row in rows], ['cuWGLGetDevice'])

    def test_rows_need_no_header_but_cuda_h(self):
        types = registry.read_types(toolkit.table('types'))
        source = ['#include <cuda.h>']
        source += [row.type + ';' for row in types if row.type.startswith('struct ')]
        source += ['typedef CUresult (CUDAAPI *%s)(%s);' % (row.slot, row.prototype)
                   for row in rows_of(toolkit.INTEROP_HEADERS.values())]
        self.assertEqual(compile_source('\n'.join(source) + '\n', '-Wall', '-Werror'), '')

    def test_plain_types_have_the_size_of_the_types_they_stand_for(self):
        used = set(parameter.base_type for row in rows_of(toolkit.INTEROP_HEADERS.values())
                   for parameter in row.parameters)
        source = ['#include <cuda.h>']
        source += ['_Static_assert(sizeof(%s) == sizeof(%s), "%s");' % (row.type, row.plain,
                                                                        row.type)
                   for row in registry.read_types(toolkit.table('types'))
                   if row.kind != 'struct' and row.type in used]
        self.assertGreater(len(source), 20)
        self.assertEqual(compile_source('\n'.join(source) + '\n'), '')


class Superseded(unittest.TestCase):
    """Test which ABIs the headers of CUDA 11.2 had already replaced: loader/generator/slots.py."""

    def setUp(self):
        self.rows = {row.symbol: row for row in toolkit.functions()}
        self.newer = {symbol: row.symbol
                      for symbol, row in superseded(self.rows.values()).items()}

    def meanings(self, *flags):
        """Map each name to the symbol that it expands to in the headers, according to the
        preprocessor.
        """
        if len(sys.argv) < 3:
            self.skipTest('no compiler was named after the include directory')
        headers = present('cuda.h', *toolkit.INTEROP_HEADERS.values())
        source = ['#include <vdpau/vdpau.h>'] + ['#include <%s>' % name for name in headers]
        source += ['@ "%s" %s' % (name, name)
                   for name in sorted({row.base for row in rows_of(headers)})]
        run = run_compiler('\n'.join(source) + '\n', '-E', '-P', *flags)
        self.assertEqual(run.returncode, 0, run.stdout)
        return dict(re.findall(r'@ "(\w+)" (\w+)', run.stdout))

    def test_there_are_65_each_with_the_newest_abi_of_11_2(self):
        self.assertEqual(len(self.newer), 65)
        for symbol, newer in {'cuMemFree': 'cuMemFree_v2',
                              'cuCtxCreate': 'cuCtxCreate_v2',
                              'cuTexRefSetAddress2D': 'cuTexRefSetAddress2D_v3',
                              'cuTexRefSetAddress2D_v2': 'cuTexRefSetAddress2D_v3',
                              'cuStreamBeginCapture_ptsz': 'cuStreamBeginCapture_v2_ptsz',
                              'cuMemFree_v2': None, 'cuCtxCreate_v2': None,
                              'cuMemcpyHtoD_v2_ptds': None, 'cuEventRecord_ptsz': None,
                              'cuEventElapsedTime': None, 'cuDeviceGetUuid': None}.items():
            self.assertEqual(self.newer.get(symbol), newer, symbol)

    def test_no_name_of_the_headers_means_one(self):
        for flags in [], ['-DCUDA_API_PER_THREAD_DEFAULT_STREAM']:
            self.assertEqual(set(self.meanings(*flags).values()) & set(self.newer), set())

    def test_every_name_that_means_a_newer_abi_of_11_2_is_one(self):
        found = 0
        for name, symbol in self.meanings().items():
            newer = self.rows[symbol]
            if symbol != name == newer.base and newer.since <= 11020:
                self.assertEqual(self.newer.get(name), symbol)
                found += 1
        self.assertGreater(found, 50)


if __name__ == '__main__':
    toolkit.main()
