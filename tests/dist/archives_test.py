#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The archives of a release: their contents, that they are reproducible, and builds from each.

    archives_test.py Source SOURCE FOLDER VERSION CUDA_INCLUDE MOCK "COMPILER..."
    archives_test.py Single ...
    archives_test.py CMake ...

FOLDER contains the archives. MOCK is the mock's libcuda.so.1; it may be empty.
"""
import hashlib
import os
import re
import shutil
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'consumers'))

import consumer  # noqa: E402

FETCH = '''cmake_minimum_required(VERSION 3.18...3.28)
project(consumer C)
include(FetchContent)
FetchContent_Declare(cushim URL file://%s URL_HASH SHA256=%s)
FetchContent_MakeAvailable(cushim)
'''
ADD = '''cmake_minimum_required(VERSION 3.18...3.28)
project(consumer C)
add_subdirectory(%s)
'''
PROGRAM = '''add_executable(consumer consumer.c)
target_link_libraries(consumer PRIVATE cushim::cushim)
'''


class Archive(consumer.Consumer):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='cushim-archive-')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def unpack(self, name):
        with tarfile.open(os.path.join(FOLDER, name + '.tar.xz')) as archive:
            archive.extractall(self.folder)
        return os.path.join(self.folder, name)

    def members(self, name):
        """Return the files of an archive, after checking what must not depend on the machine."""
        with tarfile.open(os.path.join(FOLDER, name + '.tar.xz')) as archive:
            members = archive.getmembers()
        for member in members:
            self.assertEqual((member.uid, member.gid, member.uname, member.gname),
                             (0, 0, 'root', 'root'), member.name)
            self.assertIn(member.mode, (0o644, 0o755, 0o777), member.name)
            self.assertRegex(member.name, '^%s(/|$)' % re.escape(name))
        self.assertEqual(len({member.mtime for member in members}), 1)
        return [member.name[len(name) + 1:] for member in members if not member.isdir()]

    def write_again(self, *arguments):
        """Return the archive that archives.py writes for another user in another folder."""
        again = os.path.join(self.folder, 'again')
        command = [sys.executable, os.path.join(SOURCE, 'dist', 'archives.py'), arguments[0],
                   SOURCE, VERSION, again, *arguments[1:]]
        environment = consumer.environment(TZ='Asia/Tokyo', LC_ALL='C', HOME=self.folder)
        consumer.run('sh', '-c', 'umask 077; exec "$@"', 'sh', *command, cwd=self.folder,
                     env=environment)
        with open(again, 'rb') as file:
            return file.read()

    def assert_same(self, name, *arguments):
        with open(os.path.join(FOLDER, name + '.tar.xz'), 'rb') as file:
            self.assertTrue(file.read() == self.write_again(*arguments), name)


class Source(Archive):
    def test_it_holds_what_is_committed(self):
        names = consumer.run('git', '-C', SOURCE, 'ls-tree', '-r', '-z', '--name-only', 'HEAD')
        self.assertEqual(self.members('cushim-' + VERSION), names.split('\0')[:-1])

    def test_it_is_reproducible(self):
        self.assert_same('cushim-' + VERSION, 'source')

    def test_it_builds(self):
        source = self.unpack('cushim-' + VERSION)
        build = os.path.join(self.folder, 'build')
        consumer.run('meson', 'setup', build, source, '-Dtests=disabled', '-Doptimization=0',
                     '--wrap-mode=nodownload', '-Dcuda-include=' + CUDA_INCLUDE,
                     env=consumer.environment(CC=COMPILER))
        consumer.run('meson', 'compile', '-C', build, env=consumer.environment())
        self.assertIn(VERSION, consumer.run(os.path.join(build, 'src', 'tool', 'cushim'),
                                            '--version', env=consumer.environment()))


class Single(Archive):
    FILES = ['CMakeLists.txt', 'LICENSE', 'cushim.c', 'cushim.h', 'cushim.hpp']

    def test_it_holds_five_files(self):
        self.assertEqual(self.members('cushim-single-' + VERSION), self.FILES)

    def test_they_are_those_of_the_build(self):
        folder = self.unpack('cushim-single-' + VERSION)
        for name in self.FILES:
            path = os.path.join(SOURCE if name == 'LICENSE' else FOLDER, name)
            with open(path, 'rb') as one, open(os.path.join(folder, name), 'rb') as other:
                self.assertTrue(one.read() == other.read(), name)

    def test_it_is_reproducible(self):
        """The same for files with other times and permissions, in another order."""
        files = [os.path.join(self.folder, name) for name in reversed(self.FILES)]
        for path in files:
            name = os.path.basename(path)
            shutil.copy(os.path.join(SOURCE if name == 'LICENSE' else FOLDER, name), path)
            os.utime(path, (1, 1))
            os.chmod(path, 0o600)
        self.assert_same('cushim-single-' + VERSION, 'single', *files)

    def test_sums_are_those_of_the_archives(self):
        with open(os.path.join(FOLDER, 'SHA256SUMS'), encoding='ascii') as file:
            lines = file.read().splitlines()
        names = ['cushim-%s.tar.xz' % VERSION, 'cushim-single-%s.tar.xz' % VERSION]
        names = [name for name in names if os.path.exists(os.path.join(FOLDER, name))]
        self.assertIn('cushim-single-%s.tar.xz' % VERSION, names)
        self.assertEqual(lines, ['%s  %s' % (checksum(name), name) for name in names])

    def test_it_builds_with_one_command(self):
        folder = self.unpack('cushim-single-' + VERSION)
        copy_program(folder)
        include = ['-I' + CUDA_INCLUDE] if CUDA_INCLUDE else []
        consumer.run(*COMPILER.split(), 'consumer.c', 'cushim.c', *include, '-pthread', '-ldl',
                     '-o', 'program', cwd=folder, env=consumer.environment())
        self.assert_runs(os.path.join(folder, 'program'), MOCK)


class CMake(Archive):
    def build(self, project, *options, program=None, **changes):
        folder = os.path.join(self.folder, 'project')
        os.makedirs(folder, exist_ok=True)
        copy_program(folder, program)
        with open(os.path.join(folder, 'CMakeLists.txt'), 'w', encoding='utf-8') as file:
            file.write(project + PROGRAM)
        build = os.path.join(self.folder, 'build')
        consumer.run('cmake', '-G', 'Ninja', '-S', folder, '-B', build, *options,
                     env=consumer.environment(CC=COMPILER, **changes))
        consumer.run('cmake', '--build', build, env=consumer.environment())
        program = os.path.join(build, 'consumer')
        self.assert_runs(program, MOCK)
        self.assert_needs(program, [])

    @staticmethod
    def own():
        return ['-DCUSHIM_CUDA_INCLUDE_DIR=' + CUDA_INCLUDE] if CUDA_INCLUDE else []

    def test_add_subdirectory(self):
        self.unpack('cushim-single-' + VERSION)
        shutil.copytree(os.path.join(self.folder, 'cushim-single-' + VERSION),
                        os.path.join(self.folder, 'project', 'cushim'))
        self.build(ADD % 'cushim', *self.own())

    def test_header_has_the_name_of_an_installation(self):
        folder = self.unpack('cushim-single-' + VERSION)
        with open(os.path.join(HERE, '..', 'consumers', 'consumer.c'), encoding='utf-8') as file:
            text = file.read()
        self.assertIn('#include <cushim/cushim.h>', text)
        self.build(ADD % ('%s cushim' % folder), *self.own(), program=text)

    def test_package_that_was_found_is_used(self):
        folder = self.unpack('cushim-single-' + VERSION)
        project = tempfile.mkdtemp(dir=self.folder)
        with open(os.path.join(project, 'CMakeLists.txt'), 'w', encoding='utf-8') as file:
            file.write('cmake_minimum_required(VERSION 3.18)\nproject(both C)\n'
                       'add_library(cushim::cushim INTERFACE IMPORTED)\n'
                       'add_subdirectory(%s cushim)\n'
                       'if(TARGET cushim)\nmessage(FATAL_ERROR "two of them")\nendif()\n' % folder)
        printed = consumer.run('cmake', '-S', project, '-B', project + '/build',
                               env=consumer.environment(CC=COMPILER))
        self.assertIn('the installed package is used', printed)

    def test_fetch_content_of_the_archive(self):
        name = 'cushim-single-%s.tar.xz' % VERSION
        self.build(FETCH % (os.path.join(FOLDER, name), checksum(name)), *self.own())

    def test_fetch_content_of_a_folder(self):
        folder = self.unpack('cushim-single-' + VERSION)
        self.build(FETCH % ('/nowhere.tar.xz', '0' * 64), *self.own(),
                   '-DFETCHCONTENT_SOURCE_DIR_CUSHIM=' + folder)

    def test_headers_of_cuda_are_found_by_the_environment(self):
        """The headers are in a folder that no default names."""
        if not CUDA_INCLUDE:
            self.skipTest('cuda.h is on the path of the compiler')
        toolkit = os.path.join(self.folder, 'toolkit')
        os.mkdir(toolkit)
        os.symlink(CUDA_INCLUDE, os.path.join(toolkit, 'include'))
        folder = self.unpack('cushim-single-' + VERSION)
        self.build(ADD % ('%s cushim' % folder), '-DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON',
                   CUDA_HOME=toolkit)
        with open(os.path.join(self.folder, 'build', 'CMakeCache.txt'), encoding='utf-8') as file:
            self.assertIn('CUSHIM_CUDA_INCLUDE_DIR:PATH=%s/include\n' % toolkit, file.read())

    def test_headers_of_cuda_are_those_of_the_toolkit_that_the_project_has_found(self):
        """Otherwise those of the environment are used, even if a toolkit can be found."""
        folder = self.unpack('cushim-single-' + VERSION)
        found = os.path.join(self.folder, 'found')
        environment = os.path.join(self.folder, 'environment')
        for toolkit in found, environment:
            os.makedirs(os.path.join(toolkit, 'include'))
            with open(os.path.join(toolkit, 'include', 'cuda.h'), 'w', encoding='ascii'):
                pass
        # The module that find_package() uses instead of this machine's toolkit.
        modules = os.path.join(self.folder, 'modules')
        os.mkdir(modules)
        with open(os.path.join(modules, 'FindCUDAToolkit.cmake'), 'w', encoding='ascii') as file:
            file.write('set(CUDAToolkit_INCLUDE_DIRS %s/include)\n' % found)
        for before, expected in [('find_package(CUDAToolkit)\n', found), ('', environment)]:
            project = tempfile.mkdtemp(dir=self.folder)
            with open(os.path.join(project, 'CMakeLists.txt'), 'w', encoding='utf-8') as file:
                file.write('cmake_minimum_required(VERSION 3.18)\nproject(order C)\n' + before
                           + 'add_subdirectory(%s cushim)\n' % folder)
            printed = consumer.run(
                'cmake', '-S', project, '-B', project + '/build', '-DCMAKE_MODULE_PATH=' + modules,
                env=consumer.environment(CC=COMPILER, CUDA_HOME=environment))
            with self.subTest(before=before):
                with open(project + '/build/CMakeCache.txt', encoding='utf-8') as file:
                    self.assertIn('CUSHIM_CUDA_INCLUDE_DIR:PATH=%s/include\n' % expected,
                                  file.read(), printed)


def checksum(name):
    with open(os.path.join(FOLDER, name), 'rb') as file:
        return hashlib.sha256(file.read()).hexdigest()


def copy_program(folder, text=None):
    if text is None:
        with open(os.path.join(HERE, '..', 'consumers', 'consumer.c'), encoding='utf-8') as file:
            text = file.read().replace('<cushim/cushim.h>', '"cushim.h"')
    with open(os.path.join(folder, 'consumer.c'), 'w', encoding='utf-8') as file:
        file.write(text)


if __name__ == '__main__':
    CLASS, SOURCE, FOLDER, VERSION, CUDA_INCLUDE, MOCK, COMPILER = sys.argv[1:]
    if CLASS == 'Source' and not os.path.exists(os.path.join(SOURCE, '.git')):
        print('skipped: there is no repository to make an archive of')
        sys.exit(77)
    NEEDED = {'Source': ['meson', 'git'], 'Single': [], 'CMake': ['cmake', 'ninja']}
    consumer.main(*NEEDED[CLASS], only=CLASS)
