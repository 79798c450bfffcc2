#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cushim info` and `cushim time` on the mock driver in their own process."""

import json
import os
import tempfile
import unittest

from harness import DONE, NO_DEVICE, NO_DRIVER, SIMULATED, USAGE, ToolTest

with open(os.environ['CUSHIM_DRIVER_API'], encoding='ascii') as api:
    CUDA = json.load(api)['cuda']
NEWEST = '%d.%d' % (CUDA // 1000, CUDA % 1000 // 10)


class Info(ToolTest):

    def test_text_says_first_that_it_is_simulated(self):
        result = self.run_command('info', '--mock', status=DONE)
        self.assertEqual(result.err, '')
        first, second, third = result.out.splitlines()[:3]
        self.assertEqual(first, 'simulated   The times are virtual: this is cushim\'s mock driver, '
                                'not a GPU.')
        self.assertRegex(second, r'\Amock        cushim mock .*1 device "NVIDIA H200"')
        self.assertEqual(third, 'state       ready')
        self.assertEqual(result.lines()['library'], 'built in')
        self.assertEqual(result.lines()['memory'], '2147483648 bytes (2 GiB)')

    def test_json(self):
        result = self.run_command('info', '--mock', '--devices', '2', '--driver-version', NEWEST,
                                  '--json', status=DONE)
        document = result.json()
        self.assertIs(document['simulated'], True)
        self.assertRegex(document['mock'], r'\Acushim mock .*: 2 devices ')
        self.assertEqual(document['report']['library'], 'built in')
        self.assertEqual(document['report']['state'], 'ready')
        self.assertEqual(document['report']['missing'], [])
        devices = document['devices']
        self.assertEqual([device['name'] for device in devices], ['NVIDIA H200'] * 2)
        self.assertEqual([device['pci_address'] for device in devices],
                         ['0000:01:00.0', '0000:02:00.0'])
        self.assertEqual(devices[0]['compute_capability'], '9.0')
        self.assertNotEqual(devices[0]['uuid'], devices[1]['uuid'])

    def test_an_older_version_lacks_what_came_later(self):
        report = self.run_command('info', '--mock', '--driver-version', '12.2',
                                  '--json').json()['report']
        self.assertEqual(report['driver_version'], 12020)
        self.assertIn('cuEventElapsedTime_v2', report['fallbacks'])
        self.assertIn('cuCtxCreate_v4', report['missing'])
        self.assertNotIn('cuCtxCreate_v3', report['missing'])

    def test_a_driver_that_cannot_be_used(self):
        for setting, status, state in (('driver_state=no-device', NO_DEVICE, 'no-device'),
                                       ('devices=0', NO_DEVICE, 'no-device'),
                                       ('driver_state=version-mismatch', NO_DEVICE,
                                        'kernel-mismatch'),
                                       ('driver_state=stub', NO_DRIVER, 'stub')):
            with self.subTest(setting=setting):
                result = self.run_command('info', '--mock', '--set', setting, status=status)
                self.assertEqual(result.lines()['state'], state)
                self.assertRegex(result.lines()['mock'], r'\Acushim mock .*; this is not a GPU\Z')
                # The output of nvidia-smi does not matter for the mock.
                is_mocks = 'This is the mock driver: set devices' in result.lines()['advice']
                self.assertEqual(is_mocks, state == 'no-device')

    def test_the_environment_of_the_library_is_not_read(self):
        result = self.run_command('info', '--mock', CUSHIM_MOCK_SETTINGS='devices = 3', status=DONE)
        self.assertEqual(result.out.count('\ndevice '), 1)


class Settings(ToolTest):

    def test_of_a_file_and_over_it(self):
        with tempfile.NamedTemporaryFile('w', suffix='.conf') as file:
            file.write('schema = 1\ndevices = 3\nmemory = 64 MiB\n')
            file.flush()
            result = self.run_command('info', '--mock', '--config', file.name, '--set', 'devices=1',
                                      '--set=devices = 2', '--json')
        self.assert_status(result, DONE)
        self.assertEqual([device['memory_bytes'] for device in result.json()['devices']],
                         [64 << 20] * 2)

    def test_wrong_option_is_refused(self):
        for words, message in (
                (['--devices', '17'],
                 'devices is a whole number from 0 to 16, not "17"'),
                (['--driver-version', '9.2'],
                 'driver_version is a version of CUDA from 10.0 to %s, as 12.8 '
                 'or 12080, not "9.2"' % NEWEST),
                (['--set', 'mode=auto', '--set', 'device=2'],
                 'there is no key "device"; did you mean "devices"?'),
                (['--set', 'devices'], 'a line is `key = value`'),
                (['--set', 'mode=auto\nseed=1'],
                 "--set takes one line, but was given 'mode=auto?seed=1': expected "),
                (['--set', 'profile=/nowhere.profile'],
                 '/nowhere.profile: No such file or directory'),
                (['--config', '/nowhere'], '/nowhere: No such file or directory')):
            for command in 'info', 'time':
                with self.subTest(words=words, command=command):
                    result = self.run_command(command, '--mock', *words, status=USAGE)
                    self.assertEqual(result.out, '')
                    self.assertTrue(result.err.startswith('cushim: ' + message), result.err)

    def test_refused_where_the_file_is_wrong(self):
        with tempfile.NamedTemporaryFile('w', suffix='.conf') as file:
            file.write('schema = 1\n  mode = fast\n')
            file.flush()
            result = self.run_command('info', '--mock', '--config', file.name, '--json')
        self.assert_status(result, USAGE)
        error = result.json()['error']
        self.assertEqual(error['kind'], 'usage')
        self.assertEqual(error['message'],
                         file.name + ':2:10: mode is manual, auto or threaded, not "fast"')


    def test_profile_in_the_place_of_settings(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'gpu.profile')
            self.assert_status(self.run_command('profile', '--mock', '--output', path), DONE)
            result = self.run_command('info', '--mock', '--config', path, status=USAGE)
            self.assertRegex(result.err, r'\Acushim: %s:\d+:1: there is no key "name" but in '
                                         r'a profile: name that with profile = PATH\n' % path)
            result = self.run_command('info', '--mock', '--set', 'profile=' + path, status=DONE)


class Time(ToolTest):

    def test_mode_in_which_nobody_moves_the_clock(self):
        message = 'mode = manual has nobody to move the clock here: take auto or threaded'
        with tempfile.NamedTemporaryFile('w', suffix='.conf') as file:
            file.write('schema = 1\nmode = manual\n')
            file.flush()
            for words in ['--set', 'mode=manual'], ['--config', file.name]:
                with self.subTest(words=words):
                    result = self.run_command('time', '--mock', *words, status=USAGE)
                    self.assertEqual(result.out, '')
                    self.assertTrue(result.err.startswith('cushim: ' + message + '\n'), result.err)
            result = self.run_command('time', '--mock', '--json', '--set', 'mode=manual')
            self.assert_status(result, USAGE)
            self.assertEqual(result.json()['error']['message'], message)
            result = self.run_command('time', '--mock', '--config', file.name, '--set', 'mode=auto')
            self.assert_status(result, DONE)

    def test_info_needs_no_clock(self):
        self.assert_status(self.run_command('info', '--mock', '--set', 'mode=manual'), DONE)

    def test_figures_are_virtual_and_therefore_alike(self):
        result = self.run_command('time', '--mock', '--json', status=DONE)
        document = result.json()
        self.assertIs(document['simulated'], True)
        self.assertEqual(document['bytes'], 16 << 20)
        self.assertGreater(document['minimum_ms'], 0)
        self.assertEqual(document['minimum_ms'], document['maximum_ms'])

    def test_figures_are_those_of_the_settings(self):
        # 1 MB/s: one microsecond for each byte.
        result = self.run_command('time', '--mock', '--json', '--bytes', '4000', '--set',
                                  'cost.set=1', '--set', 'cost.operation=0', '--set',
                                  'cost.record=0', '--set', 'cost.launch=0', status=DONE)
        self.assertAlmostEqual(result.json()['median_ms'], 4, delta=0.1)

    def test_text_marks_each_figure(self):
        result = self.run_command('time', '--mock', status=DONE)
        self.assertTrue(result.out.startswith('simulated   '), result.out)
        lines = result.lines()
        self.assertNotIn('library', lines)
        for label in 'minimum', 'median', 'maximum', 'bandwidth':
            self.assertTrue(lines[label].endswith(', simulated'), lines[label])

    def test_device_of_several(self):
        result = self.run_command('time', '--mock', '--devices', '2', '--device', '1', status=DONE)
        self.assertEqual(result.lines()['device'], '1: NVIDIA H200')


class Probe(ToolTest):

    def probe(self, *words):
        return self.run_command('probe', '--timeout', '240s', *words,
                                CUSHIM_LIBRARY=os.environ['CUSHIM_MOCK_LIBRARY'])

    def test_mock_driver_is_no_gpu_unless_it_is_allowed(self):
        for words, status in ((), SIMULATED), (('--allow-mock',), DONE):
            result = self.assert_status(self.probe(*words), status)
            self.assertEqual(result.lines()['verdict'], 'simulated')
            self.assertIn('simulated', result.lines())
            self.assertIn('1 simulated device', result.lines()['reason'])
            document = self.probe(*words, '--json').json()
            self.assertEqual([document['verdict'], document['simulated']], ['simulated', True])

    def test_driver_is_not_simulated(self):
        document = self.run_with(13000, 'probe', '--json', '--allow-mock').json()
        self.assertEqual([document['verdict'], document['simulated']], ['usable', False])


class Fallback(ToolTest):

    def test_where_there_is_no_driver_the_mock_takes_its_place_and_says_so_first(self):
        result = self.run_command('time', CUSHIM_LIBRARY='none', status=DONE)
        self.assertEqual(result.err, '')
        self.assertEqual(result.out.splitlines()[0],
                         'simulated   The driver is disabled by CUSHIM_LIBRARY=none. The times '
                         'are virtual: this is cushim\'s mock driver, not a GPU.')

    def test_json(self):
        result = self.run_command('time', '--json', CUSHIM_LIBRARY='none', status=DONE)
        document = result.json()
        self.assertEqual(list(document)[0], 'simulated')
        self.assertIs(document['simulated'], True)

    def test_info_describes_the_driver_and_nothing_else(self):
        self.assert_status(self.run_command('info', CUSHIM_LIBRARY='none'), NO_DRIVER)

    def test_not_where_a_driver_was_named(self):
        with tempfile.NamedTemporaryFile('w') as broken:
            broken.write('no library')
            broken.flush()
            for library in '/nowhere/libcuda.so.1', broken.name:
                with self.subTest(library=library):
                    self.assert_status(self.run_command('time', CUSHIM_LIBRARY=library), NO_DRIVER)
                    self.assert_status(self.run_command('time', '--library', library), NO_DRIVER)


if __name__ == '__main__':
    unittest.main()
