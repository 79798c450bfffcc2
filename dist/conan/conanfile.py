# SPDX-License-Identifier: Apache-2.0
"""Conan 2: `conan create CLONE/dist/conan` packages the clone that this recipe is in, with the CUDA
headers of CUDA_HOME, CUDA_PATH or /usr/local/cuda. Users of the package add the folder of cuda.h.
"""
import os
import re

from conan import ConanFile
from conan.tools.files import copy, load, rmdir
from conan.tools.layout import basic_layout
from conan.tools.meson import Meson, MesonToolchain


class Cushim(ConanFile):
    name = 'cushim'
    license = 'Apache-2.0'
    description = 'The CUDA driver API when there is a driver, and a reason when there is none'
    topics = 'cuda', 'gpu', 'testing'
    package_type = 'library'
    settings = 'os', 'arch', 'compiler', 'build_type'
    options = {'shared': [True, False], 'fPIC': [True, False]}
    default_options = {'shared': False, 'fPIC': True}

    def clone(self):
        return os.path.normpath(os.path.join(self.recipe_folder, '..', '..'))

    def set_version(self):
        text = load(self, os.path.join(self.clone(), 'meson.build'))
        self.version, = re.findall(r"(?m)^  version: '(.*)',$", text)

    def export_sources(self):
        copy(self, '*', self.clone(), self.export_sources_folder, excludes=['.git/*', 'build*/*'])

    def layout(self):
        basic_layout(self)

    def generate(self):
        toolchain = MesonToolchain(self)
        for name in 'tests', 'tool', 'docs', 'zstd':
            toolchain.project_options[name] = 'disabled'
        toolchain.generate()

    def build(self):
        meson = Meson(self)
        meson.configure()
        meson.build()

    def package(self):
        Meson(self).install()
        copy(self, 'LICENSE', self.source_folder, os.path.join(self.package_folder, 'licenses'))
        for folder in 'cmake', 'pkgconfig': # Conan makes its own
            rmdir(self, os.path.join(self.package_folder, 'lib', folder))

    def package_info(self):
        for name, library, requires, system in (
                ('cushim', 'cushim', [], ['pthread', 'dl']),
                ('stubs', 'cushim-stubs', ['cushim'], []),
                ('mock', 'cushim-mock', ['cushim'], ['m'])):
            component = self.cpp_info.components[name]
            component.libs = [library]
            component.requires = requires
            component.system_libs = system
            component.set_property('cmake_target_name', 'cushim::' + name)
            component.set_property('pkg_config_name', library)
