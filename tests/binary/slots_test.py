#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that were compiled with fewer or more slots than the library has.

    slots_test.py GENERATE_PY SHARED_LIBRARY|none STATIC_LIBRARY|none "COMPILER..." "INCLUDE..."

With one slot fewer, the program runs, and can install a table of its own. With one more, it cannot
be linked, and a program that was linked to a newer library does not start with this one.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))

# Installs a table of its own size over the loader's, and calls a slot that it does not know.
FEWER = r'''
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cushim/cushim.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

static CUresult CUDAAPI count_devices(int *count)
{
    *count = 42;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI answer(void)
{
    return CUDA_ERROR_INVALID_HANDLE;
}

static cushim_function find(const char *symbol, void *data)
{
    (void)data;
    return strcmp(symbol, "cuDeviceGetCount") == 0 ? (cushim_function)count_devices
                                                   : (cushim_function)answer;
}

int main(void)
{
    struct cushim_table *table = malloc(sizeof *table);
    const struct cushim_table *former = NULL;
    CUresult(CUDAAPI *unknown)(void);
    int count = 0;

    CHECK(table && sizeof *table < cushim_driver()->size);
    table->size = sizeof *table;
    CHECK(cushim_table_fill(table, find, NULL, NULL) == CUDA_SUCCESS);
    CHECK(table->size == sizeof *table);
    CHECK(cushim_table_install(table, NULL) == CUDA_SUCCESS);
    CHECK(cushim_table_installed() == table);
    CHECK(cushim_driver()->DeviceGetCount(&count) == CUDA_SUCCESS && count == 42);
    memcpy(&unknown, (const char *)cushim_driver() + sizeof *table, sizeof unknown);
    CHECK((int)unknown() == 36); /* CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER */
    CHECK(cushim_table_install(NULL, &former) == CUDA_SUCCESS && former == table);
    free(table);
    return 0;
}
'''

MORE = r'''
#include <cushim/driver.h>

int main(void)
{
    return cushim_driver()->size < sizeof(struct cushim_table);
}
'''

# A library with one slot more, reduced to what MORE needs.
NEWER = r'''
#include <cushim/table.h>

static const struct cushim_table table = {sizeof table};
const struct cushim_table *cushim_current_table = &table;

void CUSHIM__SLOTS_ANCHOR(void)
{
}
'''

WAYS = ['-O0', '-Os', '-O2 -fPIE -pie', '-O2 -fno-pie -no-pie', '-O2 -flto',
        '-O2 -ffunction-sections -fdata-sections -Wl,--gc-sections']


def run(*command, **more):
    return subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, **more)


