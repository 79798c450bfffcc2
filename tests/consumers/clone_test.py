#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Take a clone by CMake: FetchContent from its repository, add_subdirectory(), and an installation,
which has the library's files of Meson's, with the same functions and the same answers.

    clone_test.py SOURCE "COMPILER..." CUDA_INCLUDE...

Each CUDA_INCLUDE is a folder of cuda.h; those that do not exist are skipped. The installations are
compared with each, and a project uses one of them.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import consumer  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = '''cmake_minimum_required(VERSION 3.18)
project(consumer C)
%s
foreach(name consumer consumer_plain)
  add_executable(${name} ${name}.c)
endforeach()
target_link_libraries(consumer PRIVATE cushim::cushim)
target_link_libraries(consumer_plain PRIVATE cushim::stubs)
install(TARGETS consumer DESTINATION bin)
'''
FETCH = '''include(FetchContent)
FetchContent_Declare(cushim GIT_REPOSITORY file://%s GIT_TAG main)
FetchContent_MakeAvailable(cushim)'''
# What only Meson installs: the pages, and the registry for other programs.
LEFT_OUT = re.compile(r'share/doc/cushim/.+/|share/doc/cushim/(?!README|LICENSE)|share/cushim/')


def files(prefix):
    return {os.path.relpath(os.path.join(folder, name), prefix)
            for folder, _, names in os.walk(prefix) for name in names}


