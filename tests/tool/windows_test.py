#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is different on Windows: names, advice, the environment of an elevated process."""

import os
import shutil
import tempfile
import unittest

from harness import COMMAND, DONE, NO_DRIVER, RUNNER, ToolTest, fake, host_path


class Windows(ToolTest):

    def test_no_driver_on_this_machine_gets_the_advice_for_windows(self):
        for arguments in [], ['--json']:
            result = self.run_command('info', *arguments)
            self.assert_status(result, NO_DRIVER)
            report = result.json()['report'] if arguments else result.lines()
            self.assertEqual(report['state'], 'not-found')
            self.assertIn('nvcuda.dll', report['reason'])
            self.assertIn("the system's folder", report['advice'])
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
                                                  CUSHIM_LIBRARY=host_path(path))
                        self.assert_status(result, DONE)
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


if __name__ == '__main__':
    unittest.main()
