#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cushim info`."""

import json
import os
import shutil
import tempfile
import unittest

from harness import WINDOWS, DONE, FAILED, NO_DEVICE, NO_DRIVER, NOWHERE, ToolTest, fake, host_path

FIRST_UUID = 'GPU-00112233-4455-6677-8899-aabbccddeeff'
SECOND_UUID = 'MIG-01122334-4556-6778-899a-abbccddeef00'


class Report(ToolTest):
    """The output that users pass on to others."""

    def report(self, name, *words, version=13000, **settings):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            result = self.run_with(version, 'info', '--report', host_path(path), *words, **settings)
            with open(path, encoding='utf-8') as file:
                return result, file.read()

    def test_has_what_the_command_prints_and_more(self):
        for name in 'report.txt', 'report.json':
            result, report = self.report(name, FAKE_INIT=100, CUDA_VISIBLE_DEVICES='')
            self.assert_status(result, NO_DEVICE)
            for words in ('no-device', 'libfake-13000', 'cuda-visible-devices', 'cushim',
                          os.environ['CUSHIM_VERSION'], 'CUDA_VISIBLE_DEVICES'):
                self.assertIn(words, report)
        document = json.loads(report)
        self.assertEqual(document['environment']['CUDA_VISIBLE_DEVICES'], '')
        self.assertEqual(document['report']['state'], 'no-device')
        self.assertEqual(list(document)[:2], ['system', 'environment'])

    def test_has_no_names_no_uuids_and_no_secrets(self):
        private = {'USER': 'alice', 'NVIDIA_API_KEY': 'secret',
                   'CUDA_CACHE_PATH': '/scratch/alice/cache', 'CUDA_HOME': '/home/bob/cuda',
                   'CUDA_PATH': '/opt/alices'}
        for name in 'report.txt', 'report.json':
            _, report = self.report(name, **private)
            for word in 'alice/', 'bob', 'secret', FIRST_UUID, SECOND_UUID:
                self.assertNotIn(word, report)
            for word in '/scratch/USER/cache', '/home/USER/cuda', '/opt/alices', 'GPU-UUID':
                self.assertIn(word, report)
            _, report = self.report(name, '--uuids')
            self.assertIn(FIRST_UUID, report)

    def test_file_that_cannot_be_written_is_a_failure(self):
        result = self.run_with(13000, 'info', '--report', host_path('/nowhere/report.txt'))
        self.assert_status(result, FAILED)
        self.assertIn('The report could not be written', result.err)


class InitFails(ToolTest):

    def test_fork_is_named_only_where_there_was_one(self):
        result = self.run_with(13000, 'info', FAKE_INIT=3, status=NO_DEVICE)
        self.assertNotIn('fork', result.out)
        self.assertNotIn('cushim_driver_init', result.out)

    def test_advice_is_for_cuInit(self):
        for code, words, others in ((500, 'A part of the NVIDIA driver is missing', 'spelling'),
                                    (801, 'virtual GPU', 'cuDeviceGetAttribute'),
                                    (101, 'name no GPU twice', 'cuDeviceGetCount'),
                                    (1, 'Pass 0 to cuInit', 'NULL pointers'),
                                    (2, 'Free memory', 'batches')):
            with self.subTest(code=code):
                # `time` gives the advice without the diagnostics of this machine.
                advice = self.run_with(13000, 'time', FAKE_INIT=code).err
                self.assertIn('advice: ', advice)
                self.assertIn(words, advice)
                self.assertNotIn(others, advice)

    @unittest.skipIf(WINDOWS, 'there is no LD_PRELOAD')
    def test_second_driver_in_the_process(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'libcuda.so.1')
            shutil.copyfile(fake(12020), path)
            result = self.run_with(13000, 'info', '--json', LD_PRELOAD=path)
            self.assertEqual(result.json()['report']['other'], path)
            result = self.run_with(13000, 'info', LD_PRELOAD=path)
            self.assertEqual(result.lines()['other'],
                             path + ': a second driver, which is in this process too')
        self.assertEqual(self.run_with(13000, 'info', '--json').json()['report']['other'], '')

    def test_missing_symbols_that_are_newer_than_the_driver_are_called_so(self):
        lines = self.run_with(12020, 'info').lines()
        self.assertRegex(lines['missing'], r' more: \d+ newer than this driver$')