class Clone(consumer.Consumer):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='cushim-clone-')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def cmake(self, source, name, *options):
        consumer.run('cmake', '-G', 'Ninja', '-S', source, '-B', self.path(name), *options,
                     env=consumer.environment(CC=COMPILER))
        return consumer.run('cmake', '--build', self.path(name), env=consumer.environment())

    def write_project(self, text):
        os.makedirs(self.path('project'), exist_ok=True)
        for name in 'consumer.c', 'consumer_plain.c':
            shutil.copy(os.path.join(HERE, name), self.path('project'))
        with open(self.path('project', 'CMakeLists.txt'), 'w', encoding='ascii') as file:
            file.write(PROJECT % text)

    def assert_project_works(self, *options):
        self.cmake(self.path('project'), 'build', *options)
        self.assert_runs(self.path('build', 'consumer'))
        self.assert_answers(self.path('build', 'consumer_plain'))
        for name in 'consumer', 'consumer_plain':
            self.assert_needs(self.path('build', name), [])
        consumer.run('cmake', '--install', self.path('build'), '--prefix', self.path('prefix'))
        self.assertEqual(files(self.path('prefix')), {'bin/consumer'})

    def test_fetch_content_takes_the_repository(self):
        if not shutil.which('git'):
            self.skipTest('git is not installed')
        self.write_project(FETCH % consumer.repository(SOURCE, self.path('repository')))
        self.assert_project_works('-DCUSHIM_CUDA_INCLUDE_DIR=' + INCLUDES[0])

    def test_add_subdirectory_takes_a_clone(self):
        self.write_project('add_subdirectory(%s cushim)' % SOURCE)
        self.assert_project_works('-DCUSHIM_CUDA_INCLUDE_DIR=' + INCLUDES[-1])

    def test_package_that_was_found_is_used(self):
        self.write_project('add_library(cushim::cushim INTERFACE IMPORTED)\n'
                           'add_library(cushim::stubs INTERFACE IMPORTED)\n'
                           'add_subdirectory(%s cushim)\n'
                           'if(TARGET cushim)\nmessage(FATAL_ERROR "two of them")\nendif()\n'
                           % SOURCE)
        printed = consumer.run('cmake', '-S', self.path('project'), '-B', self.path('build'),
                               env=consumer.environment(CC=COMPILER))
        self.assertIn('the installed package is used', printed)

    def test_headers_that_are_missing_are_named(self):
        result = subprocess.run(
            ['cmake', '-S', SOURCE, '-B', self.path('build'), '-DCUSHIM_CUDA_INCLUDE_DIR=/nowhere'],
            capture_output=True, text=True, check=False, env=consumer.environment(CC=COMPILER))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('CUSHIM_CUDA_INCLUDE_DIR is /nowhere, which has no cuda.h', result.stderr)

    def install_both(self, include):
        """Install by each build, to a prefix of the same name, and return the two."""
        self.cmake(SOURCE, 'by-cmake', '-DCUSHIM_CUDA_INCLUDE_DIR=' + include,
                   '-DCMAKE_INSTALL_PREFIX=/usr/local', '-DCMAKE_INSTALL_LIBDIR=lib')
        consumer.run('meson', 'setup', self.path('by-meson'), SOURCE, '-Dcuda-include=' + include,
                     '--prefix=/usr/local', '--libdir=lib', '-Dtests=disabled', '-Dmock=disabled',
                     '-Dtool=disabled', '--wrap-mode=nodownload',
                     env=consumer.environment(CC=COMPILER))
        for name, command in [('by-cmake', ['cmake', '--install', self.path('by-cmake')]),
                              ('by-meson', ['meson', 'install', '-C', self.path('by-meson')])]:
            consumer.run(*command, env=consumer.environment(DESTDIR=self.path(name, 'root')))
        return [self.path(name, 'root', 'usr', 'local') for name in ('by-cmake', 'by-meson')]

    def flags(self, prefix, *arguments):
        """The different words that pkg-config prints, with the folders as they are spelled without
        links.
        """
        printed = consumer.run('pkg-config', '--define-variable=prefix=PREFIX', *arguments,
                               env=consumer.environment(
                                   PKG_CONFIG_PATH=os.path.join(prefix, 'lib', 'pkgconfig')))
        return {os.path.realpath(word) if word[0] == '/' else word
                for word in printed.replace('-isystem/', '-isystem /').split()}

    def find(self, prefix):
        """Build with the package of CMake; return the programs."""
        self.write_project('find_package(cushim REQUIRED COMPONENTS static stubs)')
        build = prefix + '-user'
        self.cmake(self.path('project'), build, '-DCMAKE_PREFIX_PATH=' + prefix)
        return [os.path.join(build, name) for name in ('consumer', 'consumer_plain')]

    def assert_same_installations(self, by_cmake, by_meson):
        expected = {name for name in files(by_meson) if not LEFT_OUT.match(name)}
        self.assertGreater(len(expected), 25)
        self.assertEqual(files(by_cmake), expected)
        for name in expected:
            if name.startswith(('include/', 'share/')):
                with open(os.path.join(by_cmake, name), 'rb') as one, \
                        open(os.path.join(by_meson, name), 'rb') as other:
                    self.assertTrue(one.read() == other.read(), name)
        for name, *options in [('libcushim.so', '-D'), ('libcushim.a',), ('libcushim-stubs.a',)]:
            one, other = ([line.split()[-2:] for line in consumer.run(
                'nm', *options, '--defined-only', '--extern-only',
                os.path.join(prefix, 'lib', name)).splitlines() if ' ' in line]
                for prefix in (by_cmake, by_meson))
            self.assertGreater(len(one), 50, name)
            self.assertEqual(sorted(one), sorted(other), name)
        for name in 'cushim', 'cushim-stubs':
            for arguments in [('--modversion',), ('--cflags', '--libs'), ('--static', '--libs')]:
                self.assertEqual(self.flags(by_cmake, *arguments, name),
                                 self.flags(by_meson, *arguments, name))

    def test_both_builds_install_the_same(self):
        for include in INCLUDES:
            with self.subTest(include):
                by_cmake, by_meson = self.install_both(include)
                self.assert_same_installations(by_cmake, by_meson)
                for prefix in by_cmake, by_meson:
                    program, plain = self.find(prefix)
                    self.assert_runs(program)
                    self.assert_needs(program, ['libcushim.so.0'])
                    self.assert_answers(plain)
            for name in 'by-cmake', 'by-meson':
                shutil.rmtree(self.path(name))


if __name__ == '__main__':
    SOURCE, COMPILER, *INCLUDES = sys.argv[1:]
    INCLUDES = [include for include in INCLUDES
                if os.path.isfile(os.path.join(include, 'cuda.h'))]
    if not INCLUDES:
        print('skipped: no folder of cuda.h is known')
        sys.exit(77)
    consumer.main('cmake', 'ninja', 'meson', 'nm', 'pkg-config')
