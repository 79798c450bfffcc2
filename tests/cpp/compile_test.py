#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cushim.hpp compiles without a warning, with several compilers and every standard, with and
without exceptions and RTTI, and its calls compile to the calls of the C functions.

    compile_test.py "COMPILER..." "OTHER COMPILER..." ARGUMENT...

COMPILER is the build's, with its arguments. The OTHERs are used if they are installed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Wconversion', '-Werror']
# Compilers know C++23 under one of two names.
STANDARDS = [['c++11'], ['c++14'], ['c++17'], ['c++20', 'c++2a'], ['c++23', 'c++2b']]
MODES = [[], ['-fno-exceptions', '-fno-rtti']]
# They use every function of the header. Compiled as one file, they take a third of the time.
SOURCES = ['owners_test.cpp', 'results_test.cpp', 'second.cpp']
PROGRAM = ''.join('#define main main_of_%d\n#include "%s"\n#undef main\n' % (
    number, os.path.join(HERE, source)) for number, source in enumerate(SOURCES))
HEADER = '#include <cushim/cushim.hpp>\n'

# The same function with the header and in C: the parameters of each, and the bodies.
CALLS = {
    'query': (['event'], 'return a.query();', 'return cushim_event_query(*a);'),
    'record': (['event', 'stream'], 'return a.record(b);', 'return cushim_event_record(*a, *b);'),
    'wait': (['event'], 'return a.synchronize(std::chrono::milliseconds(5));',
             'return cushim_event_synchronize_for(*a, 5000000);'),
    'wait_stream': (['stream', 'stream'], 'return a.wait_stream(b);',
                    'return cushim_stream_wait_stream(*a, *b);'),
    'current': (['context'], 'return a.make_current();',
                'return cushim_context_make_current(*a);'),
    'destroy': (['event'], 'a.~event(); return CUDA_SUCCESS;',
                'if (*a) cushim_event_release(*a); return CUDA_SUCCESS;'),
}


def compile_text(compiler, options, text, *arguments):
    """Return the exit status, and the output together with the messages."""
    result = subprocess.run([*compiler, *options, *ARGUMENTS, '-x', 'c++', '-', *arguments],
                            input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, check=False)
    return result.returncode, result.stdout