class WithoutDriver(ToolTest):

    def test_switched_off_by_the_environment(self):
        result = self.run_command('info', CUSHIM_LIBRARY='none', status=NO_DRIVER)
        self.assertEqual(result.lines()['state'], 'disabled')
        self.assertIn('CUSHIM_LIBRARY', result.lines()['advice'])
        self.assertEqual(result.err, '')

    def test_missing_library(self):
        result = self.run_command('info', '--library', NOWHERE, status=NO_DRIVER)
        self.assertEqual(result.lines()['state'], 'not-found')
        self.assertIn(NOWHERE, result.lines()['reason'])

    def test_missing_library_is_no_matter_of_the_machine(self):
        for words, variables in (('--library', NOWHERE), {}), ((), {'CUSHIM_LIBRARY': NOWHERE}):
            result = self.run_command('info', *words, status=NO_DRIVER, **variables)
            self.assertIn('Check the path', result.lines()['advice'])
            self.assertNotIn('diagnostic', result.lines())

    def test_empty_variable_is_reported_once(self):
        result = self.run_command('info', CUSHIM_LIBRARY='', status=NO_DRIVER)
        lines = result.lines()
        self.assertEqual(lines['reason'],
                         'The driver library cannot be opened: CUSHIM_LIBRARY is set, but empty.')
        self.assertIn('leave it unset', lines['advice'])
        self.assertEqual(lines['tried'],
                         'by environment: refused: CUSHIM_LIBRARY is set, but empty')
        self.assertNotIn('diagnostic', lines)

    def test_missing_relative_library_is_named_in_full(self):
        result = self.run_command('info', '--library=nowhere.so', '--json', status=NO_DRIVER)
        self.assertEqual(result.json()['report']['candidates'][0]['path'],
                         host_path(os.path.realpath('.') + '/nowhere.so'))

    def test_text_file(self):
        with tempfile.NamedTemporaryFile('w') as file:
            file.write('no library')
            file.flush()
            result = self.run_command('info', '--library', host_path(file.name))
        self.assert_status(result, NO_DRIVER)
        self.assertEqual(result.lines()['state'], 'not-loadable')

    def test_json_has_the_error_the_report_and_no_devices(self):
        result = self.run_command('info', '--json', CUSHIM_LIBRARY='none', status=NO_DRIVER)
        document = result.json()
        self.assertEqual(list(document), ['error', 'simulated', 'mock', 'machine', 'report',
                                          'diagnostics', 'devices'])
        self.assertIs(document['simulated'], False)
        self.assertEqual(document['devices'], [])
        self.assertEqual(document['report']['state'], 'disabled')
        self.assertEqual(document['error'], {
            'kind': 'no-driver',
            'message': document['report']['reason'],
            'advice': document['report']['advice'],
            'call': None,
            'code': 303,
            'code_name': 'CUDA_ERROR_SHARED_OBJECT_INIT_FAILED'})
        self.assertEqual(result.err, '')


class WithoutDevice(ToolTest):

    def test_init_finds_none(self):
        result = self.run_with(13000, 'info', FAKE_INIT=100, status=NO_DEVICE)
        self.assertEqual(result.lines()['state'], 'no-device')
        self.assertEqual(result.lines()['driver'], 'CUDA 13.0')

    def test_kernel_mismatch(self):
        result = self.run_with(13000, 'info', '--json', FAKE_INIT=803, status=NO_DEVICE)
        self.assertEqual(result.json()['report']['state'], 'kernel-mismatch')
        self.assertEqual(result.json()['error']['kind'], 'no-device')
        self.assertEqual(result.json()['error']['call'], 'cuInit')
        self.assertEqual(result.json()['error']['code'], 803)

    def test_initialised_but_counts_zero(self):
        result = self.run_with(13000, 'info', FAKE_DEVICES=0, status=NO_DEVICE)
        self.assertEqual(result.lines()['state'], 'ready')
        self.assertIn('has no device', result.err)


