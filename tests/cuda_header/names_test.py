#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every name that <cuda.h> and <cudaProfiler.h> declare reaches the symbol that the headers map it
to.

    names_test.py DRIVER STUBS STUBS_SOURCE LIBRARY "INCLUDE..." "CC..." "CXX..." TOOLKIT
                  [RUNNER]...

TOOLKIT is --toolkit=FOLDER, a folder with a cuda.h (empty: the compiler finds one), or --fetched:
all headers that headers/fetch.sh has downloaded.

The headers themselves determine what a name means: they are preprocessed unmodified, in each mode
and language. The test makes a source that calls each name and takes its address, and builds it in
three ways: with <cushim/cuda.h>, with the static library STUBS, and linked to DRIVER, the fake
driver whose functions return different numbers. With RUNNER, the programs are for Windows, and
RUNNER starts them.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '../../loader/registry'))

import registry  # noqa: E402

MODES = {
    'legacy': [],
    'per-thread': ['-DCUDA_API_PER_THREAD_DEFAULT_STREAM'],
    'internal': ['-D__CUDA_API_VERSION_INTERNAL'],
}
WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wundef', '-Wshadow', '-Wconversion', '-Werror']
INCLUDES = '#include <cuda.h>\n#include <cudaProfiler.h>\n'
# What the fake driver returns; other functions return their numbers.
ANSWERS = {'cuInit': 0, 'cuDriverGetVersion': 1}
# Inline functions of <cuda.h> that add a flag, and the function that they call.
INLINE = {'cuGetProcAddress_ptsz': 'cuGetProcAddress',
          'cuGetProcAddress_v2_ptsz': 'cuGetProcAddress_v2'}
# The registry writes this type without the header that declares it.
ENUMS = {('cuProfilerInitialize', 'outputMode'): '(CUoutput_mode)0'}

SOURCE = '''%(includes)s
#include <stdio.h>

static int wrong, right;

static void is(const char *name, int got, int expected)
{
    if (got == expected)
        right++;
    else if (++wrong)
        printf("%%s: %%d instead of %%d\\n", name, got, expected);
}

%(zeros)s

int main(void)
{
%(calls)s
    printf("%%d calls\\n", right);
    return wrong != 0;
}

#ifdef CUSHIM_CUDA_H
/* What was called has the type that the header declares. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#ifdef __cplusplus
#include <type_traits>
#define SAME(a, b) static_assert(std::is_same<a, b>::value, #b)
#else
#define SAME(a, b) _Static_assert(__builtin_types_compatible_p(a, b), #b)
#endif
%(types)s
#endif
'''


def run(*command, expect=0, **options):
    # A file instead of a pipe, because other processes that Wine starts would keep a pipe open.
    with tempfile.TemporaryFile('w+') as output:
        result = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, text=True,
                                check=False, **options)
        output.seek(0)
        said = output.read()
    if result.returncode != expect:
        raise AssertionError('%s exits with %d:\n%s' % (' '.join(command), result.returncode,
                                                        said[-4000:]))
    return said


def run_program(program, environment):
    return run(*RUNNER, program, env=environment)


def exported(symbol):
    """Return the symbol that an inline function of <cuda.h> calls, or else the same symbol."""
    return INLINE.get(symbol, symbol)


def toolkits(option):
    if option != '--fetched':
        return [option.partition('=')[2]]
    cache = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    return sorted(glob.glob(os.path.join(cache, 'cushim', 'headers', '[0-9]*', 'include')))