def version(compiler):
    """Return what is the same for two names of a compiler."""
    text = subprocess.run([*compiler, '--version'], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    return text.split('\n', 1)[0].partition(' ')[2]


def standards(compiler):
    """Return the options for the standards that a compiler knows."""
    found = []
    for names in STANDARDS:
        known = [name for name in names
                 if compile_text(compiler, ['-std=' + name], 'int empty;', '-fsyntax-only')[0] == 0]
        found += ['-std=' + name for name in known[:1]]
    return found


def instructions(assembly, name):
    """Return the lines of a function, or None if the target's assembly has another form."""
    match = re.search(r'^%s:[^\n]*\n(.*?)^\s+\.size\s+%s,' % (name, name), assembly, re.M | re.S)
    if not match:
        return None
    lines = [re.sub(r'\s*[#;@].*|\s+//.*', '', line).strip() for line in match[1].splitlines()]
    lines = [line for line in lines if line and line[0] != '.']
    # Labels have numbers of the whole file.
    return [re.sub(r'\.L\w+', '.L', line) for line in lines]


class Compile(unittest.TestCase):
    def test_every_compiler_standard_and_mode(self):
        for compiler in COMPILERS:
            found = standards(compiler)
            print(' '.join(compiler) + ':', *found)
            self.assertIn('-std=c++11', found)
            for standard in found:
                for mode in MODES:
                    with self.subTest(compiler=compiler, standard=standard, mode=mode):
                        status, words = compile_text(compiler, [standard, *mode, *WARNINGS],
                                                     PROGRAM, '-fsyntax-only')
                        self.assertEqual(status, 0, words)

    def test_every_mode_of_the_cuda_header(self):
        for define in '-DCUDA_API_PER_THREAD_DEFAULT_STREAM', '-DCUSHIM_STATIC':
            status, words = compile_text(COMPILERS[0], ['-std=c++11', define, *WARNINGS],
                                         HEADER * 2, '-fsyntax-only')
            self.assertEqual(status, 0, words)

    def test_nothing_throws_without_exceptions(self):
        text = HEADER + 'void use() { cushim::check(CUDA_SUCCESS); }\n'
        for compiler in COMPILERS:
            for mode, is_there in zip(MODES, (True, False)):
                with self.subTest(compiler=compiler, mode=mode):
                    status, words = compile_text(compiler, ['-std=c++11', *mode], text,
                                                 '-fsyntax-only')
                    self.assertEqual(status == 0, is_there, words)

    def test_unused_results_cause_warnings_from_cpp17_on(self):
        calls = ['event.query();', 'cushim::event::create(cushim::context());', 'event.share();',
                 'cushim::make_error_code(CUDA_SUCCESS);',
                 'cushim::context_scope{cushim::context()};']
        for compiler in COMPILERS:
            for call in calls + ['event.reset();']:
                text = HEADER + 'void use(cushim::event &event) { (void)event; %s }\n' % call
                for standard, is_warned in ('c++11', False), ('c++17', call in calls):
                    with self.subTest(compiler=compiler, call=call, standard=standard):
                        status, words = compile_text(compiler, ['-std=' + standard, *WARNINGS],
                                                     text, '-fsyntax-only')
                        self.assertEqual(status != 0, is_warned, words)
                        self.assertEqual('nodiscard' in words, is_warned, words)

    def test_a_call_compiles_to_the_call_of_c(self):
        text = HEADER
        for name, (kinds, cpp, c) in CALLS.items():
            names = 'ab'[:len(kinds)]
            text += 'extern "C" CUresult cpp_%s(%s) { %s }\n' % (
                name, ', '.join('cushim::%s &%s' % pair for pair in zip(kinds, names)), cpp)
            text += 'extern "C" CUresult c_%s(%s) { %s }\n' % (
                name, ', '.join('cushim_%s **%s' % pair for pair in zip(kinds, names)), c)
        for compiler in COMPILERS:
            status, assembly = compile_text(compiler, ['-std=c++11', '-O2', '-fno-exceptions'],
                                            text, '-S', '-o', '-')
            self.assertEqual(status, 0, assembly)
            for name in CALLS:
                with self.subTest(compiler=compiler, call=name):
                    cpp, c = (instructions(assembly, kind + name) for kind in ('cpp_', 'c_'))
                    if c is None:
                        self.skipTest('the assembly is not that of an ELF target')
                    self.assertGreater(len(c), 1)
                    self.assertEqual(cpp, c)

    def test_a_plugin_exports_no_function_and_stays_unloadable(self):
        """Unless all functions are hidden, two plugins may use each other's. A unique symbol (`u`)
        keeps a plugin loaded for ever.
        """
        if not shutil.which('nm') or not shutil.which('readelf'):
            self.skipTest('binutils are not installed')
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, 'second.o')
                status, words = compile_text(
                    compiler, ['-std=c++11', '-O0', '-fPIC', '-DCUSHIM_STATIC'],
                    '#include "%s"\n' % os.path.join(HERE, 'second.cpp'), '-c', '-o', path)
                self.assertEqual(status, 0, words)
                with open(path, 'rb') as file:
                    if file.read(4) != b'\x7fELF':
                        self.skipTest('the object is not an ELF file')
                rows = subprocess.run(['readelf', '-sW', path], stdout=subprocess.PIPE, text=True,
                                      check=True).stdout.splitlines()
                shown = [row.split()[-1] for row in rows
                         if re.search(r'\b(WEAK|UNIQUE|GLOBAL) +DEFAULT +\d+ ', row)]
                self.assertTrue(any('second_owner' in name for name in shown), rows)
                self.assertEqual([name for name in shown if 'second_' not in name
                                  and re.match(r'_ZNK?6cushim', name)
                                  and not IMPLICIT.search(name)], [])
                # The linker makes a hidden one local.
                self.assertFalse(any(re.search('UNIQUE +DEFAULT', row) for row in rows))


# Members that the compiler makes itself cannot be hidden one by one; they call those that are.
IMPLICIT = re.compile(r'[CD]I?\d|aSE')

if __name__ == '__main__':
    first, others, *ARGUMENTS = sys.argv[1:]
    if not first:
        print('skipped: there is no C++ compiler')
        sys.exit(77)
    COMPILERS = [first.split()]
    versions = [version(COMPILERS[0])]
    for other in others.split():
        if not shutil.which(other):
            print('skipped:', other, 'is not installed')
        elif version([other]) not in versions:
            COMPILERS.append([other])
            versions.append(version([other]))
    unittest.main(argv=sys.argv[:1], verbosity=2)
