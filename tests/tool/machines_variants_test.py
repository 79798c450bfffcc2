#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Further machines: kinds of machines_test.py that have two causes, or look like another kind."""

import errno
import unittest

from machine import (ABSENT, ADA, APPTAINER, BRIDGE, COMPAT, CONF, DEVICE, DEVICES, DOCKER,
                     DiagnosticTest, FLATPAK, INTEL, JETSON, LENT, LIBRARY, LinkTo, MISMATCH,
                     NOBODYS, NO_GPU, NVMAP, NVSWITCHES, OWN, PASCAL, READY, REFUSED, STUB, STUBS,
                     SYSTEM, UNOPENED, UUID, WRONG, WSL_2, Machine, bound, cache, computer, conf,
                     driver, information, init_failed, instances, loaded, module, pci, without)

PODMAN = {'/run/.containerenv': ''}
KUBERNETES = {'KUBERNETES_SERVICE_HOST': '10.0.0.1'}
OTHER_MODULES = {'/sys/module/snd/x': ''}
SECURE_BOOT = {'/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c':
               b'\6\0\0\0\1'}
SUSPENDED = {'/sys/power/suspend_stats/success': '3\n'}
CLASSIC = {'/proc/self/attr/current': 'unconfined\n'}
HOOK = '/opt/vgpu/libvgpu.so'

