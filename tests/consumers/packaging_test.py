#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the commands on the pages of pages.TESTED, block by block, and run the programs that they
build.

    packaging_test.py PREFIX SOURCE FOLDER_OF_THE_TWO_FILES CUDA_INCLUDE installed|subproject

Only the address of the repository and the folder of the CUDA headers are replaced.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import consumer  # noqa: E402
import pages  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
WITHOUT_A_FOLDER = 'the CUDA headers are those of a subproject: the installation does not name them'


class Packaging(consumer.Consumer):
    @classmethod
    def setUpClass(cls):
        cls.sections = {}
        for page in pages.TESTED:
            with open(os.path.join(SOURCE, page), encoding='utf-8') as file:
                cls.sections[page] = pages.sections(file.read())
        cls.mock = os.path.join(PREFIX, 'lib', 'cushim', 'mock', 'libcuda.so.1')

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='cushim-packaging-')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        shutil.copy(os.path.join(SOURCE, 'tests', 'pages', 'program.c'), self.folder)
        shutil.copy(os.path.join(HERE, 'consumer_plain.c'), os.path.join(self.folder, 'plain.c'))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)

    def blocks(self, title, page='docs/integration.md'):
        """Return the blocks of a section; pages_test.py compares their languages with pages.TESTED.
        """
        return [text for _, text in self.sections[page][title]]

    def cmake_version(self):
        text = subprocess.run(['cmake', '--version'], capture_output=True, text=True,
                              check=True).stdout
        return tuple(int(number) for number in re.findall(r'\d+', text)[:2])

    def run_block(self, text, **changes):
        changes = {'PKG_CONFIG_PATH': os.path.join(PREFIX, 'lib', 'pkgconfig'),
                   'CMAKE_PREFIX_PATH': PREFIX, **changes}
        text = text.replace('-I/usr/local/cuda/include',
                            '-I' + CUDA_INCLUDE if CUDA_INCLUDE else '')
        consumer.run('bash', '-euc', text, cwd=self.folder, env=consumer.environment(**changes))

    def assert_program_runs(self, name='program'):
        program = os.path.join(self.folder, name)
        library = os.path.join(PREFIX, 'lib')
        for driver, words in [('none', 'on the CPU\n'), (self.mock, '3 devices\n')]:
            self.assertEqual(consumer.run(program, env=consumer.on_mock(
                driver, LD_LIBRARY_PATH=library)), words)

    def assert_plain_runs(self):
        self.assert_answers(os.path.join(self.folder, 'plain'), self.mock,
                            LD_LIBRARY_PATH=os.path.join(PREFIX, 'lib'))

    def repository(self):
        return consumer.repository(SOURCE, os.path.join(self.folder, 'repository'))

    @unittest.skipUnless(shutil.which('git'), 'git is not installed')
    def test_meson_takes_it_by_a_wrap(self):
        wrap, project, command = self.blocks('Meson')
        with open(os.path.join(SOURCE, 'dist', 'cushim.wrap'), encoding='ascii') as file:
            self.assertTrue(file.read().endswith('\n' + wrap))
        address, = re.findall(r'(?m)^url = (.*)$', wrap)
        self.write('subprojects/cushim.wrap',
                   wrap.replace(address, 'file://' + self.repository()))
        self.write('meson.build', project)
        # Uses the subproject even if cushim is installed on this machine.
        self.run_block(command.replace('meson setup', 'meson setup --force-fallback-for=cushim'),
                       PKG_CONFIG_PATH='/nowhere', CUDA_HOME=os.path.dirname(CUDA_INCLUDE))
        self.assertTrue(os.path.exists(os.path.join(self.folder, 'subprojects', 'cushim', '.git')))
        self.assert_program_runs('build/program')

    @unittest.skipUnless(shutil.which('cmake'), 'cmake is not installed')
    def test_cmake_finds_what_is_installed(self):
        project, command = self.blocks('CMake')
        self.write('CMakeLists.txt', project)
        environment = {'CUDA_HOME': os.path.dirname(CUDA_INCLUDE)} if CUDA_INCLUDE else {}
        self.run_block(command, **environment)
        self.assert_program_runs('build/program')

    @unittest.skipUnless(shutil.which('cmake'), 'cmake is not installed')
    def test_ctest_runs_a_program_on_the_mock(self):
        project, command = self.blocks('CMake')
        tests, = self.blocks('A whole program', 'docs/testing.md')
        environment = {'CUDA_HOME': os.path.dirname(CUDA_INCLUDE)} if CUDA_INCLUDE else {}
        self.assertIn('VERSION 3.16', project)  # find_program(REQUIRED) needs 3.18
        project = project.replace('VERSION 3.16', 'VERSION 3.18')
        self.write('CMakeLists.txt', project + tests)
        self.run_block(command + 'ctest --test-dir build --output-on-failure', **environment)
        # Without a device, the program works on the CPU and exits with 0.
        self.write('CMakeLists.txt', project + tests.replace('run ', 'run --devices 0 '))
        with self.assertRaisesRegex(AssertionError, r'program_on_mock \(Failed\)'):
            self.run_block(command + 'ctest --test-dir build', **environment)

    @unittest.skipUnless(shutil.which('git') and shutil.which('cmake'), 'git or cmake is missing')
    def test_cmake_takes_a_clone(self):
        project, command, with_package = self.blocks('CMake with a clone')
        address, = re.findall(r'GIT_REPOSITORY (\S+)', project)
        environment = {'CUDA_HOME': os.path.dirname(CUDA_INCLUDE)} if CUDA_INCLUDE else {}
        self.write('CMakeLists.txt', project.replace(address, 'file://' + self.repository()))
        self.run_block(command, **environment)
        self.assert_program_runs('build/program')
        self.assert_needs(os.path.join(self.folder, 'build', 'program'), [])
        # A CMake that knows FIND_PACKAGE_ARGS takes the package, and no clone from this address.
        if self.cmake_version() >= (3, 24):
            shutil.rmtree(os.path.join(self.folder, 'build'))
            self.write('CMakeLists.txt', re.sub(r'FetchContent_Declare\(.*\)\n', with_package, project)
                       .replace('VERSION 3.18', 'VERSION 3.24')
                       .replace('cushim::cushim)', 'cushim::cushim cushim::mock)'))
            self.run_block(command, **environment)
            self.assert_program_runs('build/program')

    def test_pkg_config_says_how_to_compile(self):
        command, = self.blocks('pkg-config')
        self.skip_without_a_folder()
        self.run_block(command)
        self.assert_program_runs()

    @unittest.skipUnless(shutil.which('cmake'), 'cmake is not installed')
    def test_cmake_takes_the_two_files(self):
        project, command, fetch, tests, library = self.blocks('CMake with the two files')
        folder = os.path.join(self.folder, 'third_party', 'cushim')
        os.makedirs(folder)
        for name in 'CMakeLists.txt', 'cushim.h', 'cushim.c':
            shutil.copy(os.path.join(FOLDER, name), folder)
        environment = {'CUDA_HOME': os.path.dirname(CUDA_INCLUDE)} if CUDA_INCLUDE else {}
        self.write('CMakeLists.txt', project)
        self.run_block(command, **environment)
        self.assert_program_runs('build/program')
        # The same with FetchContent, from an archive with the name on the page.
        archive, = re.findall(r'\$\{CMAKE_CURRENT_SOURCE_DIR\}/(\S+\.tar\.xz)\)', fetch)
        consumer.run('tar', '-cJf', os.path.join(self.folder, archive), 'cushim',
                     cwd=os.path.join(self.folder, 'third_party'))
        for folder in 'third_party', 'build':
            shutil.rmtree(os.path.join(self.folder, folder))
        self.assertIn('add_subdirectory(third_party/cushim)\n', project)
        self.write('CMakeLists.txt',
                   project.replace('add_subdirectory(third_party/cushim)\n', fetch))
        self.run_block(command, **environment)
        self.assert_program_runs('build/program')
        self.assert_needs(os.path.join(self.folder, 'build', 'program'), [])
        # For a project with tests, use the package.
        consumer.run('tar', '-xJf', archive, '--one-top-level=third_party', cwd=self.folder)
        self.write('CMakeLists.txt',
                   project.replace('add_subdirectory(third_party/cushim)\n', tests))
        self.run_block('rm -r build; ' + command.replace('-B build', '-B build -DWITH_TESTS=ON'),
                       **environment)
        self.assert_program_runs('build/program')
        self.assert_needs(os.path.join(self.folder, 'build', 'program'), ['libcushim.so.0'])
        # An installed static library contains everything of cushim that its users need; with tests
        # it uses the package.
        shutil.copy(os.path.join(self.folder, 'program.c'), os.path.join(self.folder, 'mine.c'))
        self.write('CMakeLists.txt', project.split('add_subdirectory')[0] + tests + library +
                   'install(TARGETS mine EXPORT mine ARCHIVE DESTINATION lib)\n'
                   'install(EXPORT mine DESTINATION lib/cmake/mine FILE mineConfig.cmake)\n')
        self.run_block('rm -r build; ' + command, **environment)
        self.run_block('cmake --install build --prefix installed')
        self.write('user/CMakeLists.txt', 'cmake_minimum_required(VERSION 3.18)\nproject(user C)\n'
                   'find_package(Threads REQUIRED)\nfind_package(mine REQUIRED)\n'
                   'add_executable(user none.c)\ntarget_link_libraries(user PRIVATE mine)\n')
        self.write('user/none.c', '')
        self.run_block('cmake -S user -B user/build -DCMAKE_PREFIX_PATH=$PWD/installed && '
                       'cmake --build user/build')
        self.assert_program_runs('user/build/user')
        self.assert_needs(os.path.join(self.folder, 'user', 'build', 'user'), [])
        self.run_block('rm -r build; ' + command.replace('-B build', '-B build -DWITH_TESTS=ON'),
                       **environment)
        symbols = consumer.run('nm', os.path.join(self.folder, 'build', 'libmine.a'))
        self.assertRegex(symbols, r'U cushim_')
        self.assertNotRegex(symbols, r'T cushim')

    def test_pkg_config_compiles_the_first_program(self):
        command, = self.blocks('A first program', 'docs/getting-started.md')
        self.skip_without_a_folder()
        self.run_block(command)
        self.assert_program_runs()

    @unittest.skipUnless(shutil.which('git'), 'git is not installed')
    def test_installing_needs_these_commands(self):
        """Without root, the commands install below another folder."""
        command, _, _ = self.blocks('Installing', 'docs/getting-started.md')
        root = os.path.join(self.folder, 'root')
        consumer.run('bash', '-euc', 'sudo() { "$@"; }; ldconfig() { :; }\n' + command,
                     cwd=self.repository(),
                     env=consumer.environment(DESTDIR=root,
                                              CUDA_HOME=os.path.dirname(CUDA_INCLUDE)))
        self.assertTrue(os.path.exists(os.path.join(root, 'usr', 'local', 'bin', 'cushim')))

    @unittest.skipUnless(shutil.which('git'), 'git is not installed')
    def test_installing_at_home_needs_no_root(self):
        """The first program is compiled and runs in a shell with these variables."""
        _, command, variables = [text.replace('$HOME', self.folder) for text in
                                 self.blocks('Installing', 'docs/getting-started.md')]
        program, = self.blocks('A first program', 'docs/getting-started.md')
        self.skip_without_a_folder()
        environment = consumer.environment(CUDA_HOME=os.path.dirname(CUDA_INCLUDE))
        consumer.run('bash', '-euc', command, cwd=self.repository(), env=environment)
        printed = consumer.run('bash', '-euc', variables + program +
                               'cushim run --quiet --devices 3 -- ./program; which cushim',
                               cwd=self.folder, env=environment)
        self.assertEqual(printed, '3 devices\n%s/cushim/bin/cushim\n' % self.folder)

    def test_slots_of_the_names_in_a_file_are_listed(self):
        command, = [text for language, text in
                    self.sections['docs/getting-started.md']['Calling the driver']
                    if language == 'sh']
        self.write('plain.c', 'cuMemAlloc(&at, 8); cuMemsetD8(at, 0, 8); cuCtxSynchronize();')
        path = os.path.join(PREFIX, 'bin') + ':' + os.environ['PATH']
        printed = consumer.run('bash', '-euc', command, cwd=self.folder,
                               env=consumer.environment(PATH=path))
        self.assertEqual([line.split()[:2] for line in printed.splitlines()],
                         [['cuCtxSynchronize', 'CtxSynchronize'], ['cuMemAlloc', 'MemAlloc_v2'],
                          ['cuMemsetD8', 'MemsetD8_v2']])

    def test_test_of_cmocka_is_compiled(self):
        command, = self.blocks('With cmocka and other frameworks', 'docs/testing.md')
        self.skip_without_a_folder()
        if subprocess.run(['bash', '-c', 'echo "int main(void) { return 0; }" | '
                           'cc -x c - -lcmocka -o probe'], cwd=self.folder,
                          stderr=subprocess.DEVNULL, check=False).returncode:
            self.skipTest('cmocka is not installed')
        shutil.copy(os.path.join(SOURCE, 'examples', 'testing', 'cmocka_test.c'), self.folder)
        self.run_block(command)
        environment = consumer.environment(LD_LIBRARY_PATH=os.path.join(PREFIX, 'lib'))
        for name, status in [('cmocka_test', 0), ('cmocka_test-with-bug', 1)]:
            result = subprocess.run([os.path.join(self.folder, name)], env=environment,
                                    capture_output=True, check=False)
            self.assertEqual(result.returncode, status)

    def test_other_frameworks_write_what_was_found_into_reports(self):
        block, cmake = self.blocks('With GoogleTest, Catch2 and pytest', 'docs/testing.md')
        self.skip_without_a_folder()
        probe = '#include <gtest/gtest.h>\n#include <catch2/%s.hpp>\nint main() {}' % (
            'catch_test_macros' if os.path.exists('/usr/include/catch2/catch_test_macros.hpp')
            else 'catch')
        if subprocess.run(['bash', '-c', 'c++ -x c++ - -o probe && pytest --version'],
                          cwd=self.folder, input=probe, text=True, stderr=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, check=False).returncode:
            self.skipTest('libgtest-dev, catch2 or python3-pytest is not installed')
        for name in 'gtest_test.cpp', 'catch2_test.cpp', 'sum.c', 'test_sum.py':
            shutil.copy(os.path.join(SOURCE, 'examples', 'testing', name), self.folder)
        environment = {'LD_LIBRARY_PATH': os.path.join(PREFIX, 'lib'),
                       'PATH': os.path.join(PREFIX, 'bin') + os.pathsep + os.environ['PATH']}
        if os.path.exists('/usr/include/catch2/catch_test_macros.hpp'):
            block = re.sub(r'(catch2_test.cpp .*cushim-mock)', r'\1 catch2-with-main', block)
        self.run_block(block, **environment)
        leak = 'CUSHIM-leak-memory'
        for line, report, found in zip(block.splitlines()[3:], ('gtest', 'catch2', 'pytest'),
                                       (leak, leak, 'test_program_fails_where_memory_runs_out')):
            path = os.path.join(self.folder, report + '.xml')
            with open(path, encoding='utf-8') as file:
                self.assertNotIn('<failure', file.read())
            with_bug = block.replace(' -g ', ' -g -DWITH_BUG ').splitlines()[:3]
            with self.assertRaisesRegex(AssertionError, ' exits with '):
                self.run_block('\n'.join([*with_bug, line]), **environment)
            with open(path, encoding='utf-8') as file:
                failures = re.findall(r'(?s)<failure.*?</failure>', file.read())
            self.assertEqual(len(failures), 1)
            self.assertIn(found, failures[0])

        if shutil.which('cmake'):
            self.write('CMakeLists.txt', 'cmake_minimum_required(VERSION 3.16)\n'
                       'project(tests CXX)\n' + cmake)
            self.run_block('cmake -S . -B build && cmake --build build && '
                           'ctest --test-dir build --no-tests=error', **environment)

    def test_guide_begins_with_a_test(self):
        command, = self.blocks('Ten minutes', 'docs/testing.md')
        self.skip_without_a_folder()
        shutil.copy(os.path.join(SOURCE, 'examples', 'testing', 'first_test.c'), self.folder)
        self.run_block(command)
        environment = consumer.environment(LD_LIBRARY_PATH=os.path.join(PREFIX, 'lib'))
        for name, status in [('first_test', 0), ('first_test-with-bug', 1)]:
            program = os.path.join(self.folder, name)
            result = subprocess.run([program], env=environment, stdout=subprocess.DEVNULL)
            self.assertEqual(result.returncode, status)

    def test_unmodified_program_is_compiled(self):
        command, = self.blocks('An unmodified program', 'docs/testing.md')
        shutil.copy(os.path.join(SOURCE, 'examples', 'testing', 'sum.c'), self.folder)
        self.run_block(command)
        for name in 'sum', 'sum-with-bug':
            environment = consumer.on_mock(self.mock, LD_LIBRARY_PATH=os.path.dirname(self.mock))
            self.assertEqual(consumer.run(os.path.join(self.folder, name), env=environment),
                             'sum 499500\n')

    def test_program_is_fuzzed(self):
        command, = self.blocks('Fuzzing your input', 'docs/testing.md')
        self.skip_without_a_folder()
        probe = 'int LLVMFuzzerTestOneInput(const char *p, long n) { return !p && n; }'
        if subprocess.run(['bash', '-c', 'clang -fsanitize=fuzzer,address -x c - -o probe'],
                          cwd=self.folder, input=probe, text=True, stderr=subprocess.DEVNULL,
                          check=False).returncode:
            self.skipTest('clang has no libFuzzer here')
        shutil.copy(os.path.join(SOURCE, 'examples', 'testing', 'fuzz_upload.c'), self.folder)
        self.run_block(command)
        consumer.run(os.path.join(self.folder, 'fuzz_upload'), '-runs=20', cwd=self.folder,
                     env=consumer.environment(LD_LIBRARY_PATH=os.path.join(PREFIX, 'lib')))

    @unittest.skipUnless(shutil.which('git'), 'git is not installed')
    def test_sanitized_build_is_set_up(self):
        command, = self.blocks('Under sanitizers', 'docs/testing.md')
        repository = self.repository()
        consumer.run('bash', '-euc', command, cwd=repository,
                     env=consumer.environment(CUDA_HOME=os.path.dirname(CUDA_INCLUDE)))
        with open(os.path.join(repository, 'build-asan', 'compile_commands.json'),
                  encoding='utf-8') as file:
            self.assertIn('-fsanitize=address,undefined', file.read())

    def use_the_two_files(self):
        for name in 'cushim.h', 'cushim.c':
            shutil.copy(os.path.join(FOLDER, name), self.folder)
        with open(os.path.join(self.folder, 'program.c'), encoding='utf-8') as file:
            self.write('program.c', file.read().replace('<cushim/cushim.h>', '"cushim.h"'))

    def test_two_files_are_compiled_with_the_program(self):
        _, command, unchanged = self.blocks('Two files')
        self.use_the_two_files()
        self.run_block(unchanged)
        self.assert_plain_runs()
        self.run_block(command)
        self.assert_program_runs()

    @unittest.skipUnless(shutil.which('git'), 'git is not installed')
    def test_two_files_are_made_in_a_clone(self):
        command, _, _ = self.blocks('Two files')
        repository = self.repository()
        consumer.run('bash', '-euc', command, cwd=repository,
                     env=consumer.environment(CUDA_HOME=os.path.dirname(CUDA_INCLUDE)))
        for name in 'cushim.h', 'cushim.c', 'CMakeLists.txt':
            self.assertTrue(os.path.exists(os.path.join(repository, 'build', 'dist', name)))
        # Plain ninja knows the name, too.
        consumer.run('ninja', '-C', 'build', 'dist-single', cwd=repository)

    def test_source_for_the_driver_is_compiled_with_the_header(self):
        command, _, _ = self.blocks('Unmodified cuda.h code')
        self.skip_without_a_folder()
        self.run_block(command)
        self.assert_plain_runs()

    def test_objects_for_the_driver_are_linked_with_the_stubs(self):
        _, command, _ = self.blocks('Unmodified cuda.h code')
        self.skip_without_a_folder()
        self.run_block(command)
        self.assert_plain_runs()
        self.assert_needs(os.path.join(self.folder, 'plain'), ['libcushim.so.0'])

    def test_program_with_the_stubs_is_one_file(self):
        _, _, command = self.blocks('Unmodified cuda.h code')
        self.skip_without_a_folder()
        self.run_block(command)
        self.assert_answers(os.path.join(self.folder, 'plain'), self.mock)
        self.assert_needs(os.path.join(self.folder, 'plain'), [])

    def test_plugin_has_the_static_library(self):
        command, = self.blocks('Linking a plugin', 'docs/plugins.md')
        self.skip_without_a_folder()
        os.rename(os.path.join(self.folder, 'program.c'), os.path.join(self.folder, 'plugin.c'))
        self.run_block(command)
        plugin = os.path.join(self.folder, 'plugin.so')
        self.assertNotIn('libcushim', consumer.run('readelf', '--dynamic', plugin))

    def skip_without_a_folder(self):
        if ORIGIN == 'subproject':
            self.skipTest(WITHOUT_A_FOLDER)


if __name__ == '__main__':
    PREFIX, SOURCE, FOLDER, CUDA_INCLUDE, ORIGIN = sys.argv[1:]
    consumer.main('cc', 'bash', 'meson', 'pkg-config')
