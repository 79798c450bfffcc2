#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compile a program with what pkg-config says of an installed cushim, shared and static.

    pkgconfig_test.py PREFIX "COMPILER..." CUDA_INCLUDE installed|subproject HEADER...

Headers that came with a subproject are not in the installed file: then the program brings its own.
"""

import glob
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True

import consumer  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


class PkgConfig(consumer.Consumer):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix='cushim-pkgconfig-')
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = PREFIX
        cls.mock = os.path.join(PREFIX, 'lib', 'cushim', 'mock', 'libcuda.so.1')

    def pkg_config(self, prefix, *arguments, package='cushim'):
        path = os.path.join(prefix, 'lib', 'pkgconfig')
        output = consumer.run('pkg-config', '--define-variable=prefix=' + prefix, *arguments,
                              package, env=consumer.environment(PKG_CONFIG_PATH=path))
        return output.split()

    def compile_with(self, name, flags, source='consumer.c'):
        program = os.path.join(self.folder, name)
        own = ['-I' + CUDA_INCLUDE] if ORIGIN == 'subproject' else []
        consumer.run(*COMPILER, os.path.join(HERE, source), *own, *flags, '-o', program)
        return program

    def static_prefix(self):
        """An installation without shared libraries, which -lcushim would prefer."""
        prefix = os.path.join(self.folder, 'static-prefix')
        if not os.path.exists(prefix):
            shutil.copytree(self.prefix, prefix, symlinks=True)
            for library in glob.glob(os.path.join(prefix, 'lib', 'libcushim*.so*')):
                os.remove(library)
        return prefix

    def test_program_with_the_shared_library_runs(self):
        program = self.compile_with('shared', self.pkg_config(self.prefix, '--cflags', '--libs'))
        self.assert_runs(program, self.mock, LD_LIBRARY_PATH=os.path.join(self.prefix, 'lib'))
        self.assert_needs(program, ['libcushim.so.0'])

    def test_program_with_the_static_library_runs(self):
        prefix = self.static_prefix()
        program = self.compile_with('static',
                                    self.pkg_config(prefix, '--static', '--cflags', '--libs'))
        self.assert_runs(program, self.mock)
        self.assert_needs(program, [])

    def test_plugin_with_the_static_library_exports_nothing_of_it(self):
        flags = self.pkg_config(self.static_prefix(), '--static', '--cflags', '--libs')
        plugin = self.compile_with('plugin.so', ['-shared', '-fPIC', *flags])
        exported = consumer.run('nm', '-D', '--defined-only', plugin)
        self.assertIn(' main', exported)
        self.assertNotIn('cushim', exported)

    def test_program_for_the_driver_runs_through_the_header(self):
        flags = self.pkg_config(self.prefix, '--cflags', '--libs')
        program = self.compile_with('header', ['-include', 'cushim/cuda.h', *flags],
                                    source='consumer_plain.c')
        self.assert_answers(program, self.mock, LD_LIBRARY_PATH=os.path.join(self.prefix, 'lib'))
        self.assert_needs(program, ['libcushim.so.0'])

    def test_program_for_the_driver_runs_with_the_stubs(self):
        flags = self.pkg_config(self.prefix, '--cflags', '--libs', package='cushim-stubs')
        program = self.compile_with('stubs', flags, source='consumer_plain.c')
        self.assert_answers(program, self.mock, LD_LIBRARY_PATH=os.path.join(self.prefix, 'lib'))
        self.assert_needs(program, ['libcushim.so.0'])

    def test_program_for_the_driver_runs_with_the_stubs_and_nothing_shared(self):
        flags = self.pkg_config(self.static_prefix(), '--static', '--cflags', '--libs',
                                package='cushim-stubs')
        program = self.compile_with('static-stubs', flags, source='consumer_plain.c')
        self.assert_answers(program, self.mock)
        self.assert_needs(program, [])

    def test_program_with_the_mock_runs(self):
        flags = self.pkg_config(self.prefix, '--cflags', '--libs', package='cushim-mock')
        program = self.compile_with('mock', flags, source='consumer_mock.c')
        self.assert_mocks(program, LD_LIBRARY_PATH=os.path.join(self.prefix, 'lib'))
        self.assert_needs(program, ['libcushim-mock.so.0', 'libcushim.so.0'])

    def test_program_with_the_static_mock_runs(self):
        prefix = self.static_prefix()
        flags = self.pkg_config(prefix, '--static', '--cflags', '--libs', package='cushim-mock')
        program = self.compile_with('static-mock', flags, source='consumer_mock.c')
        self.assert_mocks(program)
        self.assert_needs(program, [])

    def test_static_program_probes_by_the_command_that_is_named(self):
        prefix = self.static_prefix()
        flags = self.pkg_config(prefix, '--static', '--cflags', '--libs')
        program = self.compile_with('probe', flags, source='consumer_probe.c')
        command, = self.pkg_config(prefix, '--variable=command')
        told = consumer.run(program, command, env=consumer.environment(CUSHIM_LIBRARY='none'))
        self.assertRegex(told, r'^absent done: .*CUSHIM_LIBRARY=none')

    def test_mock_is_off_the_search_of_libraries(self):
        found = [os.path.relpath(os.path.join(folder, name), self.prefix)
                 for folder, _, names in os.walk(self.prefix) for name in names
                 if name.startswith('libcuda.so')]
        self.assertEqual(sorted(found), ['lib/cushim/mock/libcuda.so',
                                         'lib/cushim/mock/libcuda.so.1'])

    def test_public_headers_are_installed_and_no_others(self):
        found = os.listdir(os.path.join(self.prefix, 'include', 'cushim'))
        self.assertEqual(sorted(found), sorted(HEADERS))
        self.assertEqual(os.listdir(os.path.join(self.prefix, 'include')), ['cushim'])

    def test_version_is_that_of_the_library_file(self):
        version, = self.pkg_config(self.prefix, '--modversion')
        self.assertTrue(os.path.exists(os.path.join(self.prefix, 'lib', 'libcushim.so.' + version)))

    def test_no_library_of_cuda_is_asked_for(self):
        for kind in [[], ['--static']]:
            flags = self.pkg_config(self.prefix, '--libs', *kind)
            self.assertIn('-lcushim', flags)
            self.assertEqual([flag for flag in flags if flag.startswith('-lcu') and
                              flag != '-lcushim'], [])


if __name__ == '__main__':
    PREFIX, COMPILER, CUDA_INCLUDE, ORIGIN = (sys.argv[1], sys.argv[2].split(), sys.argv[3],
                                              sys.argv[4])
    HEADERS = sys.argv[5:]
    consumer.main('pkg-config')
