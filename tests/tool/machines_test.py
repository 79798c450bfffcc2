#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Machines on which CUDA does not work: their diagnostics, and the first advice.

Each is a kind of machine that users ask about, laid out in a folder.
"""

import errno
import unittest

from machine import (ABSENT, ADA, APPTAINER, BLACKWELL, BRIDGE, COMPAT, DEVICE, DEVICES, DOCKER,
                     DiagnosticTest, FLATPAK, INTEL, JETSON, LENT, LIBRARY, LinkTo, MISMATCH,
                     NOBODYS, NO_GPU, NO_HMM, NVMAP, NVSWITCHES, OWN, PASCAL, READY, REFUSED, STUB,
                     STUBS, SYSTEM, TEGRA, UNOPENED, UNSTARTED, UUID, UVM, WRONG, WSL_2, Machine,
                     bound, cache, computer, conf, driver, information, init_failed, instances,
                     loaded, module, pci, without)

# As for assert_machines().
MACHINES = {
    '802 without an NVSwitch':
        (computer('535.129.03'), loaded(init_failed(802), OWN), [], ['Wait'],
         ['Start the service']),
    'GPU not started, open module': (
        {**computer('580.178.04', True, PASCAL),
         **information(0, UNSTARTED, 'NVIDIA GeForce GTX 1080')}, NO_GPU,
        ['gpu-not-started'], ['0000:01:00.0', 'RmInitAdapter', 'proprietary'], []),
    'GPU not started, proprietary module': (
        {**computer('570.86.10', False, BLACKWELL),
         **information(0, UNSTARTED, 'NVIDIA GeForce RTX 5090')}, NO_GPU,
        ['gpu-not-started'], ['open kernel module'], []),
    'Apptainer without --nv': ({**computer('575.57.08', True), **APPTAINER}, ABSENT,
                               ['container-without-compute'], ['exec --nv'], ['docker']),
    'Apptainer of an image of Docker': ({**computer('575.57.08'), **APPTAINER, **DOCKER}, ABSENT,
                                        ['container-without-compute'], ['exec --nv'], ['docker']),
    'a bundle brings a library along': (
        {**computer('535.183.01'), '/opt/bundle/libcuda.so.1': LIBRARY, **driver('535.183.01')},
        {**loaded(MISMATCH, '/opt/bundle/libcuda.so.1'), 'LD_LIBRARY_PATH': '/opt/bundle'},
        ['shadowed-driver', 'module-release'], ['/opt/bundle/libcuda.so.1'], ['eboot']),
    'an older bundle, with its release': (
        {**computer('550.54.15'), **driver('520.61.05', '/opt/wheel'), **driver('550.54.15')},
        {**loaded(MISMATCH, '/opt/wheel/libcuda.so.1'), 'origin': 'option'},
        ['module-release'], [SYSTEM + '/libcuda.so.550.54.15'], ['eboot']),
    'a control group refuses the devices': (
        computer('555.58.02'), {**loaded(NO_GPU, OWN), 'DENY': str(errno.EPERM)},
        ['device-file-refused'],
        ['/dev/nvidiactl: Operation not permitted', 'DeviceAllow', 'PrivateDevices'],
        ['group, or']),
    'Google Colab under sudo': (
        {**computer('550.54.15'), **DOCKER, **driver('550.54.15', '/usr/lib64-nvidia')}, ABSENT,
        ['library-outside-search'], ['/usr/lib64-nvidia/libcuda.so.1', 'sudo'], ['Toolkit']),
    'cuda-compat in a folder of another name': (
        {**computer('535.183.01'), **driver('580.65.06', '/opt/artifacts/0f'),
         **driver('535.183.01')},
        {**loaded(COMPAT, '/opt/artifacts/0f/libcuda.so.1'), 'origin': 'environment'},
        ['compat-library'], ['/opt/artifacts/0f/libcuda.so.580.65.06',
                             SYSTEM + '/libcuda.so.535.183.01'], ['eboot']),
    'cuda-compat in ld.so.conf.d': (
        {**computer('580.95.05', True), **DOCKER, **driver('570.124.06', '/usr/local/cuda/compat'),
         **driver('580.95.05'), **conf(**{'00-compat': '/usr/local/cuda/compat'}),
         **cache('/usr/local/cuda/compat', SYSTEM)},
        loaded(MISMATCH, '/usr/local/cuda/compat/libcuda.so.1'),
        ['compat-library', 'shadowed-driver'], ['/usr/local/cuda/compat', '580.95.05'],
        ['eboot', 'or update the driver']),
    'cuda-compat mounted in the system folder': (
        {**computer('470.63.01'), **DOCKER, **driver('495.29.05'),
         SYSTEM + '/libcuda.so.470.63.01': LIBRARY,
         '/usr/local/cuda/compat/libcuda.so.495.29.05': LIBRARY},
        loaded(COMPAT, OWN), ['compat-library'],
        ['CUSHIM_LIBRARY=' + SYSTEM + '/libcuda.so.470.63.01',
         'move ' + SYSTEM + '/libcuda.so.495.29.05'], ['eboot', 'LD_LIBRARY_PATH']),
    'an update without a reboot': (
        {**computer('535.129.03'), **driver('535.183.01')}, loaded(MISMATCH, OWN),
        ['module-release'], ['Reboot', '535.129.03'], []),
    'an update without a reboot, code 804': (
        {**computer('535.129.03'), **driver('550.54.15')}, loaded(COMPAT, OWN),
        ['module-release'], ['Reboot'], []),
    'an image brings its own library': (
        {**computer('550.54.15'), **DOCKER, **driver('535.54.03')}, loaded(MISMATCH, OWN),
        ['module-release'], ['Start the container anew', 'the image'], ['Reboot, or']),
    'an empty file in an image': ({**pci(ADA), **DOCKER, OWN: ''}, UNOPENED,
                                  ['container-without-driver'],
                                  ['--gpus all', OWN + ' is empty'], ['einstall', 'disk']),
    'an empty file in an image, behind its link': (
        {**pci(ADA), **APPTAINER, OWN: LinkTo('libcuda.so.535.54.03'),
         SYSTEM + '/libcuda.so.535.54.03': ''}, UNOPENED,
        ['container-without-driver'], ['exec --nv', ' is empty'], ['einstall']),
    'an empty file, with the GPUs': ({**computer('550.54.15'), **DOCKER, OWN: ''}, UNOPENED,
                                     ['container-without-compute'], ['CAPABILITIES'], ['disk']),
    'a truncated file on a machine': ({**computer('550.54.15'), OWN: 'text'}, UNOPENED,
                                      [], ['truncated'], ['--gpus']),
    'nvidia_uvm is not loaded, in a Flatpak': (
        {**without(computer('550.163.01'), '/dev/nvidia-uvm'), **FLATPAK, **driver('550.163.01')},
        loaded(init_failed(999), OWN), ['device-file-missing'],
        ['nvidia-modprobe -u -c=0', 'outside of the sandbox', '/dev/nvidia-uvm'], ['docker']),
    'nvidia_uvm is not loaded': (
        {**without(computer('550.163.01'), '/dev/nvidia-uvm', *UVM), **driver('550.163.01')},
        loaded(init_failed(999), OWN), ['device-file-missing'],
        ['nvidia-modprobe -u -c=0', 'kernel module nvidia_uvm'], ['docker']),
    'Flatpak, an extension that is not searched': (
        {**computer('550.163.01'), **FLATPAK,
         **driver('550.163.01', SYSTEM + '/GL/nvidia-550-163-01/lib')}, ABSENT,
        ['library-outside-search'],
        [SYSTEM + '/GL/nvidia-550-163-01/lib/libcuda.so.1', 'flatpak override',
         '/.flatpak-info'], ['docker', 'Install']),
    'Flatpak without the extension': (
        {**computer('550.163.01'), **FLATPAK}, ABSENT, ['sandbox-without-driver'],
        ['flatpak update', 'org.freedesktop.Platform.GL.nvidia-550-163-01', 'Flatpak'],
        ['Install']),
    'GKE': ({**computer('550.90.07'), **DOCKER, **driver('550.90.07', '/usr/local/nvidia/lib64')},
            ABSENT, ['library-outside-search'], ['/usr/local/nvidia/lib64/libcuda.so.1'],
            ['Toolkit']),
    'a node of the GPU Operator': (
        {**computer('570.133.20'), **driver('570.133.20', '/run/nvidia/driver' + SYSTEM)}, ABSENT,
        ['library-outside-search'],
        ['/run/nvidia/driver' + SYSTEM + '/libcuda.so.1', 'another root'], ['ld.so.conf']),
    'HMM': ({**computer('580.95.05', True), **driver('580.95.05')}, loaded(init_failed(3), OWN),
            ['uvm-hmm'], ['uvm_disable_hmm=1', 'This is a guess', 'uvm_disable_hmm then says Y'],
            ['fork', 'cushim_driver_init']),
    'HMM and 802': ({**computer('570.86.15', True), **driver('570.86.15')},
                    loaded(init_failed(802), OWN), ['uvm-hmm'], ['uvm_disable_hmm=1'],
                    ['fabricmanager']),
    '3 without HMM': ({**computer('580.95.05', True), **NO_HMM}, loaded(init_failed(3), OWN), [],
                      ['dmesg'], ['fork', 'cushim_driver_init']),
    'a container on a Jetson': ({**JETSON, **DOCKER}, ABSENT, ['container-without-driver'],
                                ['--runtime nvidia'], ['Run on', '--gpus']),
    'a container on a Jetson with its devices': (
        {**JETSON, **DOCKER, **NVMAP}, ABSENT, ['container-without-compute'],
        ['--runtime nvidia'], ['--gpus']),
    'a Jetson without the link': (
        {**JETSON, **NVMAP, '/etc/nv_tegra_release': '# R35\n', **conf(tegra=TEGRA),
         TEGRA + '/libcuda.so': LinkTo('libcuda.so.1.1'), TEGRA + '/libcuda.so.1.1': LIBRARY,
         '/sys/module/nvgpu/x': ''}, ABSENT, ['link-missing'],
        [TEGRA + '/libcuda.so.1.1', 'ldconfig'], ['Do not make a link', 'stub']),
    'a Jetson without its libraries': (
        {**JETSON, **NVMAP}, ABSENT, ['library-missing'], ['Jetson Linux'], ['Run on']),
    'a user of a Jetson outside of the group': (
        {**JETSON, '/dev/nvmap': REFUSED, '/dev/nvhost-ctrl-gpu': REFUSED}, NO_GPU,
        ['device-file-refused'], ['/dev/nvmap: Permission denied', 'video'],
        ['NVreg', 'Run on']),
    "a Jetson's numbers are no releases": (
        {**JETSON, **NVMAP, **module('540.4.0', True, 'aarch64'), **conf(tegra=TEGRA),
         TEGRA + '/libcuda.so.1': LinkTo('libcuda.so.1.1'), TEGRA + '/libcuda.so.1.1': LIBRARY},
        loaded(init_failed(999), TEGRA + '/libcuda.so.1'), ['tegra-driver-fails'],
        ['/etc/nv_tegra_release'], ['eboot, or unload', 'nvidia-uvm']),
    'a Jetson Thor, cuda-compat first': (
        {**JETSON, **NVMAP, **DEVICES, **module('580.00', True, 'aarch64'),
         **driver('580.65.06', '/usr/local/cuda-13.0/compat'),
         '/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1': LinkTo('libcuda.so.1.1'),
         '/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1.1': LIBRARY,
         **conf(**{'00-compat': '/usr/local/cuda-13.0/compat',
                   'tegra': '/usr/lib/aarch64-linux-gnu/nvidia'}),
         **cache('/usr/local/cuda-13.0/compat', '/usr/lib/aarch64-linux-gnu/nvidia')},
        loaded(MISMATCH, '/usr/local/cuda-13.0/compat/libcuda.so.1'),
        ['compat-library', 'shadowed-driver'],
        ['CUSHIM_LIBRARY=/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1 '], ['eboot', 'env -u']),
    'a driver that no longer knows the GPU': (
        {**pci(PASCAL), '/sys/module/snd/x': '', **driver('595.71.05')}, loaded(NO_GPU, OWN),
        ['module-missing'], ['580', '595.71.05'], []),
    'a driver that still knows the GPU': (
        {**pci(PASCAL), '/sys/module/snd/x': '', **driver('570.86.10')}, loaded(NO_GPU, OWN),
        ['module-missing'], ['modprobe nvidia'], ['Install the branch']),
    'a kernel without the module': (
        {**pci(ADA), '/sys/module/snd/x': '', '/proc/sys/kernel/osrelease': '6.8.0-50-generic\n',
         '/lib/modules/6.8.0-50-generic/modules.dep': 'kernel/sound/snd.ko:\n',
         **driver('550.54.15')}, loaded(NO_GPU, OWN), ['module-missing'],
        ['headers', '6.8.0-50-generic'], []),
    'MIG, a container without the files of an instance': (
        {**computer('580.95.05', True), **DOCKER, **instances(0, 12, 21)}, loaded(NO_GPU, OWN),
        ['mig-instance-missing'],
        ['2 MIG instances', '/dev/nvidia-caps/nvidia-cap12: No such file'], []),
    'MIG, only the file of the part of an instance': (
        {**computer('580.95.05', True), **instances(0, 12),
         '/dev/nvidia-caps/nvidia-cap12': DEVICE},
        loaded(NO_GPU, OWN), ['mig-instance-missing'], ['/dev/nvidia-caps/nvidia-cap13'], []),
    'MIG, one instance for everybody, one refused': (
        {**computer('580.95.05', True), **instances(0, 12, 21),
         '/dev/nvidia-caps/nvidia-cap21': DEVICE, '/dev/nvidia-caps/nvidia-cap22': DEVICE},
        loaded(NO_GPU, OWN), [], ['nvidia-smi'], []),
    'MIG, and a whole GPU': (
        {**computer('580.95.05', True), '/dev/nvidia1': DEVICE, **instances(0, 12)},
        loaded(NO_GPU, OWN), [], [], []),
    'the package of the library is not installed': (
        computer('575.57.08', True), ABSENT, ['library-missing'],
        ['575.57.08', 'libcuda1', 'xorg-x11-drv-nvidia-cuda-libs'], ['Install the NVIDIA driver']),
    'toolbox': ({**computer('575.57.08', True), '/run/.containerenv': '', '/run/.toolboxenv': ''},
                ABSENT, ['container-without-compute'], ['toolbox', '--nvidia'], ['docker']),
    'LXC': (computer('575.57.08'), {**ABSENT, 'container': 'lxc'}, ['container-without-compute'],
            ['nvidia.runtime'], ['docker']),
    'a file that no kernel driver answers': (
        {**computer('580.95.05', True), **DOCKER, '/dev/nvidia-uvm': NOBODYS},
        loaded(init_failed(999), OWN), ['device-file-refused'],
        ['/dev/nvidia-uvm: No such device or address', 'nvidia-modprobe -u -c=0', 'anew',
         '/proc/devices'], []),
    'NVSwitches without Fabric Manager': (
        {**computer('580.95.05', True), **pci(ADA, *NVSWITCHES)}, loaded(init_failed(802), OWN),
        ['fabric-manager-missing'], ['4 NVSwitches', 'nvidia-fabricmanager'], []),
    'NVSwitches and Fabric Manager': (
        {**computer('580.95.05', True), **pci(ADA, *NVSWITCHES),
         '/run/nvidia-fabricmanager/pid': '1'},
        loaded(init_failed(802), OWN), [], ['Wait'], []),
    'a release that is not to blame for 100': (
        {**computer('535.183.01'), **driver('550.54.15')},
        {**loaded(NO_GPU, OWN), 'CUDA_VISIBLE_DEVICES': '-1'}, ['cuda-visible-devices'],
        ['Unset CUDA_VISIBLE_DEVICES'], ['eboot']),
    'snap': ({**computer('550.163.01'), **driver('550.163.01', '/var/lib/snapd/lib/gl')},
             {**ABSENT, 'SNAP': '/snap/app/1'}, ['library-outside-search'],
             ['/var/lib/snapd/lib/gl/libcuda.so.1', 'SNAP', 'wrapper'], ['Install']),
    'snap without the library': (computer('550.163.01'), {**ABSENT, 'SNAP': '/snap/app/1'},
                                 ['sandbox-without-driver'], ['snap connect'], ['flatpak']),
    'the stub in ld.so.conf.d': (
        {**computer('550.54.15'), **conf(cuda=STUBS), STUBS + '/libcuda.so.1': LinkTo('libcuda.so'),
         STUBS + '/libcuda.so': LIBRARY}, STUB, ['library-missing', 'stub-folder'],
        [STUBS, '550.54.15'], []),
    'the stub in the system folder of a container on a Jetson': (
        {**JETSON, **DOCKER, OWN: LIBRARY}, STUB, ['container-without-driver'],
        ['--runtime nvidia'], []),
    'the 32-bit driver alone': (
        {**computer('470.57.02'), '/usr/lib/i386/libcuda.so.1': WRONG},
        {'state': 'not-loadable', 'outcome': 'wrong-architecture',
         'LD_LIBRARY_PATH': '/usr/lib/i386'}, ['wrong-architecture'], ['architecture'], []),
    'the versioned file alone': (
        {**computer('525.60.13'), **DOCKER, SYSTEM + '/libcuda.so.525.60.13': LIBRARY}, ABSENT,
        ['link-missing'], [SYSTEM + '/libcuda.so.525.60.13', 'ldconfig',
                           'CUSHIM_LIBRARY=' + SYSTEM], ['Toolkit', 'Install']),
    'the versioned file alone, elsewhere': (
        {**computer('525.60.13'), '/usr/local/nvidia/lib64/libcuda.so.525.60.13': LIBRARY}, ABSENT,
        ['link-missing'], ['ldconfig -n /usr/local/nvidia/lib64'], ['Install']),
    'a link to a former release': (
        {**computer('550.54.15'), OWN: LinkTo('libcuda.so.535.54.03'),
         SYSTEM + '/libcuda.so.550.54.15': LIBRARY}, ABSENT,
        ['link-missing'], [SYSTEM + '/libcuda.so.550.54.15', 'ldconfig'], ['Install']),
    "the host's GPUs, and the number of another": (
        {**computer('580.95.05'), **DOCKER, **information(1), **information(2), **information(3),
         '/dev/nvidia0': '', '/dev/nvidia3': DEVICE},
        {**loaded(NO_GPU, OWN), 'CUDA_VISIBLE_DEVICES': '3'}, ['cuda-visible-devices'],
        ['CUDA_VISIBLE_DEVICES=3', '/dev/nvidia3', 'only number is 0'], []),
    "the host's GPUs, and the UUID of another": (
        {**computer('580.95.05'), **DOCKER, **information(1, UUID)},
        {**loaded(NO_GPU, OWN), 'CUDA_VISIBLE_DEVICES': UUID[:12]}, ['cuda-visible-devices'],
        ['0000:02:00.0', '/dev/nvidia1'], []),
    'a UUID of another machine': (
        computer('580.95.05'), {**loaded(NO_GPU, OWN), 'CUDA_VISIBLE_DEVICES': 'GPU-ffff'},
        ['cuda-visible-devices'], ['none of the 1 GPU'], []),
    'a MIG instance that is gone': (
        computer('580.95.05'), {**loaded(NO_GPU, OWN), 'CUDA_VISIBLE_DEVICES': 'MIG-' + UUID[4:]},
        ['cuda-visible-devices'], ['no GPU here has a MIG instance'], []),
    'a container under WSL, an old toolkit': (
        {**WSL_2, **LENT, **DOCKER, '/dev/dxg': DEVICE},
        loaded(init_failed(500), '/usr/lib/wsl/lib/libcuda.so.1'), ['wsl-container-library'],
        ['Container Toolkit', 'Docker Desktop'], ['spelling', 'cuGetProcAddress']),
    'a container under WSL without GPUs': (
        {**WSL_2, **DOCKER}, ABSENT, ['container-without-driver'], ['--gpus all', '/dev/dxg'],
        ['wsl --update']),
    'a laptop whose GPU is off': (
        {**pci(ADA), '/sys/module/snd/x': '', '/proc/acpi/bbswitch': '0000:01:00.0 OFF\n'},
        NO_GPU, ['gpu-powered-off'], ['bbswitch'], []),
    'a GPU that the firmware hides': (
        {**BRIDGE, **INTEL, '/sys/devices/platform/asus-nb-wmi/dgpu_disable': '1\n'}, ABSENT,
        ['gpu-powered-off'], ['dgpu_disable'], []),
    'vfio': (bound('vfio-pci'), ABSENT, ['gpu-passed-through'], ['vfio-pci'], []),
    'nouveau': (bound('nouveau'), ABSENT, ['nouveau'], ['blacklist'], []),
    'no GPU': ({**BRIDGE, **INTEL}, ABSENT, ['no-gpu'], ['Run on'], []),
    'after a suspend': (
        {**computer('550.54.15'), **driver('550.54.15'), '/sys/power/suspend_stats/success': '3\n'},
        loaded(init_failed(999), OWN), ['gpu-after-suspend'], ['rmmod nvidia_uvm'], []),
    'a virtual GPU without compute': (
        {**computer('550.54.15'), **information(0, model='NVIDIA A40-48A')},
        loaded(init_failed(801), OWN), ['vgpu-without-compute'], ['Q or C', 'A40-48A'],
        ['cuDeviceGetAttribute']),
    'a virtual GPU with compute': (
        {**computer('550.54.15'), **information(0, model='NVIDIA A40-48Q')},
        loaded(init_failed(801), OWN), [], ['virtual GPU'], ['cuDeviceGetAttribute']),
    'a container that was given no compute': (
        {**computer('550.54.15'), **DOCKER}, {**ABSENT, 'NVIDIA_DRIVER_CAPABILITIES': 'utility'},
        ['container-without-compute'], ['CAPABILITIES=compute,utility', '=utility'], []),
    'devices that the user may not open': (
        {**computer('550.54.15'), '/dev/nvidia0': REFUSED}, loaded(NO_GPU, OWN),
        ['device-file-refused'], ['/dev/nvidia0: Permission denied', 'group'], ['DeviceAllow']),
    'a site with a folder of its own': (
        {**computer('550.54.15'), **driver('550.54.15', '/site/gpu/lib')},
        {**ABSENT, 'LOOK_IN': '/none\n/site/gpu/lib\n'}, ['library-outside-search'],
        ['/site/gpu/lib/libcuda.so.1'], ['Install']),
    'a code of which nothing is known': (
        computer('550.54.15'), loaded(init_failed(719), OWN), [], ['No cause', 'dmesg'], []),
    'a driver that cannot allocate': (computer('550.54.15'), loaded(init_failed(2), OWN), [],
                                      ['memory.max'], ['batches']),
}

NIX = '/run/opengl-driver/lib'
GL = SYSTEM + '/GL/nvidia-550-163-01/lib'
# Working machines: the path of the library, and other facts.
HEALTHY = {
    'bare metal': (SYSTEM, {}, {}),
    'Docker': (SYSTEM, DOCKER, {}),
    'Podman': (SYSTEM, {'/run/.containerenv': ''}, {'container': 'podman'}),
    'Kubernetes': ('/usr/local/nvidia/lib64', {}, {'KUBERNETES_SERVICE_HOST': '10.0.0.1'}),
    'WSL 2': ('/usr/lib/wsl/lib', {**WSL_2, '/dev/dxg': DEVICE}, {}),
    'Jetson': (TEGRA, {**JETSON, **NVMAP}, {}),
    'MIG': (SYSTEM, {**instances(0, 12), '/dev/nvidia-caps/nvidia-cap12': DEVICE,
                     '/dev/nvidia-caps/nvidia-cap13': DEVICE}, {}),
    'vGPU': (SYSTEM, information(0, model='NVIDIA A40-48Q'), {}),
    'NixOS': (NIX, {'/etc/NIXOS': ''}, {}),
    'Flatpak': (GL, FLATPAK, {'LD_LIBRARY_PATH': GL}),
    'Apptainer': ('/.singularity.d/libs', APPTAINER, {'LD_LIBRARY_PATH': '/.singularity.d/libs'}),
}


class Machines(DiagnosticTest):

    def test_each_has_its_diagnostics_and_the_right_advice_first(self):
        self.assert_machines(MACHINES)

    def test_machine_that_works_has_none(self):
        for name, (folder, paths, variables) in HEALTHY.items():
            machine = Machine({**computer('550.163.01'), **driver('550.163.01', folder), **paths})
            with self.subTest(name):
                self.assertEqual(machine.examine(**READY, **variables,
                                                 library=folder + '/libcuda.so.1'), ({}, ''))
            machine.close()


if __name__ == '__main__':
    unittest.main()
