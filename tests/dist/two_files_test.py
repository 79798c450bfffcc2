#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The two files of dist/. join: a small library is joined to two files, and some libraries are
refused. content: cushim's two files contain the whole library, and hide its internals.

    two_files_test.py join TWO_FILES_PY COMPILER...
    two_files_test.py content SOURCE_ROOT FOLDER_OF_THE_TWO_FILES LIBRARY CUDA_INCLUDE COMPILER...

LIBRARY is the static library from the same sources.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

SPDX = '/* SPDX-License-Identifier: Apache-2.0 */\n'
# The headers of every library here.
HEADERS = {
    'cushim/cushim.h': '#ifndef CUSHIM_CUSHIM_H\n#define CUSHIM_CUSHIM_H\n\n'
                       '#include <cushim/version.h>\n\n#endif\n',
    'cushim/version.h': '#ifndef CUSHIM_VERSION_H\n#define CUSHIM_VERSION_H\n\n'
                        '#define CUSHIM_VERSION 10203\n\n#endif\n',
    'cushim/cuda.h': '#ifndef CUSHIM_CUDA_H\n#define CUSHIM_CUDA_H\n\n'
                     '#include <cushim/cushim.h>\n\n'
                     '#define BEFORE 1\n\n#include <cushim/cuda_names.h>\n\n#define AFTER 1\n\n#endif\n',
    'cushim/cuda_names.h': '#if BEFORE && !defined(AFTER)\n#define CUDA 1\n#endif\n',
}

# For two files: their contents, and the name that both must not define.
CLASHES = [
    ('static int x;\nint a(void);', 'static int x;', 'x'),
    ('static int x;', 'static _Atomic unsigned long x = 2;', 'x'),
    ('static int w, x[3], y;', 'static const char *x;', 'x'),
    ('static int f(int a)\n{\n    return a;\n}', 'static int f = 2;', 'f'),
    ('static int f(int a);', 'static int (*f)(int);', 'f'),
    ('enum { ONE, TWO = 2 };', 'enum numbers { TWO };', 'TWO'),
    ('enum { ONE, TWO = 2 };', 'static int TWO;', 'TWO'),
    ('struct s {\n    int a;\n};', 'struct s {\n    int a;\n} *f(void);', 'struct s'),
    ('static struct s {\n    int a;\n} t;', 'static int t;', 't'),
    ('typedef int word;', 'typedef long word;', 'word'),
    ('typedef int (*call)(int a);', 'static int call;', 'call'),
    ('__attribute__((cold)) static int f(void)\n{\n    return 1;\n}', 'static int f;', 'f'),
    ('static const struct {\n    int a;\n} x[] = {{1}, {2}};', 'static int x;', 'x'),
    ('#if A\nstatic int x;\n#endif', 'static int x;', 'x'),
]
HARMONIES = [
    ('static int x;', 'int f(void)\n{\n    static int y;\n    return y;\n}\nint g(int x);'),
    ('static int f(int x);\nstatic int f(int x)\n{\n    return x;\n}', 'static int x;'),
    ('struct s {\n    int a;\n};', 'static int s;'),
    ('static int x; /* static int y; */\n// static int y;', 'static int y;'),
    ('const char *t = "; static int y; \\" {";', 'static int y = \'{\';'),
    ('struct s *f(void);', 'struct s {\n    int x;\n};\nstatic int x;'),
    ('extern "C" {\nint f(void);\n}', 'static int x;'),
]


