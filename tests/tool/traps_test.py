#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each trap of `cushim info`: on a machine that has it, and on the same one without it."""

import os
import re
import unittest

from harness import DONE, NO_DEVICE, ToolTest
from machine import DEVICE, LIBRARY, REFUSED, LinkTo, Machine

ABSENT = {'state': 'not-found'}
STUB = {'state': 'stub', 'code': 34, 'outcome': 'stub'}
READY = {'state': 'ready', 'outcome': 'loaded'}
NO_GPU = {'state': 'no-device', 'code': 100, 'outcome': 'loaded'}
MISMATCH = {'state': 'kernel-mismatch', 'code': 803, 'outcome': 'loaded'}
COMPAT = {'state': 'init-failed', 'code': 804, 'outcome': 'loaded'}

GPU = {'/sys/bus/pci/devices/0000:01:00.0/vendor': '0x10de\n',
       '/sys/bus/pci/devices/0000:01:00.0/class': '0x030200\n'}
BRIDGE = {'/sys/bus/pci/devices/0000:00:00.0/vendor': '0x8086\n',
          '/sys/bus/pci/devices/0000:00:00.0/class': '0x060000\n'}
# The audio function of a card is NVIDIA's too.
AUDIO = {'/sys/bus/pci/devices/0000:01:00.1/vendor': '0x10de\n',
         '/sys/bus/pci/devices/0000:01:00.1/class': '0x040300\n'}
MODULE = {'/sys/module/nvidia/version': '535.129.03\n',
          '/proc/driver/nvidia/version':
              'NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 2023\n'
              'GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n'}
OPEN_MODULE = {'/proc/driver/nvidia/version':
               'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.14  Release\n'}
DEVICES = {'/dev/nvidiactl': DEVICE, '/dev/nvidia-uvm': DEVICE, '/dev/nvidia0': DEVICE}
HEALTHY = {**GPU, **BRIDGE, **MODULE, **DEVICES}
DOCKER = {'/.dockerenv': ''}
WSL_2 = {'/proc/sys/kernel/osrelease': '5.15.90.1-microsoft-standard-WSL2\n'}
LENT = {'/usr/lib/wsl/lib/libcuda.so.1': LIBRARY}
CONF = {'/etc/ld.so.conf': '# folders\ninclude ld.so.conf.d/*.conf\n'}
STUBS = '/usr/local/cuda/lib64/stubs'


def driver(release, folder='/usr/lib/x86_64-linux-gnu'):
    """The files of a driver's library."""
    return {'%s/libcuda.so.1' % folder: LinkTo('libcuda.so.' + release),
            '%s/libcuda.so.%s' % (folder, release): LIBRARY}


def bound(name):
    """The GPU with a kernel driver."""
    return {**GPU, '/sys/bus/pci/devices/0000:01:00.0/driver': LinkTo('../../../drivers/' + name),
            '/sys/bus/drivers/%s/' % name: '', '/sys/module/%s/' % name: ''}


class TrapTest(ToolTest):

    def look(self, paths, about):
        machine = Machine(paths)
        self.addCleanup(machine.close)
        return machine.traps(**about)

    def assert_seen(self, name, paths, about, *evidence):
        traps = self.look(paths, about)
        self.assertIn(name, traps)
        for words in evidence:
            self.assertIn(words, traps[name]['evidence'])

    def assert_not_seen(self, name, paths, about):
        self.assertNotIn(name, self.look(paths, about))


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


