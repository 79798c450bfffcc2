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

    def test_dependency_is_found_and_the_program_runs(self):
        program, mock, *compatible = self.build()
        self.assert_runs(program)
        self.assert_needs(program, ['libcushim.so.0'])
        self.assert_mocks(mock)
        self.assert_needs(mock, ['libcushim-mock.so.0', 'libcushim.so.0'])
        for program in compatible:
            self.assert_answers(program)
            self.assert_needs(program, ['libcushim.so.0'])

    def test_library_may_be_static(self):
        program, mock, *compatible = self.build('-Dcushim:default_library=static')
        self.assert_runs(program)
        self.assert_needs(program, [])
        self.assert_mocks(mock)
        self.assert_needs(mock, [])
        for program in compatible:
            self.assert_answers(program)
            self.assert_needs(program, [])

    def test_library_is_static_if_all_of_the_command_line_is(self):
        [program] = self.build('-Ddefault_library=static', programs=PROGRAMS[:1])
        self.assert_runs(program)
        self.assert_needs(program, [])

    def test_library_is_static_if_the_parent_says_so(self):
        build_file = os.path.join(self.project, 'meson.build')
        with open(build_file, encoding='ascii') as file:
            lines = file.read()
        with open(build_file, 'w', encoding='ascii') as file:
            file.write(lines.replace("project('consumer', 'c')", "project('consumer', 'c',\n"
                                     "  default_options: 'default_library=static')"))
        [program] = self.build(programs=PROGRAMS[:1])
        self.assert_runs(program)
        self.assert_needs(program, [])

    def test_static_library_of_intermediate_code_links(self):
        if 'Free Software Foundation' not in consumer.run(*COMPILER.split(), '--version'):
            self.skipTest('the linker does not support the intermediate code of the compiler')
        [program] = self.build('-Dcushim:default_library=static', '-Db_lto=true',
                               programs=PROGRAMS[:1])
        self.assert_runs(program)


if __name__ == '__main__':
    SOURCE, COMPILER = sys.argv[1:]
    consumer.main('meson', 'ninja')
