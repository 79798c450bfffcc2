#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copy the two files to a source tree, and build them there with one command.

    two_files_test.py SOURCE FOLDER_OF_THE_TWO_FILES CUDA_INCLUDE MOCK "COMPILER..."
                      "C++ COMPILER..."

MOCK is the mock's libcuda.so.1. It may be empty, and so may the C++ compiler.
"""

import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True

import consumer  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Wstrict-prototypes',
            '-Wmissing-prototypes', '-Wpointer-arith', '-Wwrite-strings', '-Wundef', '-Werror']
COMPILERS = ['gcc', 'clang', 'musl-gcc', 'aarch64-linux-gnu-gcc']
COLLECT = ['-ffunction-sections', '-fdata-sections', '-Wl,--gc-sections']


class TwoFiles(consumer.Consumer):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix='cushim-two-files-')
        cls.addClassCleanup(folder.cleanup)
        cls.object = os.path.join(folder.name, 'cushim.o')
        include = ['-I' + CUDA_INCLUDE] if CUDA_INCLUDE else []
        consumer.run(*COMPILER, '-fPIC', '-c', os.path.join(FOLDER, 'cushim.c'), *include, '-o',
                     cls.object, env=consumer.environment())

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='cushim-two-files-')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name in 'cushim.h', 'cushim.c':
            shutil.copy(os.path.join(FOLDER, name), self.folder)
        for name in os.listdir(os.path.join(HERE, 'two_files')):
            shutil.copy(os.path.join(HERE, 'two_files', name), self.folder)

    def adapt(self, path):
        """Change the documentation for the installed header to that for a copy."""
        with open(path, encoding='utf-8') as file:
            text = file.read()
        name = os.path.basename(path)
        with open(os.path.join(self.folder, name), 'w', encoding='utf-8') as file:
            file.write(re.sub(r'<cushim/(cushim\.h(?:pp)?)>', r'"\1"', text))
        return name

    def compile(self, *arguments, compiler=None):
        # The headers of CUDA 11.2 cause warnings themselves.
        include = ['-isystem' + CUDA_INCLUDE] if CUDA_INCLUDE else []
        return consumer.run(*(compiler or COMPILER), *arguments, *include, cwd=self.folder,
                            env=consumer.environment())

    def build(self, program, *arguments, compiler=None):
        """Compile with one command; the libraries are for systems whose libc lacks threads or
        dlopen.
        """
        self.compile(*arguments, '-pthread', '-ldl', '-o', program, compiler=compiler)
        return os.path.join(self.folder, program)

    def test_one_command_without_a_warning(self):
        for flags in [], ['-O2', '-D_GNU_SOURCE'], ['-std=c11', '-DCUSHIM_CUDA_NAMES']:
            with self.subTest(' '.join(COMPILER), flags=flags):
                self.compile(*WARNINGS, *flags, '-c', 'cushim.c')
        for name in COMPILERS:
            flags = ['-Os', '-std=c11', '-fvisibility=hidden']
            with self.subTest(name, flags=flags):
                if not shutil.which(name):
                    self.skipTest(name + ' is not installed')
                self.compile(*WARNINGS, *flags, '-c', 'cushim.c', compiler=[name])

    def test_one_command_for_windows(self):
        compiler = 'x86_64-w64-mingw32-gcc'
        with open(os.path.join(self.folder, 'cushim.c'), encoding='ascii') as file:
            self.assertRegex(file.read(), r'(?m)^#elif defined\(_WIN32\)')
        if not shutil.which(compiler):
            self.skipTest(compiler + ' is not installed')
        self.compile(*WARNINGS, '-std=c11', '-c', 'cushim.c', compiler=[compiler])
        self.compile('-std=c11', 'four.c', 'cushim.c', '-o', 'four.exe', compiler=[compiler])

    def test_program_runs(self):
        source = self.adapt(os.path.join(HERE, 'consumer.c'))
        program = self.build('program', '-std=c11', *WARNINGS, source, 'cushim.c')
        self.assert_runs(program, MOCK)
        self.assert_needs(program, [])

    def test_program_for_the_driver_runs_unchanged(self):
        shutil.copy(os.path.join(HERE, 'consumer_plain.c'), self.folder)
        program = self.build('program', *WARNINGS, '-DCUSHIM_CUDA_NAMES', '-include', 'cushim.h',
                             'consumer_plain.c', self.object)
        self.assert_answers(program, MOCK)
        self.assert_needs(program, [])

    def test_headers_before_the_first_line_are_reported(self):
        """Without _GNU_SOURCE, these headers would have been read already."""
        with self.assertRaisesRegex(AssertionError, '#error "compile cushim.c without -include'):
            self.compile('-include', 'cushim.h', '-fsyntax-only', 'cushim.c')
        self.compile('-include', 'cushim.h', '-D_GNU_SOURCE', '-DCUSHIM_CUDA_NAMES',
                     '-fsyntax-only', 'cushim.c')

    def test_program_of_cpp_runs(self):
        if not CPP:
            self.skipTest('there is no C++ compiler')
        program = self.build('program', '-std=c++17', '-Wall', '-Wextra', '-Wpedantic', '-Wshadow',
                             '-Werror', 'program.cpp', self.object, compiler=CPP)
        self.assert_answers(program, MOCK)
        self.assert_needs(program, [])

    def test_header_for_cpp_is_a_third_file(self):
        if not CPP:
            self.skipTest('there is no C++ compiler')
        shutil.copy(os.path.join(FOLDER, 'cushim.hpp'), self.folder)
        source = self.adapt(os.path.join(SOURCE, 'examples', 'deadline.cpp'))
        program = self.build('deadline', '-std=c++11', '-Wall', '-Wextra', '-Wpedantic',
                             '-Wshadow', '-Werror', source, self.object, compiler=CPP)
        if MOCK:
            consumer.run(sys.executable,
                         os.path.join(SOURCE, 'tests', 'examples', 'run_example.py'), program,
                         MOCK, env=consumer.environment())

    @staticmethod
    def needs_the_mock(folder, name):
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            return '<cushim/testing/' in file.read()

    def test_every_example_of_the_library_builds(self):
        examples = os.path.join(SOURCE, 'examples')
        names = sorted(name for name in os.listdir(examples)
                       if name.endswith('.c') and not self.needs_the_mock(examples, name))
        self.assertGreater(len(names), 3)
        for name in names:
            source = self.adapt(os.path.join(examples, name))
            program = self.build(name[:-2], '-D_GNU_SOURCE', source, self.object)
            if MOCK:
                consumer.run(sys.executable,
                             os.path.join(SOURCE, 'tests', 'examples', 'run_example.py'), program,
                             MOCK, env=consumer.environment())

    def test_copies_in_one_process_do_not_meet(self):
        if not MOCK:
            self.skipTest('there is no mock driver')
        for name in 'one.so', 'two.so':
            self.build(name, *WARNINGS, '-shared', '-fPIC', 'plugin.c', self.object)
            exported = consumer.run('nm', '-D', '--defined-only', name, cwd=self.folder)
            self.assertEqual([line.split()[2] for line in exported.splitlines()], ['plugin_look'])
        host = self.build('host', *WARNINGS, '-rdynamic', 'host.c', self.object)
        self.assertNotRegex(consumer.run('nm', '-D', '--defined-only', host), 'cushim')
        text = consumer.run(host, './one.so', MOCK, './two.so', '/nowhere/libcuda.so.1',
                            cwd=self.folder, env=consumer.on_mock('none'))
        self.assertRegex(text, r'''(?x)^plugin:[ ]3[ ]devices\n
            plugin:[ ]CUDA_ERROR_SHARED_OBJECT_INIT_FAILED\n
            host,[ ]before:[ ](?!.*disabled)(?!.*is[ ]loaded).*\n
            host:[ ]The[ ]driver[ ]is[ ]disabled[ ]by[ ]CUSHIM_LIBRARY=none\.\n$''')

    def test_what_a_program_does_not_use_is_left_out(self):
        part = self.build('part', '-Os', *COLLECT, 'four.c', 'cushim.c')
        if MOCK:
            self.assertEqual(consumer.run(part, env=consumer.on_mock(MOCK)),
                             '3 devices; the first is NVIDIA H200\n')
        names, whole = (set(re.findall(r'\bcushim_\w+', consumer.run('nm', path)))
                        for path in (part, self.object))
        self.assertIn('cushim_driver_init', names)
        for unused in 'cushim_stream_create', 'cushim_event_create', 'cushim_report_create':
            self.assertIn(unused, whole)
        self.assertEqual([name for name in names
                          if re.match('cushim_(stream|event|context|report)_', name)], [])
        consumer.run('strip', part)
        sections = dict(re.findall(r'(?m)^(\.\S+) +(\d+)', consumer.run('size', '-A', part)))
        print('\nstripped: %d bytes;' % os.path.getsize(part),
              ', '.join('%s %s' % (name, sections.get(name, 0)) for name in
                        ('.text', '.rodata', '.data.rel.ro', '.rela.dyn', '.eh_frame', '.bss')))


if __name__ == '__main__':
    SOURCE, FOLDER, CUDA_INCLUDE, MOCK = sys.argv[1:5]
    COMPILER, CPP = sys.argv[5].split(), sys.argv[6].split()
    consumer.main('nm', 'strip', 'size')