class Join(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='cushim-join-')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.headers(HEADERS)

    def headers(self, files):
        for name, text in files.items():
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w', encoding='ascii') as file:
                file.write(SPDX + text)

    def join(self, sources, depfile=None, **systems):
        """Return the exit code, and the messages or the text of cushim.c."""
        self.headers({**sources, **{name: text for files in systems.values()
                                    for name, text in files.items()}})
        command = [sys.executable, PROGRAM, '--version', '1.2.3', '--folder', self.folder,
                   '--output', self.folder, '--source', *self.paths(sources)]
        if depfile:
            command[2:2] = ['--depfile', depfile]
        for condition, files in systems.items():
            command += ['--when', 'defined(%s)' % condition, *self.paths(files)]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                check=False, cwd='/')
        if result.returncode:
            return result.returncode, result.stderr
        with open(os.path.join(self.folder, 'cushim.c'), encoding='ascii') as file:
            return 0, file.read()

    def paths(self, files):
        return [os.path.join(self.folder, name) for name in files]

    def assert_refused(self, words, sources, **systems):
        code, text = self.join(sources, **systems)
        self.assertEqual(code, 1, text)
        self.assertNotIn('Traceback', text)
        for word in words:
            self.assertIn(word, text)

    def assert_compiles(self, *flags, source='cushim.c'):
        result = subprocess.run(
            COMPILER + ['-std=c11', '-Wall', '-Wextra', '-Werror', '-fsyntax-only', *flags,
                        os.path.join(self.folder, source)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_a_private_name_of_two_files_is_refused(self):
        for one, other, name in CLASHES:
            with self.subTest(one + ' / ' + other):
                self.assert_refused(['a/one.c', 'b/other.c', '`%s`' % name],
                                    {'a/one.c': one + '\n', 'b/other.c': other + '\n'})

    def test_what_only_looks_like_one_is_taken(self):
        for one, other in HARMONIES:
            with self.subTest(one + ' / ' + other):
                code, text = self.join({'a/one.c': one + '\n', 'b/other.c': other + '\n'})
                self.assertEqual(code, 0, text)

    def test_a_name_may_be_private_once_per_system(self):
        here, there = {'a/here.c': 'static int x;\n'}, {'a/there.c': 'static int x;\n'}
        code, text = self.join({'a/one.c': 'int one;\n'}, HERE=here, THERE=there)
        self.assertEqual(code, 0, text)
        self.assert_refused(['a/here.c', 'a/one.c', '`x`'], {'a/one.c': 'static int x;\n'},
                            HERE=here, THERE=there)

    def test_one_system_is_compiled(self):
        header = ('#ifndef CUSHIM_P_H\n#define CUSHIM_P_H\n#include <stddef.h>\n'
                  'size_t f(void);\n#endif\n')
        self.headers({'a/p.h': header})
        code, text = self.join(
            {'a/one.c': 'int one = 1;\n'},
            HERE={'a/here.c': '#include "a/p.h"\nsize_t f(void)\n{\n    return 1;\n}\n'},
            THERE={'a/there.c': '#include "a/p.h"\nsize_t f(void)\n{\n    return 2;\n}\n'})
        self.assertEqual(code, 0, text)
        self.assert_compiles('-DHERE')
        self.assert_compiles('-DTHERE')
        with self.assertRaisesRegex(AssertionError, 'does not know this operating system'):
            self.assert_compiles()

    def test_macros_of_a_source_end_with_it(self):
        code, text = self.join({'a/one.c': '#define X 1\nint one = X;\n',
                                'a/two.c': '#define X 2\nint two = X;\n',
                                'a/three.c': 'int X = 3;\n'})
        self.assertEqual(code, 0, text)
        self.assert_compiles()

    def test_what_the_system_reads_comes_before_all_its_headers(self):
        code, text = self.join({
            'a/one.c': '#include <stdlib.h>\nvoid *one = NULL;\n',
            'a/two.c': '#define _GNU_SOURCE\n#include <stdlib.h>\n\nchar *two(void);\n'
                       'char *two(void)\n{\n    return secure_getenv("A");\n}\n'})
        self.assertEqual(code, 0, text)
        self.assert_compiles()
        self.assert_compiles('-D_GNU_SOURCE=1')
        self.assertLess(text.index('#define _GNU_SOURCE'), text.index('#include'))

    def test_headers_come_once_and_before_their_users(self):
        header = '#ifndef CUSHIM_%s_H\n#define CUSHIM_%s_H\n\n%sextern int %s;\n\n#endif\n'
        self.headers({'a/p.h': header % ('P', 'P', '#include "a/q.h"\n\n', 'p'),
                      'a/q.h': header % ('Q', 'Q', '', 'q')})
        code, text = self.join({'a/one.c': '#include "a/p.h"\n\nint p;\n',
                                'a/two.c': '#include "a/q.h"\n#include "a/p.h"\n\nint q;\n'})
        self.assertEqual(code, 0, text)
        self.assertEqual([line for line in text.splitlines() if line.startswith('/* ---- ')],
                         ['/* ---- a/%s ---- */' % name
                          for name in ('q.h', 'p.h', 'one.c', 'two.c')])
        self.assertNotIn('#include "a/', text)
        self.assert_compiles()

    def test_a_header_in_the_middle_stays_in_the_middle(self):
        self.join({'a/one.c': 'int one;\n'})
        self.headers({'names.c': '#include "cushim.h"\n'
                                 '#ifdef CUDA\n#error "not asked for"\n#endif\n'
                                 '#define CUSHIM_CUDA_NAMES\n#include "cushim.h"\n'
                                 '#if !CUDA\n#error "asked for"\n#endif\nint x;\n'})
        self.assert_compiles(source='names.c')

    def test_files_of_two_versions_do_not_compile(self):
        code, text = self.join({'a/one.c': 'int one = 1;\n'})
        self.assertEqual(code, 0, text)
        self.assert_compiles()
        path = os.path.join(self.folder, 'cushim.h')
        with open(path, encoding='ascii') as file:
            text = file.read()
        with open(path, 'w', encoding='ascii') as file:
            file.write(text.replace('10203', '10204'))
        with self.assertRaisesRegex(AssertionError, 'different versions'):
            self.assert_compiles()

    def test_an_include_that_cannot_be_joined_is_refused(self):
        self.headers({'a/p.h': 'int p;\n'})
        for text, words in [
            ('#include "a/nowhere.h"\n', 'a/nowhere.h, which is not there'),
            ('#include <cushim/nowhere.h>\n', 'cushim/nowhere.h, which is not there'),
            ('#ifdef A\n#include "a/p.h"\n#endif\n', 'a/p.h under a condition'),
            ('#include HEADER\n', 'an include by macro'),
        ]:
            with self.subTest(text):
                self.assert_refused(['a/one.c', words], {'a/one.c': text})

    def test_an_include_of_the_system_under_a_condition_is_left_there(self):
        code, text = self.join({
            'a/one.c': '#ifdef NEVER\n#include <nowhere.h>\n#endif\nint one;\n'})
        self.assertEqual(code, 0, text)
        self.assertIn('#ifdef NEVER\n#include <nowhere.h>\n#endif', text)

    def test_no_path_is_in_the_files(self):
        self.join({'a/one.c': 'int one;\n'})
        for name in 'cushim.h', 'cushim.c':
            with open(os.path.join(self.folder, name), encoding='ascii') as file:
                text = file.read()
            self.assertTrue(text.startswith(SPDX))
            self.assertIn('cushim 1.2.3', text)
            self.assertNotIn(self.folder, text)

    def test_folders_may_be_called_anything(self):
        self.folder = os.path.join(self.folder, 'a b #$\u00fc')
        self.headers(HEADERS)
        depfile = os.path.join(self.folder, 'join.d')
        code, text = self.join({'a/one.c': 'int one;\n'}, depfile=depfile)
        self.assertEqual(code, 0, text)
        with open(depfile, encoding='utf-8') as file:
            self.assertIn('/a\\ b\\ \\#$$\u00fc/a/one.c', file.read())


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def defined(path):
    """Return the names of the functions and objects that other files can see."""
    lines = output('nm', '--defined-only', '--extern-only', path).splitlines()
    return sorted({line.split()[2] for line in lines if len(line.split()) == 3})


class Content(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix='cushim-two-files-')
        cls.addClassCleanup(folder.cleanup)
        cls.object = os.path.join(folder.name, 'cushim.o')
        include = ['-isystem', CUDA_INCLUDE] if CUDA_INCLUDE else []
        subprocess.run([*COMPILER, '-std=c11', '-O2', '-c', os.path.join(FOLDER, 'cushim.c'),
                        *include, '-o', cls.object], check=True)
        cls.text = {}
        for name in 'cushim.h', 'cushim.c':
            with open(os.path.join(FOLDER, name), encoding='ascii') as file:
                cls.text[name] = file.read()

    def parts(self, name):
        return re.findall(r'(?m)^/\* ---- (\S+) ---- \*/$', self.text[name])

    @staticmethod
    def headers_of_the_mock():
        with open(os.path.join(SOURCE, 'include', 'cushim', 'meson.build'),
                  encoding='ascii') as file:
            lists = re.findall(r'(?m)^(?:mock|cmocka)_headers = \[([^]]*)\]', file.read())
        return {'cushim/' + name for listed in lists for name in re.findall(r"'([^']+)'", listed)}

    def test_every_source_of_the_tree_is_in(self):
        """Also those of systems that this build is not for."""
        sources = [os.path.relpath(path, SOURCE) for folder in ('loader', 'src')
                   for path in glob.glob(os.path.join(SOURCE, folder, '*.c'))]
        self.assertGreaterEqual(len(sources), 20)
        self.assertEqual(sorted(set(sources) - set(self.parts('cushim.c'))), [])

    def test_every_public_header_is_in(self):
        headers = {'cushim/' + os.path.basename(path)
                   for path in glob.glob(os.path.join(SOURCE, 'include', 'cushim', '*.h'))}
        # The mock is a separate library, and cushim.h only includes other headers.
        headers -= self.headers_of_the_mock() | {'cushim/cushim.h'}
        headers |= {'cushim/slots.h', 'cushim/version.h'}
        self.assertEqual(sorted(headers - set(self.parts('cushim.h'))), [])
        self.assertIn('#define CUSHIM_CUDA_NAMES_H', self.text['cushim.h'])

    def test_nothing_is_in_twice(self):
        parts = self.parts('cushim.h') + self.parts('cushim.c')
        twice = {name for name in parts if parts.count(name) > 1}
        # A header that only the code for systems needs is in the part of each system.
        portable = self.text['cushim.c'].partition('#pragma GCC visibility pop')[0]
        self.assertEqual([name for name in twice if name in portable], [])
        self.assertEqual(len(self.parts('cushim.h')), len(set(self.parts('cushim.h'))))

    def test_functions_and_objects_are_those_of_the_library(self):
        names = defined(LIBRARY)
        self.assertIn('cushim_driver_load', names)
        self.assertEqual(defined(self.object), names)

    def test_nothing_can_be_seen_outside_of_what_is_linked(self):
        shown = [line for line in output('readelf', '-sW', self.object).splitlines()
                 if re.search(r' (GLOBAL|WEAK) +(?!HIDDEN)\w+ +(?!UND)\w+ ', line)]
        self.assertEqual(shown, [])

    def test_no_function_of_the_driver_is_left_to_the_linker(self):
        names = output('nm', '--undefined-only', self.object)
        self.assertIn('dlopen', names)
        self.assertEqual(re.findall(r'\bcu[A-Z]\w*', names), [])

    def test_they_say_what_they_are_and_hold_no_path(self):
        for name, text in self.text.items():
            self.assertTrue(text.startswith('/* SPDX-License-Identifier: Apache-2.0 */\n'), name)
            self.assertRegex(text[:500], r'cushim \d+\.\d+\.\d+ in two files')
            self.assertIn('change those, not th', text[:1200])
            self.assertNotIn(SOURCE, text)
            self.assertNotIn(FOLDER, text)
            self.assertNotRegex(text, r'(?m)^#\s*(line|\d)')


if __name__ == '__main__':
    if sys.argv[1] == 'join':
        PROGRAM, *COMPILER = sys.argv[2:]
    else:
        SOURCE, FOLDER, LIBRARY, CUDA_INCLUDE, *COMPILER = sys.argv[2:]
    unittest.main(argv=[sys.argv[0], sys.argv[1].capitalize()], verbosity=2)