# As for assert_machines().
MACHINES = {
    'an image for another processor': (
        {**computer('550.54.15'), **DOCKER, OWN: WRONG}, ABSENT,
        ['wrong-architecture', 'container-without-compute'], ['the image', OWN], ['CAPABILITIES']),
    'a 32-bit folder that the linker passes over': (
        {**computer('470.57.02'), '/usr/lib/i386/libcuda.so.1': WRONG},
        {**ABSENT, 'LD_LIBRARY_PATH': '/usr/lib/i386'}, ['wrong-architecture', 'library-missing'],
        ['/usr/lib/i386/libcuda.so.1', 'architecture'], []),
    'a preloaded library fails': (
        {**computer('550.54.15'), **driver('550.54.15')},
        {**loaded(init_failed(999), OWN), 'INIT_OF': HOOK}, ['interposed-driver'],
        [HOOK, 'LD_PRELOAD'], ['dmesg']),
    'a preloaded library, and no GPU is visible': (
        {**computer('550.54.15'), **driver('550.54.15')},
        {**loaded(NO_GPU, OWN), 'INIT_OF': HOOK, 'CUDA_VISIBLE_DEVICES': '-1'},
        ['cuda-visible-devices', 'interposed-driver'], ['Unset CUDA_VISIBLE_DEVICES'], []),
    'suspended, but a file has the number of no kernel driver': (
        {**computer('550.54.15'), **SUSPENDED, **driver('550.54.15'), '/dev/nvidia-uvm': NOBODYS},
        loaded(init_failed(999), OWN), ['device-file-refused'], ['/proc/devices'], ['suspend']),
    'suspended, but updated without a reboot': (
        {**computer('535.129.03'), **SUSPENDED, **driver('535.183.01')},
        loaded(init_failed(999), OWN), ['module-release'], ['Reboot'], ['suspend']),
    'suspended, with a stub in LD_LIBRARY_PATH that is not loaded': (
        {**computer('550.54.15'), **SUSPENDED, **driver('550.54.15'),
         STUBS + '/libcuda.so': LIBRARY},
        {**loaded(init_failed(999), OWN), 'LD_LIBRARY_PATH': STUBS},
        ['stub-folder', 'gpu-after-suspend'], ['rmmod nvidia_uvm'], ['stub']),
    'Podman without its GPUs': ({**pci(ADA), **PODMAN}, ABSENT, ['container-without-driver'],
                                ['podman run --device nvidia.com/gpu=all'], []),
    'a pod without a GPU, on a node that has some': (
        pci(ADA), {**ABSENT, **KUBERNETES}, ['container-without-driver'],
        ['nvidia.com/gpu', '$KUBERNETES_SERVICE_HOST'], []),
    'a pod on a node without a GPU': ({**BRIDGE, **INTEL}, {**ABSENT, **KUBERNETES}, ['no-gpu'],
                                      ['machine that has an NVIDIA GPU'], ['Toolkit']),
    'a container that was ordered to have none': (
        {**pci(ADA), **DOCKER}, {**ABSENT, 'NVIDIA_VISIBLE_DEVICES': 'void'},
        ['container-hides-gpus', 'container-without-driver'],
        ['NVIDIA_VISIBLE_DEVICES=all', 'nvidia.com/gpu'], ['Install']),
    'device files by --device, without nvidia-uvm': (
        {**without(computer('550.54.15'), '/dev/nvidia-uvm'), **DOCKER, **driver('550.54.15')},
        loaded(init_failed(999), OWN), ['device-file-missing'], ['--gpus all', '/dev/nvidia-uvm'],
        []),
    'one GPU of two is kept for virtual machines': (
        {**pci(ADA, ADA), **OTHER_MODULES, **driver('550.54.15'),
         '/sys/bus/pci/devices/0000:01:00.0/driver': LinkTo('../../../drivers/vfio-pci'),
         '/sys/bus/pci/drivers/vfio-pci/x': ''}, loaded(NO_GPU, OWN), ['module-missing'],
        ['modprobe nvidia'], ['virtual machine']),
    'Secure Boot, and a module that is there': (
        {**pci(ADA), **OTHER_MODULES, **SECURE_BOOT, **driver('550.54.15'),
         '/proc/sys/kernel/osrelease': '6.8.0-50-generic\n',
         '/lib/modules/6.8.0-50-generic/modules.dep': 'updates/dkms/nvidia.ko:\n'},
        loaded(NO_GPU, OWN), ['module-missing'],
        ["distribution's signed package", 'mokutil', 'Secure Boot is on'], ['headers']),
    'Secure Boot, and no module for this kernel': (
        {**pci(ADA), **OTHER_MODULES, **SECURE_BOOT, **driver('550.54.15'),
         '/proc/sys/kernel/osrelease': '6.8.0-51-generic\n',
         '/lib/modules/6.8.0-51-generic/modules.dep': 'kernel/snd.ko:\n'},
        loaded(NO_GPU, OWN), ['module-missing'], ['mokutil', 'headers'], []),
    'an older GPU beside a newer one, and the open module': (
        {**computer('575.57.08', True, ADA), **pci(PASCAL, ADA), **driver('575.57.08'),
         **information(0, 'GPU-????????-????')}, loaded(NO_GPU, OWN), ['gpu-not-started'],
        ['RmInitAdapter', 'open kernel module'], ['Install the proprietary']),
    'a GPU and no driver': ({**pci(ADA), **OTHER_MODULES}, ABSENT, ['driver-missing'],
                            ['Install the NVIDIA driver', 'on the PCI bus'], ['branch 580']),
    'an older GPU and no driver': ({**pci(PASCAL), **OTHER_MODULES}, ABSENT, ['driver-missing'],
                                   ['branch 580'], []),
    'NixOS without its driver': (
        {**pci(ADA), **OTHER_MODULES, '/etc/NIXOS': ''}, ABSENT, ['nixos-without-driver'],
        ['hardware.graphics'], []),
    'a link that an image has kept': (
        {**pci(ADA), **DOCKER, OWN: LinkTo('libcuda.so.535.54.03')}, ABSENT,
        ['container-without-driver', 'dangling-link'], ['--gpus all'], []),
    'WSL without a driver in Windows': (
        {**WSL_2, '/dev/dxg': DEVICE}, ABSENT, ['wsl-without-driver'],
        ['in Windows, not in Linux', '--shutdown'], []),
    'WSL with a driver of Linux': (
        {**WSL_2, **LENT, '/dev/dxg': DEVICE, **driver('535.129.03')}, loaded(NO_GPU, OWN),
        ['wsl-linux-driver', 'shadowed-driver'], ['/usr/lib/wsl/lib', '535.129.03'], []),
    'WSL without its device': ({**WSL_2, **LENT}, loaded(NO_GPU, '/usr/lib/wsl/lib/libcuda.so.1'),
                               ['wsl-without-device'], ['wsl --update'], []),
    'Debian without its alternative': (
        {**computer('550.54.15'), **driver('550.54.15', SYSTEM + '/nvidia/current')}, ABSENT,
        ['library-outside-search'], [SYSTEM + '/nvidia/current/libcuda.so.1'], ['Install']),
    'a snap that sees the library of its machine': (
        {**computer('550.54.15'), **driver('550.54.15', '/var/lib/snapd/hostfs' + SYSTEM)},
        {**ABSENT, 'SNAP': '/snap/app/1'}, ['library-outside-search'],
        ['/var/lib/snapd/hostfs', 'another root'], ['ld.so.conf']),
    'a snap that is not connected to the GPU': (
        {**computer('550.54.15'), **driver('550.54.15')},
        {**loaded(NO_GPU, OWN), 'SNAP': '/snap/app/1', 'DENY': str(errno.EPERM)},
        ['device-file-refused'], ['snap connect SNAP:opengl'], ['DeviceAllow']),
    'a Flatpak that may use no device': (
        {**without(computer('550.54.15'), '/dev/nvidiactl', '/dev/nvidia0', '/dev/nvidia-uvm'),
         **FLATPAK, **driver('550.54.15')}, loaded(NO_GPU, OWN), ['device-file-missing'],
        ['flatpak override --user --device=dri'], ['docker']),
    'a GPU that prime-select has switched off': (
        {**BRIDGE, **INTEL, **OTHER_MODULES, '/etc/prime-discrete': 'off\n'}, ABSENT,
        ['gpu-powered-off'], ['prime-select', '/etc/prime-discrete'], []),
    'a GPU that prime-select has not switched off': (
        {**pci(ADA), **OTHER_MODULES, '/etc/prime-discrete': 'on-demand\n'}, ABSENT,
        ['driver-missing'], [], ['prime-select']),
    'Podman under SELinux': (
        {**computer('550.54.15'), **PODMAN, **driver('550.54.15')},
        {**loaded(NO_GPU, OWN), 'DENY': str(errno.EACCES)}, ['device-file-refused'],
        ['ausearch -m AVC', 'label=disable', 'although its mode'], ['group']),
    'CUDA_VISIBLE_DEVICES is right, and a file is not': (
        {**computer('550.54.15'), '/dev/nvidia-uvm': NOBODYS},
        {**loaded(NO_GPU, OWN), 'CUDA_VISIBLE_DEVICES': '0'}, ['device-file-refused'],
        ['/dev/nvidia-uvm'], ['Unset']),
    'a container with NVSwitches, and no sign of Fabric Manager': (
        {**computer('580.95.05', True), **pci(ADA, *NVSWITCHES), **DOCKER},
        loaded(init_failed(802), OWN), ['fabric-manager-missing'],
        ['outside of it', '4 NVSwitches'], []),
    'a container on a machine with nouveau': (
        {**bound('nouveau'), **DOCKER}, ABSENT, ['nouveau', 'container-without-driver'],
        ['blacklist nouveau'], []),
    'an external GPU that was unplugged': (
        {**BRIDGE, **INTEL, **module('550.54.15'), **DEVICES, **driver('550.54.15')},
        loaded(NO_GPU, OWN), ['no-gpu'], ['is loaded, and has none'], []),
    'an empty library of a former release in an image': (
        {**computer('550.54.15'), **DOCKER, OWN: LinkTo('libcuda.so.535.54.03'),
         SYSTEM + '/libcuda.so.535.54.03': '', SYSTEM + '/libcuda.so.550.54.15': LIBRARY}, UNOPENED,
        ['link-missing'], ['libcuda.so.550.54.15', 'ldconfig'], ['einstall']),
    'cuda-compat in LD_LIBRARY_PATH, on a GeForce': (
        {**computer('535.183.01'), **driver('535.183.01'),
         **driver('550.54.15', '/usr/local/cuda-12.4/compat')},
        {**loaded(COMPAT, '/usr/local/cuda-12.4/compat/libcuda.so.1'),
         'LD_LIBRARY_PATH': '/usr/local/cuda-12.4/compat'}, ['compat-library', 'shadowed-driver'],
        ['LD_LIBRARY_PATH', '535.183.01'], ['eboot']),
    'the stub before the driver': (
        {**computer('550.54.15'), **driver('550.54.15'), STUBS + '/libcuda.so.1': LIBRARY},
        {**STUB, 'LD_LIBRARY_PATH': STUBS}, ['stub-folder'], [STUBS], ['Install the package']),
    'a library of no release, and an older module': (
        {**computer('470.57.02'), '/opt/x/libcuda.so.1': LIBRARY},
        {**loaded(MISMATCH, '/opt/x/libcuda.so.1'), 'origin': 'option'}, [], ['another release'],
        []),
    'a virtual GPU without a licence': (
        {**computer('550.54.15'), **information(0, model='NVIDIA A40-48Q')},
        loaded(init_failed(102), OWN), [], ['licen'], []),
    'MPS without its server': (computer('550.54.15'), loaded(init_failed(805), OWN), [], ['MPS'],
                               []),
    'Apptainer, and nvidia_uvm was never loaded': (
        {**without(computer('550.54.15'), '/dev/nvidia-uvm'), **APPTAINER,
         **driver('550.54.15', '/.singularity.d/libs')},
        loaded(init_failed(999), '/.singularity.d/libs/libcuda.so.1'), ['device-file-missing'],
        ['nvidia-modprobe -u -c=0'], []),
    'a Jetson under systemd, without its devices': (
        {**JETSON, **NVMAP}, {**loaded(NO_GPU, OWN), 'DENY': str(errno.EPERM)},
        ['device-file-refused'], ['/dev/nvmap', 'DeviceAllow'], []),
    'CUDA_VISIBLE_DEVICES names a GPU twice': (
        computer('550.54.15'),
        {**loaded(init_failed(101), OWN), 'CUDA_VISIBLE_DEVICES': '1, 0,10,0'},
        ['cuda-visible-devices'], ['names 0 twice', 'each once'], []),
    'CUDA_VISIBLE_DEVICES has a UUID and its beginning': (
        computer('550.54.15'),
        {**loaded(init_failed(101), OWN), 'CUDA_VISIBLE_DEVICES': 'GPU-0b9d,' + UUID},
        ['cuda-visible-devices'], ['names GPU-0b9d twice'], []),
    'CUDA_VISIBLE_DEVICES names no GPU twice': (
        computer('550.54.15'), {**loaded(init_failed(101), OWN), 'CUDA_VISIBLE_DEVICES': '0,10'},
        [], ['Look also'], []),
    'a link to the stub, and the cache has the driver by the other name of its folder': (
        {**computer('580.95.05'), **driver('580.95.05', '/usr/local/nvidia/lib64'),
         '/usr/local/nvidia/lib': LinkTo('lib64'), **conf(a='/usr/local/nvidia/lib'),
         **cache('/usr/local/nvidia/lib64'), STUBS + '/libcuda.so': 'a stub',
         '/opt/x/libcuda.so.1': LinkTo('../..' + STUBS + '/libcuda.so')},
        {**STUB, 'LD_LIBRARY_PATH': '/opt/x'}, ['stub-folder', 'shadowed-driver'],
        ['CUSHIM_LIBRARY=/usr/local/nvidia/lib/libcuda.so.1'], ['Run ldconfig']),
    'WSL, and no cause is known': (
        {**WSL_2, **LENT, '/dev/dxg': DEVICE},
        loaded(init_failed(999), '/usr/lib/wsl/lib/libcuda.so.1'), ['wsl-driver-fails'],
        ['wsl --shutdown', 'in Windows'], ['nvidia-uvm', 'Xid']),
    'a GPU that is lost': (
        {**computer('550.54.15'), '/sys/bus/pci/devices/0000:01:00.0/config': bytes([255] * 64)},
        loaded(init_failed(999), OWN), ['gpu-lost'], ['Xid 79', '0000:01:00.0'], ['suspend']),
    'a program of Nix on another distribution': (
        {**computer('550.54.15'), **driver('550.54.15'), '/nix/store/x': ''}, ABSENT,
        ['library-outside-search'], ['nixGL', 'CUSHIM_LIBRARY=/'], ['ld.so.conf']),
    'a library that is older than the module': (
        {**computer('550.54.15'), **driver('535.129.03')}, loaded(MISMATCH, OWN),
        ['module-release'], ['packages of both'], []),
    'a job of Slurm that has one GPU of two, and the number of the machine': (
        {**computer('550.54.15'), '/dev/nvidia0': REFUSED, '/dev/nvidia1': DEVICE,
         **information(1)}, {**loaded(NO_GPU, OWN), 'CUDA_VISIBLE_DEVICES': '1'},
        ['cuda-visible-devices'], ['(/dev/nvidia1), so the only number is 0'], []),
    'a job of Slurm without a GPU': (
        computer('550.54.15'), {**loaded(NO_GPU, OWN), 'DENY': str(errno.EPERM),
                                'SLURM_JOB_ID': '1'},
        ['device-file-refused'], ['--gres=gpu:1'], ['systemd']),
    'LXC, whose control group refuses the devices': (
        computer('550.54.15'), {**loaded(NO_GPU, OWN), 'DENY': str(errno.EPERM),
                                'container': 'lxc'},
        ['device-file-refused'], ['lxc.cgroup2.devices.allow'], ['systemd']),
    'two installations of the driver': (
        {**computer('550.54.15'), **driver('550.54.15'), **driver('535.54.03', '/usr/lib64')},
        loaded(MISMATCH, '/usr/lib64/libcuda.so.1'), ['module-release'],
        ['move /usr/lib64/libcuda.so.535.54.03 out'], ['eboot', 'cuda-compat']),
    'memory of the GPU has lost data': (
        computer('550.54.15'), loaded(init_failed(214), OWN), [], ['-d ECC'], ['No cause']),
    'cuda-compat in a folder of any name, and no other library': (
        {**computer('535.183.01'), **driver('580.65.06', '/opt/files'),
         '/opt/files/libnvidia-ptxjitcompiler.so.580.65.06': LIBRARY},
        {**loaded(COMPAT, '/opt/files/libcuda.so.1'), 'LD_LIBRARY_PATH': '/opt/files'},
        ['compat-library'], ['env -u LD_LIBRARY_PATH'], ['eboot']),
    'a whole driver in a folder of its own, updated': (
        {**computer('570.86.15'), **driver('580.65.06', '/opt/driver'),
         '/opt/driver/libnvidia-ptxjitcompiler.so.580.65.06': LIBRARY,
         '/opt/driver/libnvidia-ml.so.580.65.06': LIBRARY},
        loaded(MISMATCH, '/opt/driver/libcuda.so.1'), ['module-release'], ['Reboot'], []),
    'systemd-nspawn': (computer('570.86.15'), {**ABSENT, 'container': 'systemd-nspawn'},
                       ['container-without-compute'], ['systemd-nspawn mount'], ['docker']),
    'a node with Container-Optimized OS': (
        {**computer('550.90.07'), **driver('550.90.07', '/var/lib/nvidia/lib64')}, ABSENT,
        ['library-outside-search'], ['/var/lib/nvidia/lib64/libcuda.so.1'], ['package']),
    'a terminal in a classic snap': (
        {**computer('570.86.15'), **CLASSIC}, {**ABSENT, 'SNAP': '/snap/editor/1'},
        ['library-missing'], ['libcuda1', 'nvidia-utils'], ['snap connect']),
    'a folder in the place of the library': (
        {**computer('550.54.15'), **DOCKER, OWN + '/': ''},
        {'state': 'not-loadable', 'code': 303, 'outcome': 'not-loadable'},
        ['container-without-compute'], [OWN + ' is a folder'], ['einstall']),
    'an ordinary file in the place of a device': (
        {**computer('550.54.15'), **driver('550.54.15'), '/dev/nvidia-uvm': 'x'},
        loaded(init_failed(999), OWN), ['device-file-missing'],
        ['/dev/nvidia-uvm is no device file', 'Remove /dev/nvidia-uvm'], []),
    'a service that sees no devices': (
        {**without(computer('550.54.15'), *DEVICES), **driver('550.54.15'),
         '/proc/self/cgroup': '0::/system.slice/training.service\n'}, loaded(NO_GPU, OWN),
        ['device-file-missing'], ['PrivateDevices='], []),
    'vfio has the GPU, and the module is loaded': (
        {**bound('vfio-pci'), **module('550.54.15'), **driver('550.54.15')}, loaded(NO_GPU, OWN),
        ['gpu-passed-through'], ['vfio-pci'], []),
    'a Tegra with a GPU on its PCI bus, without nvidia_uvm': (
        {**JETSON, **NVMAP, **without(computer('570.86.15', True), '/dev/nvidia-uvm'),
         **driver('570.86.15')}, loaded(init_failed(999), OWN), ['device-file-missing'],
        ['nvidia-modprobe -u'], []),
    'CUSHIM_LIBRARY names a file that is gone': (
        {**computer('550.54.15'), **driver('550.54.15')}, {**ABSENT, 'origin': 'environment'}, [],
        ['unset CUSHIM_LIBRARY'], []),
    'a link to the stub from a folder of another name': (
        {**pci(ADA), '/opt/x/libcuda.so.1': LinkTo('../..' + STUBS + '/libcuda.so'),
         '/sys/module/snd/x': '', STUBS + '/libcuda.so': LIBRARY},
        {**STUB, 'LD_LIBRARY_PATH': '/opt/x'}, ['driver-missing', 'stub-folder'],
        ['LD_LIBRARY_PATH leads to /opt/x/libcuda.so.1'], []),
}

