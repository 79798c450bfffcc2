#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How `cushim info` uses the diagnostics: which are reported when, and how."""

import os
import re
import unittest

from harness import DONE, NO_DEVICE, ToolTest, fake
from machine import (ABSENT, BRIDGE, CONF, DEVICE, DOCKER, DiagnosticTest, GPU, HEALTHY, LENT,
                     LIBRARY, LinkTo, MODULE, Machine, NO_GPU, OWN, READY, REFUSED, STUB, STUBS,
                     UNFIT, UNOPENED, WRONG, WSL_2, bound, driver, information, instances, module,
                     pci)

HOOK = os.environ.get('CUSHIM_HOOK')


class Whole(DiagnosticTest):

    def test_healthy_machine_has_none(self):
        machine = {**HEALTHY, **driver('535.129.03'), **CONF}
        library = {'library': OWN}
        self.assertEqual(self.look(machine, {**READY, **library}), {})
        self.assertEqual(self.look({**machine, **DOCKER}, {**READY, **library}), {})
        self.assertEqual(self.look(machine, {**NO_GPU, **library}), {})

    def test_nothing_is_looked_for_where_nothing_was_tried(self):
        machine = {**BRIDGE, STUBS + '/libcuda.so': LIBRARY}
        for state in 'untried', 'disabled', 'forked':
            self.assertEqual(self.look(machine, {'state': state, 'LD_LIBRARY_PATH': STUBS}), {})

    def test_members(self):
        [diagnostic] = self.look(BRIDGE, ABSENT).values()
        self.assertEqual(list(diagnostic), ['name', 'message', 'evidence', 'advice'])
        self.assertTrue(all(diagnostic.values()))


EXCLUDED = {'/proc/driver/nvidia/gpus/0000:01:00.0/information': 'GPU Excluded:\t Yes\n'}