class Container(TrapTest):

    def test_without_driver(self):
        for sign, evidence in ((DOCKER, '/.dockerenv'),
                               ({'/run/.containerenv': ''}, '/run/.containerenv'),
                               ({'/.singularity.d/': ''}, '/.singularity.d'),
                               ({'/proc/1/cgroup': '0::/kubepods/besteffort/pod1\n'}, 'cgroup')):
            self.assert_seen('container-without-driver', sign, ABSENT, evidence)
        for variable in 'container', 'KUBERNETES_SERVICE_HOST':
            self.assert_seen('container-without-driver', {}, {**ABSENT, variable: 'x'}, variable)
        self.assert_not_seen('container-without-driver', {'/proc/1/cgroup': '0::/init.scope\n'},
                             ABSENT)
        self.assert_not_seen('container-without-driver', {**DOCKER, **BRIDGE}, ABSENT)
        self.assert_not_seen('container-without-driver', {**DOCKER, **HEALTHY}, ABSENT)
        # A node that a library of the driver has made for itself works no more than none.
        self.assert_seen('container-without-driver', {**DOCKER, '/dev/nvidiactl': DEVICE}, ABSENT)

    def test_without_compute(self):
        machine = {**DOCKER, **HEALTHY}
        name = 'container-without-compute'
        self.assert_seen(name, machine, {**ABSENT, 'NVIDIA_DRIVER_CAPABILITIES': 'utility,video'},
                         'NVIDIA_DRIVER_CAPABILITIES=utility,video')
        self.assert_seen(name, machine, ABSENT, '/dev/nvidiactl')
        traps = self.look(machine, {**ABSENT, 'NVIDIA_DRIVER_CAPABILITIES': 'compute,utility'})
        self.assertNotIn('CAPABILITIES', traps[name]['evidence'])
        self.assert_not_seen(name, HEALTHY, ABSENT)
        self.assert_not_seen(name, DOCKER, ABSENT)

    def test_hides_gpus(self):
        about = {**NO_GPU, 'NVIDIA_VISIBLE_DEVICES': 'none'}
        self.assert_seen('container-hides-gpus', DOCKER, about, 'NVIDIA_VISIBLE_DEVICES=none')
        self.assert_seen('container-hides-gpus', DOCKER,
                         {**ABSENT, 'NVIDIA_VISIBLE_DEVICES': 'void'})
        self.assert_not_seen('container-hides-gpus', {}, about)
        self.assert_not_seen('container-hides-gpus', DOCKER,
                             {**about, 'NVIDIA_VISIBLE_DEVICES': 'all'})


class Wsl(TrapTest):

    def test_first_version(self):
        first = {'/proc/sys/kernel/osrelease': '4.4.0-19041-Microsoft\n'}
        self.assert_seen('wsl-1', first, ABSENT, 'osrelease')
        self.assert_not_seen('wsl-1', WSL_2, ABSENT)
        self.assert_not_seen('wsl-1', {'/proc/sys/kernel/osrelease': '6.1.0-18-amd64\n'}, ABSENT)

    def test_without_driver(self):
        self.assert_seen('wsl-without-driver', WSL_2, ABSENT, '/usr/lib/wsl/lib/libcuda.so.1')
        self.assert_not_seen('wsl-without-driver', {**WSL_2, **LENT}, ABSENT)
        self.assert_not_seen('wsl-without-driver', {**WSL_2, **DOCKER}, ABSENT)
        self.assert_not_seen('wsl-without-driver', {}, ABSENT)

    def test_without_device(self):
        self.assert_seen('wsl-without-device', {**WSL_2, **LENT}, NO_GPU, '/dev/dxg')
        self.assert_not_seen('wsl-without-device', {**WSL_2, **LENT, '/dev/dxg': DEVICE}, NO_GPU)
        self.assert_not_seen('wsl-without-device', {}, NO_GPU)

    def test_linux_driver(self):
        own = '/usr/lib/x86_64-linux-gnu/libcuda.so.1'
        machine = {**WSL_2, **LENT, **driver('535.129.03')}
        self.assert_seen('wsl-linux-driver', machine, {**NO_GPU, 'library': own}, own[:-1])
        self.assert_not_seen('wsl-linux-driver', machine,
                             {**NO_GPU, 'library': '/usr/lib/wsl/lib/libcuda.so.1'})
        self.assert_not_seen('wsl-linux-driver', {**LENT, **driver('535.129.03')},
                             {**NO_GPU, 'library': own})

    def test_has_no_kernel_module_to_miss(self):
        for name in 'module-missing', 'no-gpu', 'device-file-missing':
            self.assert_not_seen(name, {**WSL_2, **LENT, **BRIDGE, '/sys/module/': ''}, NO_GPU)


