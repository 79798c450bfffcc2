#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traps on the way to the library, on a machine that has each and on the same one without it."""

import unittest

from machine import (ABSENT, CONF, LIBRARY, NO_GPU, READY, STUB, STUBS, LinkTo, TrapTest, driver)


class Search(TrapTest):

    def test_stub_folder_in_the_variable(self):
        path = {'LD_LIBRARY_PATH': '/usr/lib:' + STUBS + '/'}
        stub = {STUBS + '/libcuda.so': LIBRARY}
        for about in ABSENT, STUB, READY, NO_GPU:
            self.assert_seen('stub-folder', stub, {**about, **path},
                             'LD_LIBRARY_PATH leads to ' + STUBS)
        self.assert_not_seen('stub-folder', stub, STUB)
        self.assert_not_seen('stub-folder', {}, {**STUB, **path})
        # It was not by a search that this library came.
        self.assert_not_seen('stub-folder', stub, {**STUB, **path, 'origin': 'option'})
        self.assert_not_seen('stub-folder', {'/opt/stubs-of-mine/libcuda.so': LIBRARY},
                             {**READY, 'LD_LIBRARY_PATH': '/opt/stubs-of-mine'})

    def test_stub_folder_in_the_configuration(self):
        stub = {**CONF, STUBS + '/libcuda.so.1': LinkTo('libcuda.so'),
                STUBS + '/libcuda.so': LIBRARY}
        cuda, other = '/etc/ld.so.conf.d/cuda.conf', '/etc/ld.so.conf.d/other.conf'
        machine = {**stub, other: '/opt/lib\n', cuda: '\n%s # CUDA\n' % STUBS}
        self.assert_seen('stub-folder', machine, STUB,
                         '%s leads to %s/libcuda.so.1' % (cuda, STUBS))
        self.assert_not_seen('stub-folder', {**stub, cuda: '# %s\n/opt/lib\n' % STUBS}, STUB)

    def test_configuration_that_includes_itself_ends(self):
        self.assert_not_seen('stub-folder', {'/etc/ld.so.conf': 'include /etc/ld.so.conf /etc/x\n'},
                             STUB)
        self.assert_seen('stub-folder',
                         {'/etc/ld.so.conf': 'include /etc/ld.so.conf /etc/x\n', '/etc/x': STUBS,
                          STUBS + '/libcuda.so': LIBRARY}, STUB, '/etc/x leads to')

    def test_stub_folder_in_the_cache(self):
        cache = b'glibc-ld.so.cache1.1\0libcuda.so.1\0%s\0libz.so\0'
        stub = STUBS.encode() + b'/libcuda.so.1'
        self.assert_seen('stub-folder', {'/etc/ld.so.cache': cache % stub}, STUB,
                         '/etc/ld.so.cache leads to ' + STUBS + '/libcuda.so.1')
        self.assert_not_seen('stub-folder', {'/etc/ld.so.cache': cache % (stub + b'0')}, STUB)
        self.assert_not_seen('stub-folder', {'/etc/ld.so.cache': b''}, STUB)

    def test_link_name_only(self):
        link = {'/usr/lib/x86_64-linux-gnu/libcuda.so': LIBRARY, '/usr/lib/libcuda.so': LIBRARY}
        self.assert_seen('link-name-only', link, ABSENT, '/libcuda.so')
        self.assert_not_seen('link-name-only', link, STUB)
        self.assert_not_seen('link-name-only', {**link, '/usr/lib/libcuda.so.1': LIBRARY}, ABSENT)
        self.assert_not_seen('link-name-only', {STUBS + '/libcuda.so': LIBRARY},
                             {**ABSENT, 'LD_LIBRARY_PATH': STUBS})

    def test_dangling_link(self):
        link = {'/usr/lib/libcuda.so.1': LinkTo('libcuda.so.535.129.03')}
        self.assert_seen('dangling-link', link, ABSENT, '/usr/lib/libcuda.so.1')
        self.assert_not_seen('dangling-link', {**link, '/usr/lib/libcuda.so.535.129.03': LIBRARY},
                             ABSENT)

    def test_stale_cache(self):
        machine = {**CONF, '/etc/ld.so.conf.d/nvidia.conf': '/opt/nvidia\n',
                   '/opt/nvidia/libcuda.so.1': LIBRARY, '/etc/ld.so.cache': b'/opt/x.so\0'}
        self.assert_seen('stale-cache', machine, ABSENT, '/etc/ld.so.conf.d/nvidia.conf names',
                         '/opt/nvidia/libcuda.so.1')
        self.assert_not_seen('stale-cache', {
            **machine, '/etc/ld.so.cache': b'libcuda.so.1\0/opt/nvidia/libcuda.so.1\0'}, ABSENT)
        self.assert_not_seen('stale-cache', {**machine, '/opt/nvidia/libcuda.so.1': 'text'}, ABSENT)
        # Folders of the variable are not in the cache.
        self.assert_not_seen('stale-cache', {'/opt/nvidia/libcuda.so.1': LIBRARY},
                             {**ABSENT, 'LD_LIBRARY_PATH': '/opt/nvidia'})
        self.assert_not_seen('library-outside-search', machine, ABSENT)

    def test_library_outside_search(self):
        library = '/usr/local/nvidia/lib64/libcuda.so.1'
        self.assert_seen('library-outside-search', {library: LIBRARY}, ABSENT, library)
        self.assert_not_seen('library-outside-search', {library: 'no library'}, ABSENT)
        self.assert_not_seen('library-outside-search', {library: LIBRARY}, NO_GPU)

    def test_wrong_architecture(self):
        about = {'state': 'not-loadable', 'outcome': 'wrong-architecture'}
        self.assert_seen('wrong-architecture', {}, about, 'libcuda.so.1: what was found')
        self.assert_not_seen('wrong-architecture', {}, {**about, 'outcome': 'truncated'})

    def test_nixos(self):
        nixos = {'/etc/NIXOS': ''}
        self.assert_seen('nixos-without-driver', nixos, ABSENT, '/run/opengl-driver/lib')
        self.assert_not_seen('nixos-without-driver', {}, ABSENT)
        self.assert_not_seen('nixos-without-driver',
                             {**nixos, '/run/opengl-driver/lib/libcuda.so.1': LIBRARY}, ABSENT)


if __name__ == '__main__':
    unittest.main()