# For each diagnostic: a machine with the cause, other facts of the machine, the states of the
# driver in which it is reported, and whether it is reported even if the user has named the library
# and the library exists.
WHEN = {
    'no-gpu': (BRIDGE, {}, 'absent failed', True),
    'gpu-powered-off': ({'/proc/acpi/bbswitch': '0000:01:00.0 OFF'}, {}, 'absent failed', True),
    'gpu-passed-through': (bound('vfio-pci'), {}, 'absent failed', True),
    'nouveau': (bound('nouveau'), {}, 'absent failed', True),
    'wsl-1': ({'/proc/sys/kernel/osrelease': '4.4.0-19041-Microsoft\n'}, {},
              'absent unfit failed', True),
    'wsl-without-driver': (WSL_2, {}, 'absent', False),
    'wsl-without-device': (WSL_2, {}, 'absent failed', True),
    'wsl-linux-driver': ({**WSL_2, **LENT, '/usr/lib/libcuda.so.1': LIBRARY},
                         {'library': '/usr/lib/libcuda.so.1'}, 'failed', False),
    'wsl-container-library': ({**WSL_2, **DOCKER}, {'code': 500}, 'failed', True),
    'container-hides-gpus': (DOCKER, {'NVIDIA_VISIBLE_DEVICES': 'none'}, 'absent failed', True),
    'container-without-driver': (DOCKER, {}, 'absent', False),
    'nixos-without-driver': ({'/etc/NIXOS': ''}, {}, 'absent', False),
    'dangling-link': ({'/usr/lib/libcuda.so.1': LinkTo('gone')}, {}, 'absent', False),
    'link-missing': ({'/usr/lib/libcuda.so.535.129.03': LIBRARY}, {}, 'absent', False),
    'stale-cache': ({'/etc/ld.so.conf': '/opt/a', '/opt/a/libcuda.so.1': LIBRARY}, {}, 'absent',
                    False),
    'library-outside-search': ({'/usr/local/nvidia/lib64/libcuda.so.1': LIBRARY}, {}, 'absent',
                               False),
    'wrong-architecture': ({}, {'outcome': 'wrong-architecture'}, 'absent unfit failed', True),
    'container-without-compute': ({**DOCKER, **HEALTHY}, {}, 'absent', False),
    'sandbox-without-driver': ({**MODULE, '/.flatpak-info': ''}, {}, 'absent', False),
    'library-missing': (MODULE, {}, 'absent', False),
    'driver-missing': ({**GPU, '/sys/module/': ''}, {}, 'absent', False),
    'link-name-only': ({'/usr/lib/libcuda.so': LIBRARY}, {}, 'absent', False),
    'stub-folder': ({STUBS + '/libcuda.so': LIBRARY}, {'LD_LIBRARY_PATH': STUBS},
                    'absent unfit failed ready', False),
    'compat-library': (driver('580.65.06', '/opt/compat'),
                       {'library': '/opt/compat/libcuda.so.1', 'code': 803}, 'failed', True),
    'shadowed-driver': ({'/opt/bad/libcuda.so.1': WRONG, '/usr/lib/libcuda.so.1': LIBRARY},
                        {'LD_LIBRARY_PATH': '/opt/bad'}, 'absent unfit failed', False),
    'module-missing': ({**GPU, '/sys/module/': ''}, {}, 'failed', True),
    'module-release': ({**MODULE, **driver('580.65.06')},
                       {'library': OWN, 'code': 803}, 'failed',
                       True),
    'gpu-lost': ({**GPU, '/sys/bus/pci/devices/0000:01:00.0/config': bytes([255] * 64)}, {},
                 'failed', True),
    'device-file-missing': (MODULE, {}, 'failed', True),
    'device-file-refused': ({'/dev/nvidia0': REFUSED}, {}, 'failed', True),
    'cuda-visible-devices': ({}, {'CUDA_VISIBLE_DEVICES': ''}, 'failed', True),
    'mig-instance-missing': (instances(0, 12), {}, 'failed', True),
    'gpu-excluded': (EXCLUDED, {}, 'failed', True),
    'gpu-not-started': ({**information(0, 'GPU-????'), '/dev/nvidia0': DEVICE}, {}, 'failed', True),
    'fabric-manager-missing': (pci('030200', '068000'), {'code': 802}, 'failed', True),
    'uvm-hmm': ({**module('580.95.05', True),
                 '/sys/module/nvidia_uvm/parameters/uvm_disable_hmm': 'N'}, {'code': 3}, 'failed',
                True),
    'vgpu-without-compute': (information(0, model='GRID T4-8A'), {'code': 801}, 'failed', True),
    'interposed-driver': ({}, {'library': '/opt/libcuda.so.1', 'INIT_OF': '/opt/hook.so'}, 'failed',
                          True),
    'gpu-after-suspend': ({**HEALTHY, '/sys/power/suspend_stats/success': '1',
                           '/sys/module/nvidia_uvm/': ''}, {'code': 999}, 'failed', True),
    'wsl-driver-fails': ({**WSL_2, '/dev/dxg': DEVICE}, {}, 'failed', True),
    'tegra-driver-fails': ({'/dev/nvmap': DEVICE}, {}, 'failed', True),
}
STATES = {'absent': ABSENT, 'unfit': UNFIT, 'failed': NO_GPU, 'ready': READY}


