#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do what docs/packaging.md says, block by block, and run what comes of it.

    packaging_test.py PREFIX SOURCE FOLDER_OF_THE_TWO_FILES CUDA_INCLUDE installed|subproject

Only the address of the repository and the folder of the CUDA headers are put in.
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

HERE = os.path.dirname(os.path.abspath(__file__))
WITHOUT_A_FOLDER = 'the CUDA headers are those of a subproject: the installation does not name them'


def sections(page):
    """Of each heading, the blocks below it as (language, text)."""
    found = {}
    for title, text in re.findall(r'(?ms)^#+ (.*?)\n(.*?)(?=^## |\Z)', page):
        found[title] = re.findall(r'(?ms)^```(\w+)\n(.*?)^```$', text)
    return found


def tracked_files():
    """The files of this tree, without what was built in it."""
    if os.path.exists(os.path.join(SOURCE, '.git')):
        listed = consumer.run('git', '-C', SOURCE, 'ls-files', '-z', '-co', '--exclude-standard')
        return [name for name in listed.split('\0') if os.path.isfile(os.path.join(SOURCE, name))]
    names = []
    for folder, folders, files in os.walk(SOURCE):
        folders[:] = [name for name in folders
                      if not os.path.exists(os.path.join(folder, name, 'build.ninja'))]
        names += [os.path.relpath(os.path.join(folder, name), SOURCE) for name in files]
    return names


class Packaging(consumer.Consumer):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(SOURCE, 'docs', 'packaging.md'), encoding='utf-8') as file:
            cls.sections = sections(file.read())
        cls.mock = os.path.join(PREFIX, 'lib', 'cushim', 'mock', 'libcuda.so.1')

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='cushim-packaging-')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        (language, program), = self.sections['Taking cushim into a build']
        self.assertEqual(language, 'c')
        self.write('program.c', program)
        shutil.copy(os.path.join(HERE, 'consumer_plain.c'), os.path.join(self.folder, 'plain.c'))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)

    def blocks(self, title, *languages):
        """The blocks of a section; they must be these."""
        found = self.sections[title]
        self.assertEqual([language for language, _ in found], list(languages))
        return [text for _, text in found]

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
        """One that holds this tree as it is now."""
        folder = os.path.join(self.folder, 'repository')
        for name in tracked_files():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copy2(os.path.join(SOURCE, name), path)
        git = ['git', '-C', folder, '-c', 'user.name=test', '-c', 'user.email=test@example.org']
        consumer.run(*git, 'init', '--quiet', '--initial-branch=main')
        consumer.run(*git, 'add', '--all', '--force')
        consumer.run(*git, 'commit', '--quiet', '--message=tree')
        return folder

    @unittest.skipUnless(shutil.which('git'), 'git is not installed')
    def test_meson_takes_it_by_a_wrap(self):
        wrap, project, command = self.blocks('Meson', 'ini', 'meson', 'sh')
        address, = re.findall(r'(?m)^url = (.*)$', wrap)
        self.write('subprojects/cushim.wrap',
                   wrap.replace(address, 'file://' + self.repository()))
        self.write('meson.build', project)
        # Not what is installed on this machine.
        self.run_block(command.replace('meson setup', 'meson setup --force-fallback-for=cushim'),
                       PKG_CONFIG_PATH='/nowhere', CUDA_HOME=os.path.dirname(CUDA_INCLUDE))
        self.assertTrue(os.path.exists(os.path.join(self.folder, 'subprojects', 'cushim', '.git')))
        self.assert_program_runs('build/program')

    @unittest.skipUnless(shutil.which('cmake'), 'cmake is not installed')
    def test_cmake_finds_what_is_installed(self):
        project, command = self.blocks('CMake', 'cmake', 'sh')
        self.write('CMakeLists.txt', project)
        environment = {'CUDA_HOME': os.path.dirname(CUDA_INCLUDE)} if CUDA_INCLUDE else {}
        self.run_block(command, **environment)
        self.assert_program_runs('build/program')

    def test_pkg_config_says_how_to_compile(self):
        command, = self.blocks('pkg-config', 'sh')
        self.skip_without_a_folder()
        self.run_block(command)
        self.assert_program_runs()

    def test_guide_begins_with_a_test(self):
        with open(os.path.join(SOURCE, 'docs', 'testing.md'), encoding='utf-8') as file:
            found = sections(file.read())['Ten minutes']
        command, = [text for language, text in found if language == 'sh']
        self.skip_without_a_folder()
        shutil.copy(os.path.join(SOURCE, 'examples', 'testing', 'first_test.c'), self.folder)
        self.run_block(command)
        environment = consumer.environment(LD_LIBRARY_PATH=os.path.join(PREFIX, 'lib'))
        for name, status in [('first_test', 0), ('first_test-with-bug', 1)]:
            program = os.path.join(self.folder, name)
            result = subprocess.run([program], env=environment, stdout=subprocess.DEVNULL)
            self.assertEqual(result.returncode, status)

    def test_two_files_are_compiled_with_the_program(self):
        _, command, unchanged = self.blocks('Two files', 'sh', 'sh', 'sh')
        for name in 'cushim.h', 'cushim.c':
            shutil.copy(os.path.join(FOLDER, name), self.folder)
        self.run_block(unchanged)
        self.assert_plain_runs()
        with open(os.path.join(self.folder, 'program.c'), encoding='utf-8') as file:
            self.write('program.c', file.read().replace('<cushim/cushim.h>', '"cushim.h"'))
        self.run_block(command)
        self.assert_program_runs()

    def test_source_for_the_driver_is_compiled_with_the_header(self):
        command, = self.blocks('Source that is written for <cuda.h>', 'sh')
        self.skip_without_a_folder()
        self.run_block(command)
        self.assert_plain_runs()

    def test_objects_for_the_driver_are_linked_with_the_stubs(self):
        command, = self.blocks('Objects that were to be linked with -lcuda', 'sh')
        self.skip_without_a_folder()
        self.run_block(command)
        self.assert_plain_runs()

    def test_plugin_has_the_static_library(self):
        with open(os.path.join(SOURCE, 'docs', 'plugins.md'), encoding='utf-8') as file:
            (_, command), = sections(file.read())['cushim inside a plugin']
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