class Kernel(TrapTest):

    def test_no_gpu(self):
        for about in ABSENT, NO_GPU, {**NO_GPU, 'origin': 'environment'}:
            self.assert_seen('no-gpu', {**BRIDGE, **AUDIO}, about, '/sys/bus/pci/devices')
        self.assert_not_seen('no-gpu', {**BRIDGE, **GPU}, NO_GPU)
        self.assert_not_seen('no-gpu', {}, NO_GPU)
        self.assert_not_seen('no-gpu', {**BRIDGE, '/etc/nv_tegra_release': ''}, NO_GPU)

    def test_passed_through(self):
        self.assert_seen('gpu-passed-through', bound('vfio-pci'), NO_GPU, 'vfio-pci')
        self.assert_not_seen('gpu-passed-through', bound('nvidia'), NO_GPU)
        self.assert_not_seen('gpu-passed-through', {
            **bound('vfio-pci'), '/sys/bus/pci/devices/0000:02:00.0/vendor': '0x10de\n',
            '/sys/bus/pci/devices/0000:02:00.0/class': '0x030000\n'}, NO_GPU)

    def test_nouveau(self):
        self.assert_seen('nouveau', bound('nouveau'), ABSENT, '1 GPU')
        self.assert_not_seen('nouveau', bound('nvidia'), ABSENT)
        self.assert_not_seen('module-missing', bound('nouveau'), NO_GPU)

    def test_module_missing(self):
        machine = {**GPU, '/sys/module/': ''}
        secure = '/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c'
        self.assert_seen('module-missing', machine, NO_GPU, '/sys/module/nvidia')
        for value, is_told in (b'\6\0\0\0\1', True), (b'\6\0\0\0\0', False):
            traps = self.look({**machine, secure: value}, NO_GPU)
            self.assertEqual('Secure Boot' in traps['module-missing']['evidence'], is_told)
        self.assert_not_seen('module-missing', {**machine, **MODULE}, NO_GPU)
        self.assert_not_seen('module-missing', {**machine, **OPEN_MODULE}, NO_GPU)
        self.assert_not_seen('module-missing', GPU, NO_GPU)
        self.assert_not_seen('module-missing', {**BRIDGE, '/sys/module/': ''}, NO_GPU)

    def test_module_release(self):
        about = {**MISMATCH, 'library': '/usr/lib/x86_64-linux-gnu/libcuda.so.1'}
        newer = driver('535.183.01')
        self.assert_seen('module-release', {**HEALTHY, **newer}, about, 'module is 535.129.03',
                         'libcuda.so.535.183.01')
        self.assert_seen('module-release', {**OPEN_MODULE, **newer}, about, 'module is 550.54.14')
        self.assert_not_seen('module-release', {**OPEN_MODULE, **driver('550.54.14')}, about)
        self.assert_not_seen('module-release', {**HEALTHY, **driver('535.129.03')}, about)
        self.assert_not_seen('module-release', newer, about)
        self.assert_not_seen('module-release', {**HEALTHY, **newer}, {**about, **READY})

    def test_compat_library(self):
        folder = '/usr/local/cuda/compat'
        machine = {**HEALTHY, **driver('580.65.06', folder)}
        library = {'library': folder + '/libcuda.so.1'}
        for about in MISMATCH, COMPAT:
            self.assert_seen('compat-library', machine, {**about, **library},
                             folder + '/libcuda.so.580.65.06', 'module 535.129.03')
        self.assert_not_seen('compat-library', machine, {**NO_GPU, **library})
        self.assert_not_seen('module-release', machine, {**COMPAT, **library})
        self.assert_not_seen('compat-library', {**HEALTHY, **driver('580.65.06')},
                             {**MISMATCH, 'library': '/usr/lib/x86_64-linux-gnu/libcuda.so.1'})

    def test_device_file_missing(self):
        for path in DEVICES:
            machine = dict(HEALTHY)
            del machine[path]
            self.assert_seen('device-file-missing', machine, NO_GPU,
                             path.replace('nvidia0', 'nvidia[0-9]*'))
            # A container's runtime leaves a file behind where it has laid a device over it.
            self.assert_seen('device-file-missing', {**machine, path: ''}, NO_GPU)
        self.assert_not_seen('device-file-missing', HEALTHY, NO_GPU)
        self.assert_not_seen('device-file-missing', GPU, NO_GPU)
        self.assert_not_seen('device-file-missing', {**MODULE, '/dev/nvmap': DEVICE}, NO_GPU)

    def test_device_file_refused(self):
        for path in '/dev/nvidiactl', '/dev/nvidia0':
            self.assert_seen('device-file-refused', {**HEALTHY, path: REFUSED}, NO_GPU, path + ': ')
        self.assert_seen('device-file-refused', {**WSL_2, '/dev/dxg': REFUSED}, NO_GPU,
                         '/dev/dxg: ')
        self.assert_not_seen('device-file-refused', HEALTHY, NO_GPU)
        self.assert_not_seen('device-file-refused', {**HEALTHY, '/dev/other': REFUSED}, NO_GPU)

    def test_cuda_visible_devices(self):
        name = 'cuda-visible-devices'
        for value in '', ' ', '-1', '-1,0', 'NoDevFiles', 'none':
            self.assert_seen(name, HEALTHY, {**NO_GPU, 'CUDA_VISIBLE_DEVICES': value}, value)
        for value in '0', '0,-1', ' 0', 'GPU-8932f937', 'MIG-8932f937', '7':
            self.assert_not_seen(name, HEALTHY, {**NO_GPU, 'CUDA_VISIBLE_DEVICES': value})
        self.assert_not_seen(name, HEALTHY, NO_GPU)
        self.assert_not_seen(name, HEALTHY, {**MISMATCH, 'CUDA_VISIBLE_DEVICES': ''})

    def test_cuda_visible_devices_counts(self):
        two = {'/proc/driver/nvidia/gpus/0000:%d:00.0/' % bus: '' for bus in (1, 2)}
        about = {**NO_GPU, 'CUDA_VISIBLE_DEVICES': '2,0'}
        self.assert_seen('cuda-visible-devices', two, about, 'has 2 GPUs')
        self.assert_not_seen('cuda-visible-devices', two, {**about, 'CUDA_VISIBLE_DEVICES': '1,2'})
        self.assert_not_seen('cuda-visible-devices', {
            **two, '/proc/driver/nvidia/capabilities/gpu0/mig/gi1/access': ''}, about)


