#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Use an installed cushim in a CMake project: find_package(cushim).

    cmake_test.py PREFIX "COMPILER..." CUDA_INCLUDE VERSION

The prefix is copied first, because an installation may be moved.
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import consumer  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ['consumer', 'consumer-static', 'consumer-header', 'consumer-stubs', 'consumer-mock']


class CMake(consumer.Consumer):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='cushim-cmake-')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.prefix = os.path.join(self.folder, 'moved')
        shutil.copytree(PREFIX, self.prefix, symlinks=True)
        self.mock = os.path.join(self.prefix, 'lib', 'cushim', 'mock', 'libcuda.so.1')

    def remove(self, pattern):
        found = glob.glob(os.path.join(self.prefix, 'lib', pattern))
        self.assertTrue(found, pattern)
        for path in found:
            os.remove(path)

    def configure(self, project, *options):
        """Return the exit code, CMake's output on one line, and the folder of the build."""
        build = tempfile.mkdtemp(dir=self.folder)
        result = subprocess.run(
            ['cmake', '-G', 'Ninja', '-S', project, '-B', build,
             '-DCMAKE_PREFIX_PATH=' + self.prefix, *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            env=consumer.environment(CC=COMPILER))
        return result.returncode, ' '.join(result.stdout.split()), build

    def build(self, *options):
        project = os.path.join(self.folder, 'project')
        shutil.copytree(os.path.join(HERE, 'cmake'), project)
        for source in 'consumer.c', 'consumer_mock.c', 'consumer_plain.c':
            shutil.copy(os.path.join(HERE, source), project)
        own = ['-DCUSHIM_CUDA_INCLUDE_DIR=' + CUDA_INCLUDE] if CUDA_INCLUDE else []
        code, words, build = self.configure(project, *own, *options)
        self.assertEqual(code, 0, words)
        consumer.run('cmake', '--build', build, env=consumer.environment())
        return [os.path.join(build, program) for program in PROGRAMS]

    def find(self, arguments, *options):
        """A project that only looks for cushim, and prints what it has found."""
        project = tempfile.mkdtemp(dir=self.folder)
        with open(os.path.join(project, 'CMakeLists.txt'), 'w', encoding='ascii') as file:
            file.write('cmake_minimum_required(VERSION 3.19)\nproject(find C)\n'
                       'find_package(cushim %s)\n'
                       'message("found ${cushim_FOUND} ${cushim_VERSION} mock ${cushim_mock_FOUND} '
                       'include ${CUSHIM_CUDA_INCLUDE_DIR}")\n' % arguments)
        own = ['-DCUSHIM_CUDA_INCLUDE_DIR=' + CUDA_INCLUDE] if CUDA_INCLUDE else []
        code, words, _ = self.configure(project, *(options or own))
        return code, words

    def test_every_target_builds_and_runs(self):
        shared, static, header, stubs, mock = self.build()
        self.assert_runs(shared, self.mock)
        self.assert_needs(shared, ['libcushim.so.0'])
        self.assert_runs(static, self.mock)
        self.assert_needs(static, [])
        for program in header, stubs:
            self.assert_answers(program, self.mock)
            self.assert_needs(program, ['libcushim.so.0'])
        self.assert_mocks(mock)
        self.assert_needs(mock, ['libcushim-mock.so.0', 'libcushim.so.0'])

    def test_installed_program_runs_statically_or_with_a_run_path(self):
        programs = self.build('-DCMAKE_INSTALL_RPATH=' + os.path.join(self.prefix, 'lib'))
        target = os.path.join(self.folder, 'installed')
        consumer.run('cmake', '--install', os.path.dirname(programs[0]), '--prefix', target)
        self.assert_runs(os.path.join(target, 'bin', 'consumer'), self.mock)
        os.rename(os.path.join(self.prefix, 'lib'), os.path.join(self.prefix, 'gone'))
        self.assert_runs(os.path.join(target, 'bin', 'consumer-static'))

    def test_every_target_is_static_where_nothing_is_shared(self):
        self.remove('libcushim*.so*')
        *plain, header, stubs, mock = self.build()
        for program in plain:
            self.assert_runs(program, self.mock)
        for program in header, stubs:
            self.assert_answers(program, self.mock)
        self.assert_mocks(mock)
        for program in [*plain, header, stubs, mock]:
            self.assert_needs(program, [])

    def test_versions_of_this_series_that_are_not_newer_will_do(self):
        major, minor, patch = VERSION.split('.')
        newer = '%s.%d' % (major, int(minor) + 1)
        for asked, good in [('', True), (VERSION, True), (VERSION + ' EXACT', True),
                            ('%s.%s' % (major, minor), True), (newer, False),
                            ('%s.%s.%d' % (major, minor, int(patch) + 1), False),
                            (str(int(major) + 1), False), ('0...' + newer, True),
                            ('0...<' + VERSION, False), ('0...' + VERSION, True)]:
            with self.subTest(asked):
                code, words = self.find(asked + ' REQUIRED')
                self.assertEqual(code == 0, good, words)
                if good:
                    self.assertIn('found 1 %s mock TRUE' % VERSION, words)
                else:
                    self.assertIn('cushimConfig.cmake, version: ' + VERSION, words)

    def test_a_component_that_is_not_installed_is_named(self):
        self.remove('libcushim-mock*')
        code, words = self.find('REQUIRED COMPONENTS mock')
        self.assertNotEqual(code, 0)
        self.assertIn('without the component mock', words)
        code, words = self.find('REQUIRED COMPONENTS nonsense')
        self.assertIn('Components are static, stubs and mock', words)
        code, words = self.find('REQUIRED COMPONENTS static OPTIONAL_COMPONENTS mock')
        self.assertEqual(code, 0, words)
        self.assertIn('found 1 %s mock include' % VERSION, words)

    def test_a_wrong_folder_of_cuda_headers_is_reported(self):
        code, words = self.find('REQUIRED', '-DCUSHIM_CUDA_INCLUDE_DIR=/nowhere')
        self.assertNotEqual(code, 0)
        self.assertIn('There is no cuda.h in CUSHIM_CUDA_INCLUDE_DIR (/nowhere)', words)
        code, words = self.find('', '-DCUSHIM_CUDA_INCLUDE_DIR=/nowhere')
        self.assertEqual(code, 0, words)
        self.assertIn('found 0 ', words)

    def test_headers_of_cuda_are_found_where_the_project_says(self):
        folder = os.path.join(self.folder, 'toolkit')
        os.makedirs(os.path.join(folder, 'include'))
        with open(os.path.join(folder, 'include', 'cuda.h'), 'w', encoding='ascii'):
            pass
        code, words = self.find('REQUIRED', '-DCUDAToolkit_INCLUDE_DIRS=%s/include' % folder)
        self.assertEqual(code, 0, words)
        self.assertIn('include %s/include' % folder, words)

    def test_a_project_that_builds_cushim_itself_gets_the_order(self):
        project = tempfile.mkdtemp(dir=self.folder)
        own = ['-DCUSHIM_CUDA_INCLUDE_DIR=' + CUDA_INCLUDE] if CUDA_INCLUDE else []
        with open(os.path.join(project, 'CMakeLists.txt'), 'w', encoding='ascii') as file:
            file.write('cmake_minimum_required(VERSION 3.19)\nproject(both C)\n'
                       'add_library(cushim INTERFACE)\n'
                       'add_library(cushim::cushim ALIAS cushim)\n'
                       'find_package(cushim REQUIRED COMPONENTS mock)\n')
        code, words, _ = self.configure(project, *own)
        self.assertNotEqual(code, 0, words)
        self.assertIn('Call find_package(cushim) before the add_subdirectory()', words)
        # Calling find_package() twice is allowed.
        code, words = self.find('REQUIRED)\nfind_package(cushim REQUIRED COMPONENTS mock')
        self.assertEqual(code, 0, words)

    def test_an_installation_without_libraries_is_reported(self):
        self.remove('libcushim*')
        code, words = self.find('REQUIRED')
        self.assertNotEqual(code, 0)
        self.assertIn('There is no library of cushim for this system in', words)


if __name__ == '__main__':
    PREFIX, COMPILER, CUDA_INCLUDE, VERSION = sys.argv[1:]
    consumer.main('cmake', 'ninja')
