#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Diagnostics of containers and of the Windows Subsystem for Linux, found and not found."""

import unittest

from machine import (ABSENT, BRIDGE, DEVICE, DOCKER, HEALTHY, LENT, NO_GPU, WSL_2, DiagnosticTest,
                     driver)


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
        # A node that a library of the driver has made for itself works no more than none.
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
        own = '/usr/lib/x86_64-linux-gnu/libcuda.so.1'
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
