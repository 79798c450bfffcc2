#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `cushim info` makes of the diagnostics: which are reported when, and how."""

import re
import unittest

from harness import DONE, NO_DEVICE, ToolTest
from machine import (ABSENT, BRIDGE, CONF, DOCKER, DiagnosticTest, GPU, HEALTHY, LENT, LIBRARY,
                     LinkTo, MODULE, Machine, NO_GPU, READY, REFUSED, STUB, STUBS, WRONG,
                     WSL_2, bound, driver)


class Whole(DiagnosticTest):

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
        [diagnostic] = self.look(BRIDGE, ABSENT).values()
        self.assertEqual(list(diagnostic), ['name', 'message', 'evidence', 'advice'])
        self.assertTrue(all(diagnostic.values()))


# A machine with the cause and what else is so, in which states of the driver it is reported, and
# whether also if somebody has named the library, and that is there.
WHEN = {
    'no-gpu': (BRIDGE, {}, 'absent failed', True),
    'gpu-passed-through': (bound('vfio-pci'), {}, 'absent failed', True),
    'nouveau': (bound('nouveau'), {}, 'absent failed', True),
    'wsl-1': ({'/proc/sys/kernel/osrelease': '4.4.0-19041-Microsoft\n'}, {},
              'absent unfit failed', True),
    'wsl-without-driver': (WSL_2, {}, 'absent', False),
    'wsl-without-device': (WSL_2, {}, 'absent failed', True),
    'wsl-linux-driver': ({**WSL_2, **LENT, '/usr/lib/libcuda.so.1': LIBRARY},
                         {'library': '/usr/lib/libcuda.so.1'}, 'failed', False),
    'container-without-driver': (DOCKER, {}, 'absent', False),
    'container-without-compute': ({**DOCKER, **HEALTHY}, {}, 'absent', False),
    'container-hides-gpus': (DOCKER, {'NVIDIA_VISIBLE_DEVICES': 'none'}, 'absent failed', True),
    'nixos-without-driver': ({'/etc/NIXOS': ''}, {}, 'absent', False),
    'stub-folder': ({STUBS + '/libcuda.so': LIBRARY}, {'LD_LIBRARY_PATH': STUBS},
                    'absent unfit failed ready', False),
    'shadowed-driver': ({'/opt/bad/libcuda.so.1': WRONG, '/usr/lib/libcuda.so.1': LIBRARY},
                        {'LD_LIBRARY_PATH': '/opt/bad'}, 'absent unfit failed', False),
    'dangling-link': ({'/usr/lib/libcuda.so.1': LinkTo('gone')}, {}, 'absent', False),
    'link-name-only': ({'/usr/lib/libcuda.so': LIBRARY}, {}, 'absent', False),
    'stale-cache': ({'/etc/ld.so.conf': '/opt/a', '/opt/a/libcuda.so.1': LIBRARY}, {}, 'absent',
                    False),
    'library-outside-search': ({'/usr/local/nvidia/lib64/libcuda.so.1': LIBRARY}, {}, 'absent',
                               False),
    'wrong-architecture': ({}, {'outcome': 'wrong-architecture'}, 'absent unfit failed', True),
    'compat-library': (driver('580.65.06', '/opt/compat'),
                       {'library': '/opt/compat/libcuda.so.1', 'code': 803}, 'failed', True),
    'module-missing': ({**GPU, '/sys/module/': ''}, {}, 'failed', True),
    'module-release': ({**MODULE, **driver('580.65.06')},
                       {'library': '/usr/lib/x86_64-linux-gnu/libcuda.so.1'}, 'failed', True),
    'device-file-missing': (MODULE, {}, 'failed', True),
    'device-file-refused': ({'/dev/nvidia0': REFUSED}, {}, 'failed', True),
    'cuda-visible-devices': ({}, {'CUDA_VISIBLE_DEVICES': ''}, 'failed', True),
}
STATES = {'absent': ABSENT, 'unfit': STUB, 'failed': NO_GPU, 'ready': READY}


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
        self.assertEqual(re.findall(r'^    (\S+)', section, re.MULTILINE), list(WHEN))


class Command(ToolTest):

    def test_text(self):
        result = self.run_with(13000, 'info', FAKE_INIT=100, CUDA_VISIBLE_DEVICES='')
        self.assert_status(result, NO_DEVICE)
        self.assertIn('\n\ndiagnostic  cuda-visible-devices: '
                      'CUDA_VISIBLE_DEVICES hides every GPU.\n'
                      'evidence    CUDA_VISIBLE_DEVICES is set and empty\nadvice      Unset it',
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

    def test_driver_that_works_has_none(self):
        result = self.run_with(13000, 'info', '--json')
        self.assert_status(result, DONE)
        self.assertEqual(result.json()['diagnostics'], [])


if __name__ == '__main__':
    unittest.main()
