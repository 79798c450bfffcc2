#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Diagnostics of the search for the library, on machines with and without the cause."""

import unittest

from harness import fake
from machine import (ABSENT, CONF, LIBRARY, NO_GPU, READY, STUB, STUBS, SYSTEM, UNREADABLE, WRONG,
                     DiagnosticTest, LinkTo, driver)


# The library that the search finds cannot be used.
UNFIT = {'state': 'not-loadable', 'outcome': 'not-loadable', 'code': 303}


class Search(DiagnosticTest):

    def test_stub_folder_in_the_variable(self):
        path = {'LD_LIBRARY_PATH': '/usr/lib:' + STUBS + '/'}
        stub = {STUBS + '/libcuda.so': LIBRARY}
        for about in ABSENT, STUB, READY, NO_GPU:
            self.assert_found('stub-folder', stub, {**about, **path},
                              'LD_LIBRARY_PATH leads to ' + STUBS)
        self.assert_not_found('stub-folder', stub, STUB)
        self.assert_not_found('stub-folder', {}, {**STUB, **path})
        # This library was not found by a search.
        self.assert_not_found('stub-folder', stub, {**STUB, **path, 'origin': 'option'})
        self.assert_not_found('stub-folder', {'/opt/stubs-of-mine/libcuda.so': LIBRARY},
                              {**READY, 'LD_LIBRARY_PATH': '/opt/stubs-of-mine'})

    def test_stub_folder_in_the_configuration(self):
        stub = {**CONF, STUBS + '/libcuda.so.1': LinkTo('libcuda.so'),
                STUBS + '/libcuda.so': LIBRARY}
        cuda, other = '/etc/ld.so.conf.d/cuda.conf', '/etc/ld.so.conf.d/other.conf'
        machine = {**stub, other: '/opt/lib\n', cuda: '\n%s # CUDA\n' % STUBS}
        self.assert_found('stub-folder', machine, STUB,
                          '%s leads to %s/libcuda.so.1' % (cuda, STUBS))
        self.assert_not_found('stub-folder', {**stub, cuda: '# %s\n/opt/lib\n' % STUBS}, STUB)

    def test_configuration_that_includes_itself_ends(self):
        self.assert_not_found(
            'stub-folder', {'/etc/ld.so.conf': 'include /etc/ld.so.conf /etc/x\n'}, STUB)
        self.assert_found('stub-folder',
                          {'/etc/ld.so.conf': 'include /etc/ld.so.conf /etc/x\n', '/etc/x': STUBS,
                           STUBS + '/libcuda.so': LIBRARY}, STUB, '/etc/x leads to')

    def test_stub_folder_in_the_cache(self):
        cache = b'glibc-ld.so.cache1.1\0libcuda.so.1\0%s\0libz.so\0'
        stub = STUBS.encode() + b'/libcuda.so.1'
        self.assert_found('stub-folder', {'/etc/ld.so.cache': cache % stub}, STUB,
                          '/etc/ld.so.cache leads to ' + STUBS + '/libcuda.so.1')
        self.assert_not_found('stub-folder', {'/etc/ld.so.cache': cache % (stub + b'0')}, STUB)
        self.assert_not_found('stub-folder', {'/etc/ld.so.cache': b''}, STUB)

    def test_link_name_only(self):
        link = {SYSTEM + '/libcuda.so': LIBRARY, '/usr/lib/libcuda.so': LIBRARY}
        self.assert_found('link-name-only', link, ABSENT, '/libcuda.so')
        self.assert_not_found('link-name-only', link, STUB)
        self.assert_not_found('link-name-only', {**link, '/usr/lib/libcuda.so.1': LIBRARY}, ABSENT)
        self.assert_not_found('link-name-only', {STUBS + '/libcuda.so': LIBRARY},
                              {**ABSENT, 'LD_LIBRARY_PATH': STUBS})

    def test_dangling_link(self):
        link = {'/usr/lib/libcuda.so.1': LinkTo('libcuda.so.535.129.03')}
        self.assert_found('dangling-link', link, ABSENT, '/usr/lib/libcuda.so.1')
        self.assert_not_found('dangling-link', {**link, '/usr/lib/libcuda.so.535.129.03': LIBRARY},
                              ABSENT)

    def test_stale_cache(self):
        machine = {**CONF, '/etc/ld.so.conf.d/nvidia.conf': '/opt/nvidia\n',
                   '/opt/nvidia/libcuda.so.1': LIBRARY, '/etc/ld.so.cache': b'/opt/x.so\0'}
        self.assert_found('stale-cache', {**machine, '/etc/ld.so.cache': b'/opt/x/libcuda.so.1\0'},
                          ABSENT)
        self.assert_found('stale-cache', machine, ABSENT, '/etc/ld.so.conf.d/nvidia.conf names',
                          '/opt/nvidia/libcuda.so.1')
        self.assert_not_found('stale-cache', {
            **machine, '/etc/ld.so.cache': b'libcuda.so.1\0/opt/nvidia/libcuda.so.1\0'}, ABSENT)
        self.assert_not_found('stale-cache', {
            **machine, '/etc/ld.so.conf.d/nvidia.conf': '/opt/nvidia/\n',
            '/etc/ld.so.cache': b'/opt/nvidia/libcuda.so.1\0'}, ABSENT)
        self.assert_not_found('stale-cache', {**machine, '/opt/nvidia/libcuda.so.1': 'text'},
                              ABSENT)
        # Folders of the variable are not in the cache.
        self.assert_not_found('stale-cache', {'/opt/nvidia/libcuda.so.1': LIBRARY},
                              {**ABSENT, 'LD_LIBRARY_PATH': '/opt/nvidia'})
        self.assert_not_found('library-outside-search', machine, ABSENT)

    def test_library_outside_search(self):
        library = '/usr/local/nvidia/lib64/libcuda.so.1'
        self.assert_found('library-outside-search', {library: LIBRARY}, ABSENT, library)
        self.assert_not_found('library-outside-search', {library: 'no library'}, ABSENT)
        self.assert_not_found('library-outside-search', {library: LIBRARY}, NO_GPU)

    def test_wrong_architecture(self):
        about = {'state': 'not-loadable', 'outcome': 'wrong-architecture'}
        self.assert_found('wrong-architecture', {}, about, 'libcuda.so.1: what was found')
        self.assert_not_found('wrong-architecture', {}, {**about, 'outcome': 'truncated'})

    def shadowed(self, paths, about, *evidence):
        self.assert_found('shadowed-driver', paths, about, *evidence,
                          'The driver for CUDA 13.0 is initialised and has 2 devices')

    def test_shadowed_driver_and_what_shadows_it(self):
        with open(fake(13000), 'rb') as file:
            truncated = file.read(4096)
        path = {'LD_LIBRARY_PATH': '/opt/none:/opt/bad'}
        good = {'/usr/lib/libcuda.so.1': LIBRARY}
        for content, why in ((b'', 'the file is empty'), ('text', 'it is not an ELF file'),
                             (truncated, 'the file'), (UNREADABLE, 'Permission denied'),
                             (WRONG, 'it is built for')):
            machine = {**good, '/opt/bad/libcuda.so.1': content}
            with self.subTest(why=why):
                self.shadowed(machine, {**UNFIT, **path},
                              'LD_LIBRARY_PATH leads to /opt/bad/libcuda.so.1: ' + why,
                              '; there is also /usr/lib/libcuda.so.1: ')
                self.assert_not_found('shadowed-driver', machine, {**READY, **path})
                self.assert_not_found('shadowed-driver', machine, UNFIT)
        self.assert_not_found('shadowed-driver', {'/opt/bad/libcuda.so.1': b''}, {**UNFIT, **path})

    def test_advice_names_the_driver_and_what_shadows_it(self):
        machine = {'/opt/bad/libcuda.so.1': b'', '/usr/lib/libcuda.so.1': LIBRARY}
        advice = self.look(machine, {**UNFIT, 'LD_LIBRARY_PATH': '/opt/bad'})[
            'shadowed-driver']['advice']
        self.assertIn('CUSHIM_LIBRARY=/usr/lib/libcuda.so.1 ', advice)
        self.assertIn('the folder of /opt/bad/libcuda.so.1 out of LD_LIBRARY_PATH', advice)

    def test_shadowed_driver_wherever_it_is(self):
        bad = {'/opt/bad/libcuda.so.1': b''}
        path = {'LD_LIBRARY_PATH': '/opt/bad:/opt/path'}
        conf = {**CONF, '/etc/ld.so.conf.d/nvidia.conf': '/opt/conf\n'}
        cache = {'/etc/ld.so.cache': b'glibc-ld.so.cache1.1\0/opt/cache/libcuda.so.1\0'}
        for good, others in (('/opt/path', {}), ('/opt/conf', conf), ('/opt/cache', cache),
                             ('/usr/lib64', {}), ('/usr/lib/wsl/lib', {}),
                             ('/run/opengl-driver/lib', {})):
            with self.subTest(good):
                self.shadowed({**bad, **others, good + '/libcuda.so.1': LIBRARY}, {**UNFIT, **path},
                              '; there is also %s/libcuda.so.1: ' % good)
                self.assert_not_found('shadowed-driver', {**bad, **others, '/opt/no/x.so': LIBRARY},
                                      {**UNFIT, **path})

    def test_what_shadows_a_driver_wherever_it_is(self):
        name = '/libcuda.so.1'
        good = {'/usr/lib/wsl/lib' + name: LIBRARY}
        conf = {**CONF, '/etc/ld.so.conf.d/a.conf': '/opt/conf\n',
                '/etc/ld.so.cache': b'/opt/other/libcuda.so.1\0/opt/conf/libcuda.so.1\0'}
        for bad, source, others in (('/opt/conf', '/etc/ld.so.conf.d/a.conf', conf),
                                    ('/opt/other', '/etc/ld.so.cache', conf),
                                    ('/usr/lib', 'the search', {})):
            with self.subTest(bad):
                self.shadowed({**good, **others, bad + name: b''}, UNFIT,
                              '%s leads to %s%s: the file is empty' % (source, bad, name))
        # The dynamic linker does not reach this file.
        self.assert_not_found('shadowed-driver', {
            **good, **CONF, '/etc/ld.so.conf.d/a.conf': '/opt/conf\n', '/opt/conf' + name: b''},
            UNFIT)

    def test_file_that_the_linker_passes_over_is_not_what_shadows_a_driver(self):
        machine = {'/opt/a/libcuda.so.1': WRONG, '/opt/b/libcuda.so.1': b'',
                   '/opt/c/libcuda.so.1': LIBRARY}
        self.shadowed(machine, {**UNFIT, 'LD_LIBRARY_PATH': '/opt/a:/opt/b:/opt/c'},
                      'LD_LIBRARY_PATH leads to /opt/b/libcuda.so.1: the file is empty')

    def test_names_of_one_file_are_not_two_drivers(self):
        machine = {'/opt/bad/libcuda.so.1': LIBRARY,
                   '/usr/lib/libcuda.so.1': LinkTo('../../opt/bad/libcuda.so.1')}
        self.assert_not_found('shadowed-driver', machine, {**UNFIT, 'LD_LIBRARY_PATH': '/opt/bad'})

    def test_driver_that_fails_shadows_one_that_works(self):
        machine = {'/opt/a/libcuda.so.1': LIBRARY, '/opt/b/libcuda.so.1': LIBRARY}
        about = {**NO_GPU, 'LD_LIBRARY_PATH': '/opt/a:/opt/b', 'library': '/opt/a/libcuda.so.1'}
        self.shadowed(machine, about, 'LD_LIBRARY_PATH leads to /opt/a/libcuda.so.1;')
        self.assert_not_found('shadowed-driver', machine, {**about, 'FAKE_INIT': '100'})
        self.assert_found('shadowed-driver', machine, {**about, **UNFIT, 'FAKE_INIT': '100'},
                          'cuInit returned 100')

    def test_nixos(self):
        nixos = {'/etc/NIXOS': ''}
        self.assert_found('nixos-without-driver', nixos, ABSENT, '/run/opengl-driver/lib')
        self.assert_not_found('nixos-without-driver', {}, ABSENT)
        self.assert_not_found('nixos-without-driver',
                              {**nixos, '/run/opengl-driver/lib/libcuda.so.1': LIBRARY}, ABSENT)


if __name__ == '__main__':
    unittest.main()
