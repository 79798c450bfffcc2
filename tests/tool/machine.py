# SPDX-License-Identifier: Apache-2.0
"""Imitated machines in a folder, their parts, and the diagnostics on them."""

import json
import os
import shutil
import stat
import subprocess
import tempfile
import unittest

from harness import ToolTest, environment, fake

DIAGNOSE = os.environ['CUSHIM_DIAGNOSE']
COMMAND = os.environ['CUSHIM_COMMAND']

DEVICE = object()   # a device file that every user may open
REFUSED = object()  # a device file that this process may not open
LIBRARY = object()  # a library that this process could load
UNREADABLE = object()  # a library that this process may not read
WRONG = object()  # a library for another processor
NOBODYS = object()  # a device file with a number that no kernel driver has

NOBODY = 65534


class LinkTo(str):
    """A link to this path."""


def refused_device():
    """Return a device file of this machine that an ordinary user may not write to."""
    for path in '/dev/console', '/dev/kmsg', '/dev/mem', '/dev/port':
        if os.path.exists(path) and not os.stat(path).st_mode & stat.S_IWOTH:
            return path
    raise FileNotFoundError('no device that is refused to a user')


class Machine:
    """A machine: for each path, a text, a LinkTo, DEVICE, REFUSED, LIBRARY, UNREADABLE or WRONG. A
    path with / at its end is a folder.
    """

    def __init__(self, paths):
        self.folder = tempfile.TemporaryDirectory()
        os.chmod(self.folder.name, 0o755)
        os.umask(0o022)
        self.is_user = REFUSED in paths.values() or UNREADABLE in paths.values()
        for path, content in paths.items():
            self._put(self.folder.name + path, content)

    def _put(self, path, content):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if path.endswith('/'):
            return
        if isinstance(content, LinkTo):
            os.symlink(content, path)
        elif content is DEVICE:
            os.symlink('/dev/null', path)
        elif content is REFUSED:
            os.symlink(refused_device(), path)
        elif content is NOBODYS:
            os.symlink('/dev/tty', path)  # accessible also in a session without a terminal
        elif content in (LIBRARY, UNREADABLE):
            shutil.copy(fake(13000), path)
            if content is UNREADABLE:
                os.chmod(path, 0)
        elif content is WRONG:
            with open(fake(13000), 'rb') as library:
                whole = library.read()
            with open(path, 'wb') as file:
                # The field e_machine, for which 0 is no processor.
                file.write(whole[:18] + bytes(2) + whole[20:])
        else:
            with open(path, 'wb') as file:
                file.write(content if isinstance(content, bytes) else content.encode())

    def _command(self):
        """Return the command as a user who may be denied access, which root never is."""
        if not self.is_user or os.geteuid() != 0:
            return [DIAGNOSE], {}, {}
        # Other users may have no access to the folders of the build.
        copy, command = [shutil.copy(path, self.folder.name) for path in (DIAGNOSE, COMMAND)]
        return [copy], {'CUSHIM_COMMAND': command}, {'user': NOBODY, 'group': NOBODY,
                                                     'extra_groups': []}

    def diagnose(self, state, code=0, origin='search', outcome='not-found', library='',
                 **variables):
        """Return the names of the diagnostics. Keyword arguments describe the report; in capitals,
        they are environment variables.
        """
        return self.examine(state, code, origin, outcome, library, **variables)[0]

    def examine(self, state, code=0, origin='search', outcome='not-found', library='',
                **variables):
        """Return the names of the diagnostics, and the advice that the command prints first."""
        hidden = ('LD_LIBRARY_PATH', 'NVIDIA_', 'KUBERNETES_', 'container', 'SNAP', 'APPTAINER_',
                  'SINGULARITY_', 'SLURM_', 'LOOK_IN', 'DENY', 'INIT_OF')
        kept = {name: value for name, value in environment({}).items()
                if not name.startswith(hidden)}
        command, copied, rights = self._command()
        kept.update(variables, **copied)
        try:
            run = subprocess.run([*command, self.folder.name, state, str(code), origin, outcome,
                                  library], env=kept, stdout=subprocess.PIPE, timeout=300,
                                 start_new_session=True, **rights)
        except PermissionError:
            raise unittest.SkipTest('this namespace has one user only') from None
        if run.returncode == 77:
            raise unittest.SkipTest('an emulator cannot refuse devices')
        run.check_returncode()
        result = json.loads(run.stdout)
        self.line = result['machine']
        return {row['name']: row for row in result['diagnostics']}, result['advice']

    def close(self):
        self.folder.cleanup()