class WithDevices(ToolTest):

    def test_text(self):
        result = self.run_with(13000, 'info', status=DONE)
        self.assertEqual(result.err, '')
        report, first, second = result.out.split('\n\n')
        self.assertIn('library     %s\n' % fake(13000), report)
        self.assertEqual(first.splitlines(), [
            'device      0: Fake GPU',
            'uuid        %s' % FIRST_UUID,
            'capability  9.0',
            'memory      8589934592 bytes (8 GiB)',
            'pci         0000:1B:00.0'])
        self.assertEqual(second.splitlines(), [
            'device      1: Fake "B" \\ ? MIG 1g.5gb',
            'uuid        %s' % SECOND_UUID,
            'capability  9.1',
            'memory      17179869184 bytes (16 GiB)',
            'pci         0000:1C:00.0'])

    def test_json(self):
        result = self.run_with(13000, 'info', '--json', status=DONE)
        document = result.json()
        self.assertEqual(list(document), ['simulated', 'mock', 'machine', 'report', 'diagnostics',
                                          'devices'])
        self.assertEqual(document['report']['state'], 'ready')
        self.assertEqual(document['devices'], [
            {'ordinal': 0, 'name': 'Fake GPU', 'uuid': FIRST_UUID, 'compute_capability': '9.0',
             'memory_bytes': 8589934592, 'pci_address': '0000:1B:00.0'},
            {'ordinal': 1, 'name': 'Fake "B" \\ \ufffd MIG 1g.5gb', 'uuid': SECOND_UUID,
             'compute_capability': '9.1', 'memory_bytes': 17179869184,
             'pci_address': '0000:1C:00.0'}])

    def test_json_is_indented_as_one_document(self):
        result = self.run_with(13000, 'info', '--json')
        indents = {len(line) - len(line.lstrip()) for line in result.out.splitlines()}
        self.assertEqual(indents, {0, 2, 4, 6, 8})
        self.assertTrue(result.out.endswith('}\n'))

    def test_relative_library(self):
        folder, name = os.path.split(os.environ['CUSHIM_FAKE_13000'])
        here = os.getcwd()
        os.chdir(folder)
        try:
            result = self.run_command('info', '--library', name)
        finally:
            os.chdir(here)
        self.assert_status(result, DONE)
        self.assertEqual(result.lines()['library'],
                         host_path(os.path.join(os.path.realpath(folder), name)))

    @unittest.skipIf(WINDOWS, 'a pipe has no place among the files of Windows')
    def test_pipe_is_no_library(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, 'libcuda.so.1')
            os.mkfifo(pipe)
            result = self.run_command('info', CUSHIM_LIBRARY=pipe, status=NO_DRIVER)
            self.assertIn('it is not a regular file', result.lines()['reason'])

    def test_option_comes_before_the_environment(self):
        result = self.run_with(13000, 'info', CUSHIM_LIBRARY='none', status=DONE)

    def test_environment_names_the_library(self):
        result = self.run_command('info', CUSHIM_LIBRARY=fake(12020), status=DONE)
        self.assertEqual(result.lines()['driver'], 'CUDA 12.2')

    def test_uuid_by_the_older_call(self):
        result = self.run_with(10020, 'info', '--json', status=DONE)
        self.assertEqual(result.json()['devices'][0]['uuid'], FIRST_UUID)
        self.assertIn('cuDeviceGetUuid', result.calls)

    def test_driver_without_uuids_is_no_failure(self):
        text, document = self.run_with(9010, 'info'), self.run_with(9010, 'info', '--json')
        self.assert_status(text, DONE)
        self.assertEqual(text.lines()['uuid'], 'not known to this driver')
        self.assertEqual(document.json()['devices'][0]['uuid'], None)
        self.assertEqual(document.json()['report']['missed'],
                         ['cuDeviceGetUuid', 'cuDeviceGetUuid_v2'])

    def test_failure_half_way_keeps_the_devices_before_it(self):
        calls = self.run_with(13000, 'info').calls
        second = len(calls) - calls[::-1].index('cuDeviceGetName')
        result = self.run_with(13000, 'info', '--json', FAKE_FAIL=second, status=FAILED)
        self.assertEqual([device['ordinal'] for device in result.json()['devices']], [0])
        self.assertEqual(result.json()['error']['call'], 'cuDeviceGetName')
        self.assertEqual(result.json()['error']['code_name'], 'CUDA_ERROR_ILLEGAL_ADDRESS')


if __name__ == '__main__':
    unittest.main()
