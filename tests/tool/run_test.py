#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cushim run`: the environment and exit status of a program, and that the program finds the mock
driver.
"""

import os
import shutil
import tempfile
import unittest

from harness import COMMAND, DONE, NO_DEVICE, NO_DRIVER, USAGE, ToolTest

LIBRARY = os.environ['CUSHIM_MOCK_LIBRARY']
FOLDER = os.path.realpath(os.path.dirname(LIBRARY))
NO_LIBRARY, NOT_EXECUTABLE, NOT_FOUND = 125, 126, 127


class Program(ToolTest):

    def run_program(self, *words, **settings):
        """Run a program without options of `cushim run`."""
        return self.run_command('run', '--', *words, **settings)

    def test_status_is_the_programs(self):
        for status in 0, 1, 7, 64, 125, 255:
            with self.subTest(status=status):
                self.assert_status(self.run_program('sh', '-c', 'exit %d' % status), status)

    def test_arguments_are_its_own(self):
        words = ['--json', '', 'a b', '--', '-x', '$HOME']
        result = self.assert_status(self.run_program('printf', '[%s]', *words), DONE)
        self.assertEqual(result.out, ''.join('[%s]' % word for word in words))

    def test_options_end_at_the_program(self):
        result = self.run_command('run', '--quiet', 'printf', '%s', '--quiet', status=DONE)
        self.assertEqual(result.out, '--quiet')

    def test_program_that_is_not_there(self):
        for word in 'cushim-no-such-program', '/nowhere/program':
            with self.subTest(word=word):
                result = self.assert_status(self.run_program(word), NOT_FOUND)
                self.assertIn("cushim: The program '%s' was not found.\nadvice: " % word,
                              result.err)

    def test_program_that_cannot_be_executed(self):
        with tempfile.NamedTemporaryFile() as file:
            for word in file.name, '/tmp':
                with self.subTest(word=word):
                    result = self.assert_status(self.run_program(word), NOT_EXECUTABLE)
                    self.assertIn("The program '%s' cannot be executed: " % word, result.err)


class Environment(ToolTest):

    def variable(self, name, *options, **settings):
        result = self.run_command('run', *options, '--', 'printenv', name, **settings)
        self.assertIn(result.status, (0, 1), str(result))
        self.assertEqual(result.err, '')
        return result.out[:-1] if result.status == 0 else None

    def test_folder_comes_first(self):
        self.assertEqual(self.variable('LD_LIBRARY_PATH', LD_LIBRARY_PATH=''), FOLDER)
        self.assertEqual(self.variable('LD_LIBRARY_PATH', LD_LIBRARY_PATH='/one:/two'),
                         FOLDER + ':/one:/two')
        self.assertEqual(self.variable('CUSHIM_LIBRARY', CUSHIM_LIBRARY='none'),
                         FOLDER + '/libcuda.so.1')

    def test_folder_that_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(LIBRARY, folder)
            self.assertEqual(self.variable('LD_LIBRARY_PATH', '--library', folder,
                                           LD_LIBRARY_PATH=''), os.path.realpath(folder))

    def test_folder_without_the_library(self):
        with tempfile.TemporaryDirectory(prefix='with:colon') as folder:
            result = self.run_command('run', '--library', folder, 'true', status=NO_LIBRARY)
            self.assertIn('libcuda.so.1 is not in ' + folder, result.err)
            shutil.copy(LIBRARY, folder)
            result = self.run_command('run', '--library', folder, 'true', status=NO_LIBRARY)
            self.assertIn('colon', result.err)

    def test_folder_whose_name_no_list_can_have(self):
        for name in 'semi;colon', '$LIB', '${ORIGIN}', 'new\nline':
            with self.subTest(name), tempfile.TemporaryDirectory(prefix=name) as folder:
                shutil.copy(LIBRARY, folder)
                result = self.run_command('run', '--library', folder, 'true', status=NO_LIBRARY)
                self.assertIn('has a character in its name that no list of folders', result.err)

    def test_empty_folder_is_not_the_current_one(self):
        result = self.run_command('run', '--library', '', 'true', folder=FOLDER, status=NO_LIBRARY)
        self.assertIn('libcuda.so.1 is not in an empty path', result.err)
        self.assert_status(self.run_command('run', '--library', '.', 'true', folder=FOLDER), DONE)

    def test_settings_are_passed_on(self):
        self.assertEqual(self.variable('CUSHIM_MOCK_SETTINGS', '--devices', '2', '--set', 'seed=1',
                                       '--set', 'seed=2', '--quiet'),
                         'devices = 2\nseed=1\nseed=2\nquiet = yes\n')
        self.assertIsNone(self.variable('CUSHIM_MOCK_SETTINGS'))

    def test_settings_that_were_there_stay_with_the_options_over_them(self):
        before = {'CUSHIM_MOCK_SETTINGS': 'schema = 1\nseed = 5\n  quiet=no\n# more\n'
                                          'concurrent_kernels = 2'}
        self.assertEqual(self.variable('CUSHIM_MOCK_SETTINGS', **before),
                         before['CUSHIM_MOCK_SETTINGS'])
        self.assertEqual(self.variable('CUSHIM_MOCK_SETTINGS', '--devices', '2', **before),
                         before['CUSHIM_MOCK_SETTINGS'] + '\ndevices = 2\n')
        self.assertEqual(self.variable('CUSHIM_MOCK_SETTINGS', '--set', 'seed = 6', '--quiet',
                                       '--set', 'quiet=no', **before),
                         before['CUSHIM_MOCK_SETTINGS'] + '\nseed = 6\nquiet=no\nquiet = yes\n')

    def test_rules_of_faults_add_up(self):
        self.assertEqual(self.variable('CUSHIM_MOCK_SETTINGS', '--fault', 'cuInit => hang', '--set',
                                       'fault=op.copy=>hang', '--fault', 'cuInit => hang',
                                       CUSHIM_MOCK_SETTINGS='fault = cuInit => hang'),
                         'fault = cuInit => hang\nfault = cuInit => hang\nfault=op.copy=>hang\n'
                         'fault = cuInit => hang\n')

    def test_program_runs_on_the_settings_of_both(self):
        result = self.run_command('run', '--devices', '2', '--', *COMMAND, 'info', '--json',
                                  CUSHIM_MOCK_SETTINGS='devices = 3\nmemory = 64 MiB\n')
        self.assert_status(result, DONE)
        self.assertEqual([device['memory_bytes'] for device in result.json()['devices']],
                         [64 << 20] * 2)

    def test_file_is_named_in_full(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(os.path.realpath(folder), 'mock.conf')
            with open(path, 'w', encoding='ascii') as file:
                file.write('schema = 1\n')
            here = os.getcwd()
            os.chdir(folder)
            try:
                self.assertEqual(self.variable('CUSHIM_MOCK_CONFIG', '--config', 'mock.conf'), path)
            finally:
                os.chdir(here)


class Settings(ToolTest):

    def assert_refused(self, message, *options, **settings):
        result = self.run_command('run', *options, '--', 'echo', 'started', **settings)
        self.assert_status(result, USAGE)
        self.assertEqual(result.out, '')
        self.assertIn('cushim: ' + message, result.err)

    def test_are_checked_before_the_program_starts(self):
        self.assert_refused('devices is a whole number', '--devices', 'many')
        self.assert_refused('there is no key "mod"; did you mean "mode"?', '--set',
                            'mod=auto')
        self.assert_refused('there is no effect "hung"; did you mean "hang"?', '--fault',
                            'cuInit => hung')
        self.assert_refused("--fault takes one line, but was given 'cuInit => hang?* => hang': "
                            'expected a rule of faults', '--fault', 'cuInit => hang\n* => hang')
        self.assert_refused('/nowhere: No such file or directory', '--config', '/nowhere')

    def test_of_the_environment_too(self):
        self.assert_refused('CUSHIM_MOCK_SETTINGS:1:8: mode is ',
                            CUSHIM_MOCK_SETTINGS='mode = fast')
        self.assert_refused('/nowhere: No such file', CUSHIM_MOCK_CONFIG='/nowhere')
        self.assert_refused('CUSHIM_MOCK_SETTINGS:2:8: seed is ', '--set', 'mode=auto',
                            CUSHIM_MOCK_SETTINGS='mode = auto\nseed = x')

    def test_mode_in_which_nobody_moves_the_clock(self):
        message = 'mode = manual has nobody to move the clock here: take auto or threaded\n'
        self.assert_refused(message, '--set', 'mode=manual')
        self.assert_refused(message, CUSHIM_MOCK_SETTINGS='mode = manual')
        with tempfile.NamedTemporaryFile('w', suffix='.conf') as file:
            file.write('schema = 1\nmode = manual\n')
            file.flush()
            self.assert_refused(message, '--config', file.name)
            self.assert_refused(message, CUSHIM_MOCK_CONFIG=file.name)
            result = self.run_command('run', '--config', file.name, '--set', 'mode=auto', '--',
                                      'true')
        self.assert_status(result, DONE)


class Driver(ToolTest):

    def test_program_finds_the_mock(self):
        for before in [], ['env', '-u', 'CUSHIM_LIBRARY']:
            with self.subTest(before=before):
                result = self.run_command('run', '--devices', '2', '--driver-version', '12.2', '--',
                                          *before, *COMMAND, 'info', '--json', status=DONE)
                document = result.json()
                self.assertIs(document['simulated'], True)
                self.assertEqual(document['report']['library'], FOLDER + '/libcuda.so.1')
                self.assertEqual(document['report']['driver_version'], 12020)
                self.assertEqual(len(document['devices']), 2)
                self.assertRegex(result.err, r'\Acushim mock .*2 devices')

    def test_nothing_is_said_if_that_is_asked_for(self):
        result = self.run_command('run', '--quiet', '--', *COMMAND, 'info', status=DONE)
        self.assertEqual(result.err, '')

    @unittest.skipUnless('CUSHIM_RUNTIME_PROGRAM' in os.environ, 'there is no libcudart_static')
    def test_program_with_the_runtime_linked_in_is_said_once_not_to_work(self):
        result = self.run_command('run', '--quiet', '--', os.environ['CUSHIM_RUNTIME_PROGRAM'])
        self.assert_status(result, 1)
        [line] = result.err.splitlines()
        self.assertRegex(line, "^cushim mock: the program uses NVIDIA's CUDA runtime ")

    def test_calls_fail_by_rules(self):
        result = self.run_command('run', '--quiet', '--fault', 'cuMemAlloc => out_of_memory',
                                  '--fault', 'cuEventQuery:nth=3 => hang', '--', *COMMAND, 'time')
        self.assert_status(result, 1)
        self.assertIn('cuMemAlloc_v2', result.err)
        self.assertIn('CUDA_ERROR_OUT_OF_MEMORY', result.err)
        self.assertIn('cushim mock: fault cuEventQuery:nth=3 => hang: never matched\n', result.err)

    def test_which_mock_it_is_and_why_it_has_no_device(self):
        for setting in 'devices=0', 'driver_state=no-device':
            with self.subTest(setting=setting):
                result = self.run_command('run', '--set', setting, '--', *COMMAND, 'info')
                self.assert_status(result, NO_DEVICE)
                self.assertRegex(result.lines()['mock'], r'\Acushim mock .*mode threaded')

    def test_which_mock_it_is_and_why_it_cannot_be_used(self):
        for driver_state, status in ('stub', NO_DRIVER), ('version-mismatch', NO_DEVICE):
            with self.subTest(driver_state=driver_state):
                result = self.run_command('run', '--set', 'driver_state=' + driver_state, '--',
                                          *COMMAND, 'info', status=status)
                self.assertRegex(result.lines()['mock'], r'\Acushim mock .*mode threaded')

    def test_a_stub_that_was_searched_is_reported_with_its_file(self):
        result = self.run_command('info', LD_LIBRARY_PATH=FOLDER,
                                  CUSHIM_MOCK_SETTINGS='driver_state = stub', status=NO_DRIVER)
        self.assertTrue(result.lines()['reason'].endswith(
            ': libcuda.so.1: %s/libcuda.so.1: cuDriverGetVersion returned 34.' % FOLDER))

    def test_work_is_done(self):
        result = self.run_command('run', '--quiet', '--', *COMMAND, 'time', '--bytes', '1M')
        self.assert_status(result, DONE)
        self.assertTrue(result.out.startswith('simulated   The times are virtual: '), result.out)
        self.assertIn('mode threaded', result.lines()['mock'])
        self.assertEqual(result.lines()['library'], FOLDER + '/libcuda.so.1')
        self.assertGreater(float(result.lines()['minimum'].split()[0]), 0)


if __name__ == '__main__':
    unittest.main()