# States of the driver.
ABSENT = {'state': 'not-found'}
STUB = {'state': 'stub', 'code': 34, 'outcome': 'stub'}
READY = {'state': 'ready', 'outcome': 'loaded'}
NO_GPU = {'state': 'no-device', 'code': 100, 'outcome': 'loaded'}
UNFIT = {'state': 'too-old', 'code': 36, 'outcome': 'too-old'}
# The library that the search finds cannot be opened.
UNOPENED = {'state': 'not-loadable', 'code': 303, 'outcome': 'truncated'}
MISMATCH = {'state': 'kernel-mismatch', 'code': 803, 'outcome': 'loaded'}
COMPAT = {'state': 'init-failed', 'code': 804, 'outcome': 'loaded'}



def init_failed(code, **more):
    return {'state': 'init-failed', 'code': code, 'outcome': 'loaded', **more}


# The hardware and files of machines.
GPU = {'/sys/bus/pci/devices/0000:01:00.0/vendor': '0x10de\n',
       '/sys/bus/pci/devices/0000:01:00.0/class': '0x030200\n'}
BRIDGE = {'/sys/bus/pci/devices/0000:00:00.0/vendor': '0x8086\n',
          '/sys/bus/pci/devices/0000:00:00.0/class': '0x060000\n'}
# The audio function of a graphics card is NVIDIA's, too.
AUDIO = {'/sys/bus/pci/devices/0000:01:00.1/vendor': '0x10de\n',
         '/sys/bus/pci/devices/0000:01:00.1/class': '0x040300\n'}
INTEL = {'/sys/bus/pci/devices/0000:00:02.0/vendor': '0x8086\n',
         '/sys/bus/pci/devices/0000:00:02.0/class': '0x030000\n'}
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


# The folder of the system's libraries, by the processor in the command's ELF header.
with open(COMMAND, 'rb') as command_file:
    SYSTEM = '/usr/lib/%s-linux-gnu' % {0x3e: 'x86_64', 0xb7: 'aarch64'}[command_file.read(19)[18]]


def driver(release, folder=SYSTEM):
    """Return the files of a driver library."""
    return {'%s/libcuda.so.1' % folder: LinkTo('libcuda.so.' + release),
            '%s/libcuda.so.%s' % (folder, release): LIBRARY}


def module(release, is_open=False, machine='x86_64'):
    """Return the files of the kernel module of a release."""
    return {'/sys/module/nvidia/version': release + '\n',
            '/proc/driver/nvidia/version':
                'NVRM version: NVIDIA UNIX %s  %s  Release Build\n'
                % (('Open Kernel Module for ' + machine) if is_open else machine + ' Kernel Module',
                   release)}


def pci(*devices):
    """Return NVIDIA's devices on the bus, from `class:device`, and a bridge of another vendor."""
    files = dict(BRIDGE)
    for number, device in enumerate(devices, 1):
        folder = '/sys/bus/pci/devices/0000:%02x:00.0/' % number
        kind, _, name = device.partition(':')
        files.update({folder + 'vendor': '0x10de\n', folder + 'class': '0x%s\n' % kind,
                      folder + 'device': '0x%s\n' % name})
    return files


def information(minor, uuid='', model='NVIDIA GeForce RTX 4090'):
    """Return the kernel module's files about a GPU; without a UUID, it has not been started."""
    uuid = uuid or 'GPU-%08x-1d3a-4e8b-9d9d-000000000000' % minor
    return {'/proc/driver/nvidia/gpus/0000:%02x:00.0/information' % (minor + 1):
            'Model: \t\t %s\nGPU UUID: \t %s\nDevice Minor: \t %d\n' % (model, uuid, minor)}