class Toolkit:
    """The meaning of the names in one folder of headers, in one mode and language."""

    def __init__(self, folder, compiler, flags):
        self.compiler = compiler + flags + (['-isystem' + folder] if folder else [])
        self.declared = set(re.findall(r'\bCUresult\s+(cu[A-Z]\w*)\s*\(',
                                       self.preprocess(INCLUDES, '-P')))
        macros = re.findall(r'^#define (cu[A-Z]\w*) ', self.preprocess(INCLUDES, '-dM'), re.M)
        names = sorted(self.declared | set(macros))
        text = self.preprocess(INCLUDES + ''.join('@ "%s" %s\n' % (n, n) for n in names), '-P')
        meaning = {name: symbol for name, symbol in re.findall(r'@ "(\w+)" (\w+)', text)
                   if symbol in self.declared}
        # The registry may know its newest version only in part; no library has the other names.
        complete = self.version() < NEWEST
        self.meaning = {name: symbol for name, symbol in meaning.items()
                        if complete or exported(symbol) in ROWS}

    def preprocess(self, text, option):
        return run(*self.compiler, '-E', option, '-', input=text)

    def version(self):
        return int(re.findall(r'@ (\d+)', self.preprocess(INCLUDES + '@ CUDA_VERSION\n', '-P'))[0])


def source(meaning):
    zeros, calls, types = {}, [], []
    for name, symbol in sorted(meaning.items()):
        row, number = ROWS[exported(symbol)]
        arguments = []
        for parameter in row.parameters:
            zero = zeros.setdefault(parameter.type, 'zero_%d' % len(zeros))
            arguments.append(ENUMS.get((row.symbol, parameter.name), zero))
        expected = ANSWERS.get(row.symbol, 100000 + number)
        text = ', '.join(arguments)
        calls.append('    is("%s", (int)%s(%s), %d);' % (name, name, text, expected))
        calls.append('    { __typeof__(&%s) a = &%s, b = %s; is("&%s", (int)a(%s), %d); (void)b; }'
                     % (name, name, name, name, text, expected))
    for symbol in sorted(set(meaning.values()) - set(INLINE)):
        types.append('typedef __typeof__(&%s) own_%s;\n#undef %s\nSAME(__typeof__(&%s), own_%s);'
                     % ((symbol,) * 5))
    return SOURCE % {
        'includes': INCLUDES,
        'zeros': '\n'.join('static %s %s;' % pair for pair in zeros.items()),
        'calls': '\n'.join(calls),
        'types': '\n'.join(types),
    }


