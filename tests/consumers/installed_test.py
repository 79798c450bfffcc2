#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The installation contains no path of the build or of itself, and a program can be compiled with
pkg-config's flags, for shared and static linking.

    installed_test.py Installed PREFIX "COMPILER..." CUDA_INCLUDE SOURCE
    installed_test.py PkgConfig PREFIX "COMPILER..." CUDA_INCLUDE installed|subproject HEADER...

Debug information names the sources, so it is stripped first. Headers from a subproject are not in
the installed pkg-config file, so the program brings its own.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import consumer  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
# The first line of a pkg-config file must have the prefix, which changes when the installation is
# moved.
PREFIX_LINE = b'prefix='


class Installed(consumer.Consumer):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix='cushim-installed-')
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.prefix = os.path.join(cls.folder, 'moved')
        shutil.copytree(PREFIX, cls.prefix, symlinks=True)
        cls.files = [os.path.join(folder, name) for folder, _, names in os.walk(cls.prefix)
                     for name in names if not os.path.islink(os.path.join(folder, name))]

    def test_no_file_names_the_folder_of_its_build_or_of_its_sources(self):
        self.assertGreater(len(self.files), 40)
        checked = 0
        for path in self.files:
            with open(path, 'rb') as file:
                data = file.read()
            if data.startswith((b'\x7fELF', b'!<arch>')):
                stripped = os.path.join(self.folder, 'stripped')
                consumer.run('strip', '--strip-debug', path, '-o', stripped)
                with open(stripped, 'rb') as file:
                    data = file.read()
                checked += 1
            if path.endswith('.pc') and data.startswith(PREFIX_LINE):
                data = data.partition(b'\n')[2]
            for folder in BUILD, SOURCE, PREFIX:
                self.assertNotIn(folder.encode(), data, path)
        # The command, two libraries in two forms, the stubs, and the mock's library.
        self.assertEqual(checked, 8)

    def test_no_library_is_searched_in_a_fixed_folder(self):
        for path in self.files:
            with open(path, 'rb') as file:
                if file.read(4) == b'\x7fELF':
                    self.assertNotRegex(consumer.run('readelf', '-dW', path), 'RPATH|RUNPATH')

    def test_links_of_the_pages_lead_to_what_is_installed(self):
        pages = glob.glob(os.path.join(self.prefix, 'share', 'doc', 'cushim', 'docs', '*.md'))
        links = set()
        for page in pages:
            with open(page, encoding='utf-8') as file:
                for link in re.findall(r'\]\(([^)#]+)', file.read()):
                    if not link.startswith('https://'):
                        links.add(os.path.normpath(os.path.join(os.path.dirname(page), link)))
        self.assertGreater(len(links), 15)
        folder = os.path.join(self.prefix, 'share', 'doc', 'cushim')
        for link in links:
            # pages_test.py reports links to files that the sources lack as well.
            if os.path.exists(os.path.join(SOURCE, os.path.relpath(link, folder))):
                self.assertTrue(os.path.exists(link), link)

    def test_pages_that_the_command_names_are_installed(self):
        printed = consumer.run(os.path.join(self.prefix, 'bin', 'cushim'), 'help', 'all')
        names = re.findall(r'\S+\.md', printed)
        self.assertGreater(len(names), 3)
        folder, = set(re.findall(r'share/doc/[^\s:]+', printed))
        for name in names:
            self.assertTrue(os.path.exists(os.path.join(self.prefix, folder, name)), name)

    def test_completions_are_where_shells_look(self):
        for path in ('bash-completion/completions/cushim.bash', 'zsh/site-functions/_cushim',
                     'fish/vendor_completions.d/cushim.fish'):
            with open(os.path.join(self.prefix, 'share', path), encoding='utf-8') as file:
                self.assertIn('cushim(1)', file.read())

    def build(self, name, cushim):
        program = os.path.join(self.folder, name)
        own = ['-I' + CUDA_INCLUDE] if CUDA_INCLUDE else []
        consumer.run(*COMPILER, os.path.join(HERE, name + '.c'), *own,
                     '-I' + os.path.join(self.prefix, 'include'),
                     '-L' + os.path.join(self.prefix, 'lib'), *cushim, '-o', program)
        return program

    def test_command_finds_the_mock_where_it_was_moved_to(self):
        program = self.build('consumer', ['-lcushim'])
        library = os.path.join(self.prefix, 'lib')
        result = subprocess.run(
            [os.path.join(self.prefix, 'bin', 'cushim'), 'run', '--devices', '3', '--', program],
            stdout=subprocess.PIPE, text=True, check=True,
            env=consumer.environment(LD_LIBRARY_PATH=library))
        self.assertRegex(result.stdout, r' is loaded[^\n]*\.\n3 devices\n$')


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
        """An installation without shared libraries, because -lcushim would prefer them."""
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

    def test_command_that_is_named_probes(self):
        command, = self.pkg_config(self.prefix, '--variable=command')
        found = subprocess.run([command, 'probe', '--json'], stdout=subprocess.PIPE, text=True,
                               check=False, env=consumer.environment(CUSHIM_LIBRARY='none'))
        self.assertEqual(json.loads(found.stdout)['state'], 'disabled')

    def test_registry_that_is_named_is_of_the_schema_beside_it(self):
        path, = self.pkg_config(self.prefix, '--variable=driver_api')
        self.assertEqual(path, os.path.join(self.prefix, 'share', 'cushim', 'driver-api.json'))
        self.assertEqual(sorted(os.listdir(os.path.dirname(path))),
                         ['driver-api.json', 'driver-api.schema.json'])
        with open(path, encoding='ascii') as file:
            data = json.load(file)
        with open(path.replace('.json', '.schema.json'), encoding='ascii') as file:
            schema = json.load(file)
        self.assertEqual(data['schema'], schema['properties']['schema']['const'])
        self.assertEqual(set(data), set(schema['required']))
        command, = self.pkg_config(self.prefix, '--variable=command')
        printed = json.loads(consumer.run(command, 'symbols', '--json'))
        self.assertEqual([row['symbol'] for row in printed['symbols']],
                         [row['symbol'] for row in data['functions']])

    def test_mock_is_off_the_search_of_libraries(self):
        found = [os.path.relpath(os.path.join(folder, name), self.prefix)
                 for folder, _, names in os.walk(self.prefix) for name in names
                 if name.startswith('libcuda.so')]
        self.assertEqual(sorted(found), ['lib/cushim/mock/libcuda.so',
                                         'lib/cushim/mock/libcuda.so.1',
                                         'lib/cushim/over-driver/libcuda.so',
                                         'lib/cushim/over-driver/libcuda.so.1'])

    def test_public_headers_are_installed_and_no_others(self):
        folder = os.path.join(self.prefix, 'include', 'cushim')
        found = [os.path.relpath(os.path.join(where, name), folder)
                 for where, _, names in os.walk(folder) for name in names]
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
    WHAT, PREFIX, COMPILER, CUDA_INCLUDE, *WORDS = sys.argv[1:]
    COMPILER = COMPILER.split()
    BUILD = os.path.join(os.path.dirname(PREFIX), 'build')
    if WHAT == 'Installed':
        SOURCE, = WORDS
        consumer.main('strip', only=WHAT)
    else:
        ORIGIN, *HEADERS = WORDS
        consumer.main('pkg-config', only=WHAT)
