#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Diagnostics of the kernel module, its devices, containers and WSL, on machines with and without
the cause.
"""

import os
import unittest

from machine import (ABSENT, AUDIO, BRIDGE, COMPAT, DEVICE, DEVICES, DOCKER, GPU, HEALTHY, INTEL,
                     LENT, LIBRARY, MISMATCH, MODULE, NO_GPU, OPEN_MODULE, OWN, READY, REFUSED,
                     WSL_2, DiagnosticTest, LinkTo, bound, driver, information)


class Kernel(DiagnosticTest):

    def test_no_gpu(self):
        for about in ABSENT, NO_GPU, {**NO_GPU, 'origin': 'environment'}:
            self.assert_found('no-gpu', {**BRIDGE, **AUDIO, **INTEL}, about, '/sys/bus/pci/devices')
        self.assert_not_found('no-gpu', {**BRIDGE, **GPU}, NO_GPU)
        self.assert_not_found('no-gpu', {**BRIDGE, **MODULE, **information(0)}, NO_GPU)
        self.assert_not_found('no-gpu', {**BRIDGE, **MODULE}, MISMATCH)
        self.assert_not_found('no-gpu', {}, NO_GPU)
        self.assert_not_found('no-gpu', {**BRIDGE, '/etc/nv_tegra_release': ''}, NO_GPU)

    def test_passed_through(self):
        self.assert_found('gpu-passed-through', bound('vfio-pci'), NO_GPU, 'vfio-pci')
        self.assert_not_found('gpu-passed-through', bound('nvidia'), NO_GPU)
        self.assert_not_found('gpu-passed-through', {
            **bound('vfio-pci'), '/sys/bus/pci/devices/0000:02:00.0/vendor': '0x10de\n',
            '/sys/bus/pci/devices/0000:02:00.0/class': '0x030000\n'}, NO_GPU)

    def test_nouveau(self):
        self.assert_found('nouveau', bound('nouveau'), ABSENT, '1 GPU')
        self.assert_not_found('nouveau', bound('nvidia'), ABSENT)
        self.assert_not_found('nouveau', {**bound('nouveau'), **MODULE}, ABSENT)
        self.assert_not_found('module-missing', bound('nouveau'), NO_GPU)

    def test_module_missing(self):
        machine = {**GPU, '/sys/module/': ''}
        secure = '/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c'
        self.assert_found('module-missing', machine, NO_GPU, '/sys/module/nvidia')
        for value, is_reported in (b'\6\0\0\0\1', True), (b'\6\0\0\0\0', False):
            diagnostics = self.look({**machine, secure: value}, NO_GPU)
            evidence = diagnostics['module-missing']['evidence']
            self.assertEqual('Secure Boot' in evidence, is_reported)
        self.assert_not_found('module-missing', {**machine, **MODULE}, NO_GPU)
        self.assert_not_found('module-missing', {**machine, **OPEN_MODULE}, NO_GPU)
        self.assert_not_found('module-missing', GPU, NO_GPU)
        self.assert_not_found('module-missing', bound('vfio-pci'), NO_GPU)
        self.assert_not_found('module-missing', {'/sys/module/': '', '/dev/nvmap': DEVICE}, NO_GPU)
        self.assert_not_found('module-missing', {**BRIDGE, '/sys/module/': ''}, NO_GPU)

    def test_module_release(self):
        about = {**MISMATCH, 'library': OWN}
        newer = driver('535.183.01')
        self.assert_found('module-release', {**HEALTHY, **newer}, about, 'module is 535.129.03',
                          'libcuda.so.535.183.01')
        self.assert_found('module-release', {**OPEN_MODULE, **newer}, about, 'module is 550.54.14')
        self.assert_not_found('module-release', {**OPEN_MODULE, **driver('550.54.14')}, about)
        self.assert_not_found('module-release', {**HEALTHY, **driver('535.129.03')}, about)
        self.assert_not_found('module-release', newer, about)
        self.assert_not_found('module-release', {**HEALTHY, about['library']: LIBRARY}, about)
        self.assert_not_found('module-release', {**HEALTHY, **newer}, {**about, **READY})

    def test_compat_library(self):
        folder = '/usr/local/cuda/compat'
        machine = {**HEALTHY, **driver('580.65.06', folder)}
        library = {'library': folder + '/libcuda.so.1'}
        for about in MISMATCH, COMPAT:
            self.assert_found('compat-library', machine, {**about, **library},
                              folder + '/libcuda.so.580.65.06', 'module 535.129.03')
        self.assert_not_found('compat-library', machine, {**NO_GPU, **library})
        self.assert_not_found('module-release', machine, {**COMPAT, **library})
        # The folder may occur only in the link's path, or only in the file's path.
        name = '/libcuda.so.580.65.06'
        for link, file in (folder + '/libcuda.so.1', '/opt' + name), ('/opt/link', folder + name):
            machine = {**HEALTHY, file: LIBRARY,
                       link: LinkTo(os.path.relpath(file, os.path.dirname(link)))}
            self.assert_found('compat-library', machine, {**MISMATCH, 'library': link})
            self.assert_not_found('module-release', machine, {**MISMATCH, 'library': link})
        self.assert_not_found('compat-library', {**HEALTHY, **driver('580.65.06')},
                              {**MISMATCH, 'library': OWN})

    def test_device_file_missing(self):
        for path in DEVICES:
            machine = dict(HEALTHY)
            del machine[path]
            self.assert_found('device-file-missing', machine, NO_GPU,
                              path.replace('nvidia0', 'nvidia[0-9]*'))
            # A container runtime leaves an empty file where it has mounted a device.
            self.assert_found('device-file-missing', {**machine, path: ''}, NO_GPU)
        self.assert_not_found('device-file-missing', HEALTHY, NO_GPU)
        self.assert_not_found('device-file-missing', GPU, NO_GPU)
        self.assert_not_found('device-file-missing', {**MODULE, '/dev/nvmap': DEVICE}, NO_GPU)

    def test_device_file_refused(self):
        for path in '/dev/nvidiactl', '/dev/nvidia0':
            self.assert_found('device-file-refused', {**HEALTHY, path: REFUSED}, NO_GPU,
                              path + ': ')
        self.assert_found('device-file-refused', {**WSL_2, '/dev/dxg': REFUSED}, NO_GPU,
                          '/dev/dxg: ')
        self.assert_not_found('device-file-refused', HEALTHY, NO_GPU)
        # The empty file is not writable either, which means nothing.
        self.assert_not_found('device-file-refused',
                              {**HEALTHY, '/dev/nvidia0': '', '/dev/other': REFUSED}, NO_GPU)

    def test_cuda_visible_devices(self):
        name = 'cuda-visible-devices'
        for value in '', ' ', '-1', '-1,0', 'NoDevFiles', 'all', '"0"', 'MIG-8932f937':
            self.assert_found(name, HEALTHY, {**NO_GPU, 'CUDA_VISIBLE_DEVICES': value}, value)
        for value in '0', '0,-1', ' 0', 'GPU-8932f937', '7':
            self.assert_not_found(name, HEALTHY, {**NO_GPU, 'CUDA_VISIBLE_DEVICES': value})
        self.assert_not_found(name, HEALTHY, NO_GPU)
        self.assert_not_found(name, HEALTHY, {**MISMATCH, 'CUDA_VISIBLE_DEVICES': ''})

    def test_cuda_visible_devices_counts(self):
        two = {'/proc/driver/nvidia/gpus/0000:%d:00.0/' % bus: '' for bus in (1, 2)}
        about = {**NO_GPU, 'CUDA_VISIBLE_DEVICES': '2,0'}
        self.assert_found('cuda-visible-devices', two, about, 'has 2 GPUs')
        self.assert_not_found('cuda-visible-devices', two, {**about, 'CUDA_VISIBLE_DEVICES': '1,2'})
        self.assert_not_found('cuda-visible-devices', {
            **two, '/proc/driver/nvidia/capabilities/gpu0/mig/gi1/access': ''}, about)


class Container(DiagnosticTest):

    def test_without_driver(self):
        for sign, evidence in ((DOCKER, '/.dockerenv'),
                               ({'/run/.containerenv': ''}, '/run/.containerenv'),
                               ({'/.singularity.d/': ''}, '/.singularity.d'),
                               ({'/proc/1/cgroup': '0::/kubepods/besteffort/pod1\n'}, 'cgroup')):
            self.assert_found('container-without-driver', sign, ABSENT, evidence)
        for variable in 'container', 'KUBERNETES_SERVICE_HOST':
            self.assert_found('container-without-driver', {}, {**ABSENT, variable: 'x'}, variable)
        self.assert_not_found('container-without-driver', {'/proc/1/cgroup': '0::/init.scope\n'},
                              ABSENT)
        self.assert_not_found('container-without-driver', {**DOCKER, **BRIDGE}, ABSENT)
        self.assert_not_found('container-without-driver', {**DOCKER, **HEALTHY}, ABSENT)
        # A device file that a driver library has created itself does not make the driver work.
        self.assert_found('container-without-driver', {**DOCKER, '/dev/nvidiactl': DEVICE}, ABSENT)

    def test_without_compute(self):
        machine = {**DOCKER, **HEALTHY}
        name = 'container-without-compute'
        self.assert_found(name, machine, {**ABSENT, 'NVIDIA_DRIVER_CAPABILITIES': 'utility,video'},
                          'NVIDIA_DRIVER_CAPABILITIES=utility,video')
        self.assert_found(name, machine, ABSENT, '/dev/nvidiactl')
        for asked in 'compute,utility', 'all':
            diagnostics = self.look(machine, {**ABSENT, 'NVIDIA_DRIVER_CAPABILITIES': asked})
            self.assertNotIn('CAPABILITIES', diagnostics[name]['evidence'])
        self.assert_not_found(name, HEALTHY, ABSENT)
        self.assert_not_found(name, DOCKER, ABSENT)

    def test_hides_gpus(self):
        about = {**NO_GPU, 'NVIDIA_VISIBLE_DEVICES': 'none'}
        self.assert_found('container-hides-gpus', DOCKER, about, 'NVIDIA_VISIBLE_DEVICES=none')
        self.assert_found('container-hides-gpus', DOCKER,
                          {**ABSENT, 'NVIDIA_VISIBLE_DEVICES': 'void'})
        self.assert_not_found('container-hides-gpus', {}, about)
        self.assert_not_found('container-hides-gpus', {**DOCKER, **HEALTHY}, about)
        self.assert_not_found('container-hides-gpus', DOCKER,
                              {**about, 'NVIDIA_VISIBLE_DEVICES': 'all'})


class Wsl(DiagnosticTest):

    def test_first_version(self):
        first = {'/proc/sys/kernel/osrelease': '4.4.0-19041-Microsoft\n'}
        self.assert_found('wsl-1', first, ABSENT, 'osrelease')
        self.assert_not_found('wsl-1', WSL_2, ABSENT)
        self.assert_not_found('wsl-1', {'/proc/sys/kernel/osrelease': '6.1.0-18-amd64\n'}, ABSENT)

    def test_without_driver(self):
        self.assert_found('wsl-without-driver', WSL_2, ABSENT, '/usr/lib/wsl/lib/libcuda.so.1')
        self.assert_not_found('wsl-without-driver', {**WSL_2, **LENT}, ABSENT)
        self.assert_not_found('wsl-without-driver', {**WSL_2, **DOCKER}, ABSENT)
        self.assert_not_found('wsl-without-driver', {}, ABSENT)

    def test_without_device(self):
        self.assert_found('wsl-without-device', {**WSL_2, **LENT}, NO_GPU, '/dev/dxg')
        self.assert_not_found('wsl-without-device', {**WSL_2, **LENT, '/dev/dxg': DEVICE}, NO_GPU)
        self.assert_not_found('wsl-without-device', {}, NO_GPU)

    def test_linux_driver(self):
        own = OWN
        machine = {**WSL_2, **LENT, **driver('535.129.03')}
        self.assert_found('wsl-linux-driver', machine, {**NO_GPU, 'library': own}, own[:-1])
        self.assert_not_found('wsl-linux-driver', machine,
                              {**NO_GPU, 'library': '/usr/lib/wsl/lib/libcuda.so.1'})
        self.assert_not_found('wsl-linux-driver', machine, NO_GPU)
        self.assert_not_found('wsl-linux-driver', {**WSL_2, **driver('535.129.03')},
                              {**NO_GPU, 'library': own})
        self.assert_not_found('wsl-linux-driver', {**LENT, **driver('535.129.03')},
                              {**NO_GPU, 'library': own})

    def test_has_no_kernel_module_to_miss(self):
        for name in 'module-missing', 'no-gpu', 'device-file-missing':
            self.assert_not_found(name, {**WSL_2, **LENT, **BRIDGE, '/sys/module/': ''}, NO_GPU)


if __name__ == '__main__':
    unittest.main()
