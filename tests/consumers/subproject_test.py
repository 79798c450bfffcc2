#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Use cushim as a Meson subproject: the user only writes dependency('cushim').

    subproject_test.py SOURCE "COMPILER..."
"""

import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True

import consumer  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = 'consumer', 'consumer-mock', 'consumer-header', 'consumer-stubs'


class Subproject(consumer.Consumer):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='cushim-subproject-')
        self.addCleanup(folder.cleanup)
        self.project = os.path.join(folder.name, 'project')
        shutil.copytree(os.path.join(HERE, 'project'), self.project)
        for source in 'consumer.c', 'consumer_mock.c', 'consumer_plain.c':
            shutil.copy(os.path.join(HERE, source), self.project)
        subprojects = os.path.join(self.project, 'subprojects')
        os.mkdir(subprojects)
        shutil.move(os.path.join(self.project, 'cushim.wrap'), subprojects)
        os.symlink(SOURCE, os.path.join(subprojects, 'cushim'))

    def build(self, *options, programs=PROGRAMS):
        build = os.path.join(self.project, 'build')
        environment = consumer.environment(CC=COMPILER)
        # Uses the subproject even if cushim is installed. Not optimised, because compiling takes
        # longest here.
        consumer.run('meson', 'setup', build, self.project, '--wrap-mode=nodownload',
                     '--force-fallback-for=cushim', '-Doptimization=0', *options, env=environment)
        consumer.run('ninja', '-C', build, *programs, env=environment)
        return [os.path.join(build, program) for program in programs]

    def install(self):
        """Return the files of cushim that the parent's installation has."""
        root = os.path.join(self.project, 'root')
        consumer.run('meson', 'install', '-C', os.path.join(self.project, 'build'),
                     env=consumer.environment(DESTDIR=root, CC=COMPILER))
        return [name for _, _, names in os.walk(root) for name in names]

    def test_dependency_is_found_and_nothing_of_it_is_installed(self):
        program, mock, *compatible = self.build()
        self.assert_runs(program)
        self.assert_mocks(mock)
        for compatible_program in compatible:
            self.assert_answers(compatible_program)
        for name in program, mock, *compatible:
            self.assert_needs(name, [])
        self.assertEqual(self.install(), ['consumer'])

    def test_library_may_be_shared_and_installed(self):
        program, mock, *compatible = self.build('-Dcushim:default_library=shared',
                                                '-Dcushim:install=enabled')
        self.assert_runs(program)
        self.assert_needs(program, ['libcushim.so.0'])
        self.assert_mocks(mock)
        self.assert_needs(mock, ['libcushim-mock.so.0', 'libcushim.so.0'])
        for program in compatible:
            self.assert_answers(program)
            self.assert_needs(program, ['libcushim.so.0'])
        installed = self.install()
        for name in 'consumer', 'libcushim.so.0', 'libcushim-mock.so.0', 'cushim.pc', 'mock.h':
            self.assertIn(name, installed)

    def test_program_is_installed_with_a_library_of_the_parent(self):
        """The parent's own static library contains cushim."""
        build_file = os.path.join(self.project, 'meson.build')
        with open(build_file, 'a', encoding='ascii') as file:
            file.write("static_library('mine', 'consumer.c', dependencies: dependency('cushim'),\n"
                       "  install: true)\n")
        self.build(programs=[])
        self.assertEqual(sorted(self.install()), ['consumer', 'libmine.a'])
        symbols = consumer.run('nm', os.path.join(self.project, 'build', 'libmine.a'))
        self.assertIn(' T cushim_driver_load', symbols)

    def test_static_library_of_intermediate_code_links(self):
        if 'Free Software Foundation' not in consumer.run(*COMPILER.split(), '--version'):
            self.skipTest('the linker does not support the intermediate code of the compiler')
        [program] = self.build('-Db_lto=true', programs=PROGRAMS[:1])
        self.assert_runs(program)


if __name__ == '__main__':
    SOURCE, COMPILER = sys.argv[1:]
    consumer.main('meson', 'ninja')