def instances(gpu, *minors):
    """Return MIG instances of a GPU, by the numbers of their capability files."""
    files = {}
    for number, minor in enumerate(minors, 1):
        folder = '/proc/driver/nvidia/capabilities/gpu%d/mig/gi%d/' % (gpu, number)
        files[folder + 'access'] = 'DeviceFileMinor: %d\nDeviceFileMode: 292\n' % minor
        files[folder + 'ci0/access'] = 'DeviceFileMinor: %d\nDeviceFileMode: 292\n' % (minor + 1)
    return files


def without(machine, *paths):
    return {path: content for path, content in machine.items() if path not in paths}


def bound(name):
    """Return the GPU with a kernel driver."""
    return {**GPU, '/sys/bus/pci/devices/0000:01:00.0/driver': LinkTo('../../../drivers/' + name),
            '/sys/bus/drivers/%s/' % name: '', '/sys/module/%s/' % name: ''}


# Whole machines.
UUID = 'GPU-0b9d5ae5-1d3a-4e8b-9d9d-000000000001'
UNSTARTED = 'GPU-????????-????-????-????-????????????'
NVSWITCHES = ['068000:22a3'] * 4
BLACKWELL, ADA, PASCAL = '030000:2b85', '030000:2684', '030000:1b81'

APPTAINER, FLATPAK = {'/.singularity.d/env/x': ''}, {'/.flatpak-info': '[Application]\n'}
UVM = {'/sys/module/nvidia_uvm/parameters/uvm_disable_hmm': 'N\n'}
NO_HMM = {'/sys/module/nvidia_uvm/parameters/uvm_disable_hmm': 'Y\n'}


def computer(release, is_open=False, card=ADA):
    """Return a machine with one GPU on which everything but the library is right."""
    return {**pci(card), **module(release, is_open), **DEVICES, **information(0), **UVM}


JETSON = {**BRIDGE, '/sys/firmware/devicetree/base/compatible':
          'nvidia,p3768-0000+p3767-0000\0nvidia,tegra234\0', '/sys/devices/soc0/family': 'Tegra\n'}
TEGRA = '/usr/lib/aarch64-linux-gnu/tegra'
NVMAP = {'/dev/nvmap': DEVICE, '/dev/nvhost-ctrl': DEVICE}


def conf(**folders):
    """Return the files of the dynamic linker's configuration, with their folders by file name."""
    return {**CONF, **{'/etc/ld.so.conf.d/%s.conf' % name: folder + '\n'
                       for name, folder in folders.items()}}


def cache(*folders):
    return {'/etc/ld.so.cache': b'glibc-ld.so.cache1.1\0' + b''.join(
        b'%s/libcuda.so.1\0' % folder.encode() for folder in folders)}


def loaded(about, library):
    return {**about, 'library': library}


OWN = SYSTEM + '/libcuda.so.1'


class DiagnosticTest(ToolTest):

    def assert_machines(self, machines):
        """Examine machines. For each name there is the machine, the state of the driver, the
        diagnostics in their order, words of the first advice and of the evidence, and words that
        the first advice must not contain.
        """
        for name, (paths, about, expected, words, others) in machines.items():
            machine = Machine(paths)
            with self.subTest(name):
                found, advice = machine.examine(**about)
                said = advice + ''.join(row['evidence'] for row in found.values())
                problems = [word for word in words if word not in said]
                problems += [word for word in others if word in advice]
                self.assertEqual((list(found), problems), (expected, []), said)
                # The advice is not cut off.
                self.assertTrue(advice.endswith('.') and len(advice) < 511)
            machine.close()

    def look(self, paths, about):
        machine = Machine(paths)
        self.addCleanup(machine.close)
        return machine.diagnose(**about)

    def assert_found(self, name, paths, about, *evidence):
        diagnostics = self.look(paths, about)
        self.assertIn(name, diagnostics)
        for words in evidence:
            self.assertIn(words, diagnostics[name]['evidence'])

    def assert_not_found(self, name, paths, about):
        self.assertNotIn(name, self.look(paths, about))