# Working machines that have something of a failing one: files, and other facts.
HEALTHY = {
    'a 32-bit folder first': ({'/usr/lib/i386/libcuda.so.1': WRONG},
                              {'LD_LIBRARY_PATH': '/usr/lib/i386'}),
    'after a suspend': (SUSPENDED, {}),
    'a preloaded library': ({}, {'INIT_OF': HOOK}),
    'CDI': ({**DOCKER}, {'NVIDIA_VISIBLE_DEVICES': 'void'}),
    'toolbox': ({'/run/.containerenv': '', '/run/.toolboxenv': ''}, {}),
    'LXC': ({}, {'container': 'lxc'}),
    'Secure Boot': (SECURE_BOOT, {}),
    'NVSwitches': ({**pci(ADA, *NVSWITCHES), '/run/nvidia-fabricmanager/x': ''}, {}),
    'an older library of a bundle': (driver('520.61.05', '/opt/wheel'), {}),
    'empty files of an image': ({**DOCKER, SYSTEM + '/libcuda.so.535.54.03': ''}, {}),
    'the number of its second GPU': ({**information(1), '/dev/nvidia1': DEVICE},
                                     {'CUDA_VISIBLE_DEVICES': '1'}),
    'an instance of MIG by its UUID': (
        {**instances(0, 12), '/dev/nvidia-caps/nvidia-cap12': DEVICE,
         '/dev/nvidia-caps/nvidia-cap13': DEVICE}, {'CUDA_VISIBLE_DEVICES': 'MIG-0b9d5ae5'}),
    'configured folders': (CONF, {}),
    'a terminal in a classic snap': (CLASSIC, {'SNAP': '/snap/editor/1'}),
    'a pod, by its control group': ({'/proc/1/cgroup': '0::/kubepods/cri-containerd-1\n'}, {}),
    'a Tegra with a GPU on its PCI bus': ({**JETSON, **NVMAP}, {}),
}

