#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The differences on Windows.

Names, advice, the environment of an elevated process, and which programs find the mock's nvcuda.dll
under `cushim run`.
"""

import os
import shutil
import tempfile
import unittest

from harness import COMMAND, DONE, NO_DRIVER, RUNNER, USAGE, ToolTest, fake, host_path

CUSHIM = host_path(os.environ['CUSHIM_COMMAND'])
CLIENT = host_path(os.environ.get('CUSHIM_MOCK_CLIENT', ''))
LINKED = host_path(os.environ.get('CUSHIM_MOCK_LINKED', ''))
NO_LIBRARY, NOT_EXECUTABLE, NOT_FOUND = 125, 126, 127

# The client looks up each word by GetProcAddress(), and prints the result.
NAME = 'nvcuda.dll'


class Windows(ToolTest):

    def test_no_driver_on_this_machine_gets_the_advice_for_windows(self):
        for arguments in [], ['--json']:
            result = self.run_command('info', *arguments, status=NO_DRIVER)
            report = result.json()['report'] if arguments else result.lines()
            self.assertEqual(report['state'], 'not-found')
            self.assertIn('nvcuda.dll', report['reason'])
            self.assertIn("the system folder", report['advice'])
            self.assertIn('CUSHIM_LIBRARY', report['advice'])
            self.assertNotIn('libcuda', result.out)

    def test_search_is_one_candidate(self):
        candidate, = self.run_command('info', '--json').json()['report']['candidates']
        self.assertEqual([candidate['origin'], candidate['path'], candidate['outcome']],
                         ['search', 'nvcuda.dll', 'not-found'])

    def test_paths_of_several_scripts_come_back_as_they_are(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in 'é.dll', '漢字.dll', '\U0001f642 and more', 'no extension':
                with self.subTest(name):
                    path = os.path.join(folder, name)
                    shutil.copyfile(os.environ['CUSHIM_FAKE_13000'], path)
                    for settings in ['--library', host_path(path)], []:
                        result = self.run_command('info', *settings, '--json',
                                                  CUSHIM_LIBRARY=host_path(path), status=DONE)
                        self.assertEqual(result.json()['report']['library'], host_path(path))

    def test_slashes_of_both_kinds_are_taken(self):
        path = fake(13000).replace('\\', '/')
        for settings in ['--library', path], []:
            self.assert_status(self.run_command('info', *settings, CUSHIM_LIBRARY=path), DONE)

    def test_words_of_the_system_are_one_line(self):
        result = self.run_command('info', '--json', '--library', host_path('/nowhere/é/no.dll'))
        candidate, = result.json()['report']['candidates']
        self.assertEqual(candidate['outcome'], 'not-found')
        self.assertRegex(candidate['message'], r'\A[^\r\n]+[^\r\n. ]\Z')

    def test_lines_end_as_elsewhere(self):
        self.assertNotIn('\r', self.run_command('info', '--json').out)

    @unittest.skipUnless(RUNNER, 'only Wine is known to start processes elevated')
    def test_environment_of_an_elevated_process_is_not_trusted(self):
        elevated = [RUNNER[0], COMMAND[-1]]
        trusted = self.run_command('info', CUSHIM_LIBRARY='none')
        result = self.run_command('info', command=elevated, CUSHIM_LIBRARY='none')
        self.assertEqual([trusted.lines()['state'], result.lines()['state']],
                         ['disabled', 'not-found'])
        result = self.run_command('info', command=elevated, CUSHIM_LIBRARY=fake(13000))
        self.assertEqual(result.lines()['state'], 'not-found')


@unittest.skipUnless(CLIENT, 'the mock driver was not built')
class Run(ToolTest):

    def run_program(self, *words, **settings):
        return self.run_command('run', '--quiet', *words, **settings)

    def test_program_that_asks_for_the_driver_by_its_name_gets_the_mock(self):
        result = self.run_program('--driver-version', '12.7', '--', CLIENT, NAME, 'cuInit',
                                  'has:cuEventElapsedTime', 'has:cuEventElapsedTime_v2')
        self.assert_status(result, DONE)
        self.assertEqual(result.out.split(), ['cuInit', '0', 'cuEventElapsedTime', '1',
                                              'cuEventElapsedTime_v2', '0'])
        self.assertEqual(result.err, '')

    def test_linked_program_gets_the_mock(self):
        result = self.assert_status(self.run_program('--', LINKED), DONE)
        self.assertEqual(result.out.splitlines()[0], 'cuInit 0')

    def test_program_that_uses_cushim_gets_the_mock_if_it_is_not_elevated(self):
        result = self.run_program('--devices', '2', '--', CUSHIM, 'info', '--json')
        self.assert_status(result, DONE)
        document = result.json()
        self.assertIs(document['simulated'], True)
        self.assertEqual(len(document['devices']), 2)

    @unittest.skipUnless(RUNNER, 'only Wine runs everything elevated')
    def test_elevated_process_is_reported_who_does_not_get_it(self):
        elevated = [COMMAND[0], COMMAND[-1]]
        result = self.run_command('run', '--', CUSHIM, 'info', command=elevated, status=NO_DRIVER)
        self.assertIn('they trust no environment when they are elevated', result.err)

    def test_settings_of_the_environment_and_of_the_options_are_handed_on(self):
        result = self.run_program('--devices', '2', '--', CUSHIM, 'info', '--json',
                                  CUSHIM_MOCK_SETTINGS='devices = 3\nmemory = 64 MiB\n')
        self.assert_status(result, DONE)
        self.assertEqual([device['memory_bytes'] for device in result.json()['devices']],
                         [64 << 20] * 2)

    def test_words_arrive_as_they_are(self):
        words = ['has:a b', 'has:"', 'has:a\\', 'has:\\"b c\\\\', 'has:', 'has:\t']
        result = self.assert_status(self.run_program('--', CLIENT, NAME, *words), DONE)
        self.assertEqual(result.out.splitlines(), [word[4:] + ' 0' for word in words])

    def test_status_is_the_programs(self):
        self.assert_status(self.run_program('--', CLIENT), 2)
        self.assert_status(self.run_program('--', CLIENT, 'C:\\nowhere.dll'), 1)

    def test_what_cannot_be_run_has_the_commands_own_status(self):
        result = self.assert_status(self.run_program('--', 'no-such-program'), NOT_FOUND)
        self.assertIn("'no-such-program' was not found", result.err)
        self.assert_status(self.run_program('--', host_path(os.path.abspath(__file__))),
                           NOT_EXECUTABLE)
        self.assert_status(self.run_program('--library', 'C:\\', '--', CLIENT), NO_LIBRARY)
        self.assert_status(self.run_program('--set', 'mode=manual', '--', CLIENT), USAGE)


if __name__ == '__main__':
    unittest.main()