class Slots(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix='cushim-slots-')
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.count = cls.headers(0)
        cls.headers(-1)
        cls.headers(1)

    @classmethod
    def headers(cls, more):
        """Write the headers of a registry with additional rows; return the number of its rows."""
        loader = os.path.join(cls.folder, 'loader')
        shutil.copytree(os.path.dirname(GENERATE), loader)
        path = os.path.join(loader, 'registry', 'functions.tsv')
        with open(path, encoding='ascii') as file:
            lines = file.readlines()
        rows = [line for line in lines if not line.startswith('#')]
        if more > 0:
            last = rows[-1].split('\t')
            rows.append('\t'.join(['cuNewerThanThisLibrary', *last[1:]]))
        with open(path, 'w', encoding='ascii') as file:
            file.writelines([line for line in lines if line.startswith('#')])
            file.writelines(cls.without_last(rows) if more < 0 else rows)
        folder = os.path.join(cls.folder, '%+d' % more, 'cushim')
        os.makedirs(folder)
        for what, output in ('slots', 'slots.h'), ('lazy', 'lazy.c'):
            subprocess.run([sys.executable, os.path.join(loader, 'generate.py'), what,
                            os.path.join(folder, output)], check=True)
        shutil.rmtree(loader)
        return len(rows)

    @staticmethod
    def without_last(rows):
        """The last row may be a twin of another row."""
        last = rows[-1].split('\t')[0]
        return [row.replace('\t%s\t' % last, '\t-\t') for row in rows[:-1]]

    def compile(self, source, more, *arguments, language='c', **options):
        """Compile with these headers; return the program's path and the compiler's output."""
        path = os.path.join(self.folder, 'program')
        suffix = {'c': '.c', 'c++': '.cc'}[language]
        with open(path + suffix, 'w', encoding='ascii') as file:
            file.write(source)
        if os.path.exists(path):
            os.remove(path)
        done = run(*COMPILER, '-x', language, '-I' + os.path.join(self.folder, '%+d' % more),
                   *INCLUDE, path + suffix, '-x', 'none', '-o', path, *arguments, **options)
        return path, done

    def libraries(self):
        """Return (name, link arguments) of each library that was built."""
        if SHARED != 'none':
            yield 'shared', [SHARED, '-Wl,-rpath,' + os.path.dirname(SHARED)]
        if STATIC != 'none':
            yield 'static', [STATIC, '-pthread', '-ldl']

    def each_way(self):
        for library, arguments in self.libraries():
            for way in WAYS:
                for language in 'c', 'c++':
                    yield (library, way, language), [*way.split(), *arguments], language

    def test_program_with_fewer_slots_runs_and_installs_a_table_of_its_own(self):
        for library, arguments in self.libraries():
            with self.subTest(library):
                # The anchor that the library would have kept if a release had had this number of
                # slots.
                path, done = self.compile(
                    FEWER, -1, *arguments, '-Wl,--defsym=cushim_slots_%d=0' % (self.count - 1))
                self.assertEqual((done.returncode, done.stdout), (0, ''))
                done = run(path, env=dict(os.environ, CUSHIM_LIBRARY='none'))
                self.assertEqual((done.returncode, done.stdout), (0, ''))

    def test_program_with_as_many_slots_is_linked_and_runs(self):
        for name, arguments, language in self.each_way():
            with self.subTest(name):
                path, done = self.compile(MORE, 0, *arguments, language=language)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertEqual(run(path).returncode, 0)

    def test_program_with_more_slots_is_not_linked(self):
        anchor = 'cushim_slots_%d' % (self.count + 1)
        for name, arguments, language in self.each_way():
            with self.subTest(name):
                _, done = self.compile(MORE, 1, *arguments, language=language)
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stdout, r'undefined .*\b%s\b' % anchor)

    def test_program_that_was_linked_to_more_slots_does_not_start(self):
        if SHARED == 'none':
            self.skipTest('no shared library was built')
        name = os.path.basename(os.path.realpath(SHARED))
        soname = re.match(r'lib\w+\.so\.\d+', name).group(0)
        newer = os.path.join(self.folder, soname)
        _, done = self.compile(NEWER, 1, '-shared', '-fPIC', '-Wl,-soname,' + soname)
        self.assertEqual(done.returncode, 0, done.stdout)
        os.rename(os.path.join(self.folder, 'program'), newer)
        for way in WAYS:
            with self.subTest(way):
                path, done = self.compile(MORE, 1, *way.split(), newer, '-Wl,-z,lazy')
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertEqual(run(path, env={'LD_LIBRARY_PATH': self.folder}).returncode, 0)
                done = run(path, env={'LD_LIBRARY_PATH': os.path.dirname(SHARED)})
                self.assertNotEqual(done.returncode, 0)
                self.assertIn('cushim_slots_%d' % (self.count + 1), done.stdout)

    def test_library_with_more_slots_keeps_the_anchors_of_earlier_releases(self):
        with open(os.path.join(self.folder, '+1', 'cushim', 'lazy.c'), encoding='ascii') as file:
            defined = re.findall(r'^void cushim_slots_(\d+)\(void\)$', file.read(), re.MULTILINE)
        with open(os.path.join(os.path.dirname(GENERATE), 'registry', 'exports.tsv'),
                  encoding='ascii') as file:
            listed = re.findall(r'^cushim_slots_(\d+)\t', file.read(), re.MULTILINE)
        self.assertTrue(listed)
        self.assertEqual(sorted(map(int, defined)),
                         sorted({*map(int, listed), self.count + 1}))

    def test_anchor_costs_a_program_no_instruction(self):
        """A function that calls through the table has the same length without the anchor."""
        sizes = []
        for without in '', '#undef CUSHIM__SLOTS_ANCHOR\n#define CUSHIM__SLOTS_ANCHOR 0\n':
            source = ('#include <cushim/table.h>\n%s#include <cushim/driver.h>\n'
                      'int f(void) { return (int)cushim_driver()->CtxSynchronize(); }\n' % without)
            path, done = self.compile(source, 0, '-O2', '-c')
            self.assertEqual(done.returncode, 0, done.stdout)
            sizes.append(re.findall(r' (\w+) +FUNC +GLOBAL .* f$',
                                    run('readelf', '-sW', path).stdout, re.MULTILINE))
        self.assertEqual(len(sizes[0]), 1)
        self.assertEqual(sizes[0], sizes[1])


if __name__ == '__main__':
    GENERATE, SHARED, STATIC = sys.argv[1:4]
    COMPILER, INCLUDE = sys.argv[4].split(), sys.argv[5].split()
    unittest.main(argv=sys.argv[:1], verbosity=2)