class Whole(TrapTest):

    def test_healthy_machine_has_none(self):
        machine = {**HEALTHY, **driver('535.129.03'), **CONF}
        library = {'library': '/usr/lib/x86_64-linux-gnu/libcuda.so.1'}
        self.assertEqual(self.look(machine, {**READY, **library}), {})
        self.assertEqual(self.look({**machine, **DOCKER}, {**READY, **library}), {})
        self.assertEqual(self.look(machine, {**NO_GPU, **library}), {})

    def test_nothing_is_looked_for_where_nothing_was_tried(self):
        machine = {**BRIDGE, STUBS + '/libcuda.so': LIBRARY}
        for state in 'untried', 'disabled', 'forked':
            self.assertEqual(self.look(machine, {'state': state, 'LD_LIBRARY_PATH': STUBS}), {})

    def test_members(self):
        [trap] = self.look(BRIDGE, ABSENT).values()
        self.assertEqual(list(trap), ['name', 'message', 'evidence', 'advice'])
        self.assertTrue(all(trap.values()))

    def test_each_of_the_manual_is_tested_here(self):
        manual = self.run_command('help', 'info').out
        section = manual.partition('\nTRAPS\n')[2].partition('\n\n')[0]
        names = set(re.findall(r'^    (\S+)', section, re.MULTILINE))
        with open(os.path.abspath(__file__), encoding='utf-8') as file:
            source = file.read()
        self.assertGreater(len(names), 20)
        for name in names:
            self.assertIn("'%s'" % name, source)


class Command(ToolTest):

    def test_text(self):
        result = self.run_with(13000, 'info', FAKE_INIT=100, CUDA_VISIBLE_DEVICES='')
        self.assert_status(result, NO_DEVICE)
        self.assertIn('\n\ntrap        cuda-visible-devices: '
                      'CUDA_VISIBLE_DEVICES hides every GPU.\n'
                      'evidence    CUDA_VISIBLE_DEVICES is set and empty\nadvice      Unset it',
                      result.out)

    def test_json(self):
        result = self.run_with(13000, 'info', '--json', FAKE_INIT=100, CUDA_VISIBLE_DEVICES='-1')
        self.assert_status(result, NO_DEVICE)
        [trap] = [trap for trap in result.json()['traps'] if trap['name'] == 'cuda-visible-devices']
        self.assertEqual(trap['evidence'], 'CUDA_VISIBLE_DEVICES=-1')

    def test_driver_that_works_has_none(self):
        result = self.run_with(13000, 'info', '--json')
        self.assert_status(result, DONE)
        self.assertEqual(result.json()['traps'], [])


if __name__ == '__main__':
    unittest.main()
