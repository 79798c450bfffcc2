#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recipes of dist/ for vcpkg and Conan, executed as far as a machine can that has neither:
small stand-ins for their functions run Meson, and a program is compiled with what they package.

    recipes_test.py SOURCE "COMPILER..." CUDA_INCLUDE VERSION
"""

import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import consumer  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))

# What vcpkg's helper ports do, for one configuration, under CURRENT_PACKAGES_DIR.
VCPKG = '''
set(CURRENT_PACKAGES_DIR %(folder)s/package)
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "${ARGN}: ${status}")
  endif()
endfunction()
function(vcpkg_configure_meson)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "SOURCE_PATH" "OPTIONS")
  if(given_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "unknown: ${given_UNPARSED_ARGUMENTS}")
  endif()
  run(meson setup %(folder)s/build ${given_SOURCE_PATH} ${given_OPTIONS} --wrap-mode=nodownload
    --libdir=lib --prefix=${CURRENT_PACKAGES_DIR} -Ddefault_library=static -Doptimization=0)
endfunction()
function(vcpkg_install_meson)
  run(meson install -C %(folder)s/build)
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "CONFIG_PATH" "")
  file(MAKE_DIRECTORY ${CURRENT_PACKAGES_DIR}/share/cushim)
  file(GLOB files ${CURRENT_PACKAGES_DIR}/${given_CONFIG_PATH}/*)
  foreach(file ${files})
    file(READ ${file} text)
    string(REGEX REPLACE
      [[PACKAGE_PREFIX_DIR "\\${CMAKE_CURRENT_LIST_DIR}/\\.\\.(/\\.\\.)*/?" ABSOLUTE]]
      [[PACKAGE_PREFIX_DIR "${CMAKE_CURRENT_LIST_DIR}/../../" ABSOLUTE]] text "${text}")
    get_filename_component(name ${file} NAME)
    file(WRITE ${CURRENT_PACKAGES_DIR}/share/cushim/${name} "${text}")
  endforeach()
  file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/lib/cmake)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "" "FILE_LIST")
  file(INSTALL ${given_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/cushim)
endfunction()
include(%(source)s/dist/vcpkg/cushim/portfile.cmake)
'''
PROJECT = '''cmake_minimum_required(VERSION 3.18)
project(consumer C)
find_package(cushim REQUIRED COMPONENTS mock stubs)
add_executable(consumer consumer.c)
target_link_libraries(consumer PRIVATE cushim::cushim)
'''

# The parts of Conan's API that the recipe uses.
CONAN = {
    'conan/__init__.py': '''
class ConanFile:
    def __init__(self, recipe_folder, folder):
        from collections import defaultdict
        from types import SimpleNamespace
        class Component:
            def set_property(self, name, value):
                setattr(self, name, value)
        self.recipe_folder = recipe_folder
        self.export_sources_folder = self.source_folder = folder + '/source'
        self.build_folder, self.package_folder = folder + '/build', folder + '/package'
        self.cpp_info = SimpleNamespace(components=defaultdict(Component))
''',
    'conan/tools/__init__.py': '',
    'conan/tools/files.py': '''
import fnmatch, os, shutil
def load(conanfile, path):
    with open(path, encoding='utf-8') as file:
        return file.read()
def rmdir(conanfile, path):
    shutil.rmtree(path)
def copy(conanfile, pattern, source, target, excludes=()):
    for folder, _, names in os.walk(source):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), source)
            if fnmatch.fnmatch(path, pattern) and not any(
                    fnmatch.fnmatch(path, exclude) for exclude in excludes):
                os.makedirs(os.path.dirname(os.path.join(target, path)), exist_ok=True)
                shutil.copy2(os.path.join(source, path), os.path.join(target, path))
''',
    'conan/tools/layout.py': 'def basic_layout(conanfile):\n    pass\n',
    'conan/tools/meson.py': '''
import subprocess
class MesonToolchain:
    def __init__(self, conanfile):
        self.project_options = {}
        self.conanfile = conanfile
    def generate(self):
        self.conanfile.generated = self.project_options
class Meson:
    def __init__(self, conanfile):
        self.conanfile = conanfile
    def configure(self):
        subprocess.run(['meson', 'setup', self.conanfile.build_folder, self.conanfile.source_folder,
                        '--prefix=' + self.conanfile.package_folder, '--libdir=lib',
                        '-Ddefault_library=static', '-Doptimization=0', '--wrap-mode=nodownload']
                       + ['-D%s=%s' % item for item in self.conanfile.generated.items()],
                       check=True)
    def build(self):
        subprocess.run(['meson', 'compile', '-C', self.conanfile.build_folder], check=True)
    def install(self):
        subprocess.run(['meson', 'install', '-C', self.conanfile.build_folder], check=True)
''',
}
CREATE = '''
import json, sys
from conanfile import Cushim
recipe = Cushim(sys.argv[1], sys.argv[2])
recipe.set_version()
for step in 'export_sources', 'layout', 'generate', 'build', 'package', 'package_info':
    getattr(recipe, step)()
json.dump({'version': recipe.version, 'components': {
    name: vars(component) for name, component in recipe.cpp_info.components.items()}},
    open(sys.argv[2] + '/recipe.json', 'w'))
'''


class Recipes(consumer.Consumer):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='cushim-recipes-')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.package = self.path('package')
        self.environment = consumer.environment(CC=COMPILER,
                                                CUDA_HOME=os.path.dirname(CUDA_INCLUDE))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(text)

    def test_versions_are_those_of_the_project(self):
        with open(os.path.join(SOURCE, 'dist/vcpkg/cushim/vcpkg.json'), encoding='ascii') as file:
            self.assertEqual(json.load(file)['version'], VERSION)
        with open(os.path.join(SOURCE, 'debian', 'changelog'), encoding='utf-8') as file:
            self.assertEqual(re.match(r'cushim \((.*?)\)', file.read())[1], VERSION)

    def test_port_of_vcpkg_makes_a_package_that_cmake_finds(self):
        self.write('port.cmake', VCPKG % {'folder': self.folder, 'source': SOURCE})
        consumer.run('cmake', '-P', self.path('port.cmake'), env=self.environment)
        self.assertIn('LICENSE', os.listdir(os.path.join(self.package, 'share', 'cushim')))
        with open(os.path.join(HERE, 'consumer.c'), encoding='utf-8') as file:
            self.write('user/consumer.c', file.read())
        self.write('user/CMakeLists.txt', PROJECT)
        consumer.run('cmake', '-S', self.path('user'), '-B', self.path('user', 'build'),
                     '-DCMAKE_PREFIX_PATH=' + self.package, env=self.environment)
        consumer.run('cmake', '--build', self.path('user', 'build'), env=self.environment)
        self.assert_runs(self.path('user', 'build', 'consumer'))
        self.assert_needs(self.path('user', 'build', 'consumer'), [])

    def test_recipe_of_conan_packages_its_components(self):
        for name, text in CONAN.items():
            self.write('stand-in/' + name, text)
        consumer.repository(SOURCE, self.path('clone'))
        recipe = self.path('clone', 'dist', 'conan')
        subprocess.run([sys.executable, '-c', CREATE, recipe, self.folder], check=True,
                       stdout=subprocess.DEVNULL, env=dict(
                           self.environment,
                           PYTHONPATH=os.pathsep.join([self.path('stand-in'), recipe])))
        with open(self.path('recipe.json'), encoding='ascii') as file:
            made = json.load(file)
        self.assertEqual(made['version'], VERSION)
        self.assertEqual(os.listdir(os.path.join(self.package, 'licenses')), ['LICENSE'])
        for name, source in [('cushim', 'consumer.c'), ('mock', 'consumer_mock.c'),
                             ('stubs', 'consumer_plain.c')]:
            flags = []
            for one in [name, *made['components'][name]['requires']]:
                component = made['components'][one]
                flags += ['-l' + library
                          for library in component['libs'] + component['system_libs']]
            consumer.run(*COMPILER.split(), os.path.join(HERE, source), '-I' + CUDA_INCLUDE,
                         '-I' + os.path.join(self.package, 'include'),
                         '-L' + os.path.join(self.package, 'lib'), *flags, '-o', self.path(name))
            self.assert_needs(self.path(name), [])
        self.assert_runs(self.path('cushim'))
        self.assert_mocks(self.path('mock'))
        self.assert_answers(self.path('stubs'))


if __name__ == '__main__':
    SOURCE, COMPILER, CUDA_INCLUDE, VERSION = sys.argv[1:]
    if not CUDA_INCLUDE:
        print('skipped: the compiler knows the folder of cuda.h')
        sys.exit(77)
    consumer.main('cmake', 'git', 'meson')