class Names(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='cushim-names-')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.environment = dict(os.environ, CUSHIM_LIBRARY=DRIVER,
                                LD_LIBRARY_PATH=os.path.dirname(LIBRARY) + ':' + self.folder)
        self.driver = self.path('libcuda.so.1')
        if RUNNER:
            # The DLL lies next to the program, under the name in the import table.
            self.driver = self.path(os.path.basename(DRIVER))
            shutil.copyfile(DRIVER, self.driver)
            shutil.copy(LIBRARY, self.folder)
            self.environment.update(CUSHIM_LIBRARY='Z:' + DRIVER, WINEDEBUG='-all')
        else:
            os.symlink(DRIVER, self.driver)

    def path(self, name):
        return os.path.join(self.folder, name)

    def build(self, name, toolkit, warnings, include, *libraries):
        """Return the program, and the driver functions that its object file leaves undefined."""
        program = self.path(name + PROGRAM_SUFFIX)
        run(*toolkit.compiler, *warnings, *include, '-O1', '-c', self.path('names.source'), '-o',
            program + '.o')
        run(*toolkit.compiler, '-x', 'none', program + '.o', *libraries, *SYSTEM_LIBRARIES, '-o',
            program)
        return program, set(re.findall(r' U (cu[A-Z]\w*)', run('nm', program + '.o')))

    def judge(self, folder, language, mode):
        compiler = LANGUAGES[language]
        toolkit = Toolkit(folder, compiler, MODES[mode])
        with open(self.path('names.source'), 'w', encoding='ascii') as file:
            file.write(source(toolkit.meaning))
        symbols = set(toolkit.meaning.values())
        count = '%d calls\n' % (2 * len(toolkit.meaning))

        program, left = self.build('program', toolkit, WARNINGS, ['-include', 'cushim/cuda.h'],
                                   LIBRARY)
        self.assertEqual(left, set())
        self.assertEqual(run_program(program, self.environment), count)

        plain = ['-Wno-deprecated-declarations']
        stubs, left = self.build('stubs', toolkit, plain, [], STUBS, LIBRARY)
        self.assertEqual(left, set(map(exported, symbols)))
        self.assertEqual(run_program(stubs, self.environment), count)

        linked, _ = self.build('linked', toolkit, plain, [], self.driver)
        self.assertEqual(run_program(linked, self.environment), count)
        print('  %-5d %-4s %-10s %d names, %d symbols: header, stubs, linked' % (
            toolkit.version(), language, mode, len(toolkit.meaning), len(symbols)), flush=True)
        return toolkit.meaning

    def test_every_name_reaches_its_symbol(self):
        for folder in FOLDERS:
            for language in LANGUAGES:
                for mode in MODES:
                    with self.subTest(folder=folder, language=language, mode=mode):
                        meaning = self.judge(folder, language, mode)
                        self.assertGreater(len(meaning), 350)
                        self.assertEqual(meaning['cuMemcpyHtoD'], {
                            'legacy': 'cuMemcpyHtoD_v2',
                            'per-thread': 'cuMemcpyHtoD_v2_ptds',
                            'internal': 'cuMemcpyHtoD'}[mode])

    def test_stubs_of_interop_reach_their_symbols(self):
        """Without their headers, and so with arbitrary arguments, which no function here uses.

        A struct that is passed by value is copied; on aarch64 and Windows, the argument is a
        pointer to it.
        """
        # Functions for Windows are missing on other platforms.
        rows = [(row.symbol, 36 if row.platform == 'windows' and not RUNNER else 100000 + number)
                for row, number in ROWS.values() if row.interop]
        calls = ['extern int %s();\n' % symbol for symbol, _ in rows]
        calls += ['static long room[64];\n', 'int main(void)\n{\n']
        calls += ['    if (%s(%s) != %d) return %d;\n' % (symbol, ', '.join(['room'] * 8),
                                                           code, place)
                  for place, (symbol, code) in enumerate(rows, 1)]
        with open(self.path('interop.c'), 'w', encoding='ascii') as file:
            file.write(''.join(calls) + '    return 0;\n}\n')
        run(*CC.split(), '-w', self.path('interop.c'), STUBS, LIBRARY,
            *SYSTEM_LIBRARIES, '-o', self.path('interop' + PROGRAM_SUFFIX))
        self.assertGreaterEqual(len(rows), 36)
        run_program(self.path('interop' + PROGRAM_SUFFIX), self.environment)

    def test_stubs_compile_with_every_header(self):
        for folder in FOLDERS:
            with self.subTest(folder=folder):
                toolkit = Toolkit(folder, LANGUAGES['c'], [])
                run(*toolkit.compiler, *WARNINGS, '-c', STUBS_SOURCE, '-o', self.path('stubs.o'),
                    '-x', 'none')
                kind = 'T' if RUNNER else 'W'
                defined = re.findall(r' %s (cu[A-Z]\w*)' % kind, run('nm', self.path('stubs.o')))
                self.assertEqual(sorted(defined), sorted(ROWS))


if __name__ == '__main__':
    DRIVER, STUBS, STUBS_SOURCE, LIBRARY, INCLUDE, CC, CXX = sys.argv[1:8]
    FOLDERS = toolkits(sys.argv[8])
    RUNNER = sys.argv[9:]
    PROGRAM_SUFFIX = '.exe' if RUNNER else ''
    SYSTEM_LIBRARIES = ['-static'] if RUNNER else ['-ldl', '-pthread']
    if not FOLDERS:
        print('skipped: there are no old headers; tests/cuda_header/headers/fetch.sh downloads some')
        sys.exit(77)
    if not CXX:
        print('there is no C++ compiler: C alone')
    ROWS = {row.symbol: (row, number) for number, row in enumerate(registry.read_functions(
        os.path.join(HERE, '../../loader/registry/functions.tsv')))}
    NEWEST = max(row.since for row, _ in ROWS.values())
    LANGUAGES = {'c': CC.split() + ['-std=c11', '-xc'] + INCLUDE.split()}
    if CXX:
        LANGUAGES['c++'] = CXX.split() + ['-std=c++17', '-xc++'] + INCLUDE.split()
    unittest.main(argv=sys.argv[:1], verbosity=2)