# What the first line of `info` says: files, variables and the expected text.
LINES = [
    ({}, {}, ''),
    ({'/run/systemd/system/': ''}, {}, 'the host, no container'),
    ({'/run/systemd/system/': '', '/run/systemd/container': 'podman\n'}, {},
     'a container (/run/systemd/container shows it)'),
    ({'/run/systemd/system/': '', **DOCKER}, {}, 'a container (/.dockerenv shows it)'),
    (FLATPAK, {}, 'a Flatpak (/.flatpak-info shows it)'),
    ({}, {'container': 'lxc'}, 'a container of LXC, Incus or systemd-nspawn ($container shows it)'),
    ({**WSL_2, '/run/systemd/system/': ''}, {}, 'no container, WSL 2'),
    ({**JETSON, **DOCKER}, {}, 'a container (/.dockerenv shows it), a Tegra'),
    ({**DOCKER, **module('535.129.03'), **driver('550.54.15')}, {},
     'a container (/.dockerenv shows it); kernel module 535.129.03; library 550.54.15'),
    (module('535.129.03'), {}, 'kernel module 535.129.03'),
]


class Machines(DiagnosticTest):

    def test_each_has_its_diagnostics_and_the_right_advice_first(self):
        self.assert_machines(MACHINES)

    def test_first_line_says_where_the_process_runs_and_the_releases(self):
        for paths, variables, words in LINES:
            machine = Machine(paths)
            machine.examine(**loaded(MISMATCH, OWN), **variables)
            with self.subTest(words):
                self.assertEqual(machine.line, words)
            machine.close()

    def test_machine_that_works_has_none(self):
        for name, (paths, variables) in HEALTHY.items():
            machine = Machine({**computer('550.54.15'), **driver('550.54.15'), **paths})
            with self.subTest(name):
                self.assertEqual(machine.examine(**READY, **variables, library=OWN), ({}, ''))
            machine.close()


if __name__ == '__main__':
    unittest.main()