class When(DiagnosticTest):

    def test_each_is_reported_in_its_states_only(self):
        manual = ' '.join(self.run_command('help', 'info').out.split())
        for name, (paths, about, states, is_found_if_named) in WHEN.items():
            machine = Machine(paths)
            for state, of_state in STATES.items():
                for origin, is_named in ('search', False), ('option', True):
                    diagnostics = machine.diagnose(**{**of_state, **about, 'origin': origin})
                    with self.subTest(name=name, state=state, origin=origin):
                        if name in diagnostics:
                            self.assertIn(diagnostics[name]['message'], manual)
                        self.assertEqual(name in diagnostics, state in states.split() and (
                            not is_named or is_found_if_named and state != 'absent'))
            machine.close()

    def test_stub_and_empty_file_count_as_no_library_if_they_were_searched(self):
        empty = {**BRIDGE, '/usr/lib/libcuda.so.1': ''}
        for about in STUB, UNOPENED:
            for paths, origin, is_found in ((empty, 'search', True), (empty, 'option', False)):
                machine = Machine(paths)
                self.assertEqual('no-gpu' in machine.diagnose(**{**about, 'origin': origin}),
                                 is_found)
                machine.close()
        machine = Machine({**BRIDGE, '/usr/lib/libcuda.so.1': 'text'})
        self.assertNotIn('no-gpu', machine.diagnose(**UNOPENED))
        machine.close()

    def test_first_that_explains_the_state_advises(self):
        stubs = {STUBS + '/libcuda.so': LIBRARY}
        for paths, words in ((stubs, 'Install the NVIDIA driver'), ({**stubs, **BRIDGE}, 'Run on')):
            machine = Machine(paths)
            found, advice = machine.examine(**ABSENT, LD_LIBRARY_PATH=STUBS)
            machine.close()
            self.assertIn('stub-folder', found)
            self.assertIn(words, advice)

    def test_code_that_the_cause_does_not_have(self):
        for name, (paths, about, _, _) in WHEN.items():
            if 'code' in about:
                machine = Machine(paths)
                self.assertNotIn(name, machine.diagnose(**{**NO_GPU, **about, 'code': 100}))
                machine.close()

    def test_whoever_names_a_library_does_so_by_an_option_or_the_environment(self):
        machine = Machine({'/etc/NIXOS': ''})
        for origin, is_named in (('search', False), ('well-known', False),
                                 ('option', True), ('resolver', True), ('environment', True)):
            with self.subTest(origin=origin):
                diagnostics = machine.diagnose(**{**ABSENT, 'origin': origin})
                self.assertEqual('nixos-without-driver' in diagnostics, not is_named)
        machine.close()

    def test_each_of_the_manual(self):
        manual = self.run_command('help', 'info').out
        section = manual.partition('\nDIAGNOSTICS\n')[2].partition('\n\n')[0]
        of_windows = {'host-driver-only'}
        self.assertEqual([name for name in re.findall(r'^    (\S+)', section, re.MULTILINE)
                          if name not in of_windows], list(WHEN))


class Command(ToolTest):

    def test_text(self):
        result = self.run_with(13000, 'info', FAKE_INIT=100, CUDA_VISIBLE_DEVICES='')
        self.assert_status(result, NO_DEVICE)
        self.assertIn('\n\ndiagnostic  cuda-visible-devices: '
                      'CUDA_VISIBLE_DEVICES hides every GPU, or names one twice.\n'
                      'evidence    CUDA_VISIBLE_DEVICES is set and empty\n'
                      'advice      Unset CUDA_VISIBLE_DEVICES',
                      result.out)

    def test_text_is_a_line_of_printable_characters(self):
        value = 'a\x1b[2J\nstate       ready\x7f'
        result = self.run_with(13000, 'info', FAKE_INIT=100, CUDA_VISIBLE_DEVICES=value)
        self.assertIn('\nevidence    CUDA_VISIBLE_DEVICES=a?[2J?state       ready?\n', result.out)

    def test_json(self):
        result = self.run_with(13000, 'info', '--json', FAKE_INIT=100, CUDA_VISIBLE_DEVICES='-1')
        self.assert_status(result, NO_DEVICE)
        [diagnostic] = [row for row in result.json()['diagnostics']
                        if row['name'] == 'cuda-visible-devices']
        self.assertEqual(diagnostic['evidence'], 'CUDA_VISIBLE_DEVICES=-1')

    @unittest.skipUnless(HOOK, 'no hook was built for this system')
    def test_library_that_answers_cuinit_in_place_of_the_driver(self):
        result = self.run_with(13000, 'info', '--json', FAKE_INIT=999, LD_PRELOAD=HOOK)
        self.assert_status(result, NO_DEVICE)
        [diagnostic] = [row for row in result.json()['diagnostics']
                        if row['name'] == 'interposed-driver']
        self.assertEqual(diagnostic['evidence'],
                         'cuInit is that of %s, not of %s' % (HOOK, fake(13000)))
        result = self.run_with(13000, 'info', '--json', FAKE_INIT=999)
        self.assertNotIn('interposed-driver',
                         [row['name'] for row in result.json()['diagnostics']])

    def test_driver_that_works_has_none(self):
        result = self.run_with(13000, 'info', '--json', status=DONE)
        self.assertEqual(result.json()['diagnostics'], [])


if __name__ == '__main__':
    unittest.main()
